// Parse: from the words of the command line to what they mean. Global flags may stand before the
// command and after it; a flag that the command or tool has itself is its own once the command is
// named.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/names.h"
#include "cli/options.h"

namespace helve::cli {

constexpr size_t kMaxWords = 10'000;

// At most one of command, tool and group is set; none: no command was given.
struct Parsed {
  Options options;
  const Command* command = nullptr;
  std::optional<Named> tool;
  std::string group;               // a group without a tool
  std::vector<std::string> words;  // what is left for the command or tool
};

// All errors have the code invalid_argument and say what was meant where that can be guessed.
Result<Parsed> parse(const Program& program, std::span<const std::string> words);

// The command, group or tool that a help topic means; a tool's own name needs no group.
Result<Parsed> parse_topic(const Program& program, std::span<const std::string> words);

// The arguments that a tool's words mean.
Result<JsonObject> parse_arguments(const Program& program, const Named& tool,
                                   std::span<const std::string> words);

// The arguments that words behind a command mean.
using ReadStdin = std::function<Result<std::string>()>;
Result<JsonObject> parse_words(std::string_view command, const schema::Type& type,
                               std::span<const std::string> words, const ReadStdin& read_stdin);

// Whether the words ask for JSON, even when they make no sense otherwise.
bool asks_for_json(std::span<const std::string> words);

}  // namespace helve::cli

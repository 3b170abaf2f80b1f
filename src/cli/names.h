// Names: how a tool is called on the command line, and which tool two words mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/type.h"
#include "tool/registry.h"

namespace helve::cli {

// A tool under one of its names: the group and word of the command line, the name the dispatcher
// takes.
struct Named {
  const Tool* tool = nullptr;
  const Dialect::Entry* dialect = nullptr;
  std::string name;
  std::string group;
  std::string word;

  // The shortest way to call it.
  std::string command() const;
};

// Under its canonical name: the word is the name without the group, or without one of a group, with
// dashes.
Named named(const Tool& tool);

// One line about a tool, for lists: its title, else the first sentence of its description.
std::string summary_of(const Tool& tool);

// The tool that `helve GROUP WORD` means: its canonical word, or an alias or dialect name, alone
// ("fs Read") or cut at the underscore ("file read", from file_read).
std::optional<Named> find_tool(const Registry& registry, std::string_view group,
                               std::string_view word);

// The tool that `helve WORD` means, without a group.
std::optional<Named> find_top_level(const Registry& registry, std::string_view word);

// The tool that has this name of its own, also when it is spelled with dashes.
std::optional<Named> find_own_name(const Registry& registry, std::string_view word);

// The same by any of its names, which is kept where a group has it.
std::optional<Named> find_any_name(const Registry& registry, std::string_view word);

bool is_group(const Registry& registry, std::string_view word);
// Those of a group; of what several other names begin with (membot_read, membot_write) those, by
// these names.
std::vector<Named> tools_of(const Registry& registry, std::string_view group);
// The first tool that has another name with this prefix, as file_read has "file"; or null.
const Tool* tool_with_prefix(const Registry& registry, std::string_view prefix);

// Every other name of a tool: its aliases and its names in dialects.
std::vector<std::string> other_names(const Registry& registry, const Tool& tool);

// The fields of a tool's input, under the parameter names that a dialect uses. Borrows from the
// tool.
class Face {
 public:
  explicit Face(const Named& named);
  // An object type to parse and describe words with, never to decode: a dialect's fields are not
  // those of the struct. A tool that has only a JSON Schema has no fields here.
  schema::Type type() const;
  // What the fields are when nothing is given.
  const JsonObject& defaults() const { return defaults_; }

 private:
  void take(const Dialect::Parameter& parameter);
  bool is_taken(const Dialect::Parameter& parameter) const;

  std::vector<schema::Field> fields_;
  JsonObject defaults_;
  const Tool* tool_;
  const Dialect::Entry* dialect_;
  bool own_ = true;  // the fields are the tool's
};

// The rules that let every tool be reached: no two have the same group and word, and none takes a
// flag that must mean the same everywhere (--help, --json). A tool may take any other global flag
// as its own; the global one is then given before the group.
Result<void> check_names(const Registry& registry);

}  // namespace helve::cli

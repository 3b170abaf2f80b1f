// FlagDoc: what there is to say about one field on the command line. Help, man page, completion and
// the generated documentation all say it from here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/type.h"

namespace helve::cli {

enum class Completes { nothing, files, directories, choices };

struct FlagDoc {
  std::string name;           // "--max-depth", "-A", or "PATH" for a positional
  std::string negation;       // "--no-record" for a switch that is on unless told
  std::string negation_text;  // what that does
  char letter = 0;
  std::string value;  // "N", "FILE"; empty for a switch
  std::string text;   // the description
  std::string facts;  // "1 to 2000; default 200"; may be empty
  std::vector<std::string> choices;
  Completes completes = Completes::nothing;
  bool required = false;
  bool repeats = false;

  std::string term() const;         // "-n, --limit N"
  std::string explanation() const;  // the text with the facts in parentheses
};

// In the order of the fields. Without defaults those of the type.
std::vector<FlagDoc> positionals(const schema::Type& type);
std::vector<FlagDoc> positionals(const schema::Type& type, const JsonObject& defaults);
std::vector<FlagDoc> flags(const schema::Type& type);
std::vector<FlagDoc> flags(const schema::Type& type, const JsonObject& defaults);
std::vector<FlagDoc> global_flags();  // of Options

// The choices of an enumeration, as they are typed: with dashes.
std::vector<std::string> choices_of(const schema::Type& enumeration);

// "PATH [NAMES…] [flags]"
std::string usage_of(const schema::Type& type);

// What the fields are when nothing is given.
JsonObject defaults_of(const schema::Type& type);

// Words of a command that yields these arguments, quoted for a shell; the raw form with --input
// where flags cannot say it.
std::string command_line(std::string_view command, const schema::Type& type,
                         std::string_view arguments_json);
// A word as it stands where that is safe, else quoted.
std::string shell_word(std::string_view word);

}  // namespace helve::cli

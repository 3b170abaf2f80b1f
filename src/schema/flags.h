// Command-line words to the JSON that decoding takes, and back: one table of fields serves both.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/type.h"

namespace helve::schema {

// The type of the error about a word that no positional takes.
constexpr std::string_view kUnexpectedArgument = "unexpected_argument";

// Positionals in order, then --name value, --name=value, -n value, -ab for letters without values,
// --yes/--no-yes for booleans,
// repeated flags for arrays, --map KEY=VALUE for maps, JSON text for objects. `--` ends the flags.
// Values that do not fit their type are passed on as strings, so that decoding reports them in its
// own words. `read_stdin` serves fields given as "-". A field named by a dash and a letter has only
// that flag.
Result<JsonObject> parse_flags(const Type& object, std::span<const std::string> words,
                               const std::function<Result<std::string>()>& read_stdin);

// The words that parse_flags turns into `arguments`, or an error naming what flags cannot express.
Result<std::vector<std::string>> to_flags(const Type& object, const JsonObject& arguments);

// What a field is for, as the hint that asks for it: hints begin small.
std::string hint_of(const Field& field);
std::string flag_name(std::string_view field);  // "max_depth" -> "--max-depth", "-A" -> "-A"
// Any number of flags may hide optionals; this is the type a value has in the end.
const Type& plain(const Type& type);

}  // namespace helve::schema

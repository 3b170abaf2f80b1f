// Dialects: names and parameters that models and other systems use for the same behaviour, as data.
// Policy, hooks and records see canonical names only, so no dialect walks around them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

struct Dialect {
  struct Entry;
  // A value of theirs that means another one of ours, both as JSON. Ours empty: nothing was said.
  struct Meaning {
    std::string_view theirs;
    std::string_view ours;
  };
  struct Parameter {
    std::string_view theirs;
    std::string_view ours;  // empty: accepted and dropped
    // Their value minus ours: Claude's 1-based `offset` has 1, our lines to skip have 0.
    int shift = 0;
    std::string_view description = {};  // where ours would mislead; empty: ours
    // A flag of theirs lists true and false and takes no other value, so it is closed.
    std::span<const Meaning> values = {};
    bool closed = false;
    bool single = false;            // one value where ours is a list; a list is taken too
    bool several = false;           // of a single one: blanks and commas stand between several
    const Entry* inside = nullptr;  // the names in the objects of a list
  };
  // What ours is when the caller says nothing, as JSON, where the tool's own default differs.
  struct Default {
    std::string_view ours;
    std::string_view value;
  };
  struct Entry {
    std::string_view name;  // theirs
    std::string_view tool;  // ours, canonical
    std::span<const Parameter> parameters;
    std::span<const Default> defaults = {};
  };
  std::string_view name;
  std::string_view from;  // whose names these are, for people
  std::span<const Entry> entries;
};

std::span<const Dialect> dialects();
const Dialect* find_dialect(std::string_view name);
// True when some dialect knows the name, whether or not its tool is loaded.
bool is_dialect_name(std::string_view name);

// Whether a parameter is a flag of theirs for a value of ours.
bool is_flag(const Dialect::Parameter& parameter);

// The same arguments under canonical parameter names, and the dialect's defaults for what is not
// given. The same parameter under two names with different values is an error.
Result<JsonObject> to_canonical(const Dialect::Entry& entry, const JsonObject& arguments);

// The dialect's word for a parameter, or a tool, of ours. A tool that goes by our name has ours.
std::string_view their_parameter(const Dialect::Entry& entry, std::string_view ours);
std::string_view their_tool(const Dialect::Entry& entry, std::string_view ours);

// What is wrong with the arguments, in the caller's own words: the names that it gave; for what it
// did not give, the dialect's, unless the tool was called by our name.
Error in_dialect(const Dialect::Entry& entry, const Error& invalid_input, const JsonObject& given);

// What is said instead of a name, and of the value behind it in name=value; null: it stays.
using Speak = std::function<std::optional<std::string>(std::string_view name,
                                                       std::optional<std::string_view> value)>;
// A description or a hint of ours in other words. Only a name with an underscore, between backticks
// or before an equals sign is sure to be one: "path" is also a word. What stands between quotes is
// not ours.
std::string respoken(std::string_view text, const Speak& speak);
// With the dialect's names in it.
std::string in_their_words(const Dialect::Entry& entry, std::string_view text);

}  // namespace helve

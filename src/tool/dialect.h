// Dialects: names and parameters that models and other systems use for the same behaviour, as data.
// Policy, hooks and records see canonical names only, so no dialect walks around them.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace helve {

struct Dialect {
  struct Parameter {
    std::string_view theirs;
    std::string_view ours;  // empty: accepted and dropped
    // Their value minus ours: Claude's 1-based `offset` has 1, our lines to skip have 0.
    int shift = 0;
    std::string_view description = {};  // where ours would mislead; empty: ours
  };
  struct Entry {
    std::string_view name;  // theirs
    std::string_view tool;  // ours, canonical
    std::span<const Parameter> parameters;
  };
  std::string_view name;
  std::string_view from;  // whose names these are, for people
  std::span<const Entry> entries;
};

std::span<const Dialect> dialects();
const Dialect* find_dialect(std::string_view name);
// True when some dialect knows the name, whether or not its tool is loaded.
bool is_dialect_name(std::string_view name);

// The same arguments under canonical parameter names. The same parameter under two names with
// different values is an error.
Result<JsonObject> to_canonical(const Dialect::Entry& entry, const JsonObject& arguments);

// What is wrong with the arguments, in the caller's own words: its names instead of ours.
Error in_dialect(const Dialect::Entry& entry, const Error& invalid_input);

}  // namespace helve

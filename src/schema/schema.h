// What a described type yields: decoding that reports every error, encoding, and JSON Schema
// 2020-12.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "schema/describe.h"

namespace helve::schema {

// One thing wrong with a value, where (edits[2].old_text), and what would be right.
struct Problem {
  std::string path;  // empty: the value itself
  std::string message;
  std::string hint;
  // Of validate() where the type is wrong: the value, and the schema that wants another; null where
  // several do. Both live as long as what they are parts of.
  const Json* misfit = nullptr;
  const JsonObject* wanted = nullptr;
};

// All problems as one error: code invalid_argument, type invalid_input, one line a problem, and
// `details` as a list.
Error to_error(const std::vector<Problem>& problems);

// Fills the value at `out`, which holds the defaults. `null` means absent, unknown keys are
// problems. On problems the value is in a valid but unspecified state.
void decode(const Type& type, const Json& json, void* out, std::vector<Problem>& problems);
template <class T>
Result<T> decode(const Json& json) {
  T value{};
  std::vector<Problem> problems;
  decode(kType<T>, json, &value, problems);
  if (!problems.empty()) return to_error(problems);
  return value;
}

// Appends the value as JSON. Empty optionals are left out.
void encode(const Type& type, const void* value, std::string& out);
// An object of which nothing was said.
std::string encode_defaults(const Type& type);
template <class T>
std::string encode(const T& value) {
  std::string out;
  encode(kType<T>, &value, out);
  return out;
}

// Whether the value keeps the bounds that its own description states: what decoding would say of
// its encoding.
void check(const Type& type, const void* value, std::vector<Problem>& problems);

enum class Direction { input, output };
// An input refuses unknown keys; an output may grow, so its schema stays open.
JsonObject json_schema(const Type& type, Direction direction = Direction::input);

}  // namespace helve::schema

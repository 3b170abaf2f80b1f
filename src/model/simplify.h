// A schema in fewer words, so that each provider's pass stays small. Only widens, never narrows,
// but for types that the schema leaves to be guessed: what a simplified schema lets through, the
// dispatcher still checks against the whole one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::model {

// The root as every provider demands it: type object, without $schema, $ref, allOf, anyOf and
// oneOf, whose properties become its own. Properties stay as they are.
Result<JsonObject> flatten_root(const JsonObject& schema);

constexpr size_t kMaxSimplifiedDepth = 32;
constexpr size_t kMaxSimplifiedNodes = 5'000;

// One of three shapes at every level, with local references inlined:
// - `type` is one type, or [one type, "null"], with that type's keywords;
// - `anyOf` of such, beside nothing but `description` and `default`;
// - neither: any JSON.
// Takes what flatten_root gave. The error's message is a reason for people.
Result<JsonObject> simplify(const Json& schema);

// "string" for both "string" and ["string", "null"]; empty when there is no type.
std::string_view main_type(const JsonObject& simplified);
bool is_nullable(const JsonObject& simplified);

// "parameter 'edits[].path'": how a reason names the place. The root is "its input".
std::string place_name(std::string_view path);
std::string item_path(std::string_view path);
std::string member_path(std::string_view path, std::string_view name);

}  // namespace helve::model

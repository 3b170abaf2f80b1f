// Putting schemas in their simple shapes together: both must hold, or one of them. Internal to
// simplify.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::model {

constexpr size_t kMaxAlternatives = 32;

// What satisfies both; an error with a reason when that cannot be said in simple shapes, of code
// `conflict` when nothing satisfies both. The result may lack its type.
Result<JsonObject> merge_both(const JsonObject& a, const JsonObject& b, std::string_view path);

// One of the alternatives, each in a simple shape, beside the annotations of `base`; as simple as
// it can be said.
Result<JsonObject> make_union(const JsonObject& base, std::vector<JsonObject> alternatives,
                              std::string_view path);

// Works out the one type, or the alternatives by type, of a schema that has no `anyOf`.
Result<JsonObject> settle_type(JsonObject schema, std::string_view path);

}  // namespace helve::model

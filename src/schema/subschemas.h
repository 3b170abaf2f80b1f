// Where schemas stand inside a JSON Schema: which keywords hold one, a list or a map of them.
#pragma once

#include <functional>
#include <string_view>

#include "base/json.h"

namespace helve::schema {

enum class Holds : unsigned char { no_schema, schema, list, map };

// What `value` under `keyword` holds. `definitions`, `dependencies` and a list under `items` are of
// older drafts, which many tools still write.
Holds holds(std::string_view keyword, const Json& value);

// Every schema directly inside, with its keyword and, within a list or map, its index or name.
using VisitSubschema =
    std::function<void(const Json& child, std::string_view keyword, std::string_view key)>;
void each_subschema(const JsonObject& schema, const VisitSubschema& visit);

}  // namespace helve::schema

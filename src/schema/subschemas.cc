#include "schema/subschemas.h"

#include <algorithm>
#include <string>

namespace helve::schema {
namespace {

struct Keyword {
  std::string_view name;
  Holds holds;
};
constexpr Keyword kKeywords[] = {
    {"$defs", Holds::map},
    {"additionalItems", Holds::schema},
    {"additionalProperties", Holds::schema},
    {"allOf", Holds::list},
    {"anyOf", Holds::list},
    {"contains", Holds::schema},
    {"definitions", Holds::map},
    {"dependencies", Holds::map},
    {"dependentSchemas", Holds::map},
    {"else", Holds::schema},
    {"if", Holds::schema},
    {"items", Holds::schema},
    {"not", Holds::schema},
    {"oneOf", Holds::list},
    {"patternProperties", Holds::map},
    {"prefixItems", Holds::list},
    {"properties", Holds::map},
    {"propertyNames", Holds::schema},
    {"then", Holds::schema},
    {"unevaluatedItems", Holds::schema},
    {"unevaluatedProperties", Holds::schema},
};
static_assert(std::ranges::is_sorted(kKeywords, {}, &Keyword::name));

}  // namespace

Holds holds(std::string_view keyword, const Json& value) {
  const auto* found = std::ranges::lower_bound(kKeywords, keyword, {}, &Keyword::name);
  if (found == std::end(kKeywords) || found->name != keyword) return Holds::no_schema;
  return keyword == "items" && value.is_array() ? Holds::list : found->holds;
}

void each_subschema(const JsonObject& schema, const VisitSubschema& visit) {
  for (const auto& [keyword, value] : schema) {
    switch (holds(keyword, value)) {
      case Holds::no_schema:
        break;
      case Holds::schema:
        visit(value, keyword, {});
        break;
      case Holds::list:
        if (const JsonArray* list = value.if_array()) {
          for (size_t i = 0; i < list->size(); ++i) visit((*list)[i], keyword, std::to_string(i));
        }
        break;
      case Holds::map:
        if (const JsonObject* map = value.if_object()) {
          for (const auto& [name, child] : *map) {
            const bool is_list_of_names = keyword == "dependencies" && child.is_array();
            if (!is_list_of_names) visit(child, keyword, name);
          }
        }
        break;
    }
  }
}

}  // namespace helve::schema

#include "model/json_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/notes.h"
#include "model/simplify.h"

namespace helve::model {
namespace {

constexpr size_t kShownSchema = 1'000;  // characters

bool has_named_members(const JsonObject& schema) {
  const Json* properties = schema.if_contains("properties");
  return properties && !properties->get_object().empty();
}

bool is_map(const JsonObject& schema) {
  const Json* others = schema.if_contains("additionalProperties");
  return schema.contains("patternProperties") || (others && others->is_object());
}

// What the members of a map are, where all are of one simple type; else null.
const JsonObject* simple_members(const JsonObject& schema) {
  const Json* others = schema.if_contains("additionalProperties");
  if (!others || !others->is_object() || has_named_members(schema) ||
      schema.contains("patternProperties"))
    return nullptr;
  const std::string_view type = main_type(others->get_object());
  return type.empty() || type == "object" || type == "array" ? nullptr : &others->get_object();
}

std::string_view example_of(const JsonObject& schema) {
  if (main_type(schema) == "array") return R"(["a", 1])";
  const JsonObject* members = simple_members(schema);
  const std::string_view type = members ? main_type(*members) : "string";
  return type == "integer"   ? R"({"NAME": 1})"
         : type == "number"  ? R"({"NAME": 0.5})"
         : type == "boolean" ? R"({"NAME": true})"
                             : R"({"NAME": "value"})";
}

// Of a schema that says more than the example does.
std::string shown_schema(const JsonObject& schema) {
  JsonObject rest;
  for (const auto& [keyword, value] : schema) {
    if (keyword != "description" && keyword != "default" && keyword != "type")
      rest.emplace(keyword, value);
  }
  return preview(to_text(Json(std::move(rest))), kShownSchema);
}

}  // namespace

bool needs_text(const JsonObject& schema) {
  const std::string_view type = main_type(schema);
  if (type == "object") return is_map(schema) || !has_named_members(schema);
  if (type != "array") return false;
  const Json* items = schema.if_contains("items");
  const bool says_items =
      items && (main_type(items->get_object()) != "" || items->get_object().contains("anyOf"));
  return !says_items || schema.contains("prefixItems");
}

JsonObject text_schema(const JsonObject& schema) {
  const bool is_list = main_type(schema) == "array";
  Notes notes;
  notes.add(fmt::format("a JSON {} written as a string, such as {}", is_list ? "list" : "object",
                        example_of(schema)));
  if (has_named_members(schema) || (is_map(schema) && !simple_members(schema)))
    notes.add("its schema: " + shown_schema(schema));
  notes.add_value(schema, "minProperties", "members: at least");
  notes.add_value(schema, "maxProperties", "members: at most");
  notes.add_value(schema, "minItems", "items: at least");
  notes.add_value(schema, "maxItems", "items: at most");
  JsonObject out;
  if (is_nullable(schema))
    out["type"] = JsonArray{"string", "null"};
  else
    out["type"] = "string";
  notes.describe(schema, out);
  if (const Json* value = schema.if_contains("default")) out["default"] = *value;
  return out;
}

Result<void> check_choice(const JsonArray& choice, std::string_view path) {
  const bool takes_string = std::ranges::any_of(
      choice, [](const Json& one) { return main_type(one.get_object()) == "string"; });
  const bool wants_text =
      std::ranges::any_of(choice, [](const Json& one) { return needs_text(one.get_object()); });
  if (!takes_string || !wants_text) return {};
  return Error{Code::unsupported,
               fmt::format("{} is a string or something that has to be written as one, and nobody "
                           "could tell which",
                           place_name(path))};
}

}  // namespace helve::model

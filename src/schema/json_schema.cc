#include "base/result.h"
#include "schema/schema.h"

namespace helve::schema {
namespace {

Json bound_json(const Bound& bound) {
  return bound.integral ? Json(bound.integer) : Json(bound.number);
}

JsonObject render(const Type& type, const Field* field, Direction direction);

// The value a default-made struct has for the field; null when it says nothing (empty optional,
// list or map).
Json default_of(const Field& field, void* defaults) {
  std::string text;
  encode(*field.type, field.access(defaults), text);
  Json value = *parse_json(text);
  const bool empty = (value.is_array() && value.get_array().empty()) ||
                     (value.is_object() && value.get_object().empty()) ||
                     (value.is_string() && value.get_string().empty());
  return empty ? Json() : value;
}

void render_object(const Type& type, Direction direction, JsonObject& out) {
  out["type"] = "object";
  JsonObject properties;
  JsonArray required;
  void* defaults = type.operations.construct();
  for (const Field& field : type.fields) {
    JsonObject member = render(*field.type, &field, direction);
    if (!field.required && direction == Direction::input) {
      if (Json value = default_of(field, defaults); !value.is_null())
        member["default"] = std::move(value);
    }
    // An output always carries its members, but for empty optionals.
    const bool always =
        direction == Direction::input ? field.required : field.type->kind != Kind::optional;
    if (always) required.emplace_back(field.name);
    properties[field.name] = std::move(member);
  }
  type.operations.destroy(defaults);
  out["properties"] = std::move(properties);
  if (!required.empty()) out["required"] = std::move(required);
  if (direction == Direction::input) out["additionalProperties"] = false;
}

void render_integer(const Type& type, const Field* field, JsonObject& out) {
  out["type"] = "integer";
  if (!type.is_signed && !(field && field->lowest.set)) out["minimum"] = 0;
}

JsonObject render(const Type& type, const Field* field, Direction direction) {
  JsonObject out;
  std::string_view lengths = "Length";
  switch (type.kind) {
    case Kind::boolean:
      out["type"] = "boolean";
      break;
    case Kind::integer:
      render_integer(type, field, out);
      break;
    case Kind::number:
      out["type"] = "number";
      break;
    case Kind::string:
      out["type"] = "string";
      break;
    case Kind::enumeration:
      out["type"] = "string";
      out["enum"] = JsonArray(type.names.begin(), type.names.end());
      break;
    case Kind::object:
      render_object(type, direction, out);
      break;
    case Kind::array:
      out["type"] = "array";
      out["items"] = render(*type.inner, nullptr, direction);
      lengths = "Items";
      break;
    case Kind::map:
      out["type"] = "object";
      out["additionalProperties"] = render(*type.inner, nullptr, direction);
      lengths = "Properties";
      break;
    case Kind::json:
      if (field && field->only_object) out["type"] = "object";
      break;
    case Kind::optional:
      return render(*type.inner, field, direction);
  }
  if (!field) return out;
  if (!field->description.empty()) out["description"] = field->description;
  if (field->lowest.set) out["minimum"] = bound_json(field->lowest);
  if (field->highest.set) out["maximum"] = bound_json(field->highest);
  if (field->shortest >= 0) out["min" + std::string(lengths)] = field->shortest;
  if (field->longest >= 0) out["max" + std::string(lengths)] = field->longest;
  if (!field->regex.empty()) out["pattern"] = field->regex;
  return out;
}

}  // namespace

JsonObject json_schema(const Type& type, Direction direction) {
  return render(type, nullptr, direction);
}

}  // namespace helve::schema

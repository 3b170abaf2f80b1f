#include "app/dialect_face.h"

#include <algorithm>

namespace helve::app {
namespace {

const Dialect::Parameter* parameter_of(const Dialect::Entry& entry, std::string_view ours) {
  const auto found = std::ranges::find(entry.parameters, ours, &Dialect::Parameter::ours);
  return found == entry.parameters.end() ? nullptr : &*found;
}

// Numbers that mean positions move with the dialect's way of counting.
void shift_numbers(Json& property, int shift) {
  if (shift == 0 || !property.is_object()) return;
  for (const char* key : {"minimum", "maximum", "default"}) {
    Json* number = property.get_object().if_contains(key);
    if (number && number->is_int64()) *number = number->get_int64() + shift;
  }
}

}  // namespace

const Dialect::Entry* DialectFace::entry(const Tool& tool) const {
  if (!dialect_) return nullptr;
  for (const Dialect::Entry& entry : dialect_->entries) {
    if (entry.tool == tool.spec.name && registry_.find(entry.name).dialect == &entry) return &entry;
  }
  return nullptr;
}

std::string DialectFace::name(const Tool& tool) const {
  const Dialect::Entry* theirs = entry(tool);
  return theirs ? std::string(theirs->name) : tool.spec.name;
}

JsonObject DialectFace::input_schema(const Tool& tool) const {
  JsonObject schema = tool.input_schema();
  const Dialect::Entry* theirs = entry(tool);
  if (!theirs) return schema;
  if (Json* properties = schema.if_contains("properties"); properties && properties->is_object()) {
    JsonObject renamed;
    for (auto& member : properties->get_object()) {
      const Dialect::Parameter* parameter = parameter_of(*theirs, member.key());
      if (parameter) {
        shift_numbers(member.value(), parameter->shift);
        if (!parameter->description.empty())
          member.value().as_object()["description"] = parameter->description;
      }
      renamed[parameter ? parameter->theirs : std::string_view(member.key())] =
          std::move(member.value());
    }
    *properties = std::move(renamed);
  }
  if (Json* required = schema.if_contains("required"); required && required->is_array()) {
    for (Json& name : required->get_array()) {
      if (!name.is_string()) continue;
      if (const Dialect::Parameter* parameter = parameter_of(*theirs, name.get_string()))
        name = parameter->theirs;
    }
  }
  return schema;
}

}  // namespace helve::app

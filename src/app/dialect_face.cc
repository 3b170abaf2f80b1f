#include "app/dialect_face.h"

#include <algorithm>

namespace helve::app {
namespace {

const Dialect::Parameter* parameter_of(const Dialect::Entry& entry, std::string_view ours) {
  const auto found = std::ranges::find(entry.parameters, ours, &Dialect::Parameter::ours);
  return found == entry.parameters.end() ? nullptr : &*found;
}

bool is_theirs(const Dialect::Entry& entry, std::string_view name) {
  return std::ranges::find(entry.parameters, name, &Dialect::Parameter::theirs) !=
         entry.parameters.end();
}

// Numbers that mean positions move with the dialect's way of counting.
void shift_numbers(Json& property, int shift) {
  if (shift == 0 || !property.is_object()) return;
  for (const char* key : {"minimum", "maximum", "default"}) {
    Json* number = property.get_object().if_contains(key);
    if (number && number->is_int64()) *number = number->get_int64() + shift;
  }
}

// A value of theirs that ours would not take, as 0 for no limit, moves the bound.
void admit_values(Json& property, std::span<const Dialect::Meaning> values) {
  Json* minimum = property.get_object().if_contains("minimum");
  if (!minimum || !minimum->is_int64()) return;
  for (const Dialect::Meaning& meaning : values) {
    const Json value = parse_json(meaning.theirs).value_or(Json());
    if (value.is_int64() && value.get_int64() < minimum->get_int64()) *minimum = value;
  }
}

// Of a value that no other may stand beside.
JsonObject closed_schema(const Dialect::Parameter& parameter) {
  if (is_flag(parameter)) return {{"type", "boolean"}};
  JsonArray values;
  for (const Dialect::Meaning& meaning : parameter.values)
    values.push_back(parse_json(meaning.theirs).value_or(Json()));
  return {{"enum", std::move(values)}};
}

void rename(JsonObject& schema, const Dialect::Entry& entry);

// Our property as the dialect has it.
Json theirs_of(const Dialect::Parameter& parameter, Json property) {
  if (!property.is_object()) return property;
  const Json* ours = property.get_object().if_contains("description");
  const Json description =
      parameter.description.empty() && ours ? *ours : Json(parameter.description);
  if (parameter.closed) {
    property = closed_schema(parameter);
  } else if (Json* items = property.get_object().if_contains("items"); items && parameter.single) {
    property = Json(*items);
  } else if (items && parameter.inside && items->is_object()) {
    rename(items->get_object(), *parameter.inside);
  } else {
    shift_numbers(property, parameter.shift);
    admit_values(property, parameter.values);
  }
  property.as_object()["description"] = description;
  return property;
}

void translate_description(JsonObject& property, const Dialect::Entry& entry) {
  if (Json* text = property.if_contains("description"); text && text->is_string())
    *text = in_their_words(entry, text->get_string());
}

void set_defaults(JsonObject& properties, const Dialect::Entry& entry) {
  for (const Dialect::Default& standard : entry.defaults) {
    if (Json* property = properties.if_contains(standard.ours); property && property->is_object())
      property->get_object()["default"] = parse_json(standard.value).value_or(Json());
  }
}

// The names of an object's members as the dialect has them.
void rename(JsonObject& schema, const Dialect::Entry& entry) {
  if (Json* properties = schema.if_contains("properties"); properties && properties->is_object()) {
    set_defaults(properties->get_object(), entry);
    JsonObject renamed;
    for (auto& member : properties->get_object()) {
      const Dialect::Parameter* parameter = parameter_of(entry, member.key());
      // Their word may be one of ours with another meaning; here it means theirs.
      if (!parameter && is_theirs(entry, member.key())) continue;
      Json property = std::move(member.value());
      if (parameter) property = theirs_of(*parameter, std::move(property));
      if (property.is_object()) translate_description(property.get_object(), entry);
      renamed[parameter ? parameter->theirs : std::string_view(member.key())] = std::move(property);
    }
    *properties = std::move(renamed);
  }
  if (Json* required = schema.if_contains("required"); required && required->is_array()) {
    for (Json& name : required->get_array()) {
      if (!name.is_string()) continue;
      if (const Dialect::Parameter* parameter = parameter_of(entry, name.get_string()))
        name = parameter->theirs;
    }
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

std::string DialectFace::description(const Tool& tool) const {
  const Dialect::Entry* theirs = entry(tool);
  return theirs ? in_their_words(*theirs, tool.spec.description) : tool.spec.description;
}

JsonObject DialectFace::input_schema(const Tool& tool) const {
  JsonObject schema = tool.input_schema();
  const Dialect::Entry* theirs = entry(tool);
  if (theirs) rename(schema, *theirs);
  return schema;
}

}  // namespace helve::app

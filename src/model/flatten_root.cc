#include <fmt/format.h>

#include <algorithm>

#include "model/simplify.h"
#include "schema/references.h"
#include "schema/validate.h"

namespace helve::model {
namespace {

// What an object schema says of its members, wherever it says it.
struct Members {
  JsonObject properties;
  std::vector<std::string> required;
};

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Two schemas for one property: both hold (allOf) or one of them does (anyOf).
void add_property(JsonObject& properties, std::string_view name, const Json& schema,
                  std::string_view combine) {
  Json* known = properties.if_contains(name);
  if (!known)
    properties.emplace(name, schema);
  else if (*known != schema)
    *known = JsonObject{{combine, JsonArray{*known, schema}}};
}

void add_all(Members& members, const Members& more) {
  for (const auto& [name, schema] : more.properties)
    add_property(members.properties, name, schema, "allOf");
  for (const std::string& name : more.required) {
    if (!has(members.required, name)) members.required.push_back(name);
  }
}

// Any branch will do: a member is required only when every branch requires it.
Members any_of(const std::vector<Members>& branches) {
  Members out = branches.front();
  for (size_t i = 1; i < branches.size(); ++i) {
    for (const auto& [name, schema] : branches[i].properties)
      add_property(out.properties, name, schema, "anyOf");
    std::erase_if(out.required,
                  [&](const std::string& name) { return !has(branches[i].required, name); });
  }
  return out;
}

bool may_be_object(const Json& schema) {
  const Json* type = find(schema, "type");
  if (!type || !schema.is_object()) return schema.is_object() || schema == Json(true);
  if (type->is_string()) return type->get_string() == "object";
  return type->is_array() && std::any_of(type->get_array().begin(), type->get_array().end(),
                                         [](const Json& one) { return one == Json("object"); });
}

class Flattener {
 public:
  explicit Flattener(const Json& document) : references_(document, kMaxSimplifiedDepth) {}

  // Sentences for the description: choices that can no longer be seen.
  std::vector<std::string> notes;

  Result<Members> collect(const Json& schema, size_t depth) {
    if (depth > kMaxSimplifiedDepth)
      return Error{Code::unsupported, "its input refers to itself or is nested too deep"};
    Members out;
    if (!schema.is_object()) return out;
    if (const Json* properties = find(schema, "properties");
        properties && properties->is_object()) {
      out.properties = properties->get_object();
    }
    if (const Json* required = find(schema, "required"); required && required->is_array()) {
      for (const Json& name : required->get_array()) {
        if (name.is_string()) out.required.emplace_back(name.get_string());
      }
    }
    for (std::string_view keyword : {"$ref", "$dynamicRef"}) {
      const std::string_view reference = string_at(schema, keyword);
      if (reference.empty()) continue;
      const Json* target = references_.resolve(schema, reference);
      if (!target)
        return Error{Code::unsupported,
                     fmt::format("its input refers to '{}', which is not in it", reference)};
      add_all(out, TRY(collect(*target, depth + 1)));
    }
    if (const Json* all = find(schema, "allOf"); all && all->is_array()) {
      for (const Json& branch : all->get_array()) add_all(out, TRY(collect(branch, depth + 1)));
    }
    for (std::string_view keyword : {"anyOf", "oneOf"}) {
      const Json* choice = find(schema, keyword);
      if (choice && choice->is_array())
        add_all(out, TRY(collect_choice(choice->get_array(), depth)));
    }
    return out;
  }

 private:
  Result<Members> collect_choice(const JsonArray& choices, size_t depth) {
    std::vector<Members> branches;
    std::string sets;
    bool all_named = true;
    for (const Json& choice : choices) {
      if (!may_be_object(choice)) continue;
      const Members& branch = branches.emplace_back(TRY(collect(choice, depth + 1)));
      all_named = all_named && !branch.required.empty();
      sets += fmt::format("{}{}", sets.empty() ? "" : "; ", fmt::join(branch.required, ", "));
    }
    if (branches.empty()) return Error{Code::unsupported, "its input is not an object"};
    if (branches.size() > 1 && all_named) {
      notes.push_back(fmt::format("Takes one of these sets of parameters: {}.", sets));
    }
    return any_of(branches);
  }

  schema::References references_;
};

bool is_combined(const JsonObject& schema) {
  for (std::string_view keyword : {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"}) {
    if (schema.contains(keyword)) return true;
  }
  return false;
}

// Providers refuse these at the root.
bool is_dropped(std::string_view keyword) {
  for (std::string_view one : {"$schema", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not",
                               "enum", "const", "type", "properties", "required", "description"}) {
    if (keyword == one) return true;
  }
  return false;
}

}  // namespace

Result<JsonObject> flatten_root(const JsonObject& schema) {
  const Json document(schema);
  if (!may_be_object(document)) return Error{Code::unsupported, "its input is not an object"};
  Flattener flattener(document);
  Members members = TRY(flattener.collect(document, 0));

  JsonObject out{{"type", "object"}};
  std::string description(string_at(document, "description"));
  for (const std::string& note : flattener.notes)
    description += (description.empty() ? "" : " ") + note;
  if (!description.empty()) out["description"] = description;
  out["properties"] = std::move(members.properties);
  if (!members.required.empty())
    out["required"] = JsonArray(members.required.begin(), members.required.end());
  for (const auto& [keyword, value] : schema) {
    if (!is_dropped(keyword)) out.emplace(keyword, value);
  }
  // What was taken out of its place may have been referred to by its place.
  if (is_combined(schema)) {
    if (Result<void> checked = schema::check_schema(Json(out)); !checked) {
      return Error{Code::unsupported, "its input cannot be flattened: " + checked.error().message};
    }
  }
  return out;
}

}  // namespace helve::model

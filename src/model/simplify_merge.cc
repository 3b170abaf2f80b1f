#include "model/simplify_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/simplify.h"

namespace helve::model {
namespace {

constexpr std::string_view kTypes[] = {"object",  "array",   "string", "number",
                                       "integer", "boolean", "null"};

struct Owner {
  std::string_view keyword;
  std::string_view types;  // that it says something of
};
constexpr Owner kOwners[] = {
    {"properties", "object"},
    {"required", "object"},
    {"additionalProperties", "object"},
    {"patternProperties", "object"},
    {"minProperties", "object"},
    {"maxProperties", "object"},
    {"items", "array"},
    {"prefixItems", "array"},
    {"minItems", "array"},
    {"maxItems", "array"},
    {"uniqueItems", "array"},
    {"minLength", "string"},
    {"maxLength", "string"},
    {"pattern", "string"},
    {"format", "string number integer"},
    {"minimum", "number integer"},
    {"maximum", "number integer"},
    {"exclusiveMinimum", "number integer"},
    {"exclusiveMaximum", "number integer"},
    {"multipleOf", "number integer"},
};

Error fail(std::string_view path, std::string_view what) {
  return Error{Code::unsupported, fmt::format("{} {}", place_name(path), what)};
}

Error contradiction(std::string_view path) {
  return Error{Code::conflict, fmt::format("{} contradicts itself", place_name(path))};
}

double number_of(const Json& value) {
  return value.is_double()  ? value.get_double()
         : value.is_int64() ? static_cast<double>(value.get_int64())
                            : static_cast<double>(value.get_uint64());
}

bool contains(const JsonArray& list, const Json& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<std::string_view> types_of(const JsonObject& schema) {
  std::vector<std::string_view> out;
  const Json* type = schema.if_contains("type");
  if (!type) return out;
  if (type->is_string()) return {std::string_view(type->get_string())};
  for (const Json& one : type->get_array()) out.emplace_back(one.get_string());
  return out;
}

Json type_json(const std::vector<std::string_view>& types) {
  return types.size() == 1 ? Json(types[0]) : Json(JsonArray(types.begin(), types.end()));
}

// The types that both allow; every integer is a number.
std::vector<std::string_view> common_types(const JsonObject& a, const JsonObject& b) {
  const std::vector<std::string_view> first = types_of(a), second = types_of(b);
  auto in = [](const std::vector<std::string_view>& types, std::string_view type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  std::vector<std::string_view> out;
  for (std::string_view type : kTypes) {
    const bool one = in(first, type) || (type == "integer" && in(first, "number"));
    const bool two = in(second, type) || (type == "integer" && in(second, "number"));
    if (one && two && !(type == "integer" && in(out, "number"))) out.push_back(type);
  }
  return out;
}

bool is_lower_bound(std::string_view keyword) {
  return keyword.starts_with("min") || keyword == "exclusiveMinimum";
}
bool is_upper_bound(std::string_view keyword) {
  return keyword.starts_with("max") || keyword == "exclusiveMaximum";
}

Result<void> merge_keyword(JsonObject& out, std::string_view keyword, const Json& value,
                           std::string_view path) {
  Json* known = out.if_contains(keyword);
  if (!known) {
    out.emplace(keyword, value);
  } else if (*known == value || keyword == "description" || keyword == "default") {
    // The first says it.
  } else if (keyword == "properties") {
    for (const auto& [name, member] : value.get_object()) {
      Json& own = known->get_object()[name];
      own = own.is_null() ? member
                          : Json(TRY(merge_both(own.get_object(), member.get_object(),
                                                member_path(path, name))));
    }
  } else if (keyword == "required") {
    for (const Json& name : value.get_array()) {
      if (!contains(known->get_array(), name)) known->get_array().push_back(name);
    }
  } else if (keyword == "enum") {
    JsonArray both;
    for (const Json& one : known->get_array()) {
      if (contains(value.get_array(), one)) both.push_back(one);
    }
    if (both.empty()) return contradiction(path);
    *known = std::move(both);
  } else if (keyword == "additionalProperties" && (value == Json(true) || *known == Json(false))) {
    // The narrower stays.
  } else if (keyword == "additionalProperties" && (*known == Json(true) || value == Json(false))) {
    *known = value;
  } else if (keyword == "items") {
    *known = TRY(merge_both(known->get_object(), value.get_object(), item_path(path)));
  } else if (is_lower_bound(keyword)) {
    if (number_of(value) > number_of(*known)) *known = value;
  } else if (is_upper_bound(keyword)) {
    if (number_of(value) < number_of(*known)) *known = value;
  } else if (keyword == "uniqueItems" || keyword == "prefixItems") {
    *known = true;
  } else {
    return fail(path, fmt::format("combines two values of '{}'", keyword));
  }
  return {};
}

bool fits_type(const Json& value, std::string_view type) {
  const std::string_view own = type_name(value);
  return own == type || (type == "number" && own == "integer") ||
         (type == "integer" && own == "number" &&
          std::trunc(value.get_double()) == value.get_double());
}

// The types that a schema without `type` must mean: those of its values, or those its keywords
// speak of.
std::vector<std::string_view> guess_types(const JsonObject& schema) {
  std::vector<std::string_view> out;
  auto add = [&](std::string_view type) {
    if (std::find(out.begin(), out.end(), type) == out.end()) out.push_back(type);
  };
  if (const Json* values = schema.if_contains("enum")) {
    for (const Json& value : values->get_array()) add(type_name(value));
    return out;
  }
  for (const Owner& owner : kOwners) {
    if (schema.contains(owner.keyword)) add(owner.types.substr(0, owner.types.find(' ')));
  }
  return out;
}

// The schema for one of its types, without what speaks of others.
JsonObject only_type(const JsonObject& schema, std::string_view type) {
  JsonObject out{{"type", type}};
  for (const auto& [keyword, value] : schema) {
    if (keyword == "type") continue;
    const auto* owner = std::ranges::find(kOwners, std::string_view(keyword), &Owner::keyword);
    if (owner != std::end(kOwners) && owner->types.find(type) == owner->types.npos) continue;
    if (keyword != "enum") {
      out.emplace(keyword, value);
      continue;
    }
    JsonArray values;
    for (const Json& one : value.get_array()) {
      if (fits_type(one, type)) values.push_back(one);
    }
    if (!values.empty()) out["enum"] = std::move(values);
  }
  return out;
}

JsonObject annotations(const JsonObject& schema) {
  JsonObject out;
  for (std::string_view keyword : {"description", "default"}) {
    if (const Json* value = schema.if_contains(keyword)) out.emplace(keyword, *value);
  }
  return out;
}

JsonObject without_annotations(JsonObject schema) {
  schema.erase("description");
  schema.erase("default");
  return schema;
}

void make_nullable(JsonObject& schema) {
  if (is_nullable(schema) || main_type(schema) == "null") return;
  schema["type"] = JsonArray{main_type(schema), "null"};
  if (Json* values = schema.if_contains("enum"); values && !contains(values->get_array(), Json())) {
    values->get_array().emplace_back(nullptr);
  }
}

bool is_scalar(std::string_view type) {
  return type == "string" || type == "number" || type == "integer" || type == "boolean";
}

// Takes `other` in when one alternative can say both: same scalar type, or the same members of an
// object.
bool absorb(JsonObject& one, const JsonObject& other) {
  if (one == other) return true;
  if (main_type(one) != main_type(other)) return false;
  if (is_scalar(main_type(one))) {
    Json* values = one.if_contains("enum");
    const Json* more = other.if_contains("enum");
    if (values && more) {
      for (const Json& value : more->get_array()) {
        if (!contains(values->get_array(), value)) values->get_array().push_back(value);
      }
    } else {
      one = JsonObject{{"type", main_type(one)}};
    }
    return true;
  }
  JsonObject left = one, right = other;
  left.erase("required");
  right.erase("required");
  if (left != right) return false;
  JsonArray required;
  if (one.contains("required") && other.contains("required")) {
    for (const Json& name : one.at("required").get_array()) {
      if (contains(other.at("required").get_array(), name)) required.push_back(name);
    }
  }
  one.erase("required");
  if (!required.empty()) one["required"] = std::move(required);
  return true;
}

}  // namespace

Result<JsonObject> merge_both(const JsonObject& a, const JsonObject& b, std::string_view path) {
  const Json* first = a.if_contains("anyOf");
  const Json* second = b.if_contains("anyOf");
  if (first || second) {
    // Every alternative of the one with every alternative of the other.
    const JsonArray left = first ? first->get_array() : JsonArray{without_annotations(a)};
    const JsonArray right = second ? second->get_array() : JsonArray{without_annotations(b)};
    if (left.size() * right.size() > kMaxAlternatives)
      return fail(path, "has too many alternatives");
    std::vector<JsonObject> alternatives;
    for (const Json& x : left) {
      for (const Json& y : right) {
        Result<JsonObject> both = merge_both(x.get_object(), y.get_object(), path);
        if (!both && both.error().code == Code::conflict) continue;
        alternatives.push_back(TRY(settle_type(TRY(std::move(both)), path)));
      }
    }
    JsonObject base = annotations(a);
    for (const auto& [keyword, value] : annotations(b)) base.emplace(keyword, value);
    return make_union(base, std::move(alternatives), path);
  }
  JsonObject out = a;
  for (const auto& [keyword, value] : b) {
    if (keyword != "type") TRY(merge_keyword(out, keyword, value, path));
  }
  if (a.contains("type") && b.contains("type")) {
    const std::vector<std::string_view> types = common_types(a, b);
    if (types.empty()) return contradiction(path);
    out["type"] = type_json(types);
  } else if (b.contains("type")) {
    out["type"] = b.at("type");
  }
  return out;
}

Result<JsonObject> make_union(const JsonObject& base, std::vector<JsonObject> alternatives,
                              std::string_view path) {
  std::vector<JsonObject> list;
  bool nullable = false;
  auto add = [&](JsonObject one) {
    nullable = nullable || is_nullable(one) || main_type(one) == "null";
    if (main_type(one) == "null") return;
    if (is_nullable(one)) one = only_type(one, main_type(one));
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](JsonObject& earlier) { return absorb(earlier, one); });
    if (!known) list.push_back(std::move(one));
  };
  for (JsonObject& one : alternatives) {
    if (const Json* inner = one.if_contains("anyOf")) {
      for (const Json& each : inner->get_array()) add(each.get_object());
    } else if (!one.contains("type")) {
      return annotations(base);  // any JSON is one of them
    } else {
      add(std::move(one));
    }
  }
  if (list.size() > kMaxAlternatives) return fail(path, "has too many alternatives");
  JsonObject out = annotations(base);
  if (list.empty()) {
    if (!nullable) return fail(path, "allows no value");
    out["type"] = "null";
  } else if (list.size() == 1) {
    for (const auto& [keyword, value] : list[0]) out.emplace(keyword, value);
    if (nullable) make_nullable(out);
  } else {
    if (nullable) list.push_back(JsonObject{{"type", "null"}});
    out["anyOf"] = JsonArray(list.begin(), list.end());
  }
  return out;
}

Result<JsonObject> settle_type(JsonObject schema, std::string_view path) {
  std::vector<std::string_view> types = types_of(schema);
  if (types.empty()) types = guess_types(schema);
  if (types.empty()) return annotations(schema);
  // The names may point into the schema, which changes below.
  std::vector<std::string> names(types.begin(), types.end());
  if (names.size() == 1) return only_type(schema, names[0]);
  std::vector<JsonObject> alternatives;
  const bool has_number = std::find(names.begin(), names.end(), "number") != names.end();
  for (const std::string& name : names) {
    if (name == "integer" && has_number) continue;
    JsonObject one = only_type(without_annotations(schema), name);
    if (schema.contains("enum") && !one.contains("enum"))
      continue;  // none of the values is of this type
    alternatives.push_back(std::move(one));
  }
  return make_union(schema, std::move(alternatives), path);
}

}  // namespace helve::model

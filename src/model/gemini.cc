// Gemini's Schema: a part of OpenAPI 3.0. A single unknown field fails the whole request, so only
// listed fields go out.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/json_text.h"
#include "model/notes.h"
#include "model/passes.h"
#include "model/simplify.h"

namespace helve::model {
namespace {

Error fail(std::string_view path, std::string_view what, std::string_view hint = {}) {
  return Error{Code::unsupported,
               fmt::format("{} {}, which Gemini's schemas cannot express", place_name(path), what),
               std::string(hint)};
}

std::string upper(std::string_view type) {
  std::string out(type);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

void copy(const JsonObject& in, std::initializer_list<std::string_view> keywords, JsonObject& out) {
  for (std::string_view keyword : keywords) {
    if (const Json* value = in.if_contains(keyword)) out.emplace(keyword, *value);
  }
}

Result<JsonObject> lower(const JsonObject& in, const std::string& path);

// Beside any_of nothing else may be set, so every branch carries the description.
Result<JsonObject> lower_choice(const JsonObject& in, const JsonArray& choice,
                                const std::string& path) {
  const bool nullable = std::any_of(choice.begin(), choice.end(), [](const Json& one) {
    return main_type(one.get_object()) == "null";
  });
  JsonArray branches;
  for (const Json& one : choice) {
    if (main_type(one.get_object()) == "null") continue;
    JsonObject branch = one.get_object();
    if (const Json* description = in.if_contains("description"))
      branch.emplace("description", *description);
    branch = TRY(lower(branch, path));
    if (nullable) branch["nullable"] = true;
    branches.push_back(std::move(branch));
  }
  return JsonObject{{"anyOf", std::move(branches)}};
}

Result<void> lower_object(const JsonObject& in, const std::string& path, JsonObject& out) {
  if (needs_text(in)) return fail(path, "is a map");  // the root; others are text by now
  JsonObject members;
  for (const auto& [name, member] : in.at("properties").get_object()) {
    members[name] = TRY(lower(member.get_object(), member_path(path, name)));
  }
  JsonArray required;
  if (const Json* needed = in.if_contains("required")) {
    for (const Json& name : needed->get_array()) {
      if (members.contains(name.get_string())) required.push_back(name);
    }
  }
  out["properties"] = std::move(members);
  if (!required.empty()) out["required"] = std::move(required);
  copy(in, {"minProperties", "maxProperties"}, out);
  return {};
}

Result<void> lower_array(const JsonObject& in, const std::string& path, JsonObject& out,
                         Notes& notes) {
  out["items"] = TRY(lower(in.at("items").get_object(), item_path(path)));
  copy(in, {"minItems", "maxItems"}, out);
  if (const Json* unique = in.if_contains("uniqueItems"); unique && unique->get_bool()) {
    notes.add("no item twice");
  }
  return {};
}

void lower_string(const JsonObject& in, JsonObject& out, Notes& notes) {
  copy(in, {"minLength", "maxLength"}, out);
  if (const Json* pattern = in.if_contains("pattern")) {
    if (is_portable_pattern(pattern->get_string()))
      out["pattern"] = *pattern;
    else
      notes.add_value(in, "pattern", "matches");
  }
  if (const Json* values = in.if_contains("enum")) {
    JsonArray list;
    for (const Json& value : values->get_array()) {
      if (value.is_string()) list.push_back(value);
    }
    out["format"] = "enum";
    out["enum"] = std::move(list);
  } else if (const Json* format = in.if_contains("format")) {
    if (*format == Json("date-time"))
      out["format"] = *format;
    else
      notes.add_value(in, "format", "format");
  }
}

// A bound that excludes its own value can be said for integers only, by the next integer.
void lower_number(const JsonObject& in, JsonObject& out, Notes& notes) {
  copy(in, {"minimum", "maximum"}, out);
  auto exclude = [&](std::string_view keyword, std::string_view inclusive, std::int64_t step,
                     std::string_view words) {
    const Json* bound = in.if_contains(keyword);
    const std::int64_t* whole = bound && main_type(in) == "integer" ? bound->if_int64() : nullptr;
    std::int64_t next = 0;
    const bool known =
        whole && !out.contains(inclusive) && !__builtin_add_overflow(*whole, step, &next);
    if (known)
      out[inclusive] = next;
    else
      notes.add_value(in, keyword, words);
  };
  exclude("exclusiveMinimum", "minimum", 1, "more than");
  exclude("exclusiveMaximum", "maximum", -1, "less than");
  notes.add_value(in, "multipleOf", "a multiple of");
  if (in.contains("enum")) notes.add_choices(in);  // their enum takes strings only
}

Result<JsonObject> lower(const JsonObject& in, const std::string& path) {
  if (const Json* choice = in.if_contains("anyOf")) {
    TRY(check_choice(choice->get_array(), path));
    return lower_choice(in, choice->get_array(), path);
  }
  if (needs_text(in) && !path.empty()) return lower(text_schema(in), path);
  const std::string_view type = main_type(in);
  if (type.empty()) return fail(path, "takes any JSON", kGiveType);
  if (type == "null") return fail(path, "is always null");
  JsonObject out{{"type", upper(type)}};
  Notes notes;
  notes.add_default(in);
  if (type == "object")
    TRY(lower_object(in, path, out));
  else if (type == "array")
    TRY(lower_array(in, path, out, notes));
  else if (type == "string")
    lower_string(in, out, notes);
  else if (type != "boolean")
    lower_number(in, out, notes);
  if (is_nullable(in)) out["nullable"] = true;
  notes.describe(in, out);
  return out;
}

}  // namespace

Result<JsonObject> gemini_schema(const JsonObject& schema) {
  const JsonObject simple = TRY(simplify(Json(schema)));
  const Json* properties = simple.if_contains("properties");
  const Json* others = simple.if_contains("additionalProperties");
  const bool takes_others =
      simple.contains("patternProperties") || (others && *others != Json(false));
  if (properties && properties->get_object().empty() && !takes_others) return JsonObject();
  return lower(simple, "");
}

}  // namespace helve::model

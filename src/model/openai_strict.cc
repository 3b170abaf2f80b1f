// OpenAI's strict mode: a grammar is made from the schema, so only what grammars can say is
// allowed. Every property is required; an optional one becomes nullable, and null means absent to
// our decoding.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/json_text.h"
#include "model/notes.h"
#include "model/passes.h"
#include "model/simplify.h"

namespace helve::model {
namespace {

// As OpenAI states them.
constexpr size_t kMaxProperties = 5'000;
constexpr size_t kMaxLevels = 10;
constexpr size_t kMaxEnumValues = 1'000;
constexpr size_t kMaxNameChars = 120'000;  // names of properties and values of enums together
constexpr std::string_view kFormats[] = {"date-time", "time", "date", "duration", "email",
                                         "hostname",  "ipv4", "ipv6", "uuid"};

enum class Presence : unsigned char { required, optional };

class StrictPass {
 public:
  Result<JsonObject> lower(const JsonObject& in, Presence presence, const std::string& path,
                           size_t level) {
    if (const Json* choice = in.if_contains("anyOf")) {
      TRY(check_choice(choice->get_array(), path));
      return lower_choice(in, choice->get_array(), presence, path, level);
    }
    if (needs_text(in) && !path.empty()) return lower(text_schema(in), presence, path, level);
    const std::string_view type = main_type(in);
    if (type.empty()) return fail(path, "takes any JSON", kGiveType);
    JsonObject out;
    const bool nullable = presence == Presence::optional || is_nullable(in);
    if (nullable && type != "null")
      out["type"] = JsonArray{type, "null"};
    else
      out["type"] = type;
    Notes notes;
    notes.add_default(in);
    if (type == "object")
      TRY(lower_object(in, path, level, out, notes));
    else if (type == "array")
      TRY(lower_array(in, path, level, out, notes));
    else
      lower_scalar(in, out, notes);
    if (const Json* values = in.if_contains("enum"))
      TRY(lower_enum(values->get_array(), nullable, path, out));
    notes.describe(in, out);
    return out;
  }

 private:
  static Error fail(std::string_view path, std::string_view what, std::string_view hint = {}) {
    return Error{Code::unsupported,
                 fmt::format("{} {}, which strict mode cannot express", place_name(path), what),
                 std::string(hint)};
  }

  Result<JsonObject> lower_choice(const JsonObject& in, const JsonArray& choice, Presence presence,
                                  const std::string& path, size_t level) {
    JsonArray branches;
    bool nullable = false;
    for (const Json& one : choice) {
      nullable = nullable || main_type(one.get_object()) == "null";
      branches.push_back(TRY(lower(one.get_object(), Presence::required, path, level)));
    }
    if (presence == Presence::optional && !nullable)
      branches.push_back(JsonObject{{"type", "null"}});
    JsonObject out{{"anyOf", std::move(branches)}};
    Notes notes;
    notes.add_default(in);
    notes.describe(in, out);
    return out;
  }

  Result<void> lower_object(const JsonObject& in, const std::string& path, size_t level,
                            JsonObject& out, Notes& notes) {
    if (level >= kMaxLevels)
      return fail(path, fmt::format("is nested more than {} objects deep", kMaxLevels));
    const Json* properties = in.if_contains("properties");
    const Json* others = in.if_contains("additionalProperties");
    const bool has_members = properties && !properties->get_object().empty();
    // Only the root may be without named members: of a tool without parameters, which may leave out
    // that it takes no others.
    const bool takes_nothing =
        !has_members && !in.contains("patternProperties") && (!others || *others == Json(false));
    if (needs_text(in) && !takes_nothing) return fail(path, "is a map");
    JsonObject members;
    JsonArray required;
    if (has_members) {
      const Json* needed = in.if_contains("required");
      for (const auto& [name, member] : properties->get_object()) {
        const bool is_needed =
            needed && std::find(needed->get_array().begin(), needed->get_array().end(),
                                Json(name)) != needed->get_array().end();
        TRY(count_name(name, path));
        if (++properties_ > kMaxProperties)
          return fail(path, fmt::format("has more than {} properties", kMaxProperties));
        members[name] =
            TRY(lower(member.get_object(), is_needed ? Presence::required : Presence::optional,
                      member_path(path, name), level + 1));
        required.emplace_back(name);
      }
    }
    out["properties"] = std::move(members);
    out["required"] = std::move(required);
    out["additionalProperties"] = false;
    notes.add_value(in, "minProperties", "members: at least");
    notes.add_value(in, "maxProperties", "members: at most");
    return {};
  }

  Result<void> lower_array(const JsonObject& in, const std::string& path, size_t level,
                           JsonObject& out, Notes& notes) {
    out["items"] =
        TRY(lower(in.at("items").get_object(), Presence::required, item_path(path), level));
    copy(in, {"minItems", "maxItems"}, out);
    if (const Json* unique = in.if_contains("uniqueItems"); unique && unique->get_bool()) {
      notes.add("no item twice");
    }
    return {};
  }

  static void lower_scalar(const JsonObject& in, JsonObject& out, Notes& notes) {
    copy(in, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}, out);
    notes.add_length(in);
    if (const Json* pattern = in.if_contains("pattern")) {
      if (is_portable_pattern(pattern->get_string()))
        out["pattern"] = *pattern;
      else
        notes.add_value(in, "pattern", "matches");
    }
    if (const Json* format = in.if_contains("format")) {
      const bool known =
          std::ranges::find(kFormats, std::string_view(format->get_string())) != std::end(kFormats);
      if (known && main_type(in) == "string")
        out["format"] = *format;
      else
        notes.add_value(in, "format", "format");
    }
  }

  Result<void> lower_enum(const JsonArray& values, bool nullable, const std::string& path,
                          JsonObject& out) {
    enum_values_ += values.size();
    if (enum_values_ > kMaxEnumValues)
      return fail(path, fmt::format("has more than {} values to choose from", kMaxEnumValues));
    JsonArray list = values;
    for (const Json& value : values) {
      if (value.is_string()) TRY(count_name(value.get_string(), path));
    }
    const bool has_null = std::find(values.begin(), values.end(), Json()) != values.end();
    if (nullable && !has_null) list.emplace_back(nullptr);
    out["enum"] = std::move(list);
    return {};
  }

  Result<void> count_name(std::string_view name, const std::string& path) {
    name_chars_ += count_chars(name);
    if (name_chars_ > kMaxNameChars)
      return fail(path, "has names and values of more than 120000 characters");
    return {};
  }

  static void copy(const JsonObject& in, std::initializer_list<std::string_view> keywords,
                   JsonObject& out) {
    for (std::string_view keyword : keywords) {
      if (const Json* value = in.if_contains(keyword)) out.emplace(keyword, *value);
    }
  }

  size_t properties_ = 0;
  size_t enum_values_ = 0;
  size_t name_chars_ = 0;
};

}  // namespace

Result<JsonObject> strict_schema(const JsonObject& schema) {
  return StrictPass().lower(TRY(simplify(Json(schema))), Presence::required, "", 0);
}

}  // namespace helve::model

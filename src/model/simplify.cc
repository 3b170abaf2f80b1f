#include "model/simplify.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/simplify_merge.h"
#include "schema/references.h"

namespace helve::model {
namespace {

// Keywords that are copied as they are. Those that hold schemas are handled one by one; all others
// say nothing that a narrow provider could be told.
constexpr std::string_view kCopied[] = {
    "type",        "description",      "default",          "enum",       "minimum",
    "maximum",     "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength",   "pattern",          "format",           "minItems",   "maxItems",
    "uniqueItems", "minProperties",    "maxProperties",    "required",   "patternProperties"};

class Simplifier {
 public:
  explicit Simplifier(const Json& document) : references_(document, kMaxSimplifiedDepth) {}

  Result<JsonObject> simplify(const Json& schema, const std::string& path, size_t depth) {
    if (depth > kMaxSimplifiedDepth) return fail(path, "is nested too deep");
    if (++nodes_ > kMaxSimplifiedNodes)
      return fail(path, fmt::format("makes the schema larger than {} parts", kMaxSimplifiedNodes));
    if (schema == Json(true)) return JsonObject();
    const JsonObject* keywords = schema.if_object();
    if (!keywords) return fail(path, "allows no value");
    JsonObject out = TRY(own_keywords(*keywords, path, depth));
    TRY(add_references(schema, path, depth, out));
    if (const Json* all = keywords->if_contains("allOf"); all && all->is_array()) {
      for (const Json& one : all->get_array()) {
        out = TRY(merge_both(out, TRY(simplify(one, path, depth + 1)), path));
      }
    }
    for (std::string_view keyword : {"anyOf", "oneOf"}) {
      const Json* choice = keywords->if_contains(keyword);
      if (choice && choice->is_array())
        out = TRY(add_choice(out, choice->get_array(), path, depth));
    }
    return out.contains("anyOf") ? Result<JsonObject>(std::move(out))
                                 : settle_type(std::move(out), path);
  }

 private:
  static Error fail(std::string_view path, std::string_view what) {
    return Error{Code::unsupported, fmt::format("{} {}", place_name(path), what)};
  }

  Result<JsonObject> own_keywords(const JsonObject& in, const std::string& path, size_t depth) {
    JsonObject out;
    for (std::string_view keyword : kCopied) {
      if (const Json* value = in.if_contains(keyword)) out.emplace(keyword, *value);
    }
    if (const Json* title = in.if_contains("title"); title && !out.contains("description"))
      out["description"] = *title;
    if (const Json* only = in.if_contains("const")) out["enum"] = JsonArray{*only};
    TRY(add_properties(in, path, depth, out));
    if (const Json* items = in.if_contains("items"); items && !items->is_array()) {
      out["items"] = TRY(simplify(*items, item_path(path), depth + 1));
    }
    if (in.contains("prefixItems") || (in.contains("items") && in.at("items").is_array()))
      out["prefixItems"] = true;
    return out;
  }

  Result<void> add_properties(const JsonObject& in, const std::string& path, size_t depth,
                              JsonObject& out) {
    if (const Json* properties = in.if_contains("properties");
        properties && properties->is_object()) {
      JsonObject members;
      for (const auto& [name, schema] : properties->get_object()) {
        if (schema == Json(false)) continue;  // a member that must not be given is best not named
        members[name] = TRY(simplify(schema, member_path(path, name), depth + 1));
      }
      out["properties"] = std::move(members);
    }
    const Json* others = in.if_contains("additionalProperties");
    if (!others) return {};
    if (others->is_bool())
      out["additionalProperties"] = *others;
    else
      out["additionalProperties"] = TRY(simplify(*others, member_path(path, "*"), depth + 1));
    return {};
  }

  Result<void> add_references(const Json& schema, const std::string& path, size_t depth,
                              JsonObject& out) {
    for (std::string_view keyword : {"$ref", "$dynamicRef"}) {
      const std::string_view reference = string_at(schema, keyword);
      if (reference.empty()) continue;
      const std::string shown = escape_for_display(reference);
      const Json* target = references_.resolve(schema, reference);
      if (!target)
        return fail(path, fmt::format("refers to '{}', which is not in its schema", shown));
      if (std::find(open_.begin(), open_.end(), target) != open_.end()) {
        return fail(path, fmt::format("refers to itself ({})", shown));
      }
      open_.push_back(target);
      Result<JsonObject> inlined = simplify(*target, path, depth + 1);
      open_.pop_back();
      out = TRY(merge_both(out, TRY(std::move(inlined)), path));
    }
    return {};
  }

  Result<JsonObject> add_choice(const JsonObject& base, const JsonArray& choice,
                                const std::string& path, size_t depth) {
    std::vector<JsonObject> alternatives;
    for (const Json& one : choice) {
      if (one == Json(false)) continue;
      JsonObject simple = TRY(simplify(one, path, depth + 1));
      Result<JsonObject> merged = merge_both(base, simple, path);
      if (!merged && merged.error().code == Code::conflict) continue;  // nothing can choose it
      JsonObject both = TRY(std::move(merged));
      // Each alternative says what it is for; the whole has its own description.
      both.erase("description");
      if (const Json* own = simple.if_contains("description")) both["description"] = *own;
      both.erase("default");
      if (!both.contains("anyOf")) both = TRY(settle_type(std::move(both), path));
      alternatives.push_back(std::move(both));
    }
    return make_union(base, std::move(alternatives), path);
  }

  schema::References references_;
  std::vector<const Json*> open_;  // references being inlined
  size_t nodes_ = 0;
};

}  // namespace

Result<JsonObject> simplify(const Json& schema) {
  return Simplifier(schema).simplify(schema, "", 0);
}

std::string_view main_type(const JsonObject& simplified) {
  const Json* type = simplified.if_contains("type");
  if (!type) return {};
  return type->is_array() ? std::string_view(type->get_array()[0].get_string())
                          : std::string_view(type->get_string());
}

bool is_nullable(const JsonObject& simplified) {
  const Json* type = simplified.if_contains("type");
  return type && type->is_array();
}

std::string place_name(std::string_view path) {
  return path.empty() ? "its input" : fmt::format("parameter '{}'", escape_for_display(path));
}

std::string item_path(std::string_view path) { return std::string(path) + "[]"; }

std::string member_path(std::string_view path, std::string_view name) {
  return std::string(path) + (path.empty() ? "" : ".") + std::string(name);
}

}  // namespace helve::model

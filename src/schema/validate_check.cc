// check_schema: looks at a schema from outside once, so that what uses it later need not doubt it.
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "schema/pattern.h"
#include "schema/references.h"
#include "schema/subschemas.h"
#include "schema/validate.h"

namespace helve::schema {
namespace {

constexpr size_t kShownText = 80;  // characters of a text from the schema in a message

enum class Shape : unsigned char { text, number, positive, count, truth, list, texts, object };

struct Keyword {
  std::string_view name;
  Shape shape;
};
constexpr Keyword kKeywords[] = {
    {"$anchor", Shape::text},
    {"$defs", Shape::object},
    {"$dynamicAnchor", Shape::text},
    {"$dynamicRef", Shape::text},
    {"$id", Shape::text},
    {"$ref", Shape::text},
    {"$schema", Shape::text},
    {"allOf", Shape::list},
    {"anyOf", Shape::list},
    {"definitions", Shape::object},
    {"dependentRequired", Shape::object},
    {"dependentSchemas", Shape::object},
    {"description", Shape::text},
    {"enum", Shape::list},
    {"exclusiveMaximum", Shape::number},
    {"exclusiveMinimum", Shape::number},
    {"format", Shape::text},
    {"maxContains", Shape::count},
    {"maxItems", Shape::count},
    {"maxLength", Shape::count},
    {"maxProperties", Shape::count},
    {"maximum", Shape::number},
    {"minContains", Shape::count},
    {"minItems", Shape::count},
    {"minLength", Shape::count},
    {"minProperties", Shape::count},
    {"minimum", Shape::number},
    {"multipleOf", Shape::positive},
    {"oneOf", Shape::list},
    {"pattern", Shape::text},
    {"patternProperties", Shape::object},
    {"prefixItems", Shape::list},
    {"properties", Shape::object},
    {"required", Shape::texts},
    {"title", Shape::text},
    {"uniqueItems", Shape::truth},
};

bool has_shape(const Json& value, Shape shape) {
  const double* number = value.if_double();
  switch (shape) {
    case Shape::text:
      return value.is_string();
    case Shape::number:
      return value.is_number();
    case Shape::positive:
      return value.is_number() &&
             (number ? *number > 0 : value.is_uint64() || value.get_int64() > 0);
    case Shape::count:
      return value.is_number() && (number ? *number >= 0 && std::trunc(*number) == *number
                                          : value.is_uint64() || value.get_int64() >= 0);
    case Shape::truth:
      return value.is_bool();
    case Shape::list:
      return value.is_array();
    case Shape::texts:
      return value.is_array() && std::all_of(value.get_array().begin(), value.get_array().end(),
                                             [](const Json& item) { return item.is_string(); });
    case Shape::object:
      return value.is_object();
  }
  return false;
}

std::string_view describe(Shape shape) {
  static constexpr std::string_view kWords[] = {
      "a string",      "a number", "a number above 0",  "a whole number from 0",
      "true or false", "an array", "a list of strings", "an object"};
  return kWords[static_cast<size_t>(shape)];
}

bool is_type(const Json& value) {
  static constexpr std::string_view kTypes[] = {"array",  "boolean", "integer", "null",
                                                "number", "object",  "string"};
  return value.is_string() &&
         std::ranges::find(kTypes, std::string_view(value.get_string())) != std::end(kTypes);
}

bool is_known_draft(std::string_view uri) {
  return uri.find("json-schema.org/draft/2020-12/") != uri.npos ||
         uri.find("json-schema.org/draft/2019-09/") != uri.npos ||
         uri.find("json-schema.org/draft-07/") != uri.npos ||
         uri.find("json-schema.org/draft-06/") != uri.npos;
}

class Checker {
 public:
  Checker(const Json& document, const Bounds& bounds)
      : bounds_(bounds), references_(document, bounds.depth) {}

  Result<void> check(const Json& schema, const std::string& place, size_t depth) {
    if (depth > bounds_.depth)
      return wrong(place, fmt::format("nested more than {} schemas deep", bounds_.depth));
    if (++count_ > kMaxSubschemas)
      return wrong(place, fmt::format("more than {} schemas in one", kMaxSubschemas));
    checked_.insert(&schema);
    const JsonObject* object = schema.if_object();
    if (!object) {
      if (schema.is_bool()) return {};
      return wrong(place,
                   fmt::format("expected a schema, got {}", preview(to_text(schema), kShownText)));
    }
    TRY(check_keywords(*object, place));
    TRY(check_references(schema, place));
    TRY(check_patterns(*object, place));
    Result<void> result;
    each_subschema(*object, [&](const Json& child, std::string_view keyword, std::string_view key) {
      if (!result) return;
      const std::string below =
          place + '/' + std::string(keyword) + (key.empty() ? "" : "/" + escape_for_display(key));
      result = check(child, below, depth + 1);
    });
    return result;
  }

  // What references lead to may stand where no keyword holds schemas.
  Result<void> check_targets() {
    while (!targets_.empty()) {
      const auto [target, place] = std::move(targets_.back());
      targets_.pop_back();
      if (!checked_.contains(target)) TRY(check(*target, place, 0));
    }
    return {};
  }

  // A schema that applies itself to the same value, however indirectly, would never end.
  Result<void> check_circles(const Json& schema, const std::string& place, size_t depth) {
    const JsonObject* object = schema.if_object();
    if (!object) return {};
    auto [known, fresh] = visited_.try_emplace(&schema, State::open);
    if (!fresh)
      return known->second == State::done ? Result<void>()
                                          : wrong(place, "refers to itself in a circle");
    if (depth > bounds_.depth)
      return wrong(place, fmt::format("nested more than {} schemas deep", bounds_.depth));
    Result<void> result;
    auto enter = [&](const Json& child) {
      if (result) result = check_circles(child, place, depth + 1);
    };
    for (std::string_view keyword : {"$ref", "$dynamicRef"}) {
      const std::string_view reference = string_at(schema, keyword);
      const Json* target = reference.empty() ? nullptr : references_.resolve(schema, reference);
      if (target) enter(*target);
    }
    each_subschema(*object, [&](const Json& child, std::string_view keyword, std::string_view) {
      if (applies_in_place(keyword)) enter(child);
    });
    visited_[&schema] = State::done;
    return result;
  }

  // As above, from every schema of the document.
  Result<void> check_all_circles(const Json& schema, const std::string& place) {
    TRY(check_circles(schema, place, 0));
    const JsonObject* object = schema.if_object();
    if (!object) return {};
    Result<void> result;
    each_subschema(*object, [&](const Json& child, std::string_view keyword, std::string_view key) {
      if (!result) return;
      result = check_all_circles(child, place + '/' + std::string(keyword) +
                                            (key.empty() ? "" : "/" + escape_for_display(key)));
    });
    return result;
  }

 private:
  enum class State : unsigned char { open, done };

  static bool applies_in_place(std::string_view keyword) {
    for (std::string_view one : {"allOf", "anyOf", "oneOf", "not", "if", "then", "else",
                                 "dependentSchemas", "dependencies"}) {
      if (keyword == one) return true;
    }
    return false;
  }

  static Error wrong(std::string_view place, std::string_view what) {
    return Error{Code::invalid_argument, fmt::format("schema at {}: {}", place, what), "",
                 "invalid_schema"};
  }

  static Result<void> check_keywords(const JsonObject& schema, const std::string& place) {
    for (const Keyword& keyword : kKeywords) {
      const Json* value = schema.if_contains(keyword.name);
      if (value && !has_shape(*value, keyword.shape)) {
        return wrong(place, fmt::format("'{}' must be {}", keyword.name, describe(keyword.shape)));
      }
    }
    if (const Json* type = schema.if_contains("type")) {
      const JsonArray* types = type->if_array();
      if (types ? types->empty() || !std::all_of(types->begin(), types->end(), is_type)
                : !is_type(*type)) {
        return wrong(place, fmt::format("'type' must be a type's name, got {}",
                                        preview(to_text(*type), kShownText)));
      }
    }
    const Json* draft = schema.if_contains("$schema");
    if (draft && !is_known_draft(draft->get_string())) {
      return wrong(place,
                   fmt::format("written for '{}', which is not known here",
                               preview(escape_for_display(draft->get_string()), kShownText)));
    }
    return {};
  }

  Result<void> check_references(const Json& schema, const std::string& place) {
    for (std::string_view keyword : {"$ref", "$dynamicRef"}) {
      const std::string_view reference = string_at(schema, keyword);
      if (reference.empty()) continue;
      const std::string shown = preview(escape_for_display(reference), kShownText);
      const Json* target = references_.resolve(schema, reference);
      if (!target) return wrong(place, fmt::format("refers to '{}', which is not in it", shown));
      targets_.emplace_back(target, shown);
    }
    return {};
  }

  static Result<void> check_patterns(const JsonObject& schema, const std::string& place) {
    auto check_one = [&](std::string_view expression) -> Result<void> {
      Result<Pattern> pattern = Pattern::compile(expression);
      if (!pattern) return wrong(place, pattern.error().message);
      return {};
    };
    if (const Json* pattern = schema.if_contains("pattern")) TRY(check_one(pattern->get_string()));
    if (const Json* members = schema.if_contains("patternProperties")) {
      for (const auto& member : members->get_object()) TRY(check_one(member.key()));
    }
    return {};
  }

  const Bounds& bounds_;
  References references_;
  size_t count_ = 0;
  std::unordered_set<const Json*> checked_;
  std::vector<std::pair<const Json*, std::string>> targets_;
  std::unordered_map<const Json*, State> visited_;
};

}  // namespace

Result<void> check_schema(const Json& schema, const Bounds& bounds) {
  Checker checker(schema, bounds);
  TRY(checker.check(schema, "#", 0));
  TRY(checker.check_targets());
  return checker.check_all_circles(schema, "#");
}

}  // namespace helve::schema

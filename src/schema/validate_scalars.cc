// The keywords for any type, for numbers and for strings.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.h"
#include "schema/validate_evaluation.h"

namespace helve::schema {
namespace {

constexpr size_t kShownValue = 60;    // characters of a value in a message
constexpr size_t kShownChoices = 30;  // values of an enum in a message
constexpr size_t kBytesPerStep = 1024;

// Holds every 64-bit integer and every double exactly, where helve runs.
using Number = long double;

Number number_of(const Json& value) {
  if (const std::int64_t* integer = value.if_int64()) return static_cast<Number>(*integer);
  if (const std::uint64_t* integer = value.if_uint64()) return static_cast<Number>(*integer);
  return value.get_double();
}

bool is_integer(const Json& value) {
  if (const double* number = value.if_double()) return std::trunc(*number) == *number;
  return value.is_int64() || value.is_uint64();
}

bool has_type(const Json& value, std::string_view type) {
  if (type == "integer") return is_integer(value);
  if (type == "number") return value.is_number();
  return type_name(value) == type;
}

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return preview(to_text(value), kShownValue);
}

std::string_view with_article(std::string_view type) {
  if (type == "string") return "a string";
  if (type == "integer") return "an integer";
  if (type == "number") return "a number";
  if (type == "boolean") return "true or false";
  if (type == "array") return "an array";
  if (type == "object") return "an object";
  return type;
}

std::string choices(const JsonArray& values) {
  std::string out;
  for (size_t i = 0; i < values.size() && i < kShownChoices; ++i) {
    if (i > 0) out += ", ";
    const boost::json::string* text = values[i].if_string();
    out += text ? preview(escape_for_display(*text), kShownValue) : shown(values[i]);
  }
  if (values.size() > kShownChoices)
    out += fmt::format(" and {} more", values.size() - kShownChoices);
  return out;
}

std::string nearest_choice(const JsonArray& values, const Json& value) {
  if (!value.is_string()) return {};
  std::vector<std::string_view> texts;
  for (const Json& choice : values) {
    if (choice.is_string()) texts.emplace_back(choice.get_string());
  }
  return did_you_mean(value.get_string(), texts);
}

// 0.0075 is a multiple of 0.0001, though neither is exact: the quotient may be off by as much as
// its parts are.
bool is_multiple(const Json& value, const Json& divisor) {
  if (value.is_int64() && divisor.is_int64()) return value.get_int64() % divisor.get_int64() == 0;
  const Number quotient = number_of(value) / number_of(divisor);
  if (!std::isfinite(quotient)) return false;
  return std::fabs(quotient - std::round(quotient)) <=
         std::fabs(quotient) * 4 * std::numeric_limits<double>::epsilon();
}

const Json* number_at(const JsonObject& schema, std::string_view keyword) {
  const Json* found = schema.if_contains(keyword);
  return found && found->is_number() ? found : nullptr;
}

}  // namespace

bool Evaluation::check_any_type(const JsonObject& schema, const At& at) {
  bool ok = true;
  if (const Json* type = schema.if_contains("type")) {
    std::vector<std::string_view> types;
    if (type->is_string())
      types.emplace_back(type->get_string());
    else if (type->is_array()) {
      for (const Json& one : type->get_array()) {
        if (one.is_string()) types.emplace_back(one.get_string());
      }
    }
    bool found = false;
    for (std::string_view& one : types) {
      found = found || has_type(at.value, one);
      one = with_article(one);
    }
    if (!found)
      ok = fail_type(&schema, at,
                     fmt::format("expected {}, got {}", fmt::join(types, " or "), shown(at.value)));
  }
  if (const Json* allowed = schema.if_contains("enum"); allowed && allowed->is_array()) {
    const JsonArray& values = allowed->get_array();
    const bool found = std::any_of(values.begin(), values.end(),
                                   [&](const Json& one) { return equal(one, at.value); });
    if (!found) {
      ok = fail(at, fmt::format("expected one of {}, got {}", choices(values), shown(at.value)),
                nearest_choice(values, at.value));
    }
  }
  if (const Json* only = schema.if_contains("const"); only && !equal(*only, at.value)) {
    ok = fail(at, fmt::format("expected {}, got {}", preview(to_text(*only), kShownValue),
                              shown(at.value)));
  }
  return ok;
}

bool Evaluation::check_number(const JsonObject& schema, const At& at) {
  const Number value = number_of(at.value);
  bool ok = true;
  auto demand = [&](bool right, std::string_view what, const Json* bound) {
    if (!right)
      ok = fail(at, fmt::format("must be {} {}, got {}", what, to_text(*bound), shown(at.value)));
  };
  if (const Json* bound = number_at(schema, "minimum"))
    demand(value >= number_of(*bound), "at least", bound);
  if (const Json* bound = number_at(schema, "maximum"))
    demand(value <= number_of(*bound), "at most", bound);
  if (const Json* bound = number_at(schema, "exclusiveMinimum"))
    demand(value > number_of(*bound), "more than", bound);
  if (const Json* bound = number_at(schema, "exclusiveMaximum"))
    demand(value < number_of(*bound), "less than", bound);
  if (const Json* divisor = number_at(schema, "multipleOf"); divisor && number_of(*divisor) > 0) {
    demand(is_multiple(at.value, *divisor), "a multiple of", divisor);
  }
  return ok;
}

bool Evaluation::check_string(const JsonObject& schema, const At& at) {
  const std::string_view text = at.value.get_string();
  bool ok = true;
  if (schema.contains("minLength") || schema.contains("maxLength")) {
    if (!spend(text.size() / kBytesPerStep)) return false;
    ok = count_within(schema, at, "minLength", "maxLength", count_chars(text), "characters");
  }
  if (const Json* pattern = schema.if_contains("pattern"); pattern && pattern->is_string()) {
    if (!matches(pattern->get_string(), text)) {
      ok = fail(at, fmt::format("must match {}, got {}",
                                preview(std::string_view(pattern->get_string()), kShownValue),
                                shown(at.value)));
    }
  }
  return ok;
}

bool Evaluation::count_within(const JsonObject& schema, const At& at, std::string_view least,
                              std::string_view most, size_t count, std::string_view what) {
  const Json* low = number_at(schema, least);
  const Json* high = number_at(schema, most);
  bool ok = true;
  if (low && static_cast<Number>(count) < number_of(*low)) {
    ok = fail(at, fmt::format("must have at least {} {}, got {}", to_text(*low), what, count));
  }
  if (high && static_cast<Number>(count) > number_of(*high)) {
    ok = fail(at, fmt::format("must have at most {} {}, got {}", to_text(*high), what, count));
  }
  return ok;
}

bool Evaluation::matches(std::string_view expression, std::string_view text) {
  auto known = patterns_.find(expression);
  if (known == patterns_.end()) {
    Result<Pattern> compiled = Pattern::compile(expression);
    if (!compiled) return stop("cannot be checked: " + compiled.error().message, "");
    known = patterns_.emplace(std::string(expression), std::move(*compiled)).first;
  }
  if (!spend(1 + text.size() / kBytesPerStep)) return false;
  const Pattern::Match found = known->second->match(text, pattern_steps_);
  if (found == Pattern::Match::gave_up) {
    return stop(fmt::format("too much to check: matching {} takes too long",
                            preview(expression, kShownValue)),
                "");
  }
  return found == Pattern::Match::yes;
}

bool Evaluation::equal(const Json& a, const Json& b) {
  if (!spend(1)) return false;
  if (a.is_number() && b.is_number()) return number_of(a) == number_of(b);
  if (a.kind() != b.kind()) return false;
  if (const boost::json::string* text = a.if_string()) {
    return spend(text->size() / kBytesPerStep) && *text == b.get_string();
  }
  if (const JsonArray* array = a.if_array()) {
    const JsonArray& other = b.get_array();
    return array->size() == other.size() &&
           std::equal(array->begin(), array->end(), other.begin(),
                      [&](const Json& x, const Json& y) { return equal(x, y); });
  }
  if (const JsonObject* object = a.if_object()) {
    const JsonObject& other = b.get_object();
    return object->size() == other.size() &&
           std::all_of(object->begin(), object->end(), [&](const auto& member) {
             const Json* same = other.if_contains(member.key());
             return same && equal(member.value(), *same);
           });
  }
  return a == b;
}

std::uint64_t Evaluation::hash(const Json& value) {
  if (!spend(1)) return 0;
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  if (value.is_number()) return std::hash<double>{}(static_cast<double>(number_of(value)));
  if (const boost::json::string* text = value.if_string()) {
    spend(text->size() / kBytesPerStep);
    return std::hash<std::string_view>{}(*text);
  }
  std::uint64_t sum = static_cast<std::uint64_t>(value.kind()) + 1;
  if (const JsonArray* array = value.if_array()) {
    for (const Json& item : *array) sum = sum * kFactor + hash(item);
  } else if (const JsonObject* object = value.if_object()) {
    // A sum, for members have no order.
    for (const auto& [key, member] : *object)
      sum += std::hash<std::string_view>{}(key)*kFactor ^ hash(member);
  } else if (const bool* truth = value.if_bool()) {
    sum += *truth ? kFactor : 0;
  }
  return sum;
}

}  // namespace helve::schema

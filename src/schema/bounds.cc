#include "schema/bounds.h"

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "schema/pattern.h"

namespace helve::schema {
namespace {

std::string shown(const Bound& bound) {
  return bound.integral ? fmt::format("{}", bound.integer) : fmt::format("{}", bound.number);
}

bool below(std::int64_t value, const Bound& bound) {
  return bound.integral ? value < bound.integer : static_cast<double>(value) < bound.number;
}
bool below(double value, const Bound& bound) { return value < bound.number; }
bool above(std::int64_t value, const Bound& bound) {
  return bound.integral ? value > bound.integer : static_cast<double>(value) > bound.number;
}
bool above(double value, const Bound& bound) { return value > bound.number; }

template <class Number>
std::optional<std::string> broken(const Field* field, Number value) {
  if (!field) return {};
  const bool low = field->lowest.set && below(value, field->lowest);
  const bool high = field->highest.set && above(value, field->highest);
  if (!low && !high) return {};
  return fmt::format("must be {}, got {}", range_text(*field), value);
}

}  // namespace

std::string range_text(const Field& field) {
  if (field.lowest.set && field.highest.set)
    return fmt::format("from {} to {}", shown(field.lowest), shown(field.highest));
  if (field.lowest.set) return fmt::format("at least {}", shown(field.lowest));
  if (field.highest.set) return fmt::format("at most {}", shown(field.highest));
  return {};
}

std::optional<std::string> broken_bounds(const Field* field, std::int64_t value) {
  return broken(field, value);
}
std::optional<std::string> broken_bounds(const Field* field, double value) {
  return broken(field, value);
}
std::optional<std::string> broken_bounds(const Field* field, std::uint64_t value) {
  // Only values beyond the signed range come here: above every integral bound.
  if (field && field->highest.set &&
      (field->highest.integral || static_cast<double>(value) > field->highest.number))
    return fmt::format("must be {}, got {}", range_text(*field), value);
  return {};
}

std::optional<std::string> broken_text_rule(const Field* field, std::string_view value) {
  if (!field) return {};
  if (field->shortest >= 0 || field->longest >= 0) {
    const auto chars = static_cast<std::int64_t>(count_chars(value));
    if (chars < field->shortest) {
      return field->shortest == 1
                 ? "must not be empty"
                 : fmt::format("must have at least {} characters, got {}", field->shortest, chars);
    }
    if (field->longest >= 0 && chars > field->longest)
      return fmt::format("must have at most {} characters, got {}", field->longest, chars);
  }
  if (!field->regex.empty()) {
    Result<Pattern> pattern = Pattern::compile(field->regex);
    if (!pattern) return fmt::format("cannot be checked: {}", pattern.error().message);
    if (!pattern->matches(value))
      return fmt::format("must match {}, got \"{}\"", field->regex,
                         preview(escape_for_display(value), 60));
  }
  return {};
}

std::optional<std::string> broken_count_rule(const Field* field, size_t count,
                                             std::string_view what) {
  if (!field) return {};
  const auto number = static_cast<std::int64_t>(count);
  if (number < field->shortest)
    return fmt::format("must have at least {} {}, got {}", field->shortest, what, number);
  if (field->longest >= 0 && number > field->longest)
    return fmt::format("must have at most {} {}, got {}", field->longest, what, number);
  return {};
}

}  // namespace helve::schema

// Functions on numbers.
#include <algorithm>
#include <cmath>

#include "jsonata/evaluator.h"
#include "jsonata/number_text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata::builtin {
namespace {

using Arguments = std::span<const Value>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// -?digits(.digits)?(e±digits)?
bool is_decimal(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > start;
  };
  if (text.starts_with('-')) ++at;
  if (!digits()) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

// 0x1F, 0o17, 0b11; nothing for other text, NaN for digits that do not fit.
std::optional<double> read_prefixed(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  const char letter = static_cast<char>(text[1] | 0x20);
  const int radix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (radix == 0) return std::nullopt;
  double number = 0;
  for (const char c : text.substr(2)) {
    const int digit = hex_digit(c);
    if (digit < 0 || digit >= radix) return std::nullopt;
    number = number * radix + digit;
  }
  return number;
}

template <class Step>
Outcome fold(Evaluator& evaluator, Value numbers, double start, Step step) {
  double total = start;
  ItemCursor items(evaluator, numbers);
  for (Value item; items.next(item);) {
    TRY(evaluator.tick());
    total = step(total, item.real);
  }
  return Value::number(total);
}

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }

}  // namespace

Outcome sum(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return fold(evaluator, arguments[0], 0, std::plus<>());
}

Outcome max(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined() || evaluator.count_of(arguments[0]) == 0) return Value();
  return fold(evaluator, arguments[0], -INFINITY, larger);
}

Outcome min(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined() || evaluator.count_of(arguments[0]) == 0) return Value();
  return fold(evaluator, arguments[0], INFINITY, smaller);
}

Outcome average(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const size_t count = evaluator.count_of(arguments[0]);
  if (count == 0) return Value();
  const Value total = TRY(fold(evaluator, arguments[0], 0, std::plus<>()));
  return Value::number(total.real / static_cast<double>(count));
}

Outcome number(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const Value value = arguments[0];
  switch (value.type) {
    case Type::undefined:
    case Type::number:
      return value;
    case Type::boolean:
      return Value::number(value.truth ? 1 : 0);
    case Type::string:
      if (is_decimal(value.text())) {
        const double read = read_decimal(value.text());
        if (std::isfinite(read)) return Value::number(read);
      } else if (const auto read = read_prefixed(value.text())) {
        return Value::number(*read);
      }
      break;
    default:
      break;
  }
  return evaluator.fail_with("D3030", value, 1);
}

Outcome floor(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return Value::number(std::floor(arguments[0].real));
}

Outcome ceil(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return Value::number(std::ceil(arguments[0].real));
}

Outcome abs(Evaluator&, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  return Value::number(std::abs(arguments[0].real));
}

Outcome round(Evaluator&, Arguments arguments, const CallSite&) {
  constexpr double kMostPlaces = 400;  // beyond that, nothing or everything is rounded away
  if (arguments[0].is_undefined()) return Value();
  const double places = arguments[1].is_number() ? arguments[1].real : 0;
  if (places != std::floor(places)) return Value::number(NAN);
  return Value::number(round_half_even(
      arguments[0].real, static_cast<int>(std::clamp(places, -kMostPlaces, kMostPlaces))));
}

Outcome sqrt(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  if (arguments[0].real < 0) return evaluator.fail_with("D3060", arguments[0], 1);
  return Value::number(std::sqrt(arguments[0].real));
}

Outcome power(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  const Value base = arguments[0], exponent = arguments[1];
  if (base.is_undefined()) return Value();
  // JavaScript has no number for one to the power of something that is none.
  const double result = exponent.is_undefined() ? NAN : std::pow(base.real, exponent.real);
  if (!std::isfinite(result))
    return evaluator.fail({.code = "D3061",
                           .value = evaluator.shown(base),
                           .other = evaluator.shown(exponent),
                           .index = 1});
  return Value::number(result);
}

Outcome random(Evaluator& evaluator, Arguments, const CallSite&) {
  return Value::number(evaluator.random());
}

Outcome format_base(Evaluator& evaluator, Arguments arguments, const CallSite&) {
  if (arguments[0].is_undefined()) return Value();
  const double radix = arguments[1].is_number() ? round_half_even(arguments[1].real, 0) : 10;
  if (!(radix >= 2 && radix <= 36)) return evaluator.fail_with("D3100", Value::number(radix));
  const double value = round_half_even(arguments[0].real, 0);
  if (radix == 10) return evaluator.text(number_text(value));
  return evaluator.text(radix_text(value, static_cast<int>(radix)));
}

}  // namespace helve::jsonata::builtin

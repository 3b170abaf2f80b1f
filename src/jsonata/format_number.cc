// $formatNumber: numbers by a picture such as #,##0.00, as XPath's format-number has it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "jsonata/evaluator.h"
#include "jsonata/number_text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata::builtin {
namespace {

using Chars = std::u32string;

Chars to_chars(std::string_view text) {
  Chars out;
  for (size_t at = 0; at < text.size(); at += length_of_char(text.substr(at)))
    out += char_at(text.substr(at));
  return out;
}

std::string to_text(const Chars& chars) {
  std::string out;
  for (const char32_t c : chars) append_code_point(out, c);
  return out;
}

// The characters that mean something in a picture.
struct Symbols {
  Chars decimal = U".", grouping = U",", exponent = U"e", minus = U"-", percent = U"%",
        per_mille = U"‰", zero = U"0", digit = U"#", separator = U";";

  void set(std::string_view name, std::string_view value) {
    const std::pair<std::string_view, Chars*> known[] = {{"decimal-separator", &decimal},
                                                         {"grouping-separator", &grouping},
                                                         {"exponent-separator", &exponent},
                                                         {"minus-sign", &minus},
                                                         {"percent", &percent},
                                                         {"per-mille", &per_mille},
                                                         {"zero-digit", &zero},
                                                         {"digit", &digit},
                                                         {"pattern-separator", &separator}};
    for (const auto& [key, chars] : known)
      if (key == name) *chars = to_chars(value);
  }
  char32_t zero_char() const { return zero.empty() ? U'0' : zero[0]; }
  bool is_digit(char32_t c) const { return c >= zero_char() && c < zero_char() + 10; }
  bool is(char32_t c, const Chars& symbol) const { return symbol.size() == 1 && symbol[0] == c; }
  bool is_active(char32_t c) const {
    return is_digit(c) || is(c, decimal) || is(c, exponent) || is(c, grouping) || is(c, digit) ||
           is(c, separator);
  }
  size_t count_digits(const Chars& text) const {
    return static_cast<size_t>(
        std::ranges::count_if(text, [&](char32_t c) { return is_digit(c); }));
  }
  size_t count_places(const Chars& text) const {
    return static_cast<size_t>(
        std::ranges::count_if(text, [&](char32_t c) { return is_digit(c) || is(c, digit); }));
  }
};

struct Parts {
  Chars prefix, suffix, active, mantissa, exponent, integer, fraction, whole;
  bool has_exponent = false;
};

Parts split(const Chars& picture, const Symbols& symbols) {
  const auto is_edge = [&](char32_t c) {
    return symbols.is_active(c) && !symbols.is(c, symbols.exponent);
  };
  Parts parts;
  parts.whole = picture;
  const auto first = std::ranges::find_if(picture, is_edge);
  if (first != picture.end()) parts.prefix.assign(picture.begin(), first);
  const auto last = std::find_if(picture.rbegin(), picture.rend(), is_edge);
  if (last != picture.rend()) parts.suffix.assign(last.base(), picture.end());
  const size_t begin = parts.prefix.size(), end = picture.size() - parts.suffix.size();
  if (end > begin) parts.active = picture.substr(begin, end - begin);
  const size_t exponent = picture.find(symbols.exponent, begin);
  if (exponent == picture.npos || exponent > end) {
    parts.mantissa = parts.active;
  } else {
    parts.has_exponent = true;
    parts.mantissa = parts.active.substr(0, std::min(exponent, parts.active.size()));
    if (exponent + 1 <= parts.active.size()) parts.exponent = parts.active.substr(exponent + 1);
  }
  const size_t point = parts.mantissa.find(symbols.decimal);
  if (point == parts.mantissa.npos) {
    parts.integer = parts.mantissa;
    parts.fraction = parts.suffix;
  } else {
    parts.integer = parts.mantissa.substr(0, point);
    parts.fraction = parts.mantissa.substr(std::min(point + 1, parts.mantissa.size()));
  }
  return parts;
}

bool has_twice(const Chars& text, const Chars& symbol) {
  return text.find(symbol) != text.rfind(symbol);
}
bool has(const Chars& text, const Chars& symbol) { return text.find(symbol) != text.npos; }

// The last rule that is broken, as the reference reports it; empty when none is.
std::string_view fault_in(const Parts& parts, const Symbols& symbols) {
  std::string_view fault;
  const Chars& text = parts.whole;
  const size_t point = text.find(symbols.decimal);
  if (has_twice(text, symbols.decimal)) fault = "D3081";
  if (has_twice(text, symbols.percent)) fault = "D3082";
  if (has_twice(text, symbols.per_mille)) fault = "D3083";
  if (has(text, symbols.percent) && has(text, symbols.per_mille)) fault = "D3084";
  if (symbols.count_places(parts.mantissa) == 0) fault = "D3085";
  if (!std::ranges::all_of(parts.active, [&](char32_t c) { return symbols.is_active(c); }))
    fault = "D3086";
  const auto is_grouping = [&](size_t place) {
    return place < text.size() && symbols.is(text[place], symbols.grouping);
  };
  if (point != text.npos) {
    if (is_grouping(point - 1) || is_grouping(point + 1)) fault = "D3087";
  } else if (!parts.integer.empty() && symbols.is(parts.integer.back(), symbols.grouping)) {
    fault = "D3088";
  }
  if (has(text, symbols.grouping + symbols.grouping)) fault = "D3089";
  const size_t optional = parts.integer.find(symbols.digit);
  if (optional != Chars::npos && symbols.count_digits(parts.integer.substr(0, optional)) > 0)
    fault = "D3090";
  const size_t last_optional = parts.fraction.rfind(symbols.digit);
  if (last_optional != Chars::npos &&
      symbols.count_digits(parts.fraction.substr(last_optional)) > 0)
    fault = "D3091";
  if (parts.has_exponent && !parts.exponent.empty() &&
      (has(text, symbols.percent) || has(text, symbols.per_mille)))
    fault = "D3092";
  if (parts.has_exponent &&
      (parts.exponent.empty() || symbols.count_digits(parts.exponent) != parts.exponent.size()))
    fault = "D3093";
  return fault;
}

// What a picture asks for.
struct Plan {
  std::vector<size_t> integer_groups, fraction_groups;
  size_t regular_group = 0, scaling = 0;
  size_t least_integer = 0, least_fraction = 0, most_fraction = 0, least_exponent = 0;
  Chars prefix, suffix, whole;
};

std::vector<size_t> group_places(const Chars& part, const Parts& parts, const Symbols& symbols,
                                 bool to_left) {
  std::vector<size_t> places;
  size_t at = part.find(symbols.grouping);
  while (at != Chars::npos) {
    const Chars counted = to_left             ? part.substr(0, at)
                          : at <= part.size() ? part.substr(at)
                                              : Chars();
    places.push_back(symbols.count_places(counted));
    at = parts.integer.find(symbols.grouping, at + 1);
  }
  return places;
}

size_t regular_distance(const std::vector<size_t>& places) {
  if (places.empty()) return 0;
  const size_t factor = std::reduce(places.begin() + 1, places.end(), places[0],
                                    [](size_t a, size_t b) { return std::gcd(a, b); });
  for (size_t i = 1; i <= places.size(); ++i)
    if (std::ranges::find(places, i * factor) == places.end()) return 0;
  return factor;
}

Plan plan_of(const Parts& parts, const Symbols& symbols) {
  Plan plan;
  plan.integer_groups = group_places(parts.integer, parts, symbols, false);
  plan.regular_group = regular_distance(plan.integer_groups);
  plan.fraction_groups = group_places(parts.fraction, parts, symbols, true);
  plan.least_integer = plan.scaling = symbols.count_digits(parts.integer);
  plan.least_fraction = symbols.count_digits(parts.fraction);
  plan.most_fraction = symbols.count_places(parts.fraction);
  if (plan.least_integer == 0 && plan.most_fraction == 0) {
    if (parts.has_exponent)
      plan.least_fraction = plan.most_fraction = 1;
    else
      plan.least_integer = 1;
  }
  if (parts.has_exponent && plan.least_integer == 0 && has(parts.integer, symbols.digit))
    plan.least_integer = 1;
  if (plan.least_integer == 0 && plan.least_fraction == 0) plan.least_fraction = 1;
  if (parts.has_exponent) plan.least_exponent = symbols.count_digits(parts.exponent);
  plan.prefix = parts.prefix;
  plan.suffix = parts.suffix;
  plan.whole = parts.whole;
  return plan;
}

// As JavaScript's toFixed, up to 100 places: a half goes up, where printf goes to the even digit.
std::string fixed_text(double size, int places) {
  if (size >= 1e21) return number_text(size);
  char text[512];
  std::snprintf(text, sizeof text, "%.*f", places, size);
  std::string out(text);
  // What is halfway between two such numbers is exact in binary, and so is this test for it.
  if (std::fmod(std::ldexp(size, places + 1), 2) != 1) return out;
  const int length = std::snprintf(text, sizeof text, "%.*f", places + 1, size);
  const char kept = text[length - (places == 0 ? 3 : 2)];
  if (kept == out.back()) ++out.back();
  return out;
}

// With a fixed number of places, in the digits of the picture.
Chars digits_of(double value, size_t places, const Symbols& symbols) {
  constexpr size_t kMostPlaces = 100;
  Chars out =
      to_chars(fixed_text(std::abs(value), static_cast<int>(std::min(places, kMostPlaces))));
  for (char32_t& c : out)
    if (c >= U'0' && c <= U'9') c = symbols.zero_char() + (c - U'0');
  return out;
}

Chars format(double value, const Plan& plan, const Symbols& symbols) {
  double mantissa = value;
  if (has(plan.whole, symbols.percent))
    mantissa *= 100;
  else if (has(plan.whole, symbols.per_mille))
    mantissa *= 1000;
  int exponent = 0;
  if (plan.least_exponent > 0 && mantissa != 0 && std::isfinite(mantissa)) {
    const double most = std::pow(10, static_cast<double>(plan.scaling));
    const double least = std::pow(10, static_cast<double>(plan.scaling) - 1);
    for (; std::abs(mantissa) < least; --exponent) mantissa *= 10;
    for (; std::abs(mantissa) > most; ++exponent) mantissa /= 10;
  }
  const double rounded = round_half_even(mantissa, static_cast<int>(plan.most_fraction));
  Chars text = digits_of(rounded, plan.most_fraction, symbols);
  const Chars zero(1, symbols.zero_char());
  if (const size_t dot = text.find(U'.'); dot == text.npos)
    text += symbols.decimal;
  else
    text.replace(dot, 1, symbols.decimal);
  while (text.starts_with(zero)) text.erase(0, 1);
  while (text.ends_with(zero)) text.pop_back();
  size_t point = text.find(symbols.decimal);
  if (plan.least_integer > point) text.insert(0, plan.least_integer - point, zero[0]);
  point = text.find(symbols.decimal);
  const size_t fraction = text.size() - point - 1;
  if (plan.least_fraction > fraction) text.append(plan.least_fraction - fraction, zero[0]);
  point = text.find(symbols.decimal);
  if (plan.regular_group > 0) {
    const size_t groups = point == 0 ? 0 : (point - 1) / plan.regular_group;
    for (size_t group = 1; group <= groups; ++group)
      text.insert(point - group * plan.regular_group, symbols.grouping);
  } else {
    for (const size_t place : plan.integer_groups) {
      // Where there are fewer digits, the reference counts from the end instead.
      const size_t at = place <= point                 ? point - place
                        : text.size() + point >= place ? text.size() + point - place
                                                       : 0;
      text.insert(at, symbols.grouping);
      ++point;
    }
  }
  point = text.find(symbols.decimal);
  for (const size_t place : plan.fraction_groups)
    text.insert(std::min(place + point + 1, text.size()), symbols.grouping);
  point = text.find(symbols.decimal);
  if (!has(plan.whole, symbols.decimal) || point == text.size() - 1) text.pop_back();
  if (plan.least_exponent > 0) {
    Chars digits = digits_of(exponent, 0, symbols);
    if (plan.least_exponent > digits.size())
      digits.insert(0, plan.least_exponent - digits.size(), zero[0]);
    text += symbols.exponent + (exponent < 0 ? symbols.minus : Chars()) + digits;
  }
  return plan.prefix + text + plan.suffix;
}

}  // namespace

Outcome format_number(Evaluator& evaluator, std::span<const Value> arguments, const CallSite&) {
  constexpr size_t kMaxPicture = 10'000;  // bytes
  if (arguments[0].is_undefined()) return Value();
  const std::string_view given = arguments[1].is_string() ? arguments[1].text() : "";
  if (given.size() > kMaxPicture) return evaluator.fail("D3080");
  Symbols symbols;
  if (arguments[2].is_object()) {
    MemberCursor members(evaluator, arguments[2]);
    std::string_view key;
    for (Value value; members.next(key, value);) {
      std::string text;
      TRY(evaluator.append_string(value, text, false));
      symbols.set(key, text);
    }
  }
  const Chars picture = to_chars(given);
  std::vector<Chars> pictures;
  for (size_t at = 0;;) {
    // Without a separator, every character is a picture of its own.
    size_t end = picture.find(symbols.separator, at);
    if (symbols.separator.empty()) end = at + 1 < picture.size() ? at + 1 : picture.npos;
    pictures.push_back(picture.substr(at, end - at));
    if (end == picture.npos) break;
    at = end + symbols.separator.size();
  }
  if (pictures.size() > 2) return evaluator.fail("D3080");
  std::vector<Plan> plans;
  for (const Chars& one : pictures) {
    const Parts parts = split(one, symbols);
    if (const std::string_view fault = fault_in(parts, symbols); !fault.empty())
      return evaluator.fail(fault);
    plans.push_back(plan_of(parts, symbols));
  }
  if (plans.size() == 1) {
    plans.push_back(plans[0]);
    plans[1].prefix = symbols.minus + plans[1].prefix;
  }
  // The number is put together around its decimal separator, which must be found again in it.
  if (symbols.decimal.empty() || symbols.decimal.find(symbols.zero_char()) != Chars::npos)
    return evaluator.fail(
        {.code = "D3081", .message = "the decimal separator must be a character and not the zero"});
  const double value = arguments[0].real;
  return evaluator.text(to_text(format(value, plans[value >= 0 ? 0 : 1], symbols)));
}

}  // namespace helve::jsonata::builtin

#include "jsonata/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace helve::jsonata {
namespace {

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kExactPower = 22;  // the largest of them that is exact
constexpr std::uint64_t kExactInteger = std::uint64_t{1} << 53;
constexpr int kMaxDigits = 19;  // that surely fit into 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits of a positive number as d.ddd × 10^exponent.
struct Decimal {
  char digits[32];
  int count = 0;
  int exponent = 0;
};

Decimal shortest_decimal(double number) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific);
  Decimal decimal;
  const char* at = text;
  for (; at < end.ptr && *at != 'e'; ++at)
    if (*at != '.') decimal.digits[decimal.count++] = *at;
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') --decimal.count;
  if (at < end.ptr) {
    const char* first = at[1] == '+' ? at + 2 : at + 1;
    std::from_chars(first, end.ptr, decimal.exponent);
  }
  return decimal;
}

}  // namespace

double read_decimal(std::string_view text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc::result_out_of_range) return number;
  // Too large or too small: the library tells which by the value.
  return std::strtod(std::string(text).c_str(), nullptr);
}

double read_json_number(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at < end && *at == '-';
  if (negative) ++at;
  std::uint64_t mantissa = 0;
  int digits = 0;
  int exponent = 0;
  for (; at < end && is_digit(*at); ++at, ++digits)
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  if (at < end && *at == '.') {
    for (++at; at < end && is_digit(*at); ++at, ++digits, --exponent)
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    const char* first = ++at;
    if (first < end && *first == '+') ++first;
    int written = 0;
    const auto read = std::from_chars(first, end, written);
    if (read.ec != std::errc()) digits = kMaxDigits + 1;
    exponent += written;
    at = read.ptr;
  }
  // Both are exact in a double, so that one operation rounds once.
  if (digits <= kMaxDigits && mantissa <= kExactInteger && std::abs(exponent) <= kExactPower) {
    double number = static_cast<double>(mantissa);
    number = exponent < 0 ? number / kPowersOfTen[-exponent] : number * kPowersOfTen[exponent];
    return negative ? -number : number;
  }
  return read_decimal(text.substr(0, static_cast<size_t>(at - text.data())));
}

void append_number(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "NaN";
    return;
  }
  if (number < 0) {
    out += '-';
    number = -number;
  }
  if (std::isinf(number)) {
    out += "Infinity";
    return;
  }
  if (number < static_cast<double>(kExactInteger) && number == std::floor(number)) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, static_cast<std::uint64_t>(number));
    out.append(text, end.ptr);
    return;
  }
  const Decimal decimal = shortest_decimal(number);
  const std::string_view digits(decimal.digits, static_cast<size_t>(decimal.count));
  const int point = decimal.exponent + 1;  // digits before the decimal point
  if (point > 21 || point < -5) {
    out += digits[0];
    if (digits.size() > 1) (out += '.') += digits.substr(1);
    out += decimal.exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(decimal.exponent));
  } else if (point <= 0) {
    out += "0.";
    out.append(static_cast<size_t>(-point), '0');
    out += digits;
  } else if (point >= decimal.count) {
    out += digits;
    out.append(static_cast<size_t>(point - decimal.count), '0');
  } else {
    out += digits.substr(0, static_cast<size_t>(point));
    out += '.';
    out += digits.substr(static_cast<size_t>(point));
  }
}

std::string number_text(double number) {
  std::string out;
  append_number(out, number);
  return out;
}

double rounded_to_15_digits(double number) {
  constexpr int kDigits = 15;
  // Enough digits that what follows them cannot change how a half is rounded.
  char text[80];
  std::snprintf(text, sizeof text, "%.40e", std::abs(number));
  char* const exponent = std::find(text, text + sizeof text, 'e');
  char* const last = text + kDigits;  // one place is the decimal point
  bool up = last[1] >= '5';
  const std::string power(exponent);
  for (char* at = last; up && at >= text; --at) {
    if (*at == '.') continue;
    up = *at == '9';
    *at = up ? '0' : static_cast<char>(*at + 1);
  }
  const std::string rounded = (up ? "1" : "") + std::string(text, last + 1) + power;
  const double result = read_decimal(rounded);
  return number < 0 ? -result : result;
}

std::string radix_text(double number, int radix) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  double rest = std::abs(number);
  std::string text;
  // Digits beyond what a double can tell apart are zeros, as many as JavaScript writes.
  for (; rest / radix >= static_cast<double>(kExactInteger); rest /= radix) text += '0';
  do {
    const double digit = std::fmod(rest, radix);
    text += kDigits[static_cast<int>(digit)];
    rest = (rest - digit) / radix;
  } while (rest > 0);
  if (number < 0) text += '-';
  std::ranges::reverse(text);
  return text;
}

namespace {

// Moving the decimal point in the text is exact, multiplying by a power of ten is not.
double shifted(double number, int places) {
  if (number == 0 || !std::isfinite(number)) return number;
  const Decimal decimal = shortest_decimal(std::abs(number));
  std::string text(decimal.digits, static_cast<size_t>(decimal.count));
  text += "e" + std::to_string(decimal.exponent - decimal.count + 1 + places);
  const double result = read_decimal(text);
  return number < 0 ? -result : result;
}

}  // namespace

double round_half_even(double number, int places) {
  double scaled = places == 0 ? number : shifted(number, places);
  double result = std::floor(scaled + 0.5);
  // Adding a half is not exact for large numbers and for what is just below a half.
  if (std::abs(scaled) >= 4503599627370496.0) result = scaled;
  if (result - scaled > 0.5) result -= 1;
  if (std::abs(result - scaled) == 0.5 && std::fmod(std::abs(result), 2) == 1) result -= 1;
  if (places != 0) result = shifted(result, -places);
  return result == 0 ? 0.0 : result;
}

}  // namespace helve::jsonata

#include "jsonata/integer_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "jsonata/letter_case.h"
#include "jsonata/number_text.h"
#include "jsonata/number_words.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

// The zeros of the scripts that have decimal digits.
constexpr char32_t kZeros[] = {0x30,   0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6,
                               0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0,
                               0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
                               0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900,
                               0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10};

constexpr double kMaxRoman = 1e7;  // beyond, it is only a very long row of m

std::u32string to_chars(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size(); at += length_of_char(text.substr(at)))
    out += char_at(text.substr(at));
  return out;
}

size_t regular_distance(const std::vector<IntegerPicture::Separator>& separators) {
  if (separators.empty()) return 0;
  size_t factor = 0;
  for (const auto& separator : separators) {
    if (separator.character != separators[0].character) return 0;
    factor = std::gcd(factor, separator.position);
  }
  for (size_t i = 1; i <= separators.size(); ++i) {
    const auto is_there = [&](const auto& separator) { return separator.position == i * factor; };
    if (std::ranges::none_of(separators, is_there)) return 0;
  }
  return factor;
}

}  // namespace

IntegerPicture IntegerPicture::read(std::string_view picture, std::string_view& fault) {
  IntegerPicture result;
  const size_t semicolon = picture.rfind(';');
  const std::string_view primary = picture.substr(0, semicolon);
  if (semicolon != picture.npos && picture.substr(semicolon + 1).starts_with('o'))
    result.ordinal = true;
  if (primary == "A" || primary == "I" || primary == "W") result.casing = Casing::upper;
  if (primary == "A" || primary == "a") {
    result.style = Style::letters;
    return result;
  }
  if (primary == "I" || primary == "i") {
    result.style = Style::roman;
    return result;
  }
  if (primary == "W" || primary == "w" || primary == "Ww") {
    result.style = Style::words;
    if (primary == "Ww") result.casing = Casing::title;
    return result;
  }
  std::u32string chars = to_chars(primary);
  std::ranges::reverse(chars);
  bool has_zero = false;
  size_t position = 0;
  for (const char32_t c : chars) {
    const auto* const zero = std::ranges::find_if(
        kZeros, [c](char32_t candidate) { return c >= candidate && c <= candidate + 9; });
    if (zero != std::end(kZeros)) {
      ++result.least_digits;
      ++position;
      if (has_zero && result.zero != *zero) fault = "D3131";
      result.zero = *zero;
      has_zero = true;
    } else if (c == U'#') {
      ++position;
      ++result.optional_digits;
    } else {
      result.separators.push_back({position, c});
    }
  }
  if (result.least_digits == 0) {
    result.style = Style::sequence;
    result.token = primary;
    return result;
  }
  result.regular = regular_distance(result.separators);
  return result;
}

std::string IntegerPicture::format_decimal(double value) const {
  std::u32string text = to_chars(number_text(value));
  if (least_digits > text.size()) text.insert(0, least_digits - text.size(), U'0');
  if (zero != U'0')
    for (char32_t& c : text) c += zero - U'0';
  if (regular > 0) {
    for (size_t group = (text.size() - 1) / regular; group > 0; --group)
      text.insert(text.size() - group * regular, 1, separators[0].character);
  } else {
    for (auto separator = separators.rbegin(); separator != separators.rend(); ++separator) {
      if (separator->position <= text.size()) {
        text.insert(text.size() - separator->position, 1, separator->character);
      } else {
        // As JavaScript's substr has it, which counts from the end then.
        const size_t beyond = std::min(separator->position - text.size(), text.size());
        text = separator->character + text.substr(text.size() - beyond);
      }
    }
  }
  std::string out;
  for (const char32_t c : text) append_code_point(out, c);
  if (!ordinal) return out;
  const char32_t last = text.empty() ? U'0' : text.back();
  const bool teen = text.size() > 1 && text[text.size() - 2] == U'1';
  if (teen || last < U'1' || last > U'3') return out + "th";
  return out + (last == U'1' ? "st" : last == U'2' ? "nd" : "rd");
}

std::string IntegerPicture::format(double value, std::string_view& fault) const {
  const double size = std::abs(value);
  std::string text;
  switch (style) {
    case Style::letters:
      if (!std::isfinite(size)) {
        fault = "D3130";
        break;
      }
      text = letters_of(size, casing == Casing::upper ? 'A' : 'a');
      break;
    case Style::roman:
      if (size > kMaxRoman) {
        fault = "D3130";
        break;
      }
      text = roman_of(size);
      if (casing == Casing::upper) text = upper_case(text);
      break;
    case Style::words:
      text = words_of(size, ordinal);
      if (casing == Casing::upper) text = upper_case(text);
      if (casing == Casing::lower) text = lower_case(text);
      break;
    case Style::decimal:
      text = format_decimal(size);
      break;
    case Style::sequence:
      fault = "D3130";
      break;
  }
  return value < 0 ? "-" + text : text;
}

std::string IntegerPicture::expression(std::string_view& fault) const {
  switch (style) {
    case Style::letters:
      return casing == Casing::upper ? "[A-Z]+" : "[a-z]+";
    case Style::roman:
      return casing == Casing::upper ? "[MDCLXVI]+" : "[mdclxvi]+";
    case Style::words:
      return words_expression();
    case Style::decimal: {
      std::string digits = "[0-9]";
      digits += parse_width > 0 ? "{" + std::to_string(parse_width) + "}" : "+";
      return ordinal ? digits + "(?:th|st|nd|rd)" : digits;
    }
    case Style::sequence:
      break;
  }
  fault = "D3130";
  return "";
}

double IntegerPicture::parse(std::string_view text, std::string_view& fault) const {
  switch (style) {
    case Style::letters:
      return number_of_letters(text, casing == Casing::upper ? 'A' : 'a');
    case Style::roman:
      return number_of_roman(text, casing == Casing::upper);
    case Style::words:
      return number_of_words(lower_case(text));
    case Style::sequence:
      fault = "D3130";
      return NAN;
    case Style::decimal:
      break;
  }
  if (ordinal) text = text.substr(0, text.size() < 2 ? 0 : text.size() - 2);
  std::string digits;
  for (const char32_t c : to_chars(text)) {
    const auto is_separator = [c](const Separator& separator) { return separator.character == c; };
    if (regular > 0 ? c == U',' : std::ranges::any_of(separators, is_separator)) continue;
    append_code_point(digits, zero == U'0' ? c : c - zero + U'0');
  }
  // As parseInt: what follows the digits is passed over.
  size_t at = digits.find_first_not_of(" \t\n\r");
  if (at == digits.npos) return NAN;
  const bool negative = digits[at] == '-';
  if (negative || digits[at] == '+') ++at;
  const size_t start = at;
  while (at < digits.size() && digits[at] >= '0' && digits[at] <= '9') ++at;
  if (at == start) return NAN;
  const double number = read_decimal(std::string_view(digits).substr(start, at - start));
  return negative ? -number : number;
}

}  // namespace helve::jsonata

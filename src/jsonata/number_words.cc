#include "jsonata/number_words.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

constexpr std::string_view kCardinals[] = {
    "Zero",     "One",     "Two",     "Three",     "Four",     "Five",    "Six",
    "Seven",    "Eight",   "Nine",    "Ten",       "Eleven",   "Twelve",  "Thirteen",
    "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen"};
constexpr std::string_view kOrdinals[] = {
    "Zeroth",     "First",     "Second",    "Third",       "Fourth",     "Fifth",     "Sixth",
    "Seventh",    "Eighth",    "Ninth",     "Tenth",       "Eleventh",   "Twelfth",   "Thirteenth",
    "Fourteenth", "Fifteenth", "Sixteenth", "Seventeenth", "Eighteenth", "Nineteenth"};
constexpr std::string_view kTens[] = {"Twenty", "Thirty",  "Forty",  "Fifty",
                                      "Sixty",  "Seventy", "Eighty", "Ninety"};
constexpr std::string_view kMagnitudes[] = {"Thousand", "Million", "Billion", "Trillion"};

struct WordValue {
  std::string word;
  double value;
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

std::vector<WordValue> word_values() {
  std::vector<WordValue> words;
  for (size_t i = 0; i < std::size(kCardinals); ++i) {
    words.push_back({lower(kCardinals[i]), static_cast<double>(i)});
    words.push_back({lower(kOrdinals[i]), static_cast<double>(i)});
  }
  for (size_t i = 0; i < std::size(kTens); ++i) {
    const std::string word = lower(kTens[i]);
    const double value = static_cast<double>((i + 2) * 10);
    words.push_back({word, value});
    words.push_back({word.substr(0, word.size() - 1) + "ieth", value});
  }
  words.push_back({"hundred", 100});
  words.push_back({"hundredth", 100});
  double value = 1000;
  for (const std::string_view magnitude : kMagnitudes) {
    words.push_back({lower(magnitude), value});
    words.push_back({lower(magnitude) + "th", value});
    value *= 1000;
  }
  return words;
}

// `follows`: something larger was written before.
std::string part_in_words(double value, bool follows, bool ordinal) {
  if (value <= 19) {
    const size_t index = static_cast<size_t>(value);
    return (follows ? " and " : "") + std::string(ordinal ? kOrdinals[index] : kCardinals[index]);
  }
  if (value < 100) {
    const double rest = std::fmod(value, 10);
    std::string words =
        (follows ? " and " : "") + std::string(kTens[static_cast<size_t>(value / 10) - 2]);
    if (rest > 0) return words + "-" + part_in_words(rest, false, ordinal);
    return ordinal ? words.substr(0, words.size() - 1) + "ieth" : words;
  }
  std::string words = follows ? ", " : "";
  double rest = 0;
  if (value < 1000) {
    words += std::string(kCardinals[static_cast<size_t>(value / 100)]) + " Hundred";
    rest = std::fmod(value, 100);
  } else {
    size_t magnitude = static_cast<size_t>(std::floor(std::log10(value) / 3));
    magnitude = std::min(magnitude, std::size(kMagnitudes));
    const double factor = std::pow(10, static_cast<double>(magnitude * 3));
    const double mantissa = std::floor(value / factor);
    words += part_in_words(mantissa, false, false) + " " + std::string(kMagnitudes[magnitude - 1]);
    rest = value - mantissa * factor;
  }
  if (rest > 0) return words + part_in_words(rest, true, ordinal);
  return ordinal ? words + "th" : words;
}

struct Numeral {
  double value;
  std::string_view text;
};
constexpr Numeral kNumerals[] = {{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"},
                                 {90, "xc"},  {50, "l"},   {40, "xl"}, {10, "x"},   {9, "ix"},
                                 {5, "v"},    {4, "iv"},   {1, "i"}};
constexpr std::string_view kSpaces = " \t\n\v\f\r";

// The length of what stands between two words at `at`: ", ", " and ", a space, a hyphen; 0 when
// there is none.
size_t separator_at(std::string_view text, size_t at) {
  const auto is_space = [text](size_t place) {
    return place < text.size() && kSpaces.find(text[place]) != kSpaces.npos;
  };
  if (text[at] == ',') return is_space(at + 1) ? 2 : 0;
  if (is_space(at) && text.substr(at + 1).starts_with("and") && is_space(at + 4)) return 5;
  return is_space(at) || text[at] == '-' || text[at] == '\\' ? 1 : 0;
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  size_t start = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t separator = separator_at(text, at);
    if (separator > 0) {
      words.push_back(text.substr(start, at - start));
      start = at + separator;
    }
    at += std::max<size_t>(separator, 1);
  }
  words.push_back(text.substr(start));
  return words;
}

}  // namespace

std::string words_of(double value, bool ordinal) {
  if (!std::isfinite(value)) return "";
  return part_in_words(value, false, ordinal);
}

double number_of_words(std::string_view text) {
  const std::vector<WordValue> known = word_values();
  std::vector<double> segments = {0};
  for (const std::string_view word : words_in(text)) {
    double value = NAN;
    for (const WordValue& entry : known)
      if (entry.word == word) value = entry.value;
    if (value < 100) {
      double top = segments.back();
      segments.pop_back();
      if (top >= 1000) {
        segments.push_back(top);
        top = 0;
      }
      segments.push_back(top + value);
    } else {
      segments.back() *= value;
    }
  }
  double sum = 0;
  for (const double segment : segments) sum += segment;
  return sum;
}

std::string words_expression() {
  std::string out = "(?:";
  for (const WordValue& entry : word_values()) out += entry.word + "|";
  return out + "and|[\\-, ])+";
}

std::string roman_of(double value) {
  std::string out;
  for (const Numeral& numeral : kNumerals) {
    for (; value >= numeral.value; value -= numeral.value) out += numeral.text;
  }
  return out;
}

double number_of_roman(std::string_view text, bool upper) {
  double sum = 0, largest = 1;
  for (size_t i = text.size(); i-- > 0;) {
    double value = NAN;
    for (const Numeral& numeral : kNumerals)
      if (numeral.text.size() == 1 &&
          (text[i] == (numeral.text[0] & ~0x20) || (!upper && text[i] == numeral.text[0])))
        value = numeral.value;
    if (value < largest) {
      sum -= value;
    } else {
      largest = value;
      sum += value;
    }
  }
  return sum;
}

std::string letters_of(double value, char first) {
  std::string out;
  while (value > 0) {
    out.insert(out.begin(), static_cast<char>(first + static_cast<int>(std::fmod(value - 1, 26))));
    value = std::floor((value - 1) / 26);
  }
  return out;
}

double number_of_letters(std::string_view text, char first) {
  double sum = 0, place = 0;
  for (size_t at = text.size(); at > 0; ++place) {
    --at;
    while (at > 0 && (text[at] & 0xC0) == 0x80) --at;
    sum += (static_cast<double>(char_at(text.substr(at))) - first + 1) * std::pow(26, place);
  }
  return sum;
}

}  // namespace helve::jsonata

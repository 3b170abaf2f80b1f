// IntegerPicture: whole numbers as a picture says: "#,##0", "w" for words, "I" for Roman numerals,
// "A" for letters, ";o" for ordinals; as XPath's format-integer has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::jsonata {

struct IntegerPicture {
  enum class Style : unsigned char { decimal, letters, roman, words, sequence };
  enum class Casing : unsigned char { lower, upper, title };
  struct Separator {
    size_t position = 0;  // digits to its right
    char32_t character = 0;
  };

  Style style = Style::decimal;
  Casing casing = Casing::lower;
  bool ordinal = false;
  char32_t zero = U'0';
  size_t least_digits = 0;
  size_t optional_digits = 0;
  size_t regular = 0;  // the distance of separators that are all alike; 0: see `separators`
  std::vector<Separator> separators;
  size_t parse_width = 0;  // digits that belong to it when more follow; 0: all
  std::string token;

  // `fault` is D3131 when the digits are of different scripts.
  static IntegerPicture read(std::string_view picture, std::string_view& fault);

  // `fault` is D3130 for numbering that is not known.
  std::string format(double value, std::string_view& fault) const;
  // What such a number looks like, as a regular expression.
  std::string expression(std::string_view& fault) const;
  // The number that a text stands for; NaN when it is none.
  double parse(std::string_view text, std::string_view& fault) const;

 private:
  std::string format_decimal(double value) const;
};

}  // namespace helve::jsonata

// Numbers in English words and other numerals: "twenty-one", "xxi", "u".
#pragma once

#include <string>
#include <string_view>

namespace helve::jsonata {

std::string words_of(double value, bool ordinal);  // "Twenty-First"
// Lower-case words; NaN when one of them is no number.
double number_of_words(std::string_view text);
// All words that numbers are made of, as alternatives of a regular expression.
std::string words_expression();

std::string roman_of(double value);  // lower case
// NaN when there is anything else, such as a small letter where only large ones are expected.
double number_of_roman(std::string_view text, bool upper);
std::string letters_of(double value, char first);
double number_of_letters(std::string_view text, char first);

}  // namespace helve::jsonata

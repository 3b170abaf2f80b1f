// Numbers as JavaScript reads and writes them.
#pragma once

#include <string>
#include <string_view>

namespace helve::jsonata {

// The number that a valid JSON text begins with.
double read_json_number(std::string_view text);
// As JavaScript's Number() reads decimal digits with an exponent; 1e999 is infinite.
double read_decimal(std::string_view text);

// The shortest text that reads back as the same number: 0.1, 1e+21, 1.5e-7. NaN and Infinity too.
void append_number(std::string& out, double number);
std::string number_text(double number);
// With at most 15 significant digits, which hides what binary fractions do to 0.1 + 0.2.
double rounded_to_15_digits(double number);
std::string radix_text(double number, int radix);
// To the nearest, and to the even one between two; `places` after the decimal point.
double round_half_even(double number, int places);

}  // namespace helve::jsonata

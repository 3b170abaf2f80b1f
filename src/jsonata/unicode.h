// Text as JavaScript counts and orders it. Strings are UTF-8; a surrogate that stands alone, which
// JavaScript's strings may hold, is encoded as if it were a character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::jsonata {

// The value of a hexadecimal digit, or -1.
int hex_digit(char c);
bool is_high_surrogate(char32_t unit);
bool is_low_surrogate(char32_t unit);
void append_code_point(std::string& out, char32_t code_point);
// Appends a UTF-16 unit; a low surrogate is joined with the high one that `out` ends with.
void append_unit(std::string& out, std::uint32_t unit);

// The bytes of the character that a text begins with. Not for empty text.
size_t length_of_char(std::string_view text);
// The character that a text begins with. Not for empty text.
char32_t char_at(std::string_view text);
size_t count_code_points(std::string_view text);
size_t count_units(std::string_view text);  // of UTF-16
// The bytes that the first `count` code points take.
size_t bytes_of_code_points(std::string_view text, size_t count);
// The bytes that the first `count` UTF-16 units take, rounded up to a whole character.
size_t bytes_of_units(std::string_view text, size_t count);

// Below, equal to or above zero: by UTF-16 units, as JavaScript compares strings.
int compare_text(std::string_view a, std::string_view b);

}  // namespace helve::jsonata

// What characters are to a search: letters of words, digits, ideographs, or what separates words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::knowledge {

enum class CharacterKind : unsigned char {
  separator,
  letter,
  capital,  // of ASCII: where a part of an identifier may begin
  digit,
  mark,       // an accent of the letter before it
  ideograph,  // of a language that puts no spaces between words
};

struct Character {
  CharacterKind kind = CharacterKind::separator;
  char32_t folded = 0;  // in lower case, without accents
  size_t bytes = 0;     // 0: there is none

  bool is_letter() const { return kind == CharacterKind::letter || kind == CharacterKind::capital; }
  bool is_of_word() const { return is_letter() || kind == CharacterKind::digit; }
};

// The first character of the text; bytes that are not UTF-8 are separators.
Character first_character(std::string_view text);

// In lower case, with accents; bytes that are not UTF-8 stay.
std::string lower_case(std::string_view text);

void append_utf8(std::string& text, char32_t c);

}  // namespace helve::knowledge

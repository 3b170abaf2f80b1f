// Stages: the ways in which two texts may differ and still be taken for the same, strictest first.
// People and models get whitespace and quotes wrong far more often than words.
#pragma once

#include <string>
#include <string_view>

namespace helve::edit {

enum class Stage : unsigned char {
  exact,
  line_endings,         // \r\n for \n, or the other way round
  trailing_whitespace,  // at the end of lines
  indentation,          // all lines shifted by the same leading whitespace
  punctuation,          // typographic quotes, dashes and spaces for plain ones
};
std::string_view name_of(Stage stage);
// What the match ignored, for people: "ignoring trailing whitespace"; empty for exact.
std::string_view describe(Stage stage);

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

// The whitespace that a line begins with.
std::string_view indent_of(std::string_view line);
// A line without its ending: "\n" or "\r\n".
std::string_view without_ending(std::string_view line);
// The ending itself; empty when there is none.
std::string_view ending_of(std::string_view line);
// A line without its ending and the whitespace before it.
std::string_view without_trailing_space(std::string_view line);

// Typographic punctuation as plain ASCII: quotes, dashes, spaces, the ellipsis; invisible marks
// become nothing.
void append_plain(std::string& out, std::string_view text);
// What a character becomes: its length in bytes, and the plain form (of the same bytes, when it has
// no other).
struct PlainChar {
  size_t length;
  std::string_view plain;
};
PlainChar plain_char(std::string_view text);

// Appends what two lines that are the same at this stage have in common; the ending, if there is
// one, as "\n".
void append_folded(std::string& out, std::string_view line, Stage stage);

}  // namespace helve::edit

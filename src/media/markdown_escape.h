// Escaping of text that would be taken for Markdown. What cannot be taken for it stays as it is: a
// search for snake_case or a[0] should find it.
#pragma once

#include <string>
#include <string_view>

namespace helve::media {

struct MarkdownPlace {
  size_t line_begin = 0;  // where the text of the line, or the cell, begins in what is written
  char next = '\0';       // what follows the word: a space, or nothing that is known yet
  bool is_in_link = false;
  bool is_in_cell = false;
  bool is_in_heading = false;
};

// Appends a word, which holds no space and no control character. What was written before decides
// with it, so that words may come in pieces.
void append_escaped(std::string& out, std::string_view word, const MarkdownPlace& place);

// What is a gap at the start of the text: white space of any kind, or characters that show nothing
// and would hide a word from a search. A length of 0 is none.
struct TextGap {
  size_t length = 0;
  bool is_space = false;
};
TextGap gap_at(std::string_view text);
// The length of the text before its first gap.
size_t word_length(std::string_view text);

// What Markdown takes a character for when it decides whether a mark beside it begins or ends
// something. The end of a line is space, and some characters of Unicode are punctuation to some
// readers only.
enum class CharClass : unsigned char { space, punctuation, word, unclear };
CharClass class_of_first(std::string_view text);
CharClass class_of_last(std::string_view text);

}  // namespace helve::media

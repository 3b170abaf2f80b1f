// What is to be completed: a command at the beginning of the text, or a file anywhere in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::terminal {

struct CompletionWord {
  enum class Kind : unsigned char { none, command, file };
  Kind kind = Kind::none;
  size_t start = 0;            // of the word, with its sign
  std::string_view word = {};  // up to the cursor, without its sign and quotes
};

// "/he", "see @src/ma", "see @\"my fi".
CompletionWord word_at(std::string_view text, size_t cursor);
// How a file's name stands in the text: @name, or @"my file" when there is a blank in it.
std::string file_reference(std::string_view name);

}  // namespace helve::terminal

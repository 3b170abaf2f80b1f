// WordWrap: words in lines of a width, each word with its looks. A word is written once its end is
// known, so text appears while it arrives. What it is given is made safe to show.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/look.h"

namespace helve::terminal {

using Write = std::function<void(std::string_view)>;

struct Piece {
  std::string text;
  Look look = plain;
  std::string link = {};  // of printable ASCII; empty: none
};

class WordWrap {
 public:
  struct Options {
    size_t width = 80;
    bool colours = false;
  };
  WordWrap(Options options, Write write) : options_(options), write_(std::move(write)) {}

  // What stands before the text of a line, and before that of the lines that it is broken into. The
  // text and not the prefix is given up first when there is little room.
  void begin_line(const Piece& first, const Piece& next);
  // One character; blanks end words.
  void put(std::string_view character, Look look, std::string_view link = {});
  void put_all(std::string_view text, Look look, std::string_view link = {});
  void end_line();
  void resize(size_t width) { options_.width = width; }

 private:
  void end_word();
  void break_line();
  void switch_to(Look look, std::string_view link);
  void write_piece(const Piece& piece);
  void write_split(const Piece& piece);

  Options options_;
  Write write_;
  Piece next_prefix_;
  std::vector<Piece> word_;
  bool ends_wide_ = false;  // the word's last glyph is one that lines may be broken behind
  bool is_empty_ = true;    // there is nothing on the line but its prefix
  size_t column_ = 0;
  size_t blanks_ = 0;  // before the word, if it stays on this line
  Look look_ = plain;  // what the terminal is at
  std::string link_;
};

}  // namespace helve::terminal

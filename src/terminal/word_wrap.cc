#include "terminal/word_wrap.h"

#include <algorithm>

#include "base/text.h"
#include "terminal/width.h"

namespace helve::terminal {

void WordWrap::begin_line(const Piece& first, const Piece& next) {
  next_prefix_ = next;
  next_prefix_.text.resize(bytes_within(next.text, options_.width / 2));
  column_ = 0;
  write_piece({first.text.substr(0, bytes_within(first.text, options_.width / 2)), first.look});
  is_empty_ = true;
  blanks_ = 0;
}

void WordWrap::put(std::string_view character, Look look, std::string_view link) {
  if (character == " " || character == "\t") {
    end_word();
    ++blanks_;
    return;
  }
  if (!is_extending(character)) {
    const bool wide = is_wide(character);
    if (!word_.empty() && (wide || ends_wide_)) end_word();
    ends_wide_ = wide;
  }
  if (word_.empty() || word_.back().look != look || word_.back().link != link)
    word_.push_back({"", look, std::string(link)});
  word_.back().text += character;
}

void WordWrap::put_all(std::string_view text, Look look, std::string_view link) {
  while (!text.empty()) {
    const std::string_view character = text.substr(0, std::max<size_t>(1, char_length(text)));
    put(character, look, link);
    text.remove_prefix(character.size());
  }
}

void WordWrap::end_line() {
  end_word();
  switch_to(plain, {});
  write_("\n");
  column_ = 0;
}

void WordWrap::end_word() {
  if (word_.empty()) return;
  size_t columns = 0;
  for (Piece& piece : word_) {
    piece.text = shown(piece.text);
    columns += columns_of(piece.text);
  }
  if (!is_empty_ && column_ + blanks_ + columns > options_.width) break_line();
  if (!is_empty_ && blanks_ > 0) {
    if (look_ != word_[0].look || link_ != word_[0].link) switch_to(plain, {});
    write_(std::string(blanks_, ' '));
    column_ += blanks_;
  }
  const bool fits = column_ + columns <= options_.width;
  for (const Piece& piece : word_) fits ? write_piece(piece) : write_split(piece);
  word_.clear();
  ends_wide_ = false;
  is_empty_ = false;
  blanks_ = 0;
}

void WordWrap::break_line() {
  switch_to(plain, {});
  write_("\n");
  column_ = 0;
  write_piece(next_prefix_);
  is_empty_ = true;
}

void WordWrap::switch_to(Look look, std::string_view link) {
  if (link_ != link) {
    write_(std::string("\x1b]8;;").append(link).append("\x1b\\"));
    link_ = link;
  }
  if (!options_.colours || look_ == look) return;
  write_(look_code(look));
  look_ = look;
}

void WordWrap::write_piece(const Piece& piece) {
  if (piece.text.empty()) return;
  switch_to(piece.look, piece.link);
  write_(piece.text);
  column_ += columns_of(piece.text);
}

void WordWrap::write_split(const Piece& piece) {
  std::string_view rest = piece.text;
  while (!rest.empty()) {
    size_t bytes = column_ >= options_.width ? 0 : bytes_within(rest, options_.width - column_);
    if (bytes == 0 && is_empty_) bytes = first_glyph(rest).bytes;  // there is no line it fits in
    if (bytes == 0) {
      break_line();
      continue;
    }
    write_piece({std::string(rest.substr(0, bytes)), piece.look, piece.link});
    is_empty_ = false;
    rest.remove_prefix(bytes);
  }
}

}  // namespace helve::terminal

#include "terminal/line_buffer.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostUndo = 100;  // steps
constexpr size_t kMostUndoBytes = 8u << 20;

bool is_word(std::string_view glyph) {
  const auto c = static_cast<unsigned char>(glyph[0]);
  return c >= 0x80 || std::isalnum(c) != 0 || c == '_';
}
bool is_not_blank(std::string_view glyph) { return glyph != " " && glyph != "\t" && glyph != "\n"; }

std::string cleaned(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view valid = text.substr(0, valid_utf8_prefix(text));
    std::ranges::copy_if(valid, std::back_inserter(out), [](char c) { return c != '\0'; });
    text.remove_prefix(std::min(valid.size() + 1, text.size()));
  }
  return out;
}

}  // namespace

void LineBuffer::insert(std::string_view text) {
  const std::string clean = cleaned(text);
  if (clean.empty() || text_.size() + clean.size() > kMostText) return;
  remember(clean == "\n" || clean == " " ? Step::other : Step::typed);
  text_.insert(cursor_, clean);
  cursor_ += clean.size();
}

void LineBuffer::replace(std::string text) {
  remember(Step::other);
  text_ = cleaned(text).substr(0, kMostText);
  cursor_ = text_.size();
}

void LineBuffer::replace_before(size_t start, std::string_view text) {
  remember(Step::other);
  text_.replace(start, cursor_ - start, text);
  cursor_ = start + text.size();
}

void LineBuffer::clear() {
  text_.clear();
  cursor_ = 0;
  past_.clear();
  last_ = Step::none;
}

void LineBuffer::move_to(size_t position) {
  cursor_ = std::min(position, text_.size());
  last_ = Step::none;
}
void LineBuffer::move_left() { move_to(glyph_before(text_, cursor_)); }
void LineBuffer::move_right() { move_to(glyph_after(text_, cursor_)); }
void LineBuffer::move_word_left() { move_to(word_left(is_word)); }
void LineBuffer::move_word_right() { move_to(word_right()); }
void LineBuffer::move_to_line_start() { move_to(line_start()); }
void LineBuffer::move_to_line_end() { move_to(line_end()); }
bool LineBuffer::move_up() { return move_lines(true); }
bool LineBuffer::move_down() { return move_lines(false); }

bool LineBuffer::move_lines(bool is_up) {
  const size_t start = line_start();
  const size_t end = line_end();
  if (is_up ? start == 0 : end == text_.size()) return false;
  if (last_ != Step::vertical)
    wanted_column_ = columns_of(std::string_view(text_).substr(start, cursor_ - start));
  move_to(is_up ? start - 1 : end + 1);
  const size_t first = line_start();
  const std::string_view line = std::string_view(text_).substr(first, line_end() - first);
  cursor_ = first + bytes_within(line, wanted_column_);
  last_ = Step::vertical;
  return true;
}

void LineBuffer::erase_left() {
  if (cursor_ == 0) return;
  remember(Step::erased);
  const size_t start = glyph_before(text_, cursor_);
  text_.erase(start, cursor_ - start);
  cursor_ = start;
}

void LineBuffer::erase_right() {
  if (cursor_ == text_.size()) return;
  remember(Step::erased);
  text_.erase(cursor_, glyph_after(text_, cursor_) - cursor_);
}

void LineBuffer::kill_word_left() { kill(word_left(is_word), cursor_, Step::killed_left); }
void LineBuffer::kill_blank_word_left() {
  kill(word_left(is_not_blank), cursor_, Step::killed_left);
}
void LineBuffer::kill_word_right() { kill(cursor_, word_right(), Step::killed_right); }
void LineBuffer::kill_to_line_start() {
  kill(line_start() < cursor_ ? line_start() : glyph_before(text_, cursor_), cursor_,
       Step::killed_left);
}
// At the end of a line, what separates it from the next.
void LineBuffer::kill_to_line_end() {
  kill(cursor_, line_end() > cursor_ ? line_end() : glyph_after(text_, cursor_),
       Step::killed_right);
}

void LineBuffer::kill(size_t from, size_t to, Step step) {
  if (from >= to) return;
  const bool goes_on = last_ == Step::killed_left || last_ == Step::killed_right;
  const std::string gone = text_.substr(from, to - from);
  remember(step);
  if (!goes_on) killed_.clear();
  killed_ = step == Step::killed_left ? gone + killed_ : killed_ + gone;
  text_.erase(from, gone.size());
  cursor_ = from;
}

void LineBuffer::yank() {
  if (killed_.empty()) return;
  const std::string killed = killed_;
  last_ = Step::none;
  insert(killed);
  last_ = Step::other;
}

void LineBuffer::transpose() {
  size_t at = cursor_;
  if (at == line_end()) at = glyph_before(text_, at);
  if (at <= line_start()) return;
  const size_t before = glyph_before(text_, at);
  const size_t after = glyph_after(text_, at);
  remember(Step::other);
  text_ = text_.substr(0, before) + text_.substr(at, after - at) +
          text_.substr(before, at - before) + text_.substr(after);
  cursor_ = after;
}

void LineBuffer::undo() {
  if (past_.empty()) return;
  text_ = std::move(past_.back().text);
  cursor_ = past_.back().cursor;
  past_.pop_back();
  last_ = Step::none;
}

// What is typed or erased in one go is undone in one go.
void LineBuffer::remember(Step step) {
  const bool goes_on = step == last_ && (step == Step::typed || step == Step::erased);
  last_ = step;
  if (goes_on) return;
  past_.push_back({text_, cursor_});
  size_t bytes = 0;
  for (const State& state : past_) bytes += state.text.size();
  while (past_.size() > kMostUndo || (bytes > kMostUndoBytes && !past_.empty())) {
    bytes -= past_.front().text.size();
    past_.erase(past_.begin());
  }
}

size_t LineBuffer::line_start() const {
  const size_t newline = cursor_ == 0 ? text_.npos : text_.rfind('\n', cursor_ - 1);
  return newline == text_.npos ? 0 : newline + 1;
}

size_t LineBuffer::line_end() const { return std::min(text_.find('\n', cursor_), text_.size()); }

size_t LineBuffer::word_left(const std::function<bool(std::string_view)>& is_part) const {
  size_t at = cursor_;
  for (const bool in_word : {false, true}) {
    while (at > 0) {
      const size_t before = glyph_before(text_, at);
      if (is_part(std::string_view(text_).substr(before, at - before)) != in_word) break;
      at = before;
    }
  }
  return at;
}

size_t LineBuffer::word_right() const {
  size_t at = cursor_;
  for (const bool in_word : {false, true}) {
    while (at < text_.size()) {
      const size_t after = glyph_after(text_, at);
      if (is_word(std::string_view(text_).substr(at, after - at)) != in_word) break;
      at = after;
    }
  }
  return at;
}

}  // namespace helve::terminal

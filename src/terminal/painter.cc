#include "terminal/painter.h"

#include <fmt/format.h>

#include <algorithm>

#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearRight = "\x1b[K";

// How much of both is the same, up to a place where the look is plain.
size_t common_prefix(std::string_view before, std::string_view now) {
  size_t at = 0;
  size_t safe = 0;
  bool is_plain = true;
  while (at < before.size() && at < now.size()) {
    const size_t bytes = first_glyph(now.substr(at)).bytes;
    if (before.substr(at, bytes) != now.substr(at, bytes) ||
        first_glyph(before.substr(at)).bytes != bytes)
      break;
    if (now[at] == '\x1b') is_plain = now.substr(at, bytes) == kPlainAgain;
    at += bytes;
    if (is_plain) safe = at;
  }
  return safe;
}

}  // namespace

void Painter::paint(const Frame& frame) {
  if (!is_shown()) {
    row_ = column_ = 0;
    shown_.rows = {""};
    out_ += "\r";
    out_ += kClearBelow;
  }
  if (frame.rows.size() < shown_.rows.size()) {
    move_to(frame.rows.size() - 1, columns_of(shown_.rows[frame.rows.size() - 1]));
    out_ += kClearBelow;
    shown_.rows.resize(frame.rows.size());
  }
  for (size_t row = 0; row < frame.rows.size(); ++row) {
    if (row == shown_.rows.size()) {
      move_to(row - 1, 0);
      out_ += "\r\n";
      row_ = row;
      column_ = 0;
      shown_.rows.emplace_back();
    }
    paint_row(row, shown_.rows[row], frame.rows[row]);
  }
  move_to(frame.cursor_row, frame.cursor_column);
  shown_ = frame;
  flush();
}

void Painter::paint_row(size_t row, std::string_view before, std::string_view now) {
  if (before == now) return;
  const size_t same = common_prefix(before, now);
  move_to(row, columns_of(now.substr(0, same)));
  out_ += now.substr(same);
  const size_t columns = columns_of(now);
  if (columns_of(before) > columns) out_ += kClearRight;
  column_ = columns;
}

void Painter::erase() {
  if (!is_shown()) return;
  move_to(0, 0);
  out_ += kClearBelow;
  shown_ = {};
  flush();
}

void Painter::leave() {
  if (!is_shown()) return;
  move_to(shown_.rows.size() - 1, 0);
  out_ += "\r\n";
  shown_ = {};
  flush();
}

void Painter::erase_after_resize(size_t columns) {
  if (!is_shown()) return;
  const size_t width = std::max<size_t>(1, columns);
  size_t above = column_ / width;
  for (size_t row = 0; row < row_; ++row) {
    const size_t used = columns_of(shown_.rows[row]);
    above += used == 0 ? 1 : (used + width - 1) / width;
  }
  if (above > 0) out_ += fmt::format("\x1b[{}A", above);
  out_ += "\r";
  out_ += kClearBelow;
  shown_ = {};
  flush();
}

void Painter::move_to(size_t row, size_t column) {
  if (row < row_) out_ += fmt::format("\x1b[{}A", row_ - row);
  if (row > row_) out_ += fmt::format("\x1b[{}B", row - row_);
  if (column != column_) {
    if (column < column_ && column_ - column <= 3) {
      out_.append(column_ - column, '\b');
    } else {
      out_ += "\r";
      if (column > 0) out_ += fmt::format("\x1b[{}C", column);
    }
  }
  row_ = row;
  column_ = column;
}

void Painter::flush() {
  if (!out_.empty()) write_(out_);
  out_.clear();
}

}  // namespace helve::terminal

// Painter: keeps some rows at the bottom of what a terminal shows as they are to be, and rewrites
// only what changed. It moves relative to where it is, so it needs to know nothing of the rest of
// the screen. Rows are narrower than the terminal: none may break by itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/word_wrap.h"

namespace helve::terminal {

struct Frame {
  std::vector<std::string> rows = {};  // at least one; each ends in the plain look
  size_t cursor_row = 0;
  size_t cursor_column = 0;

  bool operator==(const Frame&) const = default;
};

class Painter {
 public:
  explicit Painter(Write write) : write_(std::move(write)) {}

  bool is_shown() const { return !shown_.rows.empty(); }
  // At first the cursor stands at the beginning of a row that is free, and so are those below.
  void paint(const Frame& frame);
  // Nothing is left; the cursor stands where the first row began.
  void erase();
  // The rows stay, and the cursor stands at the beginning of the row below.
  void leave();
  // The terminal has another width now and has broken the rows that no longer fit.
  void erase_after_resize(size_t columns);

 private:
  void move_to(size_t row, size_t column);
  void paint_row(size_t row, std::string_view before, std::string_view now);
  void flush();

  Write write_;
  Frame shown_;
  size_t row_ = 0;
  size_t column_ = 0;
  std::string out_;
};

}  // namespace helve::terminal

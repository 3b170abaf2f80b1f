// Screen: what a terminal would show of the bytes written to it. Knows only the codes that we
// write; any other fails the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/width.h"

namespace helve::terminal {

class Screen {
 public:
  explicit Screen(size_t columns = 80) : columns_(columns) {}

  void write(std::string_view bytes) {
    written_ += bytes.size();
    while (!bytes.empty()) bytes.remove_prefix(take(bytes));
  }
  // Breaks rows that are too long then, as terminals do.
  void resize(size_t columns) {
    std::vector<std::vector<std::string>> rows;
    size_t row = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      auto& cells = rows_[i];
      while (!cells.empty() && cells.back() == " ") cells.pop_back();
      if (i == row_) row = rows.size() + column_ / columns;
      for (size_t at = 0; at == 0 || at < cells.size(); at += columns) {
        rows.emplace_back(
            cells.begin() + static_cast<std::ptrdiff_t>(at),
            cells.begin() + static_cast<std::ptrdiff_t>(std::min(at + columns, cells.size())));
        rows.back().resize(columns + 1, " ");
      }
    }
    rows_ = std::move(rows);
    row_ = row;
    column_ %= columns;
    columns_ = columns;
  }
  // Rows up to the last that holds something, without blanks at their ends.
  std::string text() const {
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (const std::string& cell : row) line += cell;
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out == "\n" ? "" : out;
  }
  size_t row() const { return row_; }
  size_t column() const { return column_; }
  size_t written() const { return written_; }

 private:
  size_t take(std::string_view bytes) {
    if (bytes.starts_with("\x1b[")) return take_code(bytes);
    const Glyph glyph = first_glyph(bytes);
    if (bytes[0] == '\r') {
      column_ = 0;
    } else if (bytes[0] == '\n') {
      ++row_;
      column_ = 0;  // as the line discipline makes it
    } else if (bytes[0] == '\b') {
      column_ -= column_ > 0 ? 1 : 0;
    } else {
      EXPECT_NE(bytes[0], '\x1b') << "an unknown code";
      if (column_ + glyph.columns > columns_) ++row_, column_ = 0;
      auto& row = cells();
      row[column_] = bytes.substr(0, glyph.bytes);
      if (glyph.columns == 2) row[column_ + 1] = "";
      column_ += glyph.columns;
    }
    return glyph.bytes;
  }

  size_t take_code(std::string_view bytes) {
    const size_t end = bytes.find_first_not_of("0123456789;", 2);
    size_t count = 1;
    std::from_chars(bytes.data() + 2, bytes.data() + end, count);
    switch (bytes[end]) {
      case 'A':
        EXPECT_LE(count, row_) << "above the first row";
        row_ -= std::min(row_, count);
        break;
      case 'B':
        row_ += count;
        break;
      case 'C':
        column_ = std::min(column_ + count, columns_ - 1);
        break;
      case 'H':
        row_ = column_ = 0;
        break;
      case 'J':
        if (count == 2) rows_.clear();
        if (row_ + 1 < rows_.size()) rows_.resize(row_ + 1);
        [[fallthrough]];
      case 'K':
        std::fill(cells().begin() + static_cast<std::ptrdiff_t>(column_), cells().end(), " ");
        break;
      case 'm':
        break;
      default:
        ADD_FAILURE() << "an unknown code: " << bytes.substr(1, end);
    }
    return end + 1;
  }

  std::vector<std::string>& cells() {
    while (rows_.size() <= row_) rows_.emplace_back(columns_ + 1, " ");
    return rows_[row_];
  }

  size_t columns_;
  size_t row_ = 0;
  size_t column_ = 0;
  size_t written_ = 0;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace helve::terminal

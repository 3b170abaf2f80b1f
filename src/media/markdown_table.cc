// The tables of MarkdownWriter. Rows are kept until the table ends, as the first of them must be as
// long as the longest.
#include <algorithm>
#include <utility>

#include "media/markdown_writer.h"

namespace helve::media {
namespace {

constexpr size_t kMaxColumns = 64;    // of one cell
constexpr size_t kMaxRows = 1000;     // of one cell
constexpr size_t kMaxCovered = 1024;  // columns in which cells of earlier rows are heeded

}  // namespace

void MarkdownWriter::begin_table() {
  end_table();
  block();
}

void MarkdownWriter::begin_row() { end_row(); }

void MarkdownWriter::begin_cell(size_t columns, size_t rows) {
  end_cell();
  Table& table = table_;
  while (table.column < table.from_above.size() && table.from_above[table.column] > 0) {
    ++table.column;
    table.rows += "| ";
  }
  suspend();
  table.rows += "| ";
  table.cell_begin = table.rows.size();
  table.spanned_columns = std::clamp<size_t>(columns, 1, kMaxColumns);
  table.spanned_rows = std::clamp<size_t>(rows, 1, kMaxRows);
  table.outside = owed_;
  table.is_in_cell = true;
  owed_ = Break::none;
}

void MarkdownWriter::end_cell() {
  Table& table = table_;
  if (!table.is_in_cell) return;
  suspend();
  if (table.rows.size() > table.cell_begin) table.rows += ' ';
  table.is_in_cell = false;
  owed_ = table.outside;
  for (size_t i = 0; i < table.spanned_columns; ++i, ++table.column) {
    if (i > 0) table.rows += "| ";
    if (table.spanned_rows == 1 || table.column >= kMaxCovered) continue;
    if (table.from_above.size() <= table.column) table.from_above.resize(table.column + 1);
    table.from_above[table.column] = table.spanned_rows;  // this row among them
  }
}

void MarkdownWriter::end_row() {
  end_cell();
  Table& table = table_;
  if (table.column == 0) return;
  for (size_t& rows : table.from_above) rows -= rows > 0 ? 1 : 0;
  if (!table.has_content) {
    table.rows.resize(table.row_begin);
  } else {
    if (table.row_begin == 0) table.first_columns = table.column;
    table.most_columns = std::max(table.most_columns, table.column);
    table.rows += "|\n";
    table.row_begin = table.rows.size();
  }
  table.column = 0;
  table.has_content = false;
}

void MarkdownWriter::end_table() {
  end_row();
  Table table = std::exchange(table_, {});
  if (table.rows.empty()) return;
  block();
  const size_t first_size = table.rows.find('\n');
  std::string lines = table.rows.substr(0, first_size - 1);
  for (size_t i = table.first_columns; i < table.most_columns; ++i) lines += "| ";
  lines += "|\n";
  for (size_t i = 0; i < table.most_columns; ++i) lines += "| --- ";
  (lines += '|') +=
      std::string_view(table.rows).substr(first_size, table.rows.size() - 1 - first_size);
  write_lines(lines);
}

}  // namespace helve::media

#include "terminal/markdown_table.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kNarrowest = 8;     // a column is not made narrower than that
constexpr size_t kMostColumns = 50;  // the rest of a row is left out
constexpr size_t kUnbroken = 100'000;

enum class Align : unsigned char { left, right, middle };
using Cells = std::vector<std::string>;

Cells cells_of(std::string_view row) {
  row = trim(row);
  row.remove_prefix(1);
  if (row.ends_with('|') && !row.ends_with("\\|")) row.remove_suffix(1);
  Cells cells(1);
  bool in_code = false;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cells.back() += row[++i];
      continue;
    }
    if (row[i] == '`') in_code = !in_code && row.find('`', i + 1) != row.npos;
    if (row[i] == '|' && !in_code) {
      if (cells.size() == kMostColumns) break;
      cells.emplace_back();
    } else {
      cells.back() += row[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

bool is_ruler(const Cells& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return cell.find('-') != cell.npos && cell.find_first_not_of("-:") == cell.npos;
  });
}

Align align_of(std::string_view ruler) {
  if (!ruler.ends_with(':')) return Align::left;
  return ruler.starts_with(':') ? Align::middle : Align::right;
}

// The lines of a cell.
std::vector<std::string> rendered(std::string_view cell, Look look, size_t width,
                                  const MarkdownStyle& style) {
  std::string out;
  WordWrap lines({width, style.colours}, [&](std::string_view text) { out += text; });
  InlineWriter writer(lines, style);
  lines.begin_line({}, {});
  put_inline(cell, look, [&](const InlineText& part) { writer.put(part); });
  writer.end_span();
  lines.end_line();
  out.pop_back();
  std::vector<std::string> result;
  for (const std::string_view line : split(out, '\n')) result.emplace_back(line);
  return result;
}

std::string aligned(const std::string& text, Align align, size_t width) {
  const size_t used = columns_of(text);
  const size_t room = width > used ? width - used : 0;
  const size_t left = align == Align::left ? 0 : align == Align::right ? room : room / 2;
  return std::string(left, ' ') + text + std::string(room - left, ' ');
}

// Takes from the widest columns until all fit. False: there are too many.
bool narrow(std::vector<size_t>& widths, size_t room) {
  const size_t gaps = kGap.size() * (widths.size() - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > room) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= kNarrowest) return false;
    --*widest;
  }
  return true;
}

struct Table {
  Cells head;
  std::vector<Align> aligns;
  std::vector<Cells> rows;
};

void append_line(std::string& out, std::string_view prefix, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out.append(prefix).append(line).append("\n");
}

void append_row(std::string& out, const Cells& cells, Look look, const std::vector<size_t>& widths,
                const std::vector<Align>& aligns, std::string_view prefix,
                const MarkdownStyle& style) {
  std::vector<std::vector<std::string>> columns;
  size_t height = 1;
  for (size_t i = 0; i < widths.size(); ++i) {
    columns.push_back(rendered(i < cells.size() ? cells[i] : "", look, widths[i], style));
    height = std::max(height, columns.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    std::string text;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += kGap;
      text += aligned(line < columns[i].size() ? columns[i][line] : "", aligns[i], widths[i]);
    }
    append_line(out, prefix, text);
  }
}

// One below the other, when there is no room for columns.
std::string as_records(const Table& table, std::string_view prefix, const MarkdownStyle& style) {
  const size_t room = std::max<size_t>(1, style.width - std::min(style.width, columns_of(prefix)));
  std::string out;
  for (const Cells& row : table.rows) {
    if (&row != &table.rows.front()) append_line(out, prefix, "");
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string name = i < table.head.size() ? "**" + table.head[i] + ":** " : "";
      for (const std::string& line : rendered(name + row[i], plain, room, style))
        append_line(out, prefix, line);
    }
  }
  return out;
}

std::string as_columns(const Table& table, std::string_view prefix, const MarkdownStyle& style) {
  std::vector<size_t> widths(table.head.size(), 1);
  const auto measure = [&](const Cells& cells, Look look) {
    for (size_t i = 0; i < std::min(cells.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], columns_of(rendered(cells[i], look, kUnbroken, style)[0]));
  };
  measure(table.head, bold);
  for (const Cells& row : table.rows) measure(row, plain);
  const size_t used = columns_of(prefix);
  if (used >= style.width || !narrow(widths, style.width - used)) return {};
  std::string out;
  append_row(out, table.head, bold, widths, table.aligns, prefix, style);
  std::string rule;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) rule += kGap;
    for (size_t column = 0; column < widths[i]; ++column) rule += style.colours ? "─" : "-";
  }
  append_line(out, prefix, with_look(dim, rule, style.colours));
  for (const Cells& row : table.rows)
    append_row(out, row, plain, widths, table.aligns, prefix, style);
  return out;
}

}  // namespace

std::string render_table(const std::vector<std::string>& rows, std::string_view prefix,
                         const MarkdownStyle& style) {
  const std::string before = with_look(dim, prefix, style.colours);
  Table table;
  if (rows.size() < 2 || !is_ruler(cells_of(rows[1]))) {
    std::string out;
    for (const std::string& row : rows)
      for (const std::string& line : rendered(row, plain, style.width, style))
        append_line(out, before, line);
    return out;
  }
  table.head = cells_of(rows[0]);
  const Cells ruler = cells_of(rows[1]);
  for (size_t i = 0; i < table.head.size(); ++i)
    table.aligns.push_back(i < ruler.size() ? align_of(ruler[i]) : Align::left);
  for (size_t i = 2; i < rows.size(); ++i) table.rows.push_back(cells_of(rows[i]));
  std::string out = as_columns(table, before, style);
  return out.empty() ? as_records(table, before, style) : out;
}

}  // namespace helve::terminal

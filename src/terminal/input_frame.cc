#include "terminal/input_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostCandidates = 8;  // shown at once
constexpr size_t kMostNameColumns = 30;
constexpr size_t kTabColumns = 4;

// Adds the text to the frame's rows, behind the prompt.
void add_text(Frame& frame, const InputView& view, size_t width) {
  const std::string prompt = fitted(view.prompt, width / 2);
  const std::string indent(columns_of(prompt), ' ');
  std::string row = prompt;
  size_t column = indent.size();
  const auto next_row = [&] {
    frame.rows.push_back(std::exchange(row, indent));
    column = indent.size();
  };
  for (size_t at = 0; at <= view.text.size();) {
    const std::string_view glyph = view.text.substr(at, glyph_after(view.text, at) - at);
    const std::string text = glyph == "\t"   ? std::string(kTabColumns, ' ')
                             : glyph == "\n" ? ""
                                             : shown(glyph);
    const size_t columns = columns_of(text);
    if (column + columns > width && column > indent.size()) next_row();
    if (at == view.cursor) {
      frame.cursor_row = frame.rows.size();
      frame.cursor_column = column;
    }
    if (at == view.text.size()) break;
    if (glyph == "\n") next_row();
    row += text;
    column += columns;
    at += glyph.size();
  }
  if (view.text.empty() && width > column)
    row += with_look(dim, fitted(view.hint, width - column), view.colours);
  frame.rows.push_back(row);
}

// As many rows as fit, those around the cursor.
void keep_around_cursor(Frame& frame, size_t most) {
  most = std::max<size_t>(1, most);
  if (frame.rows.size() <= most) return;
  const size_t first = frame.cursor_row < most ? 0 : frame.cursor_row - most + 1;
  frame.rows.erase(frame.rows.begin(), frame.rows.begin() + static_cast<std::ptrdiff_t>(first));
  frame.rows.resize(most);
  frame.cursor_row -= first;
}

std::vector<std::string> menu_rows(const Menu& menu, size_t most, size_t width, bool colours) {
  const size_t count = std::min(menu.candidates.size(), most);
  const size_t chosen = menu.chosen.value_or(0);
  const size_t first = chosen < count ? 0 : chosen - count + 1;
  size_t names = 0;
  for (size_t i = first; i < first + count; ++i)
    names = std::max(names, columns_of(shown(menu.candidates[i].text)));
  names = std::min({names, kMostNameColumns, width});
  std::vector<std::string> rows;
  for (size_t i = first; i < first + count; ++i) {
    const Candidate& each = menu.candidates[i];
    const bool is_chosen = menu.chosen == i;
    const std::string name = shown(each.text);
    const std::string note = each.note.empty() ? "" : "  " + shown(each.note);
    const std::string cut = each.note.empty() ? name : padded(fitted(name, names), names);
    rows.push_back(fitted((is_chosen ? with_look(cyan, "› ", colours) : "  ") +
                              with_look(is_chosen ? bold : plain, cut, colours) +
                              with_look(dim, note, colours),
                          width));
  }
  if (count < menu.candidates.size() && count > 0)
    rows.push_back(fitted(
        with_look(dim, fmt::format("  {} of {}", first + count, menu.candidates.size()), colours),
        width));
  return rows;
}

}  // namespace

Frame input_frame(const InputView& view) {
  const size_t width =
      std::max<size_t>(view.columns, 4) - 1;  // the last column would break the row
  const size_t room = std::max<size_t>(view.rows, 4) - 1;
  Frame frame;
  add_text(frame, view, width);
  std::vector<std::string> below;
  if (!view.note.empty()) below.push_back(with_look(dim, fitted(view.note, width), view.colours));
  if (view.menu != nullptr) {
    const size_t most = std::min(kMostCandidates, room / 2);
    for (std::string& row : menu_rows(*view.menu, most, width, view.colours))
      below.push_back(std::move(row));
  }
  const size_t above = std::min(view.status.size(), room / 2);
  keep_around_cursor(frame, room - std::min(room - 1, below.size() + above));
  std::vector<std::string> status;
  for (const std::string& row : view.status.last(above)) status.push_back(fitted(row, width));
  frame.rows.insert(frame.rows.begin(), status.begin(), status.end());
  frame.cursor_row += above;
  frame.rows.insert(frame.rows.end(), below.begin(), below.end());
  return frame;
}

}  // namespace helve::terminal

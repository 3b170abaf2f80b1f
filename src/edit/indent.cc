#include "edit/indent.h"

#include <algorithm>

#include "edit/fold.h"

namespace helve::edit {

namespace {

// Widths that editors use, the most common first.
constexpr int kTabs[] = {4, 2, 8};

int columns_of(std::string_view indent, int tab) {
  int columns = 0;
  for (const char c : indent) columns = c == '\t' ? columns - columns % tab + tab : columns + 1;
  return columns;
}

bool has_tab(std::string_view indent) { return indent.find('\t') != indent.npos; }

// The same characters before or after on every line.
std::optional<Shift> shift_by_prefix(std::span<const IndentPair> lines) {
  const auto [given, actual] = lines.front();
  Shift shift;
  if (actual.ends_with(given))
    shift.add = actual.substr(0, actual.size() - given.size());
  else if (given.ends_with(actual))
    shift.remove = given.substr(0, given.size() - actual.size());
  else
    return {};
  const auto agrees = [&](const IndentPair& line) {
    return line.given.starts_with(shift.remove) &&
           shift.add + std::string(line.given.substr(shift.remove.size())) == line.actual;
  };
  if (!std::all_of(lines.begin(), lines.end(), agrees)) return {};
  return shift;
}

std::optional<Shift> shift_by_columns(std::span<const IndentPair> lines, int tab) {
  const auto difference = [tab](const IndentPair& line) {
    return columns_of(line.actual, tab) - columns_of(line.given, tab);
  };
  const int columns = difference(lines.front());
  const auto agrees = [&](const IndentPair& line) { return difference(line) == columns; };
  if (!std::all_of(lines.begin(), lines.end(), agrees)) return {};
  const bool tabs = std::any_of(lines.begin(), lines.end(),
                                [](const auto& line) { return has_tab(line.actual); });
  return Shift{.tab = tab, .columns = columns, .tabs = tabs};
}

}  // namespace

std::string Shift::apply(std::string_view line) const {
  const std::string_view indent = indent_of(line);
  const std::string_view text = line.substr(indent.size());
  if (without_trailing_space(text).empty()) return std::string(line);
  if (tab > 0) {
    const int width = std::max(0, columns_of(indent, tab) + columns);
    const int tab_count = tabs ? width / tab : 0;
    std::string out(static_cast<size_t>(tab_count), '\t');
    out.append(static_cast<size_t>(width - tab_count * tab), ' ');
    return out.append(text);
  }
  const auto common = std::mismatch(indent.begin(), indent.end(), remove.begin(), remove.end());
  const auto removed = static_cast<size_t>(common.first - indent.begin());
  return add + std::string(line.substr(removed));
}

std::optional<Shift> uniform_shift(std::span<const IndentPair> lines) {
  if (lines.empty()) return Shift{};
  if (auto shift = shift_by_prefix(lines)) return shift;
  const auto tabbed = [](const IndentPair& line) {
    return has_tab(line.given) || has_tab(line.actual);
  };
  if (std::none_of(lines.begin(), lines.end(), tabbed)) return {};
  std::optional<Shift> found;
  for (const int tab : kTabs) {
    auto shift = shift_by_columns(lines, tab);
    if (shift && shift->columns == 0) return shift;
    if (shift && !found) found = std::move(shift);
  }
  return found;
}

}  // namespace helve::edit

#include "cli/screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::cli {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kGap = 2;
constexpr size_t kMaxTerm = 26;  // a longer term would squeeze the explanations of all others
constexpr size_t kMinLeft = 10;  // where explanations below a longer term begin at least

void wrap_line(std::string& out, std::string_view line, size_t width, size_t indent) {
  const size_t own_indent = std::min(line.find_first_not_of(' '), line.size());
  const size_t start = indent + own_indent;
  size_t column = 0;
  for (std::string_view word : split(line.substr(own_indent), ' ')) {
    if (word.empty()) continue;
    const size_t length = count_chars(word);
    if (column > 0 && column + 1 + length > width) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out.append(start, ' ');
      column = start;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  out += '\n';
}

}  // namespace

std::string Style::marked(std::string_view code, std::string_view text) const {
  if (!on_) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

bool wants_color(Color color, const TerminalFacts& facts) {
  if (color != Color::auto_) return color == Color::always;
  return facts.is_terminal && !facts.no_color && !facts.is_dumb;
}

std::string wrap(std::string_view text, size_t width, size_t indent) {
  std::string out;
  if (text.empty()) return out;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (std::string_view line : split(text, '\n')) wrap_line(out, line, width, indent);
  return out;
}

std::string indented(std::string_view text, size_t indent) {
  std::string out;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (std::string_view line : split(text, '\n')) out.append(indent, ' ').append(line).append("\n");
  return out;
}

std::string two_columns(const Rows& rows, size_t width, const Style& style) {
  size_t column = 0;
  for (const auto& [term, text] : rows) {
    const size_t length = count_chars(term);
    column = std::max(column, length <= kMaxTerm ? length : kMinLeft - kIndent - kGap);
  }
  const size_t left = kIndent + column + kGap;
  std::string out;
  for (const auto& [term, text] : rows) {
    const size_t length = count_chars(term);
    const std::string explained = wrap(text, width, left);
    out.append(kIndent, ' ').append(style.cyan(term));
    if (explained.empty()) {
      out += '\n';
    } else if (length <= column) {
      out.append(column - length, ' ').append(explained, kIndent + column);
    } else {
      out.append("\n").append(explained);
    }
  }
  return out;
}

std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (const size_t stop = text.find(". "); stop != text.npos) return text.substr(0, stop);
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

}  // namespace helve::cli

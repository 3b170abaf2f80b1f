#include "terminal/diff_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "terminal/look.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

// How much of a hunk is still to come, and the numbers of its next lines.
struct Hunk {
  size_t old_line = 0, old_count = 0;
  size_t new_line = 0, new_count = 0;
};

// "12,3" or "12".
bool read_range(std::string_view& text, size_t& line, size_t& count) {
  const auto number = [&](size_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
  };
  count = 1;
  if (!number(line)) return false;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  return number(count);
}

std::optional<Hunk> hunk_of(std::string_view line) {
  Hunk hunk;
  if (!line.starts_with("@@ -")) return std::nullopt;
  line.remove_prefix(4);
  if (!read_range(line, hunk.old_line, hunk.old_count) || !line.starts_with(" +"))
    return std::nullopt;
  line.remove_prefix(2);
  if (!read_range(line, hunk.new_line, hunk.new_count)) return std::nullopt;
  return hunk;
}

size_t number_width(std::string_view diff) {
  size_t last = 1;
  for (const std::string_view line : split(diff, '\n')) {
    if (const auto hunk = hunk_of(line))
      last = std::max({last, hunk->old_line + hunk->old_count, hunk->new_line + hunk->new_count});
  }
  return std::to_string(last).size();
}

// Without "a/" and "b/", and without the time that may follow.
std::string_view file_name(std::string_view header) {
  header.remove_prefix(4);
  header = header.substr(0, header.find('\t'));
  return header.starts_with("a/") || header.starts_with("b/") ? header.substr(2) : header;
}

}  // namespace

namespace {

std::string with_tabs_as_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) c == '\t' ? out += "    " : out += c;
  return out;
}

}  // namespace

bool is_numbered_change(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  line.remove_prefix(digits);
  return digits > 0 && line.size() >= 3 && line[0] == ' ' && line[2] == ' ' &&
         (line[1] == '-' || line[1] == '+' || line[1] == ' ');
}

std::vector<std::string> short_diff_rows(std::string_view text, bool colours) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string> rows;
  bool has_change = false;
  for (const std::string_view line : split(text, '\n')) {
    if (!is_numbered_change(line)) {
      if (!rows.empty()) rows.push_back(with_look(dim, shown(line), colours));
      continue;
    }
    const size_t sign = line.find(' ', line.find_first_of("0123456789")) + 1;
    const Look look = line[sign] == '+' ? green : line[sign] == '-' ? red : plain;
    has_change = has_change || look != plain;
    rows.push_back(with_look(dim, line.substr(0, sign), colours) +
                   with_look(look, shown(with_tabs_as_blanks(line.substr(sign))), colours));
  }
  if (!has_change) rows.clear();
  return rows;
}

bool looks_like_diff(std::string_view text) {
  return (text.starts_with("--- ") || text.starts_with("diff --git ") ||
          text.starts_with("@@ -")) &&
         text.find("@@ -") != text.npos;
}

std::vector<std::string> diff_rows(std::string_view diff, bool colours) {
  if (diff.ends_with('\n')) diff.remove_suffix(1);
  const size_t width = number_width(diff);
  std::vector<std::string> rows;
  Hunk hunk;
  std::string_view old_name;
  bool is_first_hunk = true;
  const auto add = [&](size_t number, char sign, std::string_view text, Look look) {
    const std::string margin = fmt::format("{:>{}} ", number, width);
    rows.push_back(with_look(dim, margin, colours) +
                   with_look(look, fmt::format("{} {}", sign, shown(text)), colours));
  };
  for (std::string_view line : split(diff, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const char sign = line.empty() ? ' ' : line[0];
    const std::string_view text = line.empty() ? line : line.substr(1);
    if (hunk.new_count > 0 && sign == '+') {
      add(hunk.new_line++, '+', text, green);
      --hunk.new_count;
    } else if (hunk.old_count > 0 && sign == '-') {
      add(hunk.old_line++, '-', text, red);
      --hunk.old_count;
    } else if (hunk.old_count > 0 && hunk.new_count > 0 && sign == ' ') {
      add(hunk.new_line++, ' ', text, plain);
      ++hunk.old_line, --hunk.old_count, --hunk.new_count;
    } else if (const auto next = hunk_of(line)) {
      if (!is_first_hunk) rows.push_back(with_look(dim, "…", colours));
      hunk = *next;
      is_first_hunk = false;
    } else if (line.starts_with("--- ")) {
      old_name = file_name(line);
    } else if (line.starts_with("+++ ")) {
      const std::string_view name = file_name(line);
      rows.push_back(with_look(bold, shown(name == "/dev/null" ? old_name : name), colours));
      is_first_hunk = true;
    }
  }
  return rows;
}

}  // namespace helve::terminal

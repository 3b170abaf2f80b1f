#include "knowledge/markdown_lines.h"

#include <algorithm>

namespace helve::knowledge {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";
constexpr size_t kMaxIndent = 3;  // more is code
constexpr size_t kMaxItemDigits = 9;

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

std::string_view without_space(std::string_view line) {
  const size_t begin = line.find_first_not_of(kSpace);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpace) + 1 - begin);
}

size_t run_of(char character, std::string_view text) {
  return std::min(text.find_first_not_of(character), text.size());
}

// Whether a marker is followed by a space, or ends the line.
bool ends_marker(std::string_view rest) {
  return rest.empty() || rest[0] == ' ' || rest[0] == '\t';
}

}  // namespace

bool is_blank(std::string_view line) { return line.find_first_not_of(kSpace) == line.npos; }

bool is_indented(std::string_view line) { return line.starts_with("  ") || line.starts_with('\t'); }

bool is_list_item(std::string_view line) {
  line.remove_prefix(indent_of(line));
  if (line.empty()) return false;
  if (std::string_view("-*+").find(line[0]) != std::string_view::npos)
    return ends_marker(line.substr(1));
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && digits <= kMaxItemDigits && digits < line.size() &&
         (line[digits] == '.' || line[digits] == ')') && ends_marker(line.substr(digits + 1));
}

std::optional<Heading> atx_heading(std::string_view line) {
  constexpr size_t kMaxLevel = 6;
  if (indent_of(line) > kMaxIndent) return {};
  line.remove_prefix(indent_of(line));
  const size_t level = run_of('#', line);
  if (level == 0 || level > kMaxLevel || !ends_marker(line.substr(level))) return {};
  std::string_view title = without_space(line.substr(level));
  // Closing marks belong to the heading only after a space.
  const size_t last = title.find_last_not_of('#');
  if (last == title.npos)
    title = {};
  else if (last + 1 < title.size() && ends_marker(title.substr(last)))
    title = without_space(title.substr(0, last));
  return Heading{static_cast<int>(level), title};
}

int setext_level(std::string_view line) {
  if (indent_of(line) > kMaxIndent) return 0;
  const std::string_view marks = without_space(line);
  if (marks.empty() || (marks[0] != '=' && marks[0] != '-')) return 0;
  if (run_of(marks[0], marks) != marks.size()) return 0;
  return marks[0] == '=' ? 1 : 2;
}

std::optional<Fence> opened_fence(std::string_view line, bool in_list) {
  constexpr size_t kMinLength = 3;
  if (indent_of(line) > kMaxIndent && !in_list) return {};
  line.remove_prefix(indent_of(line));
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return {};
  const size_t length = run_of(line[0], line);
  if (length < kMinLength) return {};
  // Otherwise it is code within a line.
  if (line[0] == '`' && line.find('`', length) != line.npos) return {};
  return Fence{line[0], length};
}

bool closes(const Fence& fence, std::string_view line) {
  const std::string_view marks = without_space(line);
  return marks.size() >= fence.length && run_of(fence.character, marks) == marks.size();
}

size_t front_matter_lines(std::string_view text) {
  size_t lines = 0;
  for (size_t begin = 0; begin < text.size() && lines < kMaxFrontMatterLines;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    line = line.substr(0, line.find_last_not_of(kSpace) + 1);
    begin = end + 1;
    if (lines++ == 0) {
      if (line != "---") return 0;
    } else if (line == "---" || line == "...") {
      return lines;
    }
  }
  return 0;
}

}  // namespace helve::knowledge

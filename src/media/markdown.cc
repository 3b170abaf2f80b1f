#include "media/markdown.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace helve::media {
namespace {

constexpr size_t kMaxFence = 100;  // backticks

// Takes the first line, without its end.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

size_t leading(std::string_view text, char character) {
  return std::min(text.find_first_not_of(character), text.size());
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Takes the front matter, when there is any, and returns its title.
std::string_view take_front_matter(std::string_view& text) {
  std::string_view rest = text, title;
  if (take_line(rest) != "---") return {};
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line == "---" || line == "...") {
      text = rest;
      return title;
    }
    constexpr std::string_view kKey = "title:";
    if (title.empty() && line.starts_with(kKey)) title = unquoted(trim(line.substr(kKey.size())));
  }
  return {};
}

// "Title" of "## Title ##"; empty when the line is no heading.
std::string_view heading_of(std::string_view line) {
  const size_t level = leading(line, '#');
  if (level < 1 || level > 6 || (level < line.size() && line[level] != ' ' && line[level] != '\t'))
    return {};
  const std::string_view title = trim(line.substr(level));
  const size_t end = title.find_last_not_of('#');
  if (end == title.npos) return {};
  return end + 1 < title.size() && title[end] == ' ' ? trim(title.substr(0, end)) : title;
}

bool is_underline(std::string_view line) {
  line = trim(line);
  return !line.empty() && (line[0] == '=' || line[0] == '-') &&
         leading(line, line[0]) == line.size();
}

}  // namespace

void append_code_block(std::string& out, std::string_view language, std::string_view code) {
  size_t longest = 2;
  for (size_t at = code.find("```"); at != code.npos;) {
    const size_t run = leading(code.substr(at), '`');
    longest = std::max(longest, run);
    at = code.find("```", at + run);
  }
  const std::string fence(std::min(longest + 1, kMaxFence), '`');
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("+-#._").contains(c);
  };
  out += fence;
  if (std::ranges::all_of(language, is_name)) out += language;
  out += '\n';
  out += code;
  if (!code.empty() && code.back() != '\n') out += '\n';
  (out += fence) += '\n';
}

std::string markdown_title(std::string_view text) {
  if (const std::string_view title = take_front_matter(text); !title.empty())
    return std::string(title);
  std::string_view fence, above;  // the fence of the block we are in; the line above
  while (!text.empty()) {
    const std::string_view line = take_line(text), content = trim(line);
    if (const size_t indent = leading(line, ' '); indent > 3) {
      above = {};
      continue;
    }
    if (!fence.empty()) {
      if (content.starts_with(fence) && leading(content, fence[0]) == content.size()) fence = {};
      continue;
    }
    if (content.starts_with("```") || content.starts_with("~~~")) {
      fence = content.substr(0, leading(content, content[0]));
      above = {};
      continue;
    }
    if (const std::string_view title = heading_of(content); !title.empty())
      return std::string(title);
    if (!above.empty() && is_underline(line)) return std::string(above);
    above = content;
  }
  return {};
}

}  // namespace helve::media

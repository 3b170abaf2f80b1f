#include "knowledge/front_matter.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/text.h"
#include "knowledge/markdown_lines.h"

namespace helve::knowledge {
namespace {

constexpr size_t kMaxTitleBytes = 200;
constexpr size_t kMaxTags = 50;
constexpr size_t kMaxTagBytes = 100;

std::string_view unquoted(std::string_view value) {
  value = trim(value);
  const bool is_quoted = value.size() >= 2 && value.front() == value.back() &&
                         (value.front() == '"' || value.front() == '\'');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

void add_tag(NoteHead& head, std::string_view tag) {
  tag = unquoted(tag);
  if (!tag.empty() && head.tags.size() < kMaxTags)
    head.tags.emplace_back(cut_utf8(tag, kMaxTagBytes));
}

// "[a, b]", or what stands without brackets.
void add_tags(NoteHead& head, std::string_view value) {
  if (value.starts_with('[')) value.remove_prefix(1);
  if (value.ends_with(']')) value.remove_suffix(1);
  for (const std::string_view tag : split(value, ',')) add_tag(head, tag);
}

}  // namespace

NoteHead note_head(std::string_view text) {
  NoteHead head;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  size_t lines = front_matter_lines(text);
  bool in_tags = false;
  for (; lines > 0; --lines) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view bare = trim(line);
    if (in_tags && bare.starts_with("- ")) {
      add_tag(head, bare.substr(2));
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = unquoted(line.substr(colon + 1));
    in_tags = key == "tags";
    if (in_tags) add_tags(head, value);
    if (key == "title") head.title = cut_utf8(value, kMaxTitleBytes);
    if (key == "date") head.date_ms = date_ms(value);
  }
  return head;
}

std::int64_t date_ms(std::string_view text) {
  constexpr std::string_view kForm = "2026-03-09";
  if (text.size() < kForm.size() || text[4] != '-' || text[7] != '-') return 0;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  const char* const begin = text.data();
  const bool is_read = std::from_chars(begin, begin + 4, year).ptr == begin + 4 &&
                       std::from_chars(begin + 5, begin + 7, month).ptr == begin + 7 &&
                       std::from_chars(begin + 8, begin + 10, day).ptr == begin + 10;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!is_read || !date.ok()) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::sys_days(date).time_since_epoch())
      .count();
}

}  // namespace helve::knowledge

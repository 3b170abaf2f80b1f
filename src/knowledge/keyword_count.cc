#include "knowledge/keyword_count.h"

#include <algorithm>

#include "base/diff.h"
#include "knowledge/characters.h"

namespace helve::knowledge {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

// Occurrences that do not overlap.
size_t occurrences(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + word.size()))
    ++count;
  return count;
}

// The length of the end of a line that the text begins with; 0: there is none.
size_t line_end(std::string_view text) {
  if (text.starts_with('\n')) return 1;
  return text.starts_with("\r\n") ? 2 : 0;
}

}  // namespace

std::vector<std::string> keywords_of(std::string_view question) {
  const std::string text = lower_case(question);
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(kSpace);
       at != text.npos && words.size() < kMaxKeywords;) {
    const size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpace, end);
  }
  return words;
}

std::vector<CountedParagraph> count_keywords(std::string_view text,
                                             const std::vector<std::string>& keywords,
                                             const std::stop_token& stop) {
  std::vector<CountedParagraph> found;
  size_t begin = 0;
  size_t first_line = 1;
  const auto finish = [&](size_t end) {
    const std::string_view paragraph = text.substr(begin, end - begin);
    const std::string lower = lower_case(paragraph);
    size_t count = 0;
    for (const std::string& word : keywords) {
      if (stop.stop_requested()) return;
      count += occurrences(lower, word);
    }
    if (count == 0) return;
    const size_t from = std::min(paragraph.find_first_not_of("\r\n"), paragraph.size());
    const size_t till = paragraph.find_last_not_of("\r\n") + 1;
    found.push_back({.text = paragraph,
                     .first_line = first_line + count_newlines(paragraph.substr(0, from)),
                     .last_line = first_line + count_newlines(paragraph.substr(0, till)),
                     .count = count});
  };
  size_t line = 1;
  for (size_t at = text.find('\n'); at < text.size() && !stop.stop_requested();
       at = text.find('\n', at)) {
    // Where the line's text ends, and where the next one that has any begins.
    const size_t end = at > begin && text[at - 1] == '\r' ? at - 1 : at;
    size_t next = at;
    size_t ends = 0;
    while (const size_t length = line_end(text.substr(next))) {
      next += length;
      ++ends;
    }
    line += ends;
    if (ends > 1 || text.substr(next).starts_with('#')) {
      finish(end);
      begin = next;
      first_line = line;
    }
    at = next;
  }
  finish(text.size());
  return found;
}

}  // namespace helve::knowledge

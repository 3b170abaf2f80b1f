#include "knowledge/keyword_count.h"

#include <algorithm>

#include "knowledge/characters.h"
#include "knowledge/markdown_lines.h"

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
                                             const std::vector<std::string>& keywords) {
  std::vector<CountedParagraph> found;
  CountedParagraph paragraph;
  size_t begin = 0;
  size_t end = 0;
  auto finish = [&] {
    paragraph.text = text.substr(begin, end - begin);
    const std::string lower = lower_case(paragraph.text);
    paragraph.count = 0;
    for (const std::string& word : keywords) paragraph.count += occurrences(lower, word);
    if (paragraph.count > 0) found.push_back(paragraph);
    begin = end;
  };
  size_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t newline = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, newline - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool blank = line.empty();
    if (begin < end && (blank || line.starts_with('#'))) finish();
    if (!blank) {
      if (begin >= end) {
        begin = at;
        paragraph.first_line = number;
      }
      end = at + line.size();
      paragraph.last_line = number;
    } else {
      begin = end = newline;
    }
    at = newline + 1;
  }
  if (begin < end) finish();
  return found;
}

}  // namespace helve::knowledge

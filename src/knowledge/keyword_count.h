// Counting keywords: the simplest search there is. A paragraph scores how often the words of the
// question occur in it, as text, in whatever case.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace helve::knowledge {

constexpr size_t kMaxKeywords = 100;  // more are not counted

// In lower case, as the question has them: a word that stands there twice counts twice.
std::vector<std::string> keywords_of(std::string_view question);

struct CountedParagraph {
  std::string_view text;  // with the end of the file's last line
  size_t first_line = 1;
  size_t last_line = 1;
  size_t count = 0;
};
// The paragraphs of a text, between blank lines and before lines that begin with #, that have any
// of the keywords, in their order. After a stop, those that were counted before it.
std::vector<CountedParagraph> count_keywords(std::string_view text,
                                             const std::vector<std::string>& keywords,
                                             const std::stop_token& stop = {});

}  // namespace helve::knowledge

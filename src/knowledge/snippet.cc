#include "knowledge/snippet.h"

#include <set>
#include <vector>

#include "base/text.h"
#include "knowledge/tokens.h"

namespace helve::knowledge {
namespace {

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  Tokens tokens(text);
  while (const std::string* token = tokens.next()) words.insert(*token);
  return words;
}

size_t shared(const std::set<std::string>& words, std::string_view text) {
  size_t count = 0;
  for (const std::string& word : words_of(text)) count += words.contains(word) ? 1 : 0;
  return count;
}

}  // namespace

std::string snippet_of(std::string_view passage, std::string_view question) {
  if (count_chars(passage) <= kSnippetChars) return std::string(passage);
  const std::set<std::string> words = words_of(question);
  std::string_view best = first_chars(passage, kSnippetChars);
  size_t most = shared(words, best);
  for (size_t at = passage.find('\n'); at != passage.npos; at = passage.find('\n', at + 1)) {
    const std::string_view part = first_chars(passage.substr(at + 1), kSnippetChars);
    if (const size_t count = shared(words, part); count > most) {
      best = part;
      most = count;
    }
    if (part.data() + part.size() == passage.data() + passage.size()) break;
  }
  std::string snippet = best.data() == passage.data() ? "" : "…\n";
  snippet += best;
  if (best.data() + best.size() != passage.data() + passage.size()) snippet += "…";
  return snippet;
}

}  // namespace helve::knowledge

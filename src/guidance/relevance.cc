#include "guidance/relevance.h"

#include <algorithm>

#include "base/text.h"

namespace helve::guidance {
namespace {

constexpr size_t kMaxRead = 256u << 10;

// Letters beyond ASCII count as such; so do the few signs among them, which stand alone anyway.
bool is_letter(unsigned char c) { return std::isalnum(c) || c >= 0x80; }

}  // namespace

Words words_of(std::string_view text, size_t more_than) {
  Words words;
  text = text.substr(0, kMaxRead);
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_letter);
    const auto end = std::find_if_not(begin, text.end(), is_letter);
    std::string word(begin, end);
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
    if (count_chars(word) <= more_than) continue;
    std::ranges::transform(word, word.begin(), [](unsigned char c) {
      return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
    });
    words.insert(std::move(word));
  }
  return words;
}

size_t shared_words(const Words& words, std::string_view text) {
  if (words.empty()) return 0;
  const Words own = words_of(text);
  return static_cast<size_t>(
      std::ranges::count_if(own, [&](const std::string& word) { return words.contains(word); }));
}

}  // namespace helve::guidance

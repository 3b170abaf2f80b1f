#include "tools/snippet.h"

#include <algorithm>
#include <cctype>

namespace helve::tools {
namespace {

constexpr size_t kShortWord = 3;  // bytes; shorter ones say little

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

size_t first_word(std::string_view text, std::string_view words) {
  size_t best = text.size();
  for (size_t at = 0; at < words.size();) {
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) || c >= 0x80 || c == '_'; };
    const auto begin =
        std::find_if(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), is_letter);
    const auto end = std::find_if_not(begin, words.end(), is_letter);
    at = static_cast<size_t>(end - words.begin());
    if (end - begin < static_cast<std::ptrdiff_t>(kShortWord)) continue;
    const auto found = std::search(text.begin(), text.end(), begin, end,
                                   [](char a, char b) { return lower(a) == lower(b); });
    best = std::min(best, static_cast<size_t>(found - text.begin()));
  }
  return best == text.size() ? 0 : best;
}

}  // namespace helve::tools

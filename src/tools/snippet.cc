#include "tools/snippet.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace helve::tools {
namespace {

constexpr size_t kShortWord = 3;  // bytes; shorter ones say little

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::string snippet_around(std::string_view text, size_t place, size_t chars) {
  if (count_chars(text) <= chars) return std::string(text);
  place = std::min(place, text.size());
  const std::string_view before = last_chars(text.substr(0, place), chars / 2);
  const size_t begin = place - before.size();
  std::string_view shown = first_chars(text.substr(begin), chars);
  // Near the end the room is used for what comes before.
  const size_t missing = chars - count_chars(shown);
  const std::string_view more = last_chars(text.substr(0, begin), missing);
  const size_t first = begin - more.size();
  shown = text.substr(first, more.size() + shown.size());
  std::string out = first > 0 ? "…" : "";
  out += shown;
  if (first + shown.size() < text.size()) out += "…";
  return out;
}

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

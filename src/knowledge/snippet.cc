#include "knowledge/snippet.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "base/text.h"
#include "knowledge/tokens.h"

namespace helve::knowledge {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

using Words = std::set<std::string>;

Words words_of(std::string_view text) {
  Words words;
  Tokens tokens(text);
  while (const std::string* token = tokens.next()) words.insert(*token);
  return words;
}

// A part of a text, in characters too, that has words of the question.
struct Match {
  size_t begin, end, first_char, last_char;
  Words words;
};

// Words as they stand between spaces; where there are none for long, pieces of so many bytes.
std::vector<Match> matches_in(std::string_view text, const Words& wanted) {
  std::vector<Match> matches;
  size_t chars = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = std::min(text.find_first_not_of(kSpace, at), text.size());
    chars += count_chars(text.substr(at, begin - at));
    const size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    const std::string_view piece = cut_utf8(text.substr(begin, end - begin), kMaxTokenBytes);
    const size_t after = chars + count_chars(piece);
    at = begin + piece.size();
    Words words;
    std::ranges::set_intersection(words_of(piece), wanted, std::inserter(words, words.end()));
    if (!words.empty()) matches.push_back({begin, at, chars, after, std::move(words)});
    chars = after;
  }
  return matches;
}

// From the first byte to behind the last; nothing: there is none.
struct Place {
  size_t begin = 0, end = 0;
};

// The shortest part that has most of the words, of those that can be shown.
Place densest(const std::vector<Match>& matches) {
  Place best;
  size_t most = 0, shortest = 0;
  for (size_t first = 0; first < matches.size(); ++first) {
    Words words;
    for (size_t last = first; last < matches.size(); ++last) {
      const size_t chars = matches[last].last_char - matches[first].first_char;
      if (chars > kSnippetChars) break;
      words.insert(matches[last].words.begin(), matches[last].words.end());
      if (words.size() < most || (words.size() == most && chars >= shortest)) continue;
      best = {matches[first].begin, matches[last].end};
      most = words.size();
      shortest = chars;
    }
  }
  return best;
}

}  // namespace

std::string snippet_of(std::string_view passage, std::string_view question) {
  if (count_chars(passage) <= kSnippetChars) return std::string(passage);
  const Place place = densest(matches_in(passage, words_of(question)));
  for (size_t line = 0; line <= place.begin;) {
    const std::string_view shown = first_chars(passage.substr(line), kSnippetChars);
    if (line + shown.size() >= place.end) {
      const bool is_cut = line + shown.size() < passage.size();
      return (line > 0 ? "…\n" : "") + std::string(shown) + (is_cut ? "…" : "");
    }
    line = std::min(passage.find('\n', line), passage.size()) + 1;
  }
  return snippet_around(passage, (place.begin + place.end) / 2, kSnippetChars);
}

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

}  // namespace helve::knowledge

#include "media/markdown_escape.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace helve::media {
namespace {

using ByteSet = std::array<bool, 256>;

constexpr ByteSet set_of(std::string_view bytes) {
  ByteSet set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr bool holds(const ByteSet& set, char c) { return set[static_cast<unsigned char>(c)]; }

// What may mean something in the middle of a line, and what only at its start.
constexpr ByteSet kSpecial = set_of("\\`*_[]<&~|#.)");
constexpr ByteSet kLineStarts = set_of("#>+-=:*[");
// Bytes that begin a gap; those above 0x7F are looked at more closely.
constexpr ByteSet kGaps = [] {
  ByteSet set = set_of("\x7F\xC2\xE2\xEF");
  std::fill_n(set.begin(), 0x21, true);
  return set;
}();

constexpr size_t kMaxNumber = 9;      // digits that can number an item
constexpr size_t kMaxReference = 33;  // characters of &name;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)); }

bool consists_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

// Whether the word would begin a block of its own.
bool begins_block(std::string_view word) {
  switch (word[0]) {
    case '>':
    case '[':  // a box to tick, or the target of links
      return true;
    case '#':
      return word.size() <= 6 && consists_of(word, "#");
    case '+':
    case '*':
      return word.size() == 1;
    default:  // an underline, a rule, a table, a definition, an item
      return consists_of(word, "=") || consists_of(word, "-:|");
  }
}

// Whether `&` begins a character reference.
bool is_reference(std::string_view text) {
  const size_t end = text.substr(0, kMaxReference).find(';');
  return end != text.npos && end > 1 && std::ranges::all_of(text.substr(1, end - 1), [](char c) {
           return is_word(c) || c == '#';
         });
}

// Whether the line so far is a number and so this sign would make an item of it.
bool numbers_item(std::string_view line, char next) {
  return !line.empty() && line.size() <= kMaxNumber && std::ranges::all_of(line, is_digit) &&
         (next == ' ' || next == '\0');
}

}  // namespace

void append_escaped(std::string& out, std::string_view word, const MarkdownPlace& place) {
  const bool begins_line = out.size() == place.line_begin && !place.is_in_cell;
  size_t done = 0;
  if (begins_line && holds(kLineStarts, word[0]) && begins_block(word)) {
    (out += '\\') += word[0];
    done = 1;
  }
  while (done < word.size()) {
    size_t at = done;
    while (at < word.size() && !holds(kSpecial, word[at])) ++at;
    out += word.substr(done, at - done);
    if (at == word.size()) return;
    const char c = word[at];
    const char before = out.size() > place.line_begin ? out.back() : ' ';
    const char next = at + 1 < word.size() ? word[at + 1] : place.next;
    const bool stands_alone = before == ' ' && next == ' ';
    bool is_escaped = false;
    switch (c) {
      case '\\':
        is_escaped = !is_word(next);  // a mark may follow, even where a space was meant to
        break;
      case '`':
        is_escaped = true;
        break;
      case '*':
        is_escaped = !stands_alone;
        break;
      case '_':
        is_escaped = !stands_alone && !(is_word(before) && is_word(next));
        break;
      case '[':
        is_escaped = place.is_in_link;
        break;
      case ']':
        is_escaped = place.is_in_link || next == '\0' || next == '(' || next == '[' || next == ':';
        break;
      case '<':
        is_escaped = next == '\0' || next == '/' || next == '!' || next == '?' ||
                     std::isalpha(static_cast<unsigned char>(next));
        break;
      case '&':
        is_escaped = is_reference(word.substr(at));
        break;
      case '~':
        is_escaped = before != ' ' || next == '~' || next == '\0';
        break;
      case '|':
        is_escaped = place.is_in_cell;
        break;
      case '#':  // one at the end of a heading would close it
        is_escaped = place.is_in_heading && before == ' ';
        break;
      default:  // . and )
        is_escaped =
            !place.is_in_cell && numbers_item(std::string_view(out).substr(place.line_begin), next);
    }
    if (is_escaped) out += '\\';
    out += c;
    done = at + 1;
  }
}

TextGap gap_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first == ' ' || (first >= '\t' && first <= '\r')) return {1, true};
  if (first < 0x20 || first == 0x7F) return {1, false};
  for (const std::string_view space : {"\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    if (text.starts_with(space)) return {space.size(), true};
  }
  // A hyphen that may stand there, and marks of no width.
  for (const std::string_view nothing :
       {"\xC2\xAD", "\xE2\x80\x8B", "\xE2\x81\xA0", "\xEF\xBB\xBF"}) {
    if (text.starts_with(nothing)) return {nothing.size(), false};
  }
  return {};
}

size_t word_length(std::string_view text) {
  size_t length = 0;
  while (length < text.size() &&
         (!holds(kGaps, text[length]) || gap_at(text.substr(length)).length == 0))
    ++length;
  return length;
}

CharClass class_of_first(std::string_view text) {
  if (text.empty() || gap_at(text).is_space) return CharClass::space;
  if (is_punctuation(text[0])) return CharClass::punctuation;
  const size_t length = char_length(text);
  const char32_t c = code_point(text.substr(0, std::max<size_t>(length, 1)));
  const bool is_unclear = (c >= 0xA1 && c <= 0xBF) || c == 0xD7 || c == 0xF7 ||
                          (c >= 0x2000 && c < 0x2C00) || (c >= 0x2E00 && c < 0x2E80) ||
                          (c >= 0x3000 && c < 0x3040) || (c >= 0xFE10 && c < 0xFE70) ||
                          (c >= 0xFF00 && c < 0xFF66) || c >= 0x1F000;
  return is_unclear ? CharClass::unclear : CharClass::word;
}

CharClass class_of_last(std::string_view text) { return class_of_first(last_chars(text, 1)); }

}  // namespace helve::media

#include "terminal/width.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "terminal/width_tables.h"

namespace helve::terminal {
namespace {

constexpr size_t kMostMarks = 16;  // on one character; more begin a glyph of their own
constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kTextForm = 0xFE0E;
constexpr char32_t kEmojiForm = 0xFE0F;

template <size_t n>
bool is_among(const CharRange (&ranges)[n], char32_t c) {
  const CharRange* at = std::ranges::lower_bound(ranges, c, {}, &CharRange::last);
  return at != std::end(ranges) && at->first <= c;
}

bool is_flag_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool is_skin(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool is_pictorial(char32_t c) { return (c >= 0x2190 && c <= 0x2BFF) || c >= 0x1F000; }

size_t columns_of_point(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return 0;
  if (c < 0x300) return 1;
  if (is_among(kCombining, c) || c == kJoiner || c == kTextForm || c == kEmojiForm) return 0;
  return is_among(kWide, c) ? 2 : 1;
}

std::string_view first_char(std::string_view text) {
  return text.substr(0, std::max<size_t>(1, char_length(text)));
}

// The length of an SGR code or of the start or end of a link; 0 when there is none.
size_t mark_length(std::string_view text) {
  if (text.starts_with("\x1b[")) {
    const size_t end = text.find_first_not_of("0123456789;", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
  }
  if (!text.starts_with("\x1b]8;")) return 0;
  const size_t end = text.find("\x1b\\");
  return end == text.npos ? 0 : end + 2;
}

Glyph cluster(std::string_view text) {
  const std::string_view head = first_char(text);
  if (char_length(head) == 0) return {1, 1};
  const char32_t base = code_point(head);
  Glyph glyph{head.size(), columns_of_point(base)};
  if (base < 0x20 || base == 0x7F) return glyph;
  bool is_joined = false;
  bool is_flag = is_flag_letter(base);
  for (size_t marks = 0; marks < kMostMarks && glyph.bytes < text.size(); ++marks) {
    const std::string_view next = first_char(text.substr(glyph.bytes));
    if (char_length(next) == 0) break;
    const char32_t c = code_point(next);
    const bool is_part = c == kTextForm || c == kEmojiForm || is_skin(c) || is_among(kCombining, c);
    const bool is_second_letter = is_flag && is_flag_letter(c);
    if (!is_part && !is_second_letter && !(is_joined && is_pictorial(c)) &&
        !(c == kJoiner && is_pictorial(base)))
      break;
    if (is_second_letter || (c == kEmojiForm && is_pictorial(base))) glyph.columns = 2;
    if (is_second_letter) is_flag = false;
    is_joined = c == kJoiner;
    glyph.bytes += next.size();
  }
  return glyph;
}

std::string shown_with(std::string_view text, bool keep_lines) {
  std::string out;
  while (!text.empty()) {
    const std::string_view glyph = text.substr(0, cluster(text).bytes);
    const std::string_view head = first_char(glyph);
    const std::string safe = keep_lines ? escape_lines_for_display(head) : escape_for_display(head);
    out += safe;
    if (safe == head) out += glyph.substr(head.size());
    text.remove_prefix(safe == head ? glyph.size() : head.size());
  }
  return out;
}

}  // namespace

Glyph first_glyph(std::string_view text) {
  if (text[0] == '\x1b') {
    if (const size_t length = mark_length(text)) return {length, 0};
  }
  const bool is_plain = text[0] >= 0x20 && text[0] < 0x7F;
  if (is_plain && (text.size() == 1 || static_cast<unsigned char>(text[1]) < 0x80)) return {1, 1};
  return cluster(text);
}

size_t glyph_before(std::string_view text, size_t at) {
  if (at == 0) return 0;
  if (text[at - 1] == '\n') return at - 1;
  const size_t newline = text.rfind('\n', at - 1);
  size_t start = newline == text.npos ? 0 : newline + 1;
  for (;;) {
    const size_t next = start + cluster(text.substr(start)).bytes;
    if (next >= at) return start;
    start = next;
  }
}

size_t glyph_after(std::string_view text, size_t at) {
  return at >= text.size() ? text.size() : at + cluster(text.substr(at)).bytes;
}

bool is_wide(std::string_view character) {
  return char_length(character) != 0 && columns_of_point(code_point(character)) == 2;
}

bool is_extending(std::string_view character) {
  if (character.size() < 2 || char_length(character) == 0) return false;
  const char32_t c = code_point(character);
  return columns_of_point(c) == 0 || is_skin(c);
}

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

size_t bytes_within(std::string_view text, size_t columns) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (glyph.columns > columns) break;
    columns -= glyph.columns;
    bytes += glyph.bytes;
  }
  return bytes;
}

std::string fitted(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  const std::string_view head = text.substr(0, bytes_within(text, columns - 1));
  std::string out(head);
  out += "…";
  if (head.find("\x1b[") != head.npos) out += "\x1b[0m";
  if (head.find("\x1b]8;") != head.npos) out += "\x1b]8;;\x1b\\";
  return out;
}

std::string padded(std::string_view text, size_t columns) {
  std::string out(text);
  const size_t used = columns_of(text);
  if (used < columns) out.append(columns - used, ' ');
  return out;
}

std::string shown(std::string_view text) { return shown_with(text, false); }
std::string shown_lines(std::string_view text) { return shown_with(text, true); }

}  // namespace helve::terminal

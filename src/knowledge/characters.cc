#include "knowledge/characters.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"

namespace helve::knowledge {
namespace {

// The letters from U+00C0 to U+017F without case and accents; a space stands for those that have
// no such letter.
constexpr std::string_view kLatin =
    "aaaaaa ceeeeiiii nooooo ouuuuy  aaaaaa ceeeeiiii nooooo ouuuuy y"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii  jjkkkllllllllllnnnnnnnnnoooooo"
    "  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
constexpr char32_t kLatinBegin = 0xC0;
static_assert(kLatin.size() == 0x180 - 0xC0);

struct Range {
  char32_t first, last;
};

// Not letters, in order: punctuation, symbols, emoji, private use.
constexpr Range kSeparators[] = {
    {0x80, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},       {0xD7, 0xD7},
    {0xF7, 0xF7},     {0x2000, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004},   {0x3008, 0x3020},
    {0x3030, 0x3030}, {0xE000, 0xF8FF}, {0xFE10, 0xFE6F}, {0xFF00, 0xFF0F},   {0xFF1A, 0xFF20},
    {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF}};
constexpr Range kMarks[] = {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0xFE00, 0xFE0F}};
constexpr Range kIdeographs[] = {{0x1100, 0x11FF}, {0x2E80, 0x2FDF}, {0x3005, 0x3007},
                                 {0x3021, 0x302F}, {0x3031, 0x9FFF}, {0xAC00, 0xD7AF},
                                 {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0x20000, 0x3FFFF}};

// Capitals whose small letters lie at a fixed distance.
struct Shift {
  char32_t first, last;
  char32_t by;
};
constexpr Shift kShifts[] = {{'A', 'Z', 32},     {0xC0, 0xD6, 32},       {0xD8, 0xDE, 32},
                             {0x391, 0x3A9, 32}, {0x400, 0x40F, 80},     {0x410, 0x42F, 32},
                             {0x531, 0x556, 48}, {0x10A0, 0x10C5, 7264}, {0xFF21, 0xFF3A, 32}};
// Where each capital is followed by its small letter; the first is a capital.
constexpr Range kPairs[] = {{0x100, 0x12F},   {0x132, 0x137},  {0x139, 0x148}, {0x14A, 0x177},
                            {0x179, 0x17E},   {0x460, 0x481},  {0x48A, 0x4BF}, {0x4D0, 0x52F},
                            {0x1E00, 0x1E95}, {0x1EA0, 0x1EFF}};

bool is_in(std::span<const Range> ranges, char32_t c) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, &Range::first);
  return after != ranges.begin() && c <= std::prev(after)->last;
}

Character of_ascii(unsigned char c) {
  using enum CharacterKind;
  if (c >= 'a' && c <= 'z') return {letter, c, 1};
  if (c >= 'A' && c <= 'Z') return {capital, static_cast<char32_t>(c + ('a' - 'A')), 1};
  if (c >= '0' && c <= '9') return {digit, c, 1};
  return {separator, c, 1};
}

CharacterKind kind_of(char32_t c) {
  using enum CharacterKind;
  if (is_in(kSeparators, c)) return separator;
  if (is_in(kIdeographs, c)) return ideograph;
  return is_in(kMarks, c) ? mark : letter;
}

char32_t lower(char32_t c) {
  for (const Shift& shift : kShifts) {
    if (c >= shift.first && c <= shift.last) return c + shift.by;
  }
  for (const Range& pairs : kPairs) {
    if (c >= pairs.first && c <= pairs.last) return c + ((c - pairs.first) % 2 == 0 ? 1 : 0);
  }
  return c;
}

char32_t fold(char32_t c) {
  if (c >= kLatinBegin && c < kLatinBegin + kLatin.size()) {
    const char plain = kLatin[c - kLatinBegin];
    if (plain != ' ') return static_cast<char32_t>(plain);
  }
  return lower(c);
}

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80) return of_ascii(byte);
  const size_t bytes = char_length(text);
  if (bytes == 0) return {CharacterKind::separator, byte, 1};
  const char32_t c = code_point(text.substr(0, bytes));
  return {kind_of(c), fold(c), bytes};
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
    const size_t bytes = is_ascii ? 1 : char_length(text);
    if (bytes == 0)
      out += text[0];
    else
      append_utf8(out, lower(code_point(text.substr(0, bytes))));
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return out;
}

void append_utf8(std::string& text, char32_t c) {
  auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xE0 | c >> 12);
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
    }
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

}  // namespace helve::knowledge

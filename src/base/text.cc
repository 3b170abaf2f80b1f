#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace helve {
namespace {

// Of valid UTF-8, eight bytes at once: those that begin with 10 begin no character.
size_t count_valid_chars(std::string_view text) {
  size_t count = text.size();
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    count -= static_cast<size_t>(std::popcount(word >> 7 & ~word >> 6 & 0x0101010101010101u));
  }
  return count - static_cast<size_t>(std::ranges::count_if(
                     text, [](unsigned char c) { return (c & 0xC0) == 0x80; }));
}

// Characters that change how other text is shown, or hide: what Unicode calls
// Default_Ignorable_Code_Point, and what is not in there but shows as little. In ascending order.
struct CharRange {
  char32_t first, last;
};
constexpr CharRange kDeceptive[] = {
    {0x80, 0x9F},        // C1 controls
    {0xAD, 0xAD},        // soft hyphen
    {0x34F, 0x34F},      // combining grapheme joiner
    {0x61C, 0x61C},      // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian variation selectors and vowel separator
    {0x200B, 0x200F},    // zero width, and marks of direction
    {0x2028, 0x202E},    // separators of lines and paragraphs, bidirectional controls
    {0x2060, 0x206F},    // joiners, invisible operators, isolates
    {0x2800, 0x2800},    // the Braille pattern without dots
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},    // unassigned, interlinear annotation
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, more variation selectors
};

bool is_deceptive(char32_t c) {
  for (const CharRange& range : kDeceptive) {
    if (c < range.first) return false;
    if (c <= range.last) return true;
  }
  return false;
}

void append_byte(std::string& out, char byte) {
  fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
}

void escape_display_into(std::string& out, std::string_view text, bool keep_lines) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  while (true) {
    const auto plain = static_cast<size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const size_t length = char_length(text);
    if (length == 0) {
      append_byte(out, text[0]);
      text.remove_prefix(1);
      continue;
    }
    const char32_t c = code_point(text.substr(0, length));
    if (keep_lines && (c == '\n' || c == '\t')) {
      out += static_cast<char>(c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(c));
    } else if (is_deceptive(c)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<unsigned>(c));
    } else {
      out.append(text, 0, length);
    }
    text.remove_prefix(length);
  }
}

// Edits between two words: insert, delete, replace, swap neighbours. Gives up early once `limit` is
// passed.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > 64 || b.size() > 64) return limit + 1;
  size_t rows[3][65];
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t* row = rows[i % 3];
    const size_t* above = rows[(i + 2) % 3];
    const size_t* twice_above = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(a[i - 1]) == std::tolower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], twice_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

char32_t code_point(std::string_view character) {
  auto byte = [&](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(character[i]));
  };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
             (byte(3) & 0x3F);
  }
}

void append_code_point(std::string& out, char32_t c) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
  }
  byte(0x80 | (c & 0x3F));
}

size_t char_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
  if (lead == 0xED && second > 0x9F) return 0;  // surrogates
  if (lead == 0xF0 && second < 0x90) return 0;  // overlong
  if (lead == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

bool is_ascii(std::string_view text) {
  while (text.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    if ((word & 0x8080808080808080u) != 0) return false;
    text.remove_prefix(8);
  }
  return std::ranges::none_of(text, [](char c) { return static_cast<signed char>(c) < 0; });
}

size_t valid_utf8_prefix(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    if (text.size() - i >= 8) {  // eight ASCII bytes at once
      std::uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      if ((word & 0x8080808080808080u) == 0) {
        i += 8;
        continue;
      }
    }
    const size_t length = char_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return i;
}

std::string_view cut_utf8(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  // Whether a character that begins before the cut ends behind it.
  for (size_t back = 1; back <= std::min<size_t>(bytes, 3); ++back) {
    if ((static_cast<unsigned char>(text[bytes - back]) & 0xC0) == 0x80) continue;
    if (char_length(text.substr(bytes - back)) > back) bytes -= back;
    break;
  }
  return text.substr(0, bytes);
}

std::string_view first_chars(std::string_view text, size_t count) {
  size_t i = 0;
  for (; i < text.size() && count > 0; --count) {
    const bool is_ascii = static_cast<unsigned char>(text[i]) < 0x80;
    i += is_ascii ? 1 : std::max<size_t>(char_length(text.substr(i)), 1);
  }
  return text.substr(0, i);
}

std::string_view last_chars(std::string_view text, size_t count) {
  size_t start = text.size();
  for (size_t i = text.size(); i > 0 && count > 0; --i) {
    if ((static_cast<unsigned char>(text[i - 1]) & 0xC0) != 0x80) start = i - 1, --count;
  }
  return text.substr(start);
}

size_t count_chars(std::string_view text) {
  size_t count = 0;
  while (!text.empty()) {
    const std::string_view valid = text.substr(0, valid_utf8_prefix(text));
    count += count_valid_chars(valid);
    text.remove_prefix(valid.size());
    if (text.empty()) break;
    ++count;
    text.remove_prefix(1);
  }
  return count;
}

std::string preview(std::string_view text, size_t count) {
  std::string_view head = first_chars(text, count);
  return head.size() == text.size() ? std::string(text) : std::string(head) + "…";
}

std::string escape_for_display(std::string_view text) {
  std::string out;
  escape_display_into(out, text, false);
  return out;
}

std::string escape_lines_for_display(std::string_view text) {
  std::string out;
  escape_display_into(out, text, true);
  return out;
}

std::string escape_bytes(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const size_t valid = valid_utf8_prefix(bytes);
    for (const char c : bytes.substr(0, valid)) {
      if (c == '\\' || c == 0) {
        out += c == 0 ? "\\x00" : "\\\\";
      } else {
        out += c;
      }
    }
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    append_byte(out, bytes[0]);
    bytes.remove_prefix(1);
  }
  return out;
}

std::string escape_invalid_utf8(std::string_view bytes) {
  return is_utf8(bytes) ? std::string(bytes) : escape_bytes(bytes);
}

std::string shell_quoted(std::string_view text) {
  std::string out;
  if (escape_for_display(text) == text) {
    for (const char c : text) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    return "'" + out + "'";
  }
  while (!text.empty()) {
    const std::string_view character = text.substr(0, std::max<size_t>(1, char_length(text)));
    if (character == "\n") {
      out += "\\n";
    } else if (escape_for_display(character) != character) {
      for (const char c : character) append_byte(out, c);
    } else {
      if (character == "'" || character == "\\") out += '\\';
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return "$'" + out + "'";
}

std::string_view trim(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r\n") - start + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at; (at = text.find(separator)) != text.npos; text.remove_prefix(at + 1))
    parts.push_back(text.substr(0, at));
  parts.push_back(text);
  return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (bool first = true; const std::string& part : parts) {
    if (!std::exchange(first, false)) out += separator;
    out += part;
  }
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = pattern.npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  std::string_view best;
  size_t best_distance = limit + 1;
  for (std::string_view candidate : candidates) {
    size_t d = distance(word, candidate, limit);
    if (d < best_distance) best = candidate, best_distance = d;
  }
  if (!best.empty() || word.size() < 3) return best;
  for (std::string_view candidate : candidates) {  // "old" for "old_text", "filepath" for "path"
    if (candidate.starts_with(word) || (candidate.size() >= 3 && word.ends_with(candidate)))
      return candidate;
  }
  return {};
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("did you mean '{}'?", best);
}

std::string human_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  static constexpr std::string_view kUnits[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (size >= 1024 && unit + 1 < std::size(kUnits)) size /= 1024, ++unit;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace helve

#include "jsonata/unicode.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace helve::jsonata {
namespace {

unsigned char byte(char c) { return static_cast<unsigned char>(c); }
bool continues(char c) { return (c & 0xC0) == 0x80; }

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append_code_point(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t bits) { out += static_cast<char>(bits); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

void append_unit(std::string& out, std::uint32_t unit) {
  if (is_low_surrogate(unit) && out.size() >= 3) {
    const std::string_view last = std::string_view(out).substr(out.size() - 3);
    if (byte(last[0]) == 0xED && (byte(last[1]) & 0xF0) == 0xA0) {
      const char32_t high = char_at(last);
      out.resize(out.size() - 3);
      append_code_point(out, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
      return;
    }
  }
  append_code_point(out, unit);
}

size_t length_of_char(std::string_view text) {
  const unsigned char lead = byte(text[0]);
  const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size());
}

char32_t char_at(std::string_view text) {
  const size_t length = length_of_char(text);
  if (length == 1) return byte(text[0]);
  char32_t character = byte(text[0]) & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) character = character << 6 | (byte(text[i]) & 0x3F);
  return character;
}

size_t count_code_points(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

size_t count_units(std::string_view text) {
  size_t units = 0;
  for (const char c : text) units += (continues(c) ? 0 : 1) + (byte(c) >= 0xF0 ? 1 : 0);
  return units;
}

size_t bytes_of_code_points(std::string_view text, size_t count) {
  if (count >= text.size()) return text.size();
  size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += length_of_char(text.substr(at));
  return at;
}

size_t bytes_of_units(std::string_view text, size_t count) {
  size_t at = 0;
  for (size_t units = 0; units < count && at < text.size();) {
    units += byte(text[at]) >= 0xF0 ? 2 : 1;
    at += length_of_char(text.substr(at));
  }
  return at;
}

int compare_text(std::string_view a, std::string_view b) {
  const size_t shared = std::min(a.size(), b.size());
  const int order = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), shared);
  if (order == 0) return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
  const auto [left, right] = std::ranges::mismatch(a, b);
  // Characters beyond the first plane are surrogates there, which come before U+E000.
  const bool far_left = byte(*left) >= 0xF0, far_right = byte(*right) >= 0xF0;
  if (far_left && (byte(*right) == 0xEE || byte(*right) == 0xEF)) return -1;
  if (far_right && (byte(*left) == 0xEE || byte(*left) == 0xEF)) return 1;
  return order;
}

}  // namespace helve::jsonata

#include "media/html_entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/encoding_tables.h"
#include "base/text.h"
#include "media/html_entity_table.h"

namespace helve::media {
namespace {

constexpr size_t kMaxName = 31;    // of the longest name
constexpr size_t kMinOldName = 2;  // of those that need no semicolon
constexpr size_t kMaxOldName = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Where each name begins in the table.
constexpr auto kNames = [] {
  std::array<std::uint16_t,
             std::ranges::count_if(kHtmlEntities, [](char c) { return c == '=' || c == ':'; })>
      begins{};
  size_t count = 0;
  for (size_t at = 1; at < kHtmlEntities.size(); ++at) {
    const auto is_gap = [](char c) { return c == ' ' || c == '\n'; };
    if (is_gap(kHtmlEntities[at - 1]) && !is_gap(kHtmlEntities[at]))
      begins[count++] = static_cast<std::uint16_t>(at);
  }
  return begins;
}();
static_assert(kHtmlEntities.size() <= 0xFFFF);

constexpr std::string_view name_at(std::uint16_t begin) {
  const std::string_view entry = kHtmlEntities.substr(begin, kMaxName + 1);
  return entry.substr(0, entry.find_first_of("=:"));
}

// "C6" of "AElig:C6"; empty when there is no such name. `needs_semicolon` says whether it does.
std::string_view codes_of(std::string_view name, bool& needs_semicolon) {
  const auto found = std::ranges::lower_bound(kNames, name, {}, name_at);
  if (found == kNames.end() || name_at(*found) != name) return {};
  const std::string_view sign_and_codes = kHtmlEntities.substr(*found + name.size());
  needs_semicolon = sign_and_codes[0] == '=';
  return sign_and_codes.substr(1, sign_and_codes.find_first_of(" \n") - 1);
}

void append_codes(std::string& out, std::string_view codes) {
  for (const std::string_view code : split(codes, '+')) {
    std::uint32_t value = 0;
    std::from_chars(code.data(), code.data() + code.size(), value, 16);
    append_code_point(out, value);
  }
}

// Old pages give the numbers of windows-1252.
char32_t as_meant(std::uint64_t number) {
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return 0xFFFD;
  if (number >= 0x80 && number < 0xA0 && kWindows1252[number - 0x80] != 0)
    return kWindows1252[number - 0x80];
  return static_cast<char32_t>(number);
}

// These take the reference that `text` begins with and return its length, or 0.

size_t append_numeric(std::string& out, std::string_view text) {
  const bool is_hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const size_t begin = is_hex ? 3 : 2;
  size_t end = begin;
  std::uint64_t number = 0;
  for (; end < text.size() && (is_hex ? is_hex_digit(text[end]) : is_digit(text[end])); ++end) {
    const unsigned digit = is_digit(text[end]) ? text[end] - '0' : (text[end] | 0x20) - 'a' + 10;
    number = std::min<std::uint64_t>(number * (is_hex ? 16 : 10) + digit, 0x110000);
  }
  if (end == begin) return 0;
  append_code_point(out, as_meant(number));
  return end + (end < text.size() && text[end] == ';' ? 1 : 0);
}

size_t append_named(std::string& out, std::string_view text, ReferencePlace place) {
  size_t end = 1;
  while (end < text.size() && end <= kMaxName && is_alphanumeric(text[end])) ++end;
  bool needs_semicolon = false;
  if (end < text.size() && text[end] == ';') {
    if (const auto codes = codes_of(text.substr(1, end - 1), needs_semicolon); !codes.empty()) {
      append_codes(out, codes);
      return end + 1;
    }
  }
  for (size_t size = std::min(end - 1, kMaxOldName); size >= kMinOldName; --size) {
    const auto codes = codes_of(text.substr(1, size), needs_semicolon);
    if (codes.empty() || needs_semicolon) continue;
    const char next = size + 1 < text.size() ? text[size + 1] : ' ';
    if (place == ReferencePlace::attribute && (next == '=' || is_alphanumeric(next))) return 0;
    append_codes(out, codes);
    return size + 1;
  }
  return 0;
}

}  // namespace

void append_decoded(std::string& out, std::string_view text, ReferencePlace place) {
  while (!text.empty()) {
    const size_t sign = text.find('&');
    out += text.substr(0, sign);
    if (sign == text.npos) return;
    text.remove_prefix(sign);
    size_t taken = text.size() > 1 && text[1] == '#' ? append_numeric(out, text)
                                                     : append_named(out, text, place);
    if (taken == 0) {
      out += '&';
      taken = 1;
    }
    text.remove_prefix(taken);
  }
}

}  // namespace helve::media

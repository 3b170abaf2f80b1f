#include "shell/ansi_c.h"

#include <cstdint>

namespace helve::shell {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Up to `most` digits; false when there is none.
bool number(std::string_view text, size_t& at, int base, size_t most, std::uint32_t& value) {
  const size_t start = at;
  for (value = 0; at < text.size() && at - start < most && digit_value(text[at]) < base; ++at)
    value = value * static_cast<std::uint32_t>(base) +
            static_cast<std::uint32_t>(digit_value(text[at]));
  return at > start;
}

char simple_escape(char c) {
  constexpr std::string_view kNames = "abeEfnrtv\\'\"?";
  constexpr std::string_view kValues = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  const size_t at = kNames.find(c);
  return at == kNames.npos ? '\0' : kValues[at];
}

}  // namespace

std::optional<std::string> decode_ansi_c(std::string_view inside) {
  std::string out;
  for (size_t i = 0; i < inside.size();) {
    const char c = inside[i++];
    if (c != '\\' || i == inside.size()) {
      out += c;
      continue;
    }
    const char kind = inside[i++];
    std::uint32_t value = 0;
    if (const char simple = simple_escape(kind); simple != '\0') {
      out += simple;
      continue;
    }
    if (kind >= '0' && kind <= '7') {
      --i;
      number(inside, i, 8, 3, value);
    } else if (kind == 'x') {
      // \x{…} and \x without a digit are taken in ways that are better not relied on.
      if (!number(inside, i, 16, 2, value)) return std::nullopt;
    } else if (kind == 'u' || kind == 'U') {
      if (!number(inside, i, 16, kind == 'u' ? 4 : 8, value) || value > 0x7f) return std::nullopt;
    } else if (kind == 'c') {
      return std::nullopt;
    } else {
      out += '\\';
      out += kind;
      continue;
    }
    value &= 0xff;
    if (value == 0) return out;  // the rest is lost
    out += static_cast<char>(value);
  }
  return out;
}

}  // namespace helve::shell

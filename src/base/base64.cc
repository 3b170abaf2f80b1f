#include "base/base64.h"

#include <array>

namespace helve {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned char kNone = 0xFF;
constexpr auto kValues = [] {
  std::array<unsigned char, 256> values;
  values.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<unsigned char>(i);
  return values;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  // The library passes its capacity, which may be more.
  const size_t size = base64_size(bytes.size());
  out.resize_and_overwrite(size, [&](char* to, size_t) {
    const auto at = [&](size_t i) -> std::uint32_t {
      return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
    };
    for (size_t i = 0; i < bytes.size(); i += 3) {
      const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
      for (int shift = 18; shift >= 0; shift -= 6) *to++ = kAlphabet[group >> shift & 63];
    }
    if (bytes.size() % 3 != 0) to[-1] = '=';
    if (bytes.size() % 3 == 1) to[-2] = '=';
    return size;
  });
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  size_t digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const unsigned char value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone || padding > 0) return {};
    group = group << 6 | value;
    if (++digits % 4 != 0) continue;
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(group >> shift);
    group = 0;
  }
  const size_t rest = digits % 4;
  if (rest == 1 || padding > 2 || (padding > 0 && (digits + padding) % 4 != 0)) return {};
  if (rest >= 2) out += static_cast<char>(group >> (rest == 2 ? 4 : 10));
  if (rest == 3) out += static_cast<char>(group >> 2);
  return out;
}

}  // namespace helve

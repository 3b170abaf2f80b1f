#include "workspace/digest.h"

#include <fmt/core.h>

#include <charconv>

#include "base/quick_hash.h"

namespace helve::workspace {
namespace {

constexpr size_t kHalf = 16;  // digits of 64 bits

bool read_number(std::string_view text, int base, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

}  // namespace

std::string Digest::text() const { return fmt::format("{:016x}{:016x}-{}", high, low, size); }

std::optional<Digest> Digest::parse(std::string_view text) {
  Digest digest;
  if (text.size() < 2 * kHalf + 2 || text[2 * kHalf] != '-') return {};
  const bool read = read_number(text.substr(0, kHalf), 16, digest.high) &&
                    read_number(text.substr(kHalf, kHalf), 16, digest.low) &&
                    read_number(text.substr(2 * kHalf + 1), 10, digest.size);
  return read ? std::optional(digest) : std::nullopt;
}

Digest digest_of(std::string_view content, std::uint64_t seed) {
  const Hash128 hash = quick_hash_128(content, seed);
  return {hash.high, hash.low, content.size()};
}

}  // namespace helve::workspace

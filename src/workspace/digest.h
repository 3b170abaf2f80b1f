// Digest: which content something is. Fast, and good enough to tell contents apart that nobody
// crafted; the seed is secret where somebody might.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::workspace {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t size = 0;  // of the content

  bool operator==(const Digest&) const = default;
  std::string text() const;  // 32 hexadecimal digits, a dash and the size
  static std::optional<Digest> parse(std::string_view text);
};

Digest digest_of(std::string_view content, std::uint64_t seed);

}  // namespace helve::workspace

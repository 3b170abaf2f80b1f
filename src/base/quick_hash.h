// Quick hashes: to tell texts apart fast. Not for what somebody must be unable to forge: that is
// base/hash.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace helve {

// XXH3. The same text and seed give the same number in every version of the program, so that it can
// be kept on disk.
std::uint64_t quick_hash(std::string_view text, std::uint64_t seed = 0);

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool operator==(const Hash128&) const = default;
};
Hash128 quick_hash_128(std::string_view text, std::uint64_t seed = 0);

}  // namespace helve

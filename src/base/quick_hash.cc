#include "base/quick_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace helve {

std::uint64_t quick_hash(std::string_view text, std::uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

Hash128 quick_hash_128(std::string_view text, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace helve

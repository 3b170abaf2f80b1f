// Lanes: some bytes of text, looked at together for what JSON must escape. For json_write.cc alone.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace helve {

// Eight bytes in a word, for every processor.
class WordLane {
 public:
  static constexpr size_t kBytes = 8;

  explicit WordLane(const char* text) { std::memcpy(&word_, text, kBytes); }
  void store(char* out) const { std::memcpy(out, &word_, kBytes); }
  // How many bytes come before the first that cannot be copied as it is.
  size_t plain() const {
    const std::uint64_t control = (word_ - kOnes * ' ') & ~word_;
    const std::uint64_t beyond_ascii = word_ | (word_ + kOnes);  // and 0x7f
    const std::uint64_t special =
        (control | beyond_ascii | zeros(word_ ^ (kOnes * '"')) | zeros(word_ ^ (kOnes * '\\'))) &
        kHigh;
    // A borrow or a carry marks only bytes behind one that is marked rightly.
    if constexpr (std::endian::native == std::endian::little)
      return static_cast<size_t>(std::countr_zero(special)) / 8;
    return special == 0 ? kBytes : 0;
  }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  static std::uint64_t zeros(std::uint64_t word) { return (word - kOnes) & ~word; }

  std::uint64_t word_;
};

#ifdef __SSE2__
class VectorLane {
 public:
  static constexpr size_t kBytes = 16;

  explicit VectorLane(const char* text)
      : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text))) {}
  void store(char* out) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes_); }
  size_t plain() const {
    // Signed: bytes beyond ASCII are below the space too.
    const __m128i low = _mm_cmplt_epi8(bytes_, _mm_set1_epi8(' '));
    const __m128i quoted = _mm_or_si128(equal('"'), equal('\\'));
    const __m128i special = _mm_or_si128(_mm_or_si128(low, quoted), equal(0x7f));
    const auto bits = static_cast<unsigned>(_mm_movemask_epi8(special));
    return bits == 0 ? kBytes : static_cast<size_t>(std::countr_zero(bits));
  }

 private:
  __m128i equal(char c) const { return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c)); }

  __m128i bytes_;
};
using EscapeLane = VectorLane;
#else
using EscapeLane = WordLane;
#endif

}  // namespace helve

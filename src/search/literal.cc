#include "search/literal.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace helve::search {
namespace {

// Bytes of source code, the commonest first; measured on the sources of an operating system. What
// is not listed is rarer than anything here.
constexpr std::string_view kCommonBytes =
    " e_t\tr\nisnadoclupf0m,E*;)(hTSIAgCRv-bxPD=MLNO12>/"
    "k\".wyFUGB3#}{48HX6:Vq&5<KW79Yz[]+\\%|Q!Z@j'"
    "$J~`?^";

constexpr std::array<std::uint8_t, 256> make_ranks() {
  std::array<std::uint8_t, 256> ranks{};
  for (size_t i = 0; i < kCommonBytes.size(); ++i)
    ranks[static_cast<unsigned char>(kCommonBytes[i])] = static_cast<std::uint8_t>(255 - i);
  return ranks;
}
constexpr std::array<std::uint8_t, 256> kRanks = make_ranks();

bool is_letter(unsigned char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
unsigned char lower(unsigned char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

bool equal_ignoring_case(const char* text, const std::string& literal) {
  for (size_t i = 0; i < literal.size(); ++i) {
    if (lower(static_cast<unsigned char>(text[i])) != static_cast<unsigned char>(literal[i]))
      return false;
  }
  return true;
}

// A letter whose case is ignored occurs as two bytes.
std::uint8_t rank_of(unsigned char c, bool ignore_case) {
  if (!ignore_case || !is_letter(c)) return kRanks[c];
  return std::max(kRanks[c], kRanks[c ^ 0x20]);
}

size_t count_plain(const char* at, const char* end) {
  return static_cast<size_t>(std::count(at, end, '\n'));
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) size_t count_avx2(const char* at, const char* end) {
  const __m256i newline = _mm256_set1_epi8('\n');
  size_t count = 0;
  while (end - at >= 32) {
    // A lane of eight bits counts to 255 before it is added up.
    const std::ptrdiff_t blocks = std::min<std::ptrdiff_t>((end - at) / 32, 255);
    __m256i lanes = _mm256_setzero_si256();
    for (std::ptrdiff_t i = 0; i < blocks; ++i, at += 32) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
      lanes = _mm256_sub_epi8(lanes, _mm256_cmpeq_epi8(bytes, newline));
    }
    const __m256i sums = _mm256_sad_epu8(lanes, _mm256_setzero_si256());
    alignas(32) std::uint64_t parts[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sums);
    count += parts[0] + parts[1] + parts[2] + parts[3];
  }
  return count + count_plain(at, end);
}

bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2");
}
const auto kCount = has_avx2() ? count_avx2 : count_plain;
#else
const auto kCount = count_plain;
#endif

}  // namespace

std::uint8_t byte_rank(unsigned char byte) { return kRanks[byte]; }

size_t count_newlines(std::string_view text) {
  return kCount(text.data(), text.data() + text.size());
}

bool is_ascii(std::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 32; at += 32, left -= 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, sizeof words);
    if ((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080u) return false;
  }
  unsigned char all = 0;
  for (; left > 0; ++at, --left) all |= static_cast<unsigned char>(*at);
  return all < 0x80;
}

// The searches by vectors. Each compares blocks of places at a time as long as a whole block and
// the literal behind it fit, and leaves the rest to find_short.
struct LiteralFinder::Kernels {
#if defined(__x86_64__)
  __attribute__((target("avx2"))) static __m256i load(const char* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }

  __attribute__((target("avx2"))) static size_t avx2(const LiteralFinder& finder, const char* begin,
                                                     const char* end) {
    const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(finder.literal_.size());
    const char* const first = begin + finder.first_;
    const std::ptrdiff_t apart =
        static_cast<std::ptrdiff_t>(finder.second_) - static_cast<std::ptrdiff_t>(finder.first_);
    const __m256i first_byte =
        _mm256_set1_epi8(static_cast<char>(finder.literal_[finder.first_] | finder.first_or_));
    const __m256i second_byte =
        _mm256_set1_epi8(static_cast<char>(finder.literal_[finder.second_] | finder.second_or_));
    const __m256i first_or = _mm256_set1_epi8(static_cast<char>(finder.first_or_));
    const __m256i second_or = _mm256_set1_epi8(static_cast<char>(finder.second_or_));
    const bool folded = finder.first_or_ | finder.second_or_;
    const std::ptrdiff_t places = end - begin - length + 1;
    std::ptrdiff_t at = 0;
    if (!folded) {
      for (; at + 64 <= places; at += 64) {
        const __m256i low =
            _mm256_and_si256(_mm256_cmpeq_epi8(load(first + at), first_byte),
                             _mm256_cmpeq_epi8(load(first + at + apart), second_byte));
        const __m256i high =
            _mm256_and_si256(_mm256_cmpeq_epi8(load(first + at + 32), first_byte),
                             _mm256_cmpeq_epi8(load(first + at + 32 + apart), second_byte));
        if (_mm256_testz_si256(_mm256_or_si256(low, high), _mm256_or_si256(low, high))) continue;
        std::uint64_t hits =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high)))
                << 32;
        for (; hits; hits &= hits - 1) {
          const char* place = begin + at + __builtin_ctzll(hits);
          if (finder.same(place)) return static_cast<size_t>(place - begin);
        }
      }
    }
    for (; at + 32 <= places; at += 32) {
      const __m256i one = _mm256_or_si256(load(first + at), first_or);
      const __m256i two = _mm256_or_si256(load(first + at + apart), second_or);
      std::uint32_t hits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_and_si256(
          _mm256_cmpeq_epi8(one, first_byte), _mm256_cmpeq_epi8(two, second_byte))));
      for (; hits; hits &= hits - 1) {
        const char* place = begin + at + __builtin_ctz(hits);
        if (finder.same(place)) return static_cast<size_t>(place - begin);
      }
    }
    const size_t rest = find_short(finder, begin + at, end);
    return rest == kNowhere ? kNowhere : static_cast<size_t>(at) + rest;
  }

  static size_t sse2(const LiteralFinder& finder, const char* begin, const char* end) {
    const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(finder.literal_.size());
    const __m128i first_byte =
        _mm_set1_epi8(static_cast<char>(finder.literal_[finder.first_] | finder.first_or_));
    const __m128i second_byte =
        _mm_set1_epi8(static_cast<char>(finder.literal_[finder.second_] | finder.second_or_));
    const __m128i first_or = _mm_set1_epi8(static_cast<char>(finder.first_or_));
    const __m128i second_or = _mm_set1_epi8(static_cast<char>(finder.second_or_));
    const auto load = [](const char* at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    };
    const std::ptrdiff_t places = end - begin - length + 1;
    std::ptrdiff_t at = 0;
    for (; at + 16 <= places; at += 16) {
      const __m128i one = _mm_or_si128(load(begin + at + finder.first_), first_or);
      const __m128i two = _mm_or_si128(load(begin + at + finder.second_), second_or);
      auto hits = static_cast<std::uint32_t>(_mm_movemask_epi8(
          _mm_and_si128(_mm_cmpeq_epi8(one, first_byte), _mm_cmpeq_epi8(two, second_byte))));
      for (; hits; hits &= hits - 1) {
        const char* place = begin + at + __builtin_ctz(hits);
        if (finder.same(place)) return static_cast<size_t>(place - begin);
      }
    }
    const size_t rest = find_short(finder, begin + at, end);
    return rest == kNowhere ? kNowhere : static_cast<size_t>(at) + rest;
  }
#endif
};

LiteralFinder::Search LiteralFinder::best_search() {
#if defined(__x86_64__)
  return has_avx2() ? Kernels::avx2 : Kernels::sse2;
#else
  return find_short;
#endif
}

LiteralFinder::LiteralFinder(std::string literal, Case case_of_letters)
    : literal_(std::move(literal)), case_(case_of_letters), search_(best_search()) {
  const bool ignore_case = case_ == Case::ignored;
  if (ignore_case) {
    for (char& c : literal_) c = static_cast<char>(lower(static_cast<unsigned char>(c)));
  }
  const auto rank = [&](size_t i) {
    return rank_of(static_cast<unsigned char>(literal_[i]), ignore_case);
  };
  for (size_t i = 1; i < literal_.size(); ++i) {
    if (rank(i) < rank(first_)) first_ = i;
  }
  second_ = first_ == 0 && literal_.size() > 1 ? 1 : 0;
  for (size_t i = 0; i < literal_.size(); ++i) {
    if (i != first_ && rank(i) < rank(second_)) second_ = i;
  }
  const auto fold = [&](size_t i) -> std::uint8_t {
    return ignore_case && i < literal_.size() && is_letter(static_cast<unsigned char>(literal_[i]))
               ? 0x20
               : 0;
  };
  first_or_ = fold(first_);
  second_or_ = fold(second_);
}

bool LiteralFinder::same(const char* place) const {
  return case_ == Case::exact ? std::memcmp(place, literal_.data(), literal_.size()) == 0
                              : equal_ignoring_case(place, literal_);
}

bool LiteralFinder::stands_at(std::string_view text, size_t at) const {
  return same(text.data() + at);
}

size_t LiteralFinder::find_short(const LiteralFinder& finder, const char* begin, const char* end) {
  const std::string& literal = finder.literal_;
  const auto length = static_cast<std::ptrdiff_t>(literal.size());
  for (const char* at = begin; end - at >= length; ++at) {
    if (finder.case_ == Case::exact) {
      at = static_cast<const char*>(
          std::memchr(at, literal[0], static_cast<size_t>(end - at - length + 1)));
      if (!at) return kNowhere;
    }
    if (finder.same(at)) return static_cast<size_t>(at - begin);
  }
  return kNowhere;
}

size_t LiteralFinder::find(std::string_view text, size_t from) const {
  if (from > text.size() || text.size() - from < literal_.size()) return kNowhere;
  if (literal_.empty()) return from;
  const size_t found = search_(*this, text.data() + from, text.data() + text.size());
  return found == kNowhere ? kNowhere : from + found;
}

}  // namespace helve::search

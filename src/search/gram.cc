#include "search/gram.h"

#include <algorithm>

#include "base/text.h"

namespace helve::search {
namespace {

constexpr size_t kPlainBits = size_t{1} << 21;
constexpr size_t kAnyBits = size_t{1} << 24;

constexpr bool has_newline(Gram gram) {
  return (gram & 0xff) == '\n' || (gram >> 8 & 0xff) == '\n' || gram >> 16 == '\n';
}

// Where the bit of a gram of seven-bit bytes is: close together, so that they stay in the cache.
constexpr std::uint32_t plain_bit(Gram gram) {
  return (gram >> 2 & 0x1fc000) | (gram >> 1 & 0x3f80) | (gram & 0x7f);
}

// Adds the grams whose bits are not yet set. Those with a newline are taken out later: they are few
// once each is seen once, and the loop over all bytes stays short.
template <class BitOf>
void collect(std::string_view text, std::vector<std::uint64_t>& bits, std::vector<Gram>& found,
             BitOf bit_of) {
  if (text.size() < 3) return;
  Gram gram = static_cast<Gram>(kFolded[static_cast<unsigned char>(text[0])] << 8 |
                                kFolded[static_cast<unsigned char>(text[1])]);
  for (const char c : text.substr(2)) {
    gram = (gram << 8 | kFolded[static_cast<unsigned char>(c)]) & 0xffffff;
    const std::uint32_t bit = bit_of(gram);
    std::uint64_t& word = bits[bit / 64];
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    if (word & mask) continue;
    word |= mask;
    found.push_back(gram);
  }
  for (const Gram each : found) bits[bit_of(each) / 64] = 0;
}

}  // namespace

std::vector<Gram> grams_of_word(std::string_view word) {
  std::vector<Gram> grams;
  for (size_t i = 0; i + 3 <= word.size(); ++i) {
    const Gram gram = gram_at(word.data() + i);
    if (!has_newline(gram)) grams.push_back(gram);
  }
  std::ranges::sort(grams);
  const auto again = std::ranges::unique(grams);
  grams.erase(again.begin(), again.end());
  return grams;
}

GramSet::GramSet() : plain_(kPlainBits / 64) {}

std::span<const Gram> GramSet::of(std::string_view text) {
  found_.clear();
  if (is_ascii(text)) {
    collect(text, plain_, found_, plain_bit);
  } else {
    if (any_.empty()) any_.resize(kAnyBits / 64);
    collect(text, any_, found_, [](Gram gram) { return gram; });
  }
  std::erase_if(found_, has_newline);
  return found_;
}

}  // namespace helve::search

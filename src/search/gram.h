// Grams: the three-byte sequences that a text holds, in lower case. A text that lacks one gram of a
// word cannot hold the word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace helve::search {

using Gram = std::uint32_t;  // three bytes, the first one highest

// ASCII letters in lower case; other bytes as they are, since their case depends on their
// neighbours.
constexpr std::array<unsigned char, 256> kFolded = [] {
  std::array<unsigned char, 256> table{};
  for (int i = 0; i < 256; ++i) {
    table[i] = static_cast<unsigned char>(i >= 'A' && i <= 'Z' ? i + ('a' - 'A') : i);
  }
  return table;
}();

constexpr Gram gram_at(const char* bytes) {
  const auto folded = [bytes](int i) { return kFolded[static_cast<unsigned char>(bytes[i])]; };
  return static_cast<Gram>(folded(0) << 16 | folded(1) << 8 | folded(2));
}

// The grams that a text must have which holds `word`; none when it is shorter than three bytes.
// Those with a newline are left out, as GramSet does.
std::vector<Gram> grams_of_word(std::string_view word);

// Finds the grams of one text after another. Not for two threads.
class GramSet {
 public:
  GramSet();

  // The different grams of the text, in the order in which they first appear, without those that
  // hold a newline: lines are searched one by one. Valid until the next call.
  std::span<const Gram> of(std::string_view text);

 private:
  // One bit for each gram of seven-bit bytes; grams with other bytes have theirs in the second.
  std::vector<std::uint64_t> plain_;
  std::vector<std::uint64_t> any_;  // made when first needed
  std::vector<Gram> found_;
};

}  // namespace helve::search

// SHA-256: names content by what it is. Trust is bound to it, so it must be hard to forge.
// SHA-1: only for what others have named by it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace helve {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view content);

// The same of a content that comes in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view piece);
  std::string hex() const;  // of all so far

 private:
  std::array<std::uint32_t, 8> state_;
  std::uint64_t bytes_ = 0;
  std::string rest_;  // of a block that is not full
};

// 40 of them.
std::string sha1_hex(std::string_view content);

// Only who has the key can make it: proof that a message is one of ours.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);
// Takes as long whatever they hold, so that nobody learns from the time how much of a guess is
// right.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace helve

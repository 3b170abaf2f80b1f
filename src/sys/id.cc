#include "sys/id.h"

#include <sys/random.h>

#include <cstdlib>
#include <cstring>

namespace helve::sys {
namespace {

// Random bytes are drawn in blocks: a system call per id would cost as much as the rest of a small
// call.
void random_bytes(unsigned char* out, size_t count) {
  thread_local unsigned char block[256];
  thread_local size_t used = sizeof block;
  if (used + count > sizeof block) {
    if (getrandom(block, sizeof block, 0) != sizeof block)
      std::abort();  // cannot fail for 256 bytes
    used = 0;
  }
  std::memcpy(out, block + used, count);
  used += count;
}

}  // namespace

std::string new_id(std::string_view prefix, std::int64_t unix_ms) {
  constexpr size_t kTimeBytes = 6;
  unsigned char bytes[16];
  random_bytes(bytes + kTimeBytes, sizeof bytes - kTimeBytes);
  const auto now = static_cast<std::uint64_t>(unix_ms);
  for (size_t i = 0; i < kTimeBytes; ++i)
    bytes[i] = static_cast<unsigned char>(now >> (40 - 8 * i));
  bytes[6] = static_cast<unsigned char>(0x70 | (bytes[6] & 0x0F));
  bytes[8] = static_cast<unsigned char>(0x80 | (bytes[8] & 0x3F));
  static constexpr char kHex[] = "0123456789abcdef";
  char digits[36];
  char* at = digits;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
    *at++ = kHex[bytes[i] >> 4];
    *at++ = kHex[bytes[i] & 15];
  }
  std::string id;
  id.reserve(prefix.size() + sizeof digits);
  return id.append(prefix).append(digits, sizeof digits);
}

std::uint64_t random_number() {
  unsigned char bytes[sizeof(std::uint64_t)];
  random_bytes(bytes, sizeof bytes);
  std::uint64_t number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

}  // namespace helve::sys

// Scalars behind addresses: reads and writes the C++ integers and enumerations that a Type
// describes.
#pragma once

#include <cstdint>
#include <cstring>

#include "schema/type.h"

namespace helve::schema {

inline std::uint64_t load_bits(const Type& type, const void* value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, value, type.bytes);  // little-endian machines only, as is the rest of helve
  return bits;
}

inline std::int64_t load_signed(const Type& type, const void* value) {
  const int unused = 64 - 8 * type.bytes;
  return static_cast<std::int64_t>(load_bits(type, value) << unused) >> unused;
}

inline void store_bits(const Type& type, std::uint64_t bits, void* out) {
  std::memcpy(out, &bits, type.bytes);
}

}  // namespace helve::schema

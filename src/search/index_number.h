// Numbers of variable length: seven bits in each byte, the lowest first.
#pragma once

#include <cstdint>
#include <string>

namespace helve::search {

inline void append_number(std::string& out, std::uint32_t number) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

}  // namespace helve::search

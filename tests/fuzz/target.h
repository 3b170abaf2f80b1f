// What every fuzz target needs: the input as text, and a promise that ends the program when it is
// broken.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace helve::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts, which both libFuzzer and replay.cc report with the input.
inline void expect(bool kept, std::string_view promise, std::string_view seen = "") {
  if (kept) return;
  for (const std::string_view part :
       {std::string_view("broken promise: "), promise, std::string_view("\n"), seen}) {
    std::fwrite(part.data(), 1, part.size(), stderr);
  }
  std::abort();
}

}  // namespace helve::fuzz

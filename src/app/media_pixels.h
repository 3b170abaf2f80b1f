// Pixels of helve-media: images decoded, made smaller, and encoded again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::app {

struct Pixels {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 3;  // RGB, or with alpha
  std::vector<unsigned char> bytes;
};

Result<Pixels> decode_png(std::string_view file);
Result<Pixels> decode_jpeg(std::string_view file);
// By the mean of the pixels that fall together; as it is when no side is longer.
Pixels shrink(Pixels image, std::uint32_t side);
Result<std::string> encode_png(const Pixels& image);
Result<std::string> encode_jpeg(const Pixels& image);

}  // namespace helve::app

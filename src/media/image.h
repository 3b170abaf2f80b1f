// Images: format and size by their headers, and whether they are whole. A model's provider refuses
// a broken or oversized image with every later message of the session, so none is let through.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace helve::media {

enum class ImageFormat : unsigned char { png, jpeg, gif, webp };
std::string_view name_of(ImageFormat format);  // "PNG"
std::string_view mime_type_of(ImageFormat format);

struct ImageInfo {
  ImageFormat format = ImageFormat::png;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

constexpr std::uint64_t kMaxEncodedImage = 5u << 20;  // bytes of base64: what providers take
constexpr std::uint32_t kMaxImageSide = 8000;         // pixels: what providers take
constexpr std::uint32_t kGoodImageSide = 2000;        // of many images in one session

std::optional<ImageFormat> image_format(std::string_view start);
// Of a whole file. unsupported (damaged_image) when it is cut off, or its header makes no sense.
Result<ImageInfo> inspect_image(std::string_view bytes);

}  // namespace helve::media

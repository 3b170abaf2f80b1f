#include "media/image.h"

#include <fmt/format.h>

namespace helve::media {
namespace {

using namespace std::string_view_literals;

Error damaged(ImageFormat format, std::string_view why) {
  return {Code::unsupported, fmt::format("the {} image is damaged: {}", name_of(format), why),
          "make it again; as it is, no reader would take it", "damaged_image"};
}

// Reads numbers from bytes that may end at any place.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool has(size_t at, size_t count) const {
    return at <= bytes_.size() && bytes_.size() - at >= count;
  }
  std::uint32_t byte(size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
  std::uint32_t big(size_t at, size_t count) const {
    std::uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | byte(at + i);
    return value;
  }
  std::uint32_t little(size_t at, size_t count) const {
    std::uint32_t value = 0;
    for (size_t i = count; i > 0; --i) value = value << 8 | byte(at + i - 1);
    return value;
  }
  std::string_view part(size_t at, size_t count) const { return bytes_.substr(at, count); }
  size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

// From chunk to chunk, up to the one that says the end.
Result<ImageInfo> inspect_png(const Bytes& in) {
  constexpr size_t kFirst = 8, kOverhead = 12;
  const auto wrong = [](std::string_view why) { return damaged(ImageFormat::png, why); };
  if (!in.has(kFirst, 25) || in.part(kFirst + 4, 4) != "IHDR" || in.big(kFirst, 4) != 13)
    return wrong("it has no header");
  ImageInfo info{ImageFormat::png, in.big(16, 4), in.big(20, 4)};
  bool has_data = false;
  for (size_t at = kFirst;;) {
    if (!in.has(at, kOverhead)) return wrong("its end is missing");
    const std::uint64_t length = in.big(at, 4);
    const std::string_view name = in.part(at + 4, 4);
    if (!in.has(at, kOverhead + length)) return wrong("its end is missing");
    has_data = has_data || name == "IDAT";
    if (name == "IEND") break;
    at += kOverhead + length;
  }
  if (!has_data) return wrong("it has no picture");
  return info;
}

bool is_start_of_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// From segment to segment, up to the picture itself; that it is whole, its last two bytes tell.
Result<ImageInfo> inspect_jpeg(const Bytes& in) {
  const auto wrong = [](std::string_view why) { return damaged(ImageFormat::jpeg, why); };
  ImageInfo info{ImageFormat::jpeg};
  for (size_t at = 2;;) {
    while (in.has(at, 2) && in.byte(at) == 0xFF && in.byte(at + 1) == 0xFF) ++at;  // padding
    if (!in.has(at, 4) || in.byte(at) != 0xFF) return wrong("its header is cut off");
    const std::uint32_t marker = in.byte(at + 1), length = in.big(at + 2, 2);
    if (length < 2 || !in.has(at + 2, length)) return wrong("its header is cut off");
    if (is_start_of_frame(marker)) {
      if (length < 8) return wrong("its header is cut off");
      info.height = in.big(at + 5, 2), info.width = in.big(at + 7, 2);
    }
    if (marker == 0xDA) break;
    at += 2 + length;
  }
  // Cameras put things behind the end, so it is looked for, from the back.
  if (in.part(0, in.size()).rfind("\xFF\xD9"sv) == std::string_view::npos)
    return wrong("its end is missing");
  if (info.width == 0) return wrong("it does not say its size");
  return info;
}

Result<ImageInfo> inspect_gif(const Bytes& in) {
  const auto wrong = [](std::string_view why) { return damaged(ImageFormat::gif, why); };
  if (!in.has(0, 14)) return wrong("its header is cut off");
  const std::string_view all = in.part(0, in.size());
  const size_t last = all.find_last_not_of('\0');
  if (last == all.npos || all[last] != ';') return wrong("its end is missing");
  return ImageInfo{ImageFormat::gif, in.little(6, 2), in.little(8, 2)};
}

Result<ImageInfo> inspect_webp(const Bytes& in) {
  const auto wrong = [](std::string_view why) { return damaged(ImageFormat::webp, why); };
  if (!in.has(0, 30)) return wrong("its header is cut off");
  if (!in.has(8, in.little(4, 4))) return wrong("its end is missing");
  const std::string_view kind = in.part(12, 4);
  ImageInfo info{ImageFormat::webp};
  if (kind == "VP8X") {
    info.width = in.little(24, 3) + 1, info.height = in.little(27, 3) + 1;
  } else if (kind == "VP8L" && in.byte(20) == 0x2F) {
    const std::uint32_t bits = in.little(21, 4);
    info.width = (bits & 0x3FFF) + 1, info.height = (bits >> 14 & 0x3FFF) + 1;
  } else if (kind == "VP8 " && in.part(23, 3) == "\x9D\x01\x2A"sv) {
    info.width = in.little(26, 2) & 0x3FFF, info.height = in.little(28, 2) & 0x3FFF;
  } else {
    return wrong("it has no picture");
  }
  return info;
}

}  // namespace

std::string_view name_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::png:
      return "PNG";
    case ImageFormat::jpeg:
      return "JPEG";
    case ImageFormat::gif:
      return "GIF";
    case ImageFormat::webp:
      return "WebP";
  }
  return "";
}

std::string_view mime_type_of(ImageFormat format) {
  switch (format) {
    case ImageFormat::png:
      return "image/png";
    case ImageFormat::jpeg:
      return "image/jpeg";
    case ImageFormat::gif:
      return "image/gif";
    case ImageFormat::webp:
      return "image/webp";
  }
  return "";
}

std::optional<ImageFormat> image_format(std::string_view start) {
  if (start.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::png;
  if (start.starts_with("\xFF\xD8\xFF")) return ImageFormat::jpeg;
  if (start.starts_with("GIF87a") || start.starts_with("GIF89a")) return ImageFormat::gif;
  if (start.starts_with("RIFF") && start.size() >= 12 && start.substr(8, 4) == "WEBP")
    return ImageFormat::webp;
  return {};
}

Result<ImageInfo> inspect_image(std::string_view bytes) {
  const auto format = image_format(bytes);
  if (!format) {
    return Error{Code::unsupported, "this is no PNG, JPEG, GIF or WebP image",
                 "convert it to PNG first", "no_image"};
  }
  const Bytes in(bytes);
  const auto inspect = [&] {
    switch (*format) {
      case ImageFormat::png:
        return inspect_png(in);
      case ImageFormat::jpeg:
        return inspect_jpeg(in);
      case ImageFormat::gif:
        return inspect_gif(in);
      case ImageFormat::webp:
        break;
    }
    return inspect_webp(in);
  };
  const ImageInfo info = TRY(inspect());
  if (info.width == 0 || info.height == 0) return damaged(*format, "it has no pixels");
  return info;
}

}  // namespace helve::media

#include "app/media_pixels.h"

#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include "media/helper.h"

namespace helve::app {
namespace {

constexpr int kJpegQuality = 85;

Error damaged(std::string_view why) {
  return {Code::unsupported, "the image is damaged: " + std::string(why), "", "damaged_image"};
}

Result<void> check_size(std::uint64_t width, std::uint64_t height) {
  if (width * height <= media::kMaxScaledPixels && width * height > 0) return {};
  return Error{Code::too_large,
               "the image has " + std::to_string(width) + "×" + std::to_string(height) +
                   " pixels, too many to be scaled down",
               "", "image_too_large"};
}

// libjpeg reports a failure by not returning.
struct JpegFailure {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX] = "";

  JpegFailure() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr info) {
      auto* self = reinterpret_cast<JpegFailure*>(info->err);
      info->err->format_message(info, self->message);
      std::longjmp(self->back, 1);
    };
    manager.output_message = [](j_common_ptr) {};
  }
};

}  // namespace

Result<Pixels> decode_png(std::string_view file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, file.data(), file.size()))
    return damaged(image.message);
  if (auto fits = check_size(image.width, image.height); !fits) {
    png_image_free(&image);
    return std::move(fits).error();
  }
  const bool alpha = image.format & PNG_FORMAT_FLAG_ALPHA;
  image.format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  Pixels out{image.width, image.height, alpha ? 4u : 3u, {}};
  out.bytes.resize(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, out.bytes.data(), 0, nullptr))
    return damaged(image.message);
  return out;
}

Result<Pixels> decode_jpeg(std::string_view file) {
  JpegFailure failure;
  jpeg_decompress_struct info{};
  Pixels out;
  info.err = &failure.manager;
  if (setjmp(failure.back)) {
    jpeg_destroy_decompress(&info);
    return damaged(failure.message);
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  if (auto fits = check_size(info.image_width, info.image_height); !fits) {
    jpeg_destroy_decompress(&info);
    return std::move(fits).error();
  }
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  out = {info.output_width, info.output_height, 3, {}};
  out.bytes.resize(size_t{out.width} * out.height * 3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = out.bytes.data() + size_t{info.output_scanline} * out.width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return out;
}

Pixels shrink(Pixels image, std::uint32_t side) {
  const std::uint32_t longest = std::max(image.width, image.height);
  if (longest <= side) return image;
  const auto scaled = [&](std::uint32_t length) {
    return std::max<std::uint32_t>(
        1, static_cast<std::uint32_t>(std::uint64_t{length} * side / longest));
  };
  Pixels out{scaled(image.width), scaled(image.height), image.channels, {}};
  out.bytes.reserve(size_t{out.width} * out.height * out.channels);
  const auto edge = [](std::uint64_t i, std::uint64_t from, std::uint64_t to) {
    return static_cast<std::uint32_t>(i * from / to);
  };
  for (std::uint32_t y = 0; y < out.height; ++y) {
    const std::uint32_t top = edge(y, image.height, out.height);
    const std::uint32_t bottom = std::max(top + 1, edge(y + 1, image.height, out.height));
    for (std::uint32_t x = 0; x < out.width; ++x) {
      const std::uint32_t left = edge(x, image.width, out.width);
      const std::uint32_t right = std::max(left + 1, edge(x + 1, image.width, out.width));
      for (std::uint32_t channel = 0; channel < out.channels; ++channel) {
        std::uint64_t sum = 0;
        for (std::uint32_t v = top; v < bottom; ++v) {
          const size_t row = size_t{v} * image.width;
          for (std::uint32_t u = left; u < right; ++u)
            sum += image.bytes[(row + u) * image.channels + channel];
        }
        out.bytes.push_back(
            static_cast<unsigned char>(sum / (std::uint64_t{bottom - top} * (right - left))));
      }
    }
  }
  return out;
}

Result<std::string> encode_png(const Pixels& image) {
  png_image out{};
  out.version = PNG_IMAGE_VERSION;
  out.width = image.width, out.height = image.height;
  out.format = image.channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(out);
  std::string file(size, '\0');
  if (!png_image_write_to_memory(&out, file.data(), &size, 0, image.bytes.data(), 0, nullptr))
    return damaged(out.message);
  file.resize(size);
  return file;
}

Result<std::string> encode_jpeg(const Pixels& image) {
  JpegFailure failure;
  jpeg_compress_struct info{};
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  info.err = &failure.manager;
  if (setjmp(failure.back)) {
    jpeg_destroy_compress(&info);
    return damaged(failure.message);
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = image.width, info.image_height = image.height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kJpegQuality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row =
        const_cast<JSAMPROW>(image.bytes.data() + size_t{info.next_scanline} * image.width * 3);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<char*>(buffer), size);
  std::free(buffer);
  return file;
}

}  // namespace helve::app

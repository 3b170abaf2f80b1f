// The helper: a program of its own (helve-media) that opens what strangers made and whose parsers
// are large: PDFs, and images that must be scaled. It gets the file as its standard input, never a
// path, and limits itself before it looks at it. Whatever happens to it is an error of one call.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/image.h"
#include "sys/file_descriptor.h"

namespace helve::media {

constexpr std::uint64_t kMaxPdf = 256u << 20;            // bytes of the file
constexpr std::uint64_t kMaxScaledPixels = 120'000'000;  // of the image that is scaled down
constexpr std::uint32_t kPageSide = 1568;                // pixels of a page's picture

struct HelperOptions {
  std::string program;  // empty: helve-media beside the running program
  std::chrono::milliseconds timeout{30'000};
  std::stop_token stop = {};
};

std::string helper_program();

struct Picture {
  std::string data;  // base64
  std::string mime_type;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

struct Pdf {
  std::int64_t total_pages = 0;
  std::string title;              // as its author wrote it, or nothing
  std::vector<std::string> text;  // of each page that was asked for and exists
  std::vector<Picture> pictures;  // or these
};

enum class PageForm : unsigned char { text, pictures };

// Pages count from 1; those behind the end are left out. Errors: unsupported (encrypted_pdf,
// damaged_pdf, no_media_helper, media_failed), timeout.
Result<Pdf> read_pdf(const sys::Fd& file, std::span<const std::int64_t> pages, PageForm form,
                     const HelperOptions& options);

// A PNG or JPEG image with no side over `side` and no more than kMaxEncodedImage of base64.
Result<Picture> scale_image(const sys::Fd& file, std::uint32_t side, const HelperOptions& options);

}  // namespace helve::media

// Page: some lines of a text file, found without holding more of the file in memory than the page
// itself.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "workspace/workspace.h"

namespace helve::workspace {

constexpr std::uint64_t kMaxCountedFile =
    64u << 20;                              // bytes; the lines of larger files are not counted
constexpr size_t kSniffedBytes = 8 * 1024;  // a NUL in these makes a file binary

struct PageRequest {
  std::uint64_t skip = 0;    // lines
  std::uint64_t column = 0;  // characters of the first line to skip
  std::uint64_t lines = std::numeric_limits<std::uint64_t>::max();
  size_t bytes = 50 * 1024;               // at least 4, so that the longest character fits
  std::optional<Encoding> encoding = {};  // when the file's is known; else it is recognised
};

struct Page {
  // Whole lines, but for both columns; byte for byte when the file is UTF-8 or could not be
  // recognised, and decoded without its mark when it has another encoding.
  std::string content;
  Detected text = {};            // how the content was read
  bool valid = true;             // UTF-8 without NUL, fit to be shown as it is
  std::uint64_t first_line = 0;  // from 1; both are 0 when the file is empty
  std::uint64_t last_line = 0;
  std::optional<std::uint64_t> total_lines;
  bool more = false;  // lines follow
  // The one line is longer than the page, which ends between two characters. This is the column
  // that goes on; 0 when nothing is cut.
  std::uint64_t next_column = 0;
};

// `shown` names the file in errors: binary_file for what is no text, past_end when there are no
// lines after those to skip, past_column when the first one is no longer than that. `checkpoint` is
// asked now and then, with the bytes of the file that were looked at so far; its error ends the
// reading.
Result<Page> read_page(const OpenFile& file, const PageRequest& request, std::string_view shown,
                       const std::function<Result<void>(std::uint64_t)>& checkpoint);

}  // namespace helve::workspace

// Page: some lines of a text file, found without holding more of the file in memory than the page
// itself.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "workspace/workspace.h"

namespace helve::workspace {

constexpr std::uint64_t kMaxCountedFile =
    64u << 20;                              // bytes; the lines of larger files are not counted
constexpr size_t kSniffedBytes = 8 * 1024;  // a NUL in these makes a file binary

struct PageRequest {
  std::uint64_t skip = 0;    // lines
  std::uint64_t column = 0;  // characters of the first line to skip
  std::uint64_t lines = std::numeric_limits<std::uint64_t>::max();
  size_t bytes = 50 * 1024;  // at least 4, so that the longest character fits
};

struct Page {
  std::string content;           // byte for byte; whole lines, but for both columns
  std::uint64_t first_line = 0;  // from 1; both are 0 when the file is empty
  std::uint64_t last_line = 0;
  std::optional<std::uint64_t> total_lines;
  bool more = false;  // lines follow
  // The one line is longer than the page, which ends between two characters. This is the column
  // that goes on; 0 when nothing is cut.
  std::uint64_t next_column = 0;
};

// `shown` names the file in errors: binary_file for what is not text in a single-byte-compatible
// encoding, past_end when there are no lines after those to skip, past_column when the first one is
// no longer than that. `checkpoint` is asked now and then, with the bytes of the file that were
// looked at so far; its error ends the reading.
Result<Page> read_page(const OpenFile& file, const PageRequest& request, std::string_view shown,
                       const std::function<Result<void>(std::uint64_t)>& checkpoint);

}  // namespace helve::workspace

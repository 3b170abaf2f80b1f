// LineReader: the lines of a stream, one message each. A line is given as it lies in the buffer,
// without a copy. Thread rule: used by one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "sys/stream.h"

namespace helve::mcp {

constexpr size_t kMaxLineBytes = 64u << 20;

class LineReader {
 public:
  explicit LineReader(int descriptor, size_t max_line = kMaxLineBytes);

  enum class Got : unsigned char { line, nothing, too_long, no_memory };
  // The next line of what was read already, without its end (LF or CRLF); blank lines are skipped.
  // The text is valid until the next call of any function here. A line that is too long, or
  // for which there is no memory, is reported once and skipped to its end.
  Got next(std::string_view& line);
  // Waits for more. False: there is no more. Before that, text without a newline counts as a last
  // line.
  bool fill();

 private:
  bool make_room();

  const int descriptor_;
  const size_t max_line_;
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0, end_ = 0;  // what was read and not yet given out
  size_t scanned_ = 0;          // no newline before here
  bool skipping_ = false;       // inside a line that is too long
  bool no_memory_ = false;      // for the line that is skipped; not yet reported
  bool ended_ = false;
};

}  // namespace helve::mcp

#include "mcp/line_reader.h"

#include <cstring>
#include <new>

#include "base/text.h"

namespace helve::mcp {
namespace {

constexpr size_t kBufferBytes = 64u << 10;
constexpr size_t kKeptBytes = 1u << 20;  // a buffer that grew beyond this is given back

}  // namespace

LineReader::LineReader(int descriptor, size_t max_line)
    : descriptor_(descriptor),
      max_line_(max_line),
      capacity_(kBufferBytes),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

LineReader::Got LineReader::next(std::string_view& line) {
  while (const void* found = std::memchr(buffer_.get() + scanned_, '\n', end_ - scanned_)) {
    const size_t newline = static_cast<size_t>(static_cast<const char*>(found) - buffer_.get());
    std::string_view text(buffer_.get() + begin_, newline - begin_);
    begin_ = scanned_ = newline + 1;
    if (skipping_) {
      skipping_ = false;
      continue;
    }
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.size() > max_line_) return Got::too_long;
    if (trim(text).empty()) continue;
    line = text;
    return Got::line;
  }
  scanned_ = end_;
  if (no_memory_) {
    no_memory_ = false;
    return Got::no_memory;
  }
  if (skipping_ ||
      end_ - begin_ > max_line_ + 1) {  // one more for the CR of an end that is still to come
    begin_ = end_;
    if (!skipping_) {
      skipping_ = true;
      return Got::too_long;
    }
  }
  return Got::nothing;
}

// False: there is no memory for more.
bool LineReader::make_room() {
  const size_t held = end_ - begin_;
  const bool shrink = capacity_ > kKeptBytes && held < kBufferBytes;
  if (!shrink && held > 0 && end_ < capacity_) return true;
  size_t wanted = capacity_;
  if (shrink)
    wanted = kBufferBytes;
  else if (held == capacity_)
    wanted = std::min(2 * capacity_, max_line_ + kBufferBytes);
  std::unique_ptr<char[]> moved;
  if (wanted != capacity_) moved.reset(new (std::nothrow) char[wanted]);
  if (moved) {
    std::memcpy(moved.get(), buffer_.get() + begin_, held);
    buffer_ = std::move(moved);
    capacity_ = wanted;
  } else if (wanted > capacity_) {
    return false;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, held);
  }
  scanned_ -= begin_;
  begin_ = 0;
  end_ = held;
  return true;
}

bool LineReader::fill() {
  if (ended_) return false;
  if (!make_room()) {
    begin_ = end_ = scanned_ = 0;
    skipping_ = no_memory_ = true;
    return true;
  }
  const sys::ReadOutcome got = sys::read_some(descriptor_, buffer_.get() + end_, capacity_ - end_);
  end_ += got.bytes;
  ended_ = got.end != sys::ReadEnd::none;
  if (!ended_) return true;
  if (begin_ == end_ || skipping_) return false;
  buffer_[end_++] = '\n';
  return true;
}

}  // namespace helve::mcp

// Output: what a command wrote, however much it is. The beginning and the end stay in memory, what
// lies between goes to a file without a name, up to a limit; the size is always true.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"
#include "sys/memory.h"

namespace helve::process {

struct OutputLimits {
  std::uint64_t capture_bytes = 16u << 20;  // what can be read again later
  std::string directory;                    // where the file goes; empty: the beginning and the end
                                            // are all that is kept
};

// For one thread at a time.
class Output {
 public:
  explicit Output(OutputLimits limits) : limits_(std::move(limits)) {}

  enum class Read : unsigned char { some, nothing, end };
  // Takes what a descriptor that does not block has at the moment, or a part of it.
  Read read_from(int descriptor);
  void append(std::string_view bytes);

  std::uint64_t size() const { return size_; }
  // Bytes that are kept nowhere.
  std::uint64_t lost() const;

  // All of it, or `chars` characters of its beginning and its end with a line between them that
  // says what is left out.
  struct Shown {
    std::string text;
    bool is_cut = false;
  };
  Shown shown(size_t chars) const;
  // The last `chars` characters.
  std::string end(size_t chars) const;
  // Raw bytes that can still be had, from `offset` on, at most `most`. Where some are lost, what
  // follows them comes next.
  struct Part {
    std::string bytes;
    std::uint64_t offset = 0;  // of the first of them
  };
  Part part(std::uint64_t offset, size_t most) const;
  // All that is kept, piece by piece until one is not taken; a gap is marked by a line. False: one
  // was not.
  bool each_piece(const std::function<bool(std::string_view)>& take) const;
  std::string whole() const;  // the same at once

 private:
  static constexpr size_t kHead = 256u << 10;
  static constexpr size_t kTail = 512u << 10;  // also the most that is read at once

  std::string_view head() const { return {head_.get(), head_bytes_}; }
  std::string tail(size_t most) const;
  std::uint64_t tail_start() const {
    return size_ - std::min<std::uint64_t>(size_ - head_bytes_, kTail);
  }
  // Where the next bytes go, and how many have room there.
  std::span<char> room();
  void took(size_t bytes);
  void put_aside(std::string_view bytes);

  OutputLimits limits_;
  std::uint64_t size_ = 0;
  sys::Pages head_;
  size_t head_bytes_ = 0;
  sys::Pages ring_;          // the last kTail bytes after the head, once there are any
  size_t ring_at_ = 0;       // where the next byte goes
  sys::Fd file_;             // everything after the head, up to the limit
  std::uint64_t aside_ = 0;  // bytes in the file
  bool no_file_ = false;
};

}  // namespace helve::process

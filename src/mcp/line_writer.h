// LineWriter: sends whole lines, one sender at a time. Answers to a burst of requests are gathered
// and leave in one write. Thread-safe.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace helve::mcp {

class LineWriter {
 public:
  // `on_broken` is called once, by a sender, when the other side is gone; nothing is written from
  // then on.
  LineWriter(int descriptor, std::function<void()> on_broken)
      : descriptor_(descriptor), on_broken_(std::move(on_broken)) {}

  // `later`: more is coming at once, or flush() is.
  enum class When : unsigned char { now, later };
  void put(std::string_view lines, When when);
  void flush();
  // As flush(), but not when another thread is in the middle of a write, which may never end.
  void flush_if_free();

 private:
  void write_pending();
  void write(std::string_view bytes);

  const int descriptor_;
  const std::function<void()> on_broken_;
  std::mutex mutex_;  // guards what follows, and the order of writes
  std::string pending_;
  bool broken_ = false;
};

}  // namespace helve::mcp

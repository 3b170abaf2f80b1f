// LineWriter: sends whole lines, one sender at a time. Answers to a burst of requests are gathered
// and leave in one write. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
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
  // False: the other side is known to be gone.
  bool put(std::string_view lines, When when);
  // What may be left out when nobody reads at the moment. False: it was.
  bool put_if_free(std::string_view line);
  void flush();
  // As flush(), but not when another thread is in the middle of a write, which may never end.
  void flush_if_free();

  // Writes that begin from now on give up at `end`, and the other side then counts as gone. One
  // that is under way is not reached: who must not wait for it looks at steps(). To be called once.
  void limit(std::chrono::steady_clock::time_point end);
  // Odd while a write is under way. It grows with every piece, so that it stands still only when
  // nothing is written or nobody reads.
  size_t steps() const { return steps_.load(std::memory_order_relaxed); }
  // Something was not written because the time was over, not because the other side had gone.
  bool gave_up() const { return gave_up_.load(); }

 private:
  void write_pending();
  void write(std::string_view bytes);
  bool write_piece(std::string_view bytes);

  const int descriptor_;
  const std::function<void()> on_broken_;
  std::chrono::steady_clock::time_point end_;  // valid once limited_
  std::atomic<bool> limited_ = false;
  std::atomic<bool> gave_up_ = false;
  std::atomic<size_t> steps_ = 0;  // changed under mutex_
  std::mutex mutex_;               // guards what follows, and the order of writes
  std::string pending_;
  bool broken_ = false;
};

}  // namespace helve::mcp

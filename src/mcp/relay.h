// Relay: hands the right to read from one thread to another. The reader does small work itself;
// when a piece of it takes longer than about a millisecond, a thread that stands by takes the right
// over.
//
// While there is work, the thread that stands by looks at a counter every millisecond, so small
// work costs no system call for this; when there was none for a while it sleeps until the next
// offer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace helve::mcp {

class Relay {
 public:
  // For the reader, around work that may take long. In between another thread may become the
  // reader.
  using Turn = std::uint64_t;
  [[nodiscard]] Turn offer();
  // False: another thread is the reader now.
  [[nodiscard]] bool reclaim(Turn turn) { return turn_.compare_exchange_strong(turn, turn + 1); }

  // Reserves the place of the one thread that stands by. False: it is taken.
  [[nodiscard]] bool reserve();
  void give_back() { reserved_ = false; }
  // For the thread with the reserved place, which is free again afterwards: waits until it is the
  // reader. False: not needed any more.
  [[nodiscard]] bool stand_by();
  // Nobody needs to stand by any more.
  void end();

 private:
  void sleep(std::unique_lock<std::mutex>& lock, Turn seen);

  // Odd while the reader is at work and may be replaced. It only grows: by the reader when work
  // begins and ends, by the thread that takes over instead of the end.
  std::atomic<Turn> turn_ = 0;
  std::atomic<bool> asleep_ = false;
  std::atomic<bool> reserved_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;  // guarded by mutex_
};

}  // namespace helve::mcp

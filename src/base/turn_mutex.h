// TurnMutex: a mutex that can be waited for until a deadline. std::timed_mutex is one too, but the
// thread sanitizer does not see it being locked.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace helve {

class TurnMutex {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [this] { return !taken_; });
    taken_ = true;
  }
  bool try_lock() {
    std::lock_guard lock(mutex_);
    return !std::exchange(taken_, true);
  }
  bool try_lock_until(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    if (!free_.wait_until(lock, deadline, [this] { return !taken_; })) return false;
    return taken_ = true;
  }
  void unlock() {
    {
      std::lock_guard lock(mutex_);
      taken_ = false;
    }
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;  // guarded by mutex_
};

}  // namespace helve

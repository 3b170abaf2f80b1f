// Deadlines: requests a stop when a call's time is up. One thread for all calls, started by the
// first that has a limit.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/result.h"

namespace helve::dispatch {

// Thread-safe.
class Deadlines {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // To be called before a guard is made; after the first time it costs nothing.
  Result<void> start();

  // While it lives, its token is stopped at the deadline or when the caller's token is.
  class Guard {
   public:
    Guard(Deadlines& owner, Time deadline, std::stop_token outer);
    ~Guard();
    Guard(const Guard&) = delete;
    std::stop_token token() const { return source_.get_token(); }

   private:
    friend Deadlines;
    struct Forward {
      std::stop_source source;
      void operator()() { source.request_stop(); }
    };
    Deadlines& owner_;
    std::stop_source source_;
    std::stop_callback<Forward> forward_;
    bool waits_ = true;  // guarded by the owner's mutex: `place_` is still in the list
    std::multimap<Time, Guard*>::iterator place_;
  };

 private:
  void watch(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::multimap<Time, Guard*> waiting_;  // guarded by mutex_; those that are still to be stopped
  std::jthread watcher_;                 // guarded by mutex_ until started
};

}  // namespace helve::dispatch

#include "dispatch/deadlines.h"

#include <system_error>
#include <vector>

namespace helve::dispatch {

Deadlines::Guard::Guard(Deadlines& owner, Time deadline, std::stop_token outer)
    : owner_(owner), forward_(std::move(outer), Forward{source_}) {
  std::lock_guard lock(owner_.mutex_);
  place_ = owner_.waiting_.emplace(deadline, this);
  if (place_ == owner_.waiting_.begin()) owner_.changed_.notify_one();
}

Deadlines::Guard::~Guard() {
  std::lock_guard lock(owner_.mutex_);
  if (waits_) owner_.waiting_.erase(place_);
}

Result<void> Deadlines::start() {
  std::lock_guard lock(mutex_);
  if (watcher_.joinable()) return {};
  try {
    watcher_ = std::jthread([this](std::stop_token stop) { watch(stop); });
  } catch (const std::system_error&) {
    return Error{Code::unavailable, "cannot start the thread that watches the time limit",
                 "allow more processes (ulimit -u), or set no limit"};
  }
  return {};
}

void Deadlines::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    std::vector<std::stop_source> due;
    const Time now = std::chrono::steady_clock::now();
    while (!waiting_.empty() && waiting_.begin()->first <= now) {
      Guard& guard = *waiting_.begin()->second;
      due.push_back(guard.source_);
      guard.waits_ = false;
      waiting_.erase(waiting_.begin());
    }
    if (!due.empty()) {
      lock.unlock();  // a stop runs the tool's own callbacks
      for (std::stop_source& source : due) source.request_stop();
      lock.lock();
    } else if (waiting_.empty()) {
      changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
    } else {
      const Time until = waiting_.begin()->first;
      changed_.wait_until(lock, stop, until,
                          [&] { return waiting_.empty() || waiting_.begin()->first < until; });
    }
  }
}

}  // namespace helve::dispatch

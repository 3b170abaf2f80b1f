#include "dispatch/deadlines.h"

namespace helve::dispatch {

Deadlines::Guard::Guard(Deadlines& owner, Time deadline, std::stop_token outer)
    : owner_(owner), forward_(std::move(outer), Forward{source_}) {
  std::lock_guard lock(owner_.mutex_);
  place_ = owner_.waiting_.emplace(deadline, source_);
  if (!owner_.watcher_.joinable()) owner_.watcher_ = std::jthread([&owner = owner_](std::stop_token stop) { owner.watch(stop); });
  owner_.changed_.notify_one();
}

Deadlines::Guard::~Guard() {
  std::lock_guard lock(owner_.mutex_);
  owner_.waiting_.erase(place_);
}

void Deadlines::watch(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (waiting_.empty()) {
      changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
      continue;
    }
    // Past deadlines stay listed until their guard goes; the next one to wait for is the first still running.
    const Time now = std::chrono::steady_clock::now();
    auto next = waiting_.begin();
    std::vector<std::stop_source> due;
    for (; next != waiting_.end() && next->first <= now; ++next) {
      if (!next->second.stop_requested()) due.push_back(next->second);
    }
    if (!due.empty()) {
      lock.unlock();  // a stop runs the tool's own callbacks
      for (std::stop_source& source : due) source.request_stop();
      lock.lock();
      continue;
    }
    if (next == waiting_.end()) {
      const size_t known = waiting_.size();
      changed_.wait(lock, stop, [&] { return waiting_.size() != known; });
    } else {
      const Time until = next->first;
      changed_.wait_until(lock, stop, until, [&] { return waiting_.empty() || waiting_.begin()->first < until; });
    }
  }
}

}  // namespace helve::dispatch

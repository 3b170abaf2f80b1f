#include "mcp/turns.h"

#include <algorithm>
#include <utility>

namespace helve::mcp {

struct Turns::Queue {
  std::mutex mutex;
  std::condition_variable_any change;
  std::deque<std::uint64_t> numbers;  // in order; guarded by mutex, as is what follows
  std::uint64_t last = 0;
};

Turns::Turns() : queue_(std::make_shared<Queue>()) {}

Turns::Turn Turns::take() {
  const std::lock_guard lock(queue_->mutex);
  queue_->numbers.push_back(++queue_->last);
  return {queue_, queue_->last};
}

void Turns::Turn::wait(const std::stop_token& stop) const {
  std::unique_lock lock(queue_->mutex);
  queue_->change.wait(lock, stop, [this] { return queue_->numbers.front() == number_; });
}

Turns::Turn& Turns::Turn::operator=(Turn&& other) noexcept {
  leave();
  queue_ = std::move(other.queue_);
  number_ = other.number_;
  return *this;
}

void Turns::Turn::leave() {
  const std::shared_ptr<Queue> queue = std::exchange(queue_, nullptr);
  if (!queue) return;
  {
    const std::lock_guard lock(queue->mutex);
    queue->numbers.erase(std::ranges::lower_bound(queue->numbers, number_));
  }
  queue->change.notify_all();
}

}  // namespace helve::mcp

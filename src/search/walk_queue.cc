#include "search/walk_queue.h"

namespace helve::search {

void WalkQueue::give(Tasks& tasks) {
  {
    const std::lock_guard lock(mutex_);
    for (size_t half = tasks.size() / 2; half > 0; --half) {
      tasks_.push_back(std::move(tasks.front()));
      tasks.pop_front();
    }
  }
  changed_.notify_all();
}

std::optional<WalkTask> WalkQueue::take() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  if (is_over()) changed_.notify_all();
  changed_.wait(lock, [&] { return !tasks_.empty() || is_over(); });
  if (tasks_.empty()) return {};  // still counted as waiting: the others see that it is over
  --waiting_;
  WalkTask task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void WalkQueue::join() {
  const std::lock_guard lock(mutex_);
  ++threads_;
}

void WalkQueue::leave() {
  {
    const std::lock_guard lock(mutex_);
    --threads_;
  }
  changed_.notify_all();
}

}  // namespace helve::search

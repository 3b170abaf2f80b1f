#include "workspace/locks.h"

namespace helve::workspace {

Locks::Held Locks::acquire(std::string name) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return !held_.contains(name); });
  held_.insert(name);
  return Held(*this, std::move(name));
}

void Locks::release(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    held_.erase(name);
  }
  released_.notify_all();
}

}  // namespace helve::workspace

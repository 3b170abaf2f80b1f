#include "workspace/locks.h"

#include <algorithm>

namespace helve::workspace {

Locks::Held Locks::acquire(std::vector<std::string> names) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] {
    return std::ranges::none_of(names, [&](const auto& name) { return held_.contains(name); });
  });
  held_.insert(names.begin(), names.end());
  return Held(*this, std::move(names));
}

void Locks::release(const std::vector<std::string>& names) {
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : names) held_.erase(name);
  }
  released_.notify_all();
}

}  // namespace helve::workspace

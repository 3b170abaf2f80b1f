#include "store/shared_store.h"

#include <fmt/core.h>

#include "base/text.h"

namespace helve::store {

void Siblings::join(SharedStore& store) {
  std::lock_guard lock(mutex_);
  stores_.push_back(&store);
}

void Siblings::leave(SharedStore& store) {
  std::lock_guard lock(mutex_);
  std::erase(stores_, &store);
}

void Siblings::close_all(std::chrono::steady_clock::time_point deadline) {
  std::lock_guard lock(mutex_);
  for (SharedStore* store : stores_) store->close(deadline);
}

Error SharedStore::no_turn() const {
  const auto timeout = opener_.options().busy_timeout;
  return {.code = Code::unavailable,
          .message = fmt::format(
              "cannot use '{}': other calls that wait for it were not done within {} ms",
              escape_for_display(opener_.path()), timeout.count()),
          .hint = "try again, or end the process that holds its lock (fuser names it)",
          .type = std::string(kBusy)};
}

Result<void> SharedStore::ensure_open(TimePoint deadline) {
  if (!store_) store_ = TRY(opener_.open(deadline));
  return {};
}

void SharedStore::let_go(const Error& error) {
  if (error.type == kMoved || error.type == kBroken) store_.reset();
}

void SharedStore::close(TimePoint deadline) {
  std::unique_lock lock(mutex_, deadline);
  if (lock) store_.reset();
}

}  // namespace helve::store

// SharedStore: one connection for several threads, opened when first used and opened anew when it
// broke.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/turn_mutex.h"
#include "store/opener.h"

namespace helve::store {

class SharedStore;

// The shared connections of this process to one database. SQLite shares the log's index among
// them, so that a log that was deleted is only left behind when all of them leave it. Thread-safe.
class Siblings {
 public:
  void join(SharedStore& store);
  void leave(SharedStore& store);
  // Those that are in use at the deadline stay open.
  void close_all(std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;  // taken before the mutex of a store
  std::vector<SharedStore*> stores_;
};

// Thread-safe: one use at a time. Waiting for a turn, opening and waiting for other processes take
// the busy timeout at most, all together.
class SharedStore {
 public:
  explicit SharedStore(Opener opener) : opener_(std::move(opener)) {
    opener_.siblings().join(*this);
  }
  ~SharedStore() { opener_.siblings().leave(*this); }
  SharedStore(const SharedStore&) = delete;

  // What `work(Store&)` returns, a Result; or why the store cannot be opened.
  template <class Work>
  std::invoke_result_t<Work&, Store&> use(Work work) {
    return use_within(opener_.options().busy_timeout, std::move(work));
  }
  // The same for who cannot wait as long.
  template <class Work>
  std::invoke_result_t<Work&, Store&> use_within(std::chrono::milliseconds longest, Work work) {
    const auto deadline =
        std::chrono::steady_clock::now() + std::min(longest, opener_.options().busy_timeout);
    auto result = use_once(work, deadline);
    if (result || result.error().type != kMoved) return result;
    // The files were replaced under a connection of long standing: what is there now deserves one
    // try.
    opener_.siblings().close_all(deadline);
    return use_once(work, deadline);
  }

  bool is_open() {
    std::lock_guard lock(mutex_);
    return store_ != nullptr;
  }

 private:
  friend class Siblings;
  using TimePoint = std::chrono::steady_clock::time_point;

  template <class Work>
  std::invoke_result_t<Work&, Store&> use_once(Work& work, TimePoint deadline) {
    std::unique_lock lock(mutex_, deadline);
    if (!lock) return no_turn();
    TRY(ensure_open(deadline));
    store_->set_deadline(deadline);
    auto result = work(*store_);
    if (!result) let_go(result.error());
    return result;
  }

  Error no_turn() const;
  Result<void> ensure_open(TimePoint deadline);
  // Gives the connection up after a failure that a new one may not have.
  void let_go(const Error& error);
  void close(TimePoint deadline);

  const Opener opener_;
  TurnMutex mutex_;
  std::unique_ptr<Store> store_;  // guarded by mutex_
};

}  // namespace helve::store

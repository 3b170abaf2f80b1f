// SharedStore: one connection for several threads, opened when first used and opened anew when it
// broke.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "store/opener.h"

namespace helve::store {

// Thread-safe: one use at a time.
class SharedStore {
 public:
  explicit SharedStore(Opener opener) : opener_(std::move(opener)) {}

  // What `work(Store&)` returns, a Result; or why the store cannot be opened.
  template <class Work>
  std::invoke_result_t<Work&, Store&> use(Work work) {
    std::lock_guard lock(mutex_);
    const bool was_open = store_ != nullptr;
    TRY(ensure_open());
    auto result = work(*store_);
    if (result || !let_go(result.error())) return result;
    // The file was replaced under a connection of long standing: what is there now deserves one
    // try.
    if (!was_open || result.error().type != kMoved) return result;
    TRY(ensure_open());
    return work(*store_);
  }

  bool is_open() {
    std::lock_guard lock(mutex_);
    return store_ != nullptr;
  }

 private:
  Result<void> ensure_open();
  // Gives the connection up after a failure that a new one may not have; says whether it did.
  bool let_go(const Error& error);

  const Opener opener_;
  std::mutex mutex_;
  std::unique_ptr<Store> store_;  // guarded by mutex_
};

}  // namespace helve::store

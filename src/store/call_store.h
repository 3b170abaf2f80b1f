// CallStore: the store as one tool call sees it. The connection opens on first use and goes when
// the call ends.
#pragma once

#include <memory>

#include "store/opener.h"

namespace helve::store {

// For one thread at a time.
class CallStore {
 public:
  // `opener` must outlive this.
  explicit CallStore(const Opener& opener) : opener_(opener) {}

  // Borrowed: valid until the call ends. After a failure the next use tries again.
  Result<Store*> get();

  // For long work: a connection per step, so that nothing is held between the steps.
  const Opener& opener() const { return opener_; }

 private:
  const Opener& opener_;
  std::unique_ptr<Store> store_;
};

}  // namespace helve::store

#include "store/shared_store.h"

namespace helve::store {

Result<void> SharedStore::ensure_open() {
  if (!store_) store_ = TRY(opener_.open());
  return {};
}

bool SharedStore::let_go(const Error& error) {
  if (error.type != kMoved && error.type != kBroken) return false;
  store_.reset();
  return true;
}

}  // namespace helve::store

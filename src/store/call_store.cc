#include "store/call_store.h"

namespace helve::store {

Result<Store*> CallStore::get() {
  if (!store_) store_ = TRY(opener_.open());
  return store_.get();
}

}  // namespace helve::store

#include "store/opener.h"

#include "store/sqlite_store.h"

namespace helve::store {

Result<std::unique_ptr<Store>> Opener::open() const {
  return open_sqlite(path_, options_, *clock_);
}

}  // namespace helve::store

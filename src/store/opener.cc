#include "store/opener.h"

#include "store/shared_store.h"
#include "store/sqlite_store.h"

namespace helve::store {

Opener::Opener(std::string path, Options options, const sys::Clock& clock)
    : path_(std::move(path)),
      options_(options),
      clock_(&clock),
      siblings_(std::make_shared<Siblings>()) {}

Opener Opener::with(Options options) const {
  Opener other = *this;
  other.options_ = options;
  return other;
}

Result<std::unique_ptr<Store>> Opener::open(Deadline deadline) const {
  return open_sqlite(path_, options_, *clock_, deadline);
}

}  // namespace helve::store

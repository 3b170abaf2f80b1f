// StoreResults: long output, kept in the store.
#pragma once

#include "store/shared_store.h"

namespace helve::store {

// Thread-safe. Opens nothing before the first use.
class StoreResults final : public Results {
 public:
  explicit StoreResults(Opener opener) : store_(std::move(opener)) {}

  Result<Stored> keep(std::string_view session, std::string_view tool, Effect effect,
                      std::string_view text) override;
  Result<std::string> text(std::string_view session, std::string_view id) override;
  Result<Page> page(std::string_view session, std::string_view id, std::uint64_t number) override;
  Result<std::vector<Stored>> list(std::string_view session) override;

 private:
  SharedStore store_;
};

}  // namespace helve::store

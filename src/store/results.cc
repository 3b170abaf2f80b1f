#include "store/results.h"

namespace helve::store {

Result<Results::Stored> StoreResults::keep(std::string_view session, std::string_view tool,
                                           Effect effect, std::string_view text) {
  return store_.use([&](Store& store) { return store.keep_result(session, tool, effect, text); });
}

Result<std::string> StoreResults::text(std::string_view session, std::string_view id) {
  return store_.use([&](Store& store) { return store.result_text(session, id); });
}

Result<Results::Page> StoreResults::page(std::string_view session, std::string_view id,
                                         std::uint64_t number) {
  return store_.use([&](Store& store) { return store.result_page(session, id, number); });
}

Result<std::vector<Results::Stored>> StoreResults::list(std::string_view session) {
  return store_.use([&](Store& store) { return store.results(session); });
}

}  // namespace helve::store

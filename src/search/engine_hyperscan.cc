#include <hs/hs.h>

#include "search/engine.h"

namespace helve::search {

void HyperscanEngine::Free::operator()(hs_database* database) const { hs_free_database(database); }
void HyperscanEngine::Free::operator()(hs_scratch* scratch) const { hs_free_scratch(scratch); }

std::unique_ptr<HyperscanEngine> HyperscanEngine::compile(const BytePattern& pattern) {
  if (hs_valid_platform() != HS_SUCCESS) return nullptr;
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const hs_error_t result =
      hs_compile(pattern.expression.c_str(), HS_FLAG_MULTILINE | HS_FLAG_ALLOWEMPTY, HS_MODE_BLOCK,
                 nullptr, &database, &error);
  if (result != HS_SUCCESS) {
    hs_free_compile_error(error);
    return nullptr;
  }
  auto engine = std::make_unique<HyperscanEngine>();
  engine->database_.reset(database);
  return engine;
}

bool HyperscanEngine::scan(std::string_view text, Scratch& scratch, Visit visit,
                           void* state) const {
  if (!scratch) {
    hs_scratch_t* made = nullptr;
    if (hs_alloc_scratch(database_.get(), &made) != HS_SUCCESS) return false;
    scratch.reset(made);
  }
  struct Both {
    Visit visit;
    void* state;
  } both{visit, state};
  const auto on_match = [](unsigned, unsigned long long, unsigned long long to, unsigned,
                           void* context) {
    const Both& called = *static_cast<const Both*>(context);
    return called.visit(called.state, static_cast<size_t>(to)) ? 1 : 0;
  };
  const hs_error_t result =
      hs_scan(database_.get(), text.data(), static_cast<unsigned>(text.size()), 0, scratch.get(),
              on_match, &both);
  return result == HS_SUCCESS || result == HS_SCAN_TERMINATED;
}

}  // namespace helve::search

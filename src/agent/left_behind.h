// Sub-agents that were left behind: the process that worked on them died, so that nobody has told
// their end to who began them.
#pragma once

#include <functional>
#include <string>

#include "agent/runner.h"
#include "store/shared_store.h"

namespace helve::agent {

// The post by which whoever began `child` is told what came of it so far. Told twice, it is told
// once.
std::string report_id(const store::Conversation& child);

struct LeftBehindOptions {
  std::function<bool(std::string_view)> is_at_work;  // here: it only waits for its turn
  std::function<Result<void>(const Letter&)> post;
};
// Posts to `parent` what became of those; what they spent counts for it.
Result<void> report_left_behind(store::SharedStore& store, const sys::Clock& clock,
                                const std::string& parent, const LeftBehindOptions& options);

}  // namespace helve::agent

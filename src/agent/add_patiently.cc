#include "agent/add_patiently.h"

#include <fmt/format.h>

namespace helve::agent {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{250};  // for a stop

bool is_busy(const Result<void>& added) { return !added && added.error().type == store::kBusy; }

}  // namespace

Result<void> add_patiently(session::Transcript& transcript, const session::Item& item,
                           session::Along along, const Emit& emit, const std::stop_token& stop) {
  const std::int64_t end = transcript.now_ms() + std::chrono::milliseconds(kLongestWait).count();
  Result<void> added = transcript.add(item, along);
  if (!is_busy(added)) return added;
  emit({transcript.session(),
        Warned{fmt::format("{}; it is tried for {} s, so that what was done is not lost",
                           describe(added.error()), kLongestWait.count())}});
  along.longest = kBetweenLooks;
  while (is_busy(added) && transcript.now_ms() < end) {
    if (stop.stop_requested())
      return Error{Code::cancelled, "stopped while another process held the store"};
    added = transcript.add(item, along);
  }
  return added;
}

}  // namespace helve::agent

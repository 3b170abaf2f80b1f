#include "process/foreground.h"

#include <signal.h>

#include "sys/stream.h"

namespace helve::process {
namespace {

void end(Running& running, std::chrono::milliseconds grace) {
  running.signal_all(SIGTERM);
  running.signal_all(SIGCONT);  // a stopped process would not hear it
  const Time last = std::chrono::steady_clock::now() + grace;
  while (!running.attend(last, -1) && std::chrono::steady_clock::now() < last) {
  }
  running.end_now();
}

}  // namespace

Result<Waited> stay_with(Running& running, const Patience& patience, std::stop_token stop,
                         const std::function<void()>& on_output) {
  std::optional<sys::Wakeup> wakeup;
  if (stop.stop_possible()) wakeup = TRY(sys::Wakeup::make());
  const std::stop_callback wake(stop, [&] { wakeup->signal(); });
  const Time until = std::min(patience.deadline, patience.yield_at.value_or(patience.deadline));
  std::uint64_t seen = 0;
  while (!running.attend(until, wakeup ? wakeup->descriptor() : -1)) {
    if (on_output && running.out().size() != seen) {
      seen = running.out().size();
      on_output();
    }
    if (running.has_exited()) continue;
    if (stop.stop_requested()) {
      end(running, patience.grace);
      return Waited::cancelled;
    }
    const Time now = std::chrono::steady_clock::now();
    if (now >= patience.deadline) {
      end(running, patience.grace);
      return Waited::timed_out;
    }
    if (patience.yield_at && now >= *patience.yield_at) return Waited::yielded;
  }
  return Waited::ended;
}

}  // namespace helve::process

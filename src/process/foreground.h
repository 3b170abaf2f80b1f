// Foreground: stays with a command until it has ended, its time is up, or it has been waited for
// long enough.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "process/running.h"

namespace helve::process {

struct Patience {
  Time deadline;
  std::optional<Time> yield_at = {};   // from then on it is somebody else's
  std::chrono::milliseconds grace{0};  // between asking it to end and ending it
};

enum class Waited : unsigned char { ended, timed_out, yielded, cancelled };

// `on_output` is called when there is new output. When the time is up or `stop` is requested, every
// process of the command is asked to end and then ended: only after `yielded` does it still run.
Result<Waited> stay_with(Running& running, const Patience& patience, std::stop_token stop,
                         const std::function<void()>& on_output = {});

}  // namespace helve::process

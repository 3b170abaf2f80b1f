// Attached: a command on streams that are there already, as a shell would run it. On a terminal
// it gets one of its own, and keys and output are carried between the two.
#pragma once

#include <stop_token>

#include "process/commands.h"

namespace helve::process {

// `plan.streams` says which; directories are refused. Waits for the end. When `stop` is requested,
// the command is asked to end and then ended.
Result<Ended> run_attached(Supervisor& supervisor, const sandbox::Policy& policy, Plan plan,
                           std::chrono::milliseconds grace, std::stop_token stop);

}  // namespace helve::process

// Adding to a transcript what would have to be paid for again, or has had its effect.
#pragma once

#include <stop_token>

#include "agent/event.h"
#include "session/transcript.h"

namespace helve::agent {

constexpr std::chrono::seconds kLongestWait{60};

// While another process holds the store it tries again, for much longer than others wait; whoever
// watches is told. Stops soon when it is asked to, with the code `cancelled`.
Result<void> add_patiently(session::Transcript& transcript, const session::Item& item,
                           session::Along along, const Emit& emit, const std::stop_token& stop);

}  // namespace helve::agent

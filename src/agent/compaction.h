// Compaction: makes room in the window. Old tool output goes first; when that is not enough, the
// model writes a summary of all but the last turns. One that is not whole, or no shorter than what
// it would stand for, is not used. The transcript keeps the originals.
#pragma once

#include "agent/loop.h"

namespace helve::agent {

struct Room {
  bool made = false;
  model::Usage usage = {};            // of the summary, also of one that is not used
  std::optional<Error> failure = {};  // why there is no summary although there should be one
};

// Shows the model less. `must` asks for room even where there seems to be enough: the provider
// counts otherwise.
Result<Room> make_room(session::Transcript& transcript, const Setup& setup, bool must,
                       const Emit& emit, std::stop_token stop);

}  // namespace helve::agent

// Compaction: makes room in the window. Old tool output goes first; when that is not enough, the
// model writes a summary of all but the last turns. The transcript keeps the originals.
#pragma once

#include "agent/loop.h"

namespace helve::agent {

struct Room {
  bool made = false;
  model::Usage usage = {};  // of the summary
};

// Shows the model less. `must` asks for room even where there seems to be enough: the provider
// counts otherwise.
Result<Room> make_room(session::Transcript& transcript, const Setup& setup, bool must,
                       const Emit& emit, std::stop_token stop);

}  // namespace helve::agent

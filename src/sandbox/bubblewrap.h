// Bubblewrap: namespaces by way of bwrap, where the machine grants them to that program and not to
// us.
#pragma once

#include <string>

#include "base/result.h"

namespace helve::sandbox {

// The installed program, or empty. Only where programs of the system are: a bwrap that a workspace
// put into PATH is nobody's wall.
std::string find_bubblewrap();

// The calling process, which must have one thread, moves into new namespaces as leave_host
// describes them, made by bwrap and joined afterwards.
Result<void> join_bubblewrap(const std::string& program, bool own_network);

}  // namespace helve::sandbox

// The processes below a process, found in /proc.
#pragma once

#include <sys/types.h>

#include <vector>

namespace helve::process {

std::vector<pid_t> children_of(pid_t parent);
// All of them, parents first. One that is made meanwhile may be missing: ask again until none is
// left.
std::vector<pid_t> descendants_of(pid_t ancestor);

}  // namespace helve::process

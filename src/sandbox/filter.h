// Filter: the system calls that commands do not get, as seccomp programs. Most of it is installed
// once, in the process that starts commands, because installing takes longer than the rest of the
// lock; only what that process needs itself is closed for each command.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace helve::sandbox {

using FilterProgram = std::vector<sock_filter>;

// What neither a command nor the process that starts it needs.
Result<FilterProgram> make_standing_filter();
// Namespaces and mounts, and the calls whose flags no filter can see.
Result<FilterProgram> make_closing_filter();
// For the calling thread and all that it starts. Needs no_new_privs or privileges.
Result<void> install(const FilterProgram& program);

}  // namespace helve::sandbox

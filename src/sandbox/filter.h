// Filter: the system calls that commands do not get, as a seccomp program that is made once and
// installed in every command.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace helve::sandbox {

using FilterProgram = std::vector<sock_filter>;

Result<FilterProgram> make_filter();
// For the calling thread and all that it starts; needs no_new_privs.
Result<void> install(const FilterProgram& program);

}  // namespace helve::sandbox

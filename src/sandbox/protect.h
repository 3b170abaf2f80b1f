// Protect: makes the protected names of a policy unwritable, for one command. Done for each command
// anew, because a mount goes away when somebody outside replaces what it is mounted on.
#pragma once

#include "base/result.h"
#include "sandbox/policy.h"

namespace helve::sandbox {

// In the mount namespace of the command, before it starts. What exists becomes read-only, what does
// not exist cannot be made, and no directory on the way can be renamed. Holds what it reserved
// until the process ends.
Result<void> protect(const Policy& policy);

// Takes away what protecting left behind in the roots and nobody uses any more.
void release_reserved(const Policy& policy);

}  // namespace helve::sandbox

// Capabilities: given up for good.
#pragma once

#include "base/result.h"

namespace helve::sandbox {

// The calling thread and all that it starts have no capabilities, and running a program as root
// gives none.
Result<void> drop_capabilities();

}  // namespace helve::sandbox

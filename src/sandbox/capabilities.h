// Capabilities: given up for good.
#pragma once

#include "base/result.h"

namespace helve::sandbox {

// Programs that the calling thread and its children run from now on get no capabilities, not even
// as root. Those it has stay.
Result<void> give_no_capabilities();
// Those it has go, too.
Result<void> drop_capabilities();

}  // namespace helve::sandbox

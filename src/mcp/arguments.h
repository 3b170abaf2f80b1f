// Arguments of prompts and completions: objects whose values are all strings.
#pragma once

#include "base/result.h"
#include "mcp/source.h"

namespace helve::mcp {

// Absent or null means none. Anything but strings is an error that names the argument.
Result<Arguments> read_arguments(const Json* json);

}  // namespace helve::mcp

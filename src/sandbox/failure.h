// How a step of the sandbox that failed becomes an Error: the step, the kernel's reason, and what
// would help. Nothing runs after one of these.
#pragma once

#include <string_view>

#include "base/result.h"

namespace helve::sandbox {

// "the sandbox cannot mount /proc: operation not permitted". `number` is an errno.
Error failure(std::string_view step, int number, std::string_view hint = {});

}  // namespace helve::sandbox

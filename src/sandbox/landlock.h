// Landlock: a second wall around what the mounts already forbid to be written, and around devices,
// signals and abstract sockets, as far as the kernel has it.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace helve::sandbox {

enum class AbstractSockets : unsigned char { any, own };

// For the calling thread and all that it starts. Needs no_new_privs. Without Landlock in the kernel
// nothing happens: the mounts hold alone.
Result<void> restrict_by_landlock(std::span<const std::string> writable, AbstractSockets sockets);

}  // namespace helve::sandbox

// Landlock: a second wall around what the mounts already forbid to be written, and around devices,
// signals and abstract sockets, as far as the kernel has it.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

enum class AbstractSockets : unsigned char { any, own };

// Without Landlock in the kernel there is no descriptor: the mounts hold alone.
Result<sys::Fd> make_ruleset(std::span<const std::string> writable, AbstractSockets sockets);
// For the calling thread and all that it starts. Needs no_new_privs or privileges.
Result<void> enforce(const sys::Fd& ruleset);

}  // namespace helve::sandbox

// Keeper: the process that starts one command, waits for it and ends everything it left behind. It
// runs in the helper program, one for each command, made there by clone.
//
// Where the kernel allows it, it is the first process of the command's own process namespace: when
// it ends, the kernel ends all others there. Elsewhere it is their reaper: whatever the command
// leaves behind becomes its child, however it hides, and is ended one by one.
#pragma once

#include <vector>

#include "sandbox/enclosure.h"
#include "sys/file_descriptor.h"

namespace helve::process {

// `descriptors` as protocol.h orders them.
[[noreturn]] void keep(const sandbox::Enclosure& enclosure, std::vector<sys::Fd> descriptors);

// The helper program itself: serves on `socket` until helve is gone. Returns the exit code.
int serve_commands(int socket);

}  // namespace helve::process

// Keeper: the process that starts one command, waits for it and ends everything it left behind. It
// runs in the helper program, one for each command, made there by clone.
//
// Where the kernel allows it, it is the first process of the command's own process namespace: when
// it ends, the kernel ends all others there. Elsewhere it is their reaper: whatever the command
// leaves behind becomes its child, however it hides, and is ended one by one.
#pragma once

#include <signal.h>

#include "sandbox/enclosure.h"

namespace helve::process {

// The signals that helve-spawn and keepers ignore, and commands do not.
inline constexpr int kIgnored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};

// Waits for a command on helve-spawn's socket, writes a byte to `taken` once it has one and has
// seen whether the groundwork holds, and keeps it. Ends the process, with 0 when helve is gone or
// the command is.
[[noreturn]] void keep(const sandbox::Enclosure& enclosure, const sandbox::Groundwork& ground,
                       int socket, int taken);

// The helper program itself: serves on `socket` until helve is gone. Returns the exit code.
int serve_commands(int socket);

}  // namespace helve::process

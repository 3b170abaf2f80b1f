// Namespaces: the calling process, which must have one thread, leaves those it shares with the
// host.
#pragma once

#include "base/result.h"
#include "sandbox/policy.h"

namespace helve::sandbox {

struct Namespaces {
  bool user = false;        // a user namespace of our own; without it the process is privileged
  bool network = false;     // one with nothing but its own loopback
  bool bubblewrap = false;  // made by bwrap
};

// User (one user, mapped to itself), mounts, System V IPC, host name, cgroup view, and the network
// unless the policy allows it; our own where the machine lets us, else those of bwrap. The Error
// says which setting of this machine forbids it.
Result<Namespaces> leave_host(const Policy& policy);

}  // namespace helve::sandbox

#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sandbox/kernel.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {
namespace {

// Why this machine refuses user namespaces to this user, as far as its settings tell.
std::string user_namespace_hint(int number) {
  if (kernel_setting("user/max_user_namespaces") == "0") {
    return "user namespaces are switched off: sysctl user.max_user_namespaces=15000 allows them";
  }
  if (kernel_setting("kernel/unprivileged_userns_clone") == "0") {
    return "sysctl kernel.unprivileged_userns_clone=1 allows user namespaces";
  }
  if (kernel_setting("kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "AppArmor forbids user namespaces: sysctl "
           "kernel.apparmor_restrict_unprivileged_userns=0, "
           "or a profile with `userns,` for this program, or install bubblewrap";
  }
  if (number == ENOSPC) return "sysctl user.max_user_namespaces is reached; raise it";
  return "inside a container, its seccomp profile may forbid it: docker run --security-opt "
         "seccomp=unconfined --security-opt apparmor=unconfined; else install bubblewrap";
}

Result<void> map_self(uid_t user, gid_t group) {
  // Denied first: a group that keeps somebody out must not be shed in the new namespace.
  TRY(write_setting("/proc/self/setgroups", "deny"));
  TRY(write_setting("/proc/self/uid_map", fmt::format("{0} {0} 1\n", user)));
  return write_setting("/proc/self/gid_map", fmt::format("{0} {0} 1\n", group));
}

Result<bool> leave_users() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER) == 0) {
    if (auto mapped = map_self(user, group); !mapped) {
      return failure("map its user", EPERM, user_namespace_hint(EPERM));
    }
    return true;
  }
  const int number = errno;
  if (has_capability(kCapabilitySysAdmin)) return false;  // privileged enough without
  return failure("make a user namespace", number, user_namespace_hint(number));
}

Result<void> raise_loopback() {
  const sys::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return failure("open a socket for its loopback", errno);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return {};
  return failure("raise its loopback", errno);
}

}  // namespace

Result<Namespaces> leave_host(const Policy& policy) {
  Namespaces made;
  made.user = TRY(leave_users());
  made.network = !policy.network;
  const int flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP |
                    (made.network ? CLONE_NEWNET : 0);
  if (unshare(flags) != 0) {
    const int number = errno;
    return failure(made.network ? "make mount and network namespaces" : "make a mount namespace",
                   number, user_namespace_hint(number));
  }
  if (made.network) TRY(raise_loopback());
  // A second lock on the door that seccomp closes: no namespaces within ours.
  if (made.user) TRY(write_setting("/proc/sys/user/max_user_namespaces", "0"));
  return made;
}

}  // namespace helve::sandbox

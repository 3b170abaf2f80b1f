#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "sandbox/bubblewrap.h"
#include "sandbox/failure.h"
#include "sandbox/kernel.h"
#include "sandbox/mounts.h"
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

Result<void> raise_loopback() {
  const sys::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return failure("open a socket for its loopback", errno);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return {};
  return failure("raise its loopback", errno);
}

enum class Users : unsigned char { new_namespace, of_the_host };

Result<void> leave(Users users, bool own_network) {
  if (users == Users::new_namespace) {
    const uid_t user = geteuid();
    const gid_t group = getegid();
    if (unshare(CLONE_NEWUSER) != 0) {
      const int number = errno;
      return failure("make a user namespace", number, user_namespace_hint(number));
    }
    if (auto mapped = map_self(user, group); !mapped) {
      return failure("map its user", EPERM, user_namespace_hint(EPERM));
    }
  }
  const int flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP |
                    (own_network ? CLONE_NEWNET : 0);
  if (unshare(flags) == 0) return {};
  const int number = errno;
  return failure(own_network ? "make mount and network namespaces" : "make a mount namespace",
                 number, user_namespace_hint(number));
}

bool has_succeeded(pid_t child) {
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

// Whether a command there gets a /proc of its own. In a container where parts of /proc are covered,
// a user namespace does not.
bool can_mount_proc() {
  const long child =
      syscall(SYS_clone, static_cast<unsigned long>(CLONE_NEWPID | SIGCHLD), 0, 0, 0, 0);
  if (child == 0) _exit(new_filesystem("proc", {}, kNoSuid | kNoDevices | kNoExecute) ? 0 : 1);
  return has_succeeded(static_cast<pid_t>(child));
}

// In a process of its own, since half of it cannot be taken back: some machines grant a user
// namespace and then nothing in it. Without a network, which is the slowest to make.
bool can_leave(Users users) {
  const pid_t child = fork();
  if (child == 0) _exit(leave(users, false) && can_mount_proc() ? 0 : 1);
  return has_succeeded(child);
}

Result<Namespaces> leave_by_some_way(const Policy& policy) {
  const bool own_network = !policy.network;
  const bool may_own = policy.backend != Backend::bubblewrap;
  if (may_own && can_leave(Users::new_namespace)) {
    TRY(leave(Users::new_namespace, own_network));
    return Namespaces{.user = true, .network = own_network};
  }
  // Privileged enough without.
  if (may_own && has_capability(kCapabilitySysAdmin) && can_leave(Users::of_the_host)) {
    TRY(leave(Users::of_the_host, own_network));
    return Namespaces{.user = false, .network = own_network};
  }
  const std::string bubblewrap = policy.backend == Backend::own ? "" : find_bubblewrap();
  if (!bubblewrap.empty()) {
    TRY(join_bubblewrap(bubblewrap, own_network));
    return Namespaces{.user = true, .network = own_network, .bubblewrap = true};
  }
  if (!may_own) {
    return failure("find bwrap", ENOENT, "install bubblewrap");
  }
  TRY(leave(Users::new_namespace, own_network));  // for the reason why it cannot
  return failure("mount /proc", EPERM,
                 "parts of /proc are covered, as in a container: docker run --security-opt "
                 "systempaths=unconfined uncovers them");
}

}  // namespace

Result<Namespaces> leave_host(const Policy& policy) {
  const Namespaces made = TRY(leave_by_some_way(policy));
  if (made.network) TRY(raise_loopback());
  // A second lock on the door that seccomp closes: no namespaces within ours.
  if (made.user) TRY(write_setting("/proc/sys/user/max_user_namespaces", "0"));
  return made;
}

}  // namespace helve::sandbox

// What somebody else does at the worst moment: right before a system call that is being made.
#pragma once

#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <future>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace helve {

// The arguments of a system call of this process.
struct CallArguments {
  seccomp_data data;

  // Copied by the kernel, so that no thread sees another read its memory.
  std::string text(size_t index) const {
    std::string copy(PATH_MAX, '\0');
    const iovec to{copy.data(), copy.size()};
    // Up to the end of the page, and what lies beyond if it is there.
    const size_t first = PATH_MAX - data.args[index] % PATH_MAX;
    char* const text = reinterpret_cast<char*>(data.args[index]);
    const iovec from[] = {{text, first}, {text + first, PATH_MAX - first}};
    (void)::process_vm_readv(::getpid(), &to, 1, from, std::size(from), 0);
    return copy.c_str();
  }
};

// For use in a child only. From now on `meanwhile` runs, in a thread of its own, before each such
// system call of this thread. Empty, or why that is not possible.
inline std::string before_each(long system_call,
                               std::function<void(const CallArguments&)> meanwhile) {
  std::promise<int> made;
  // The filter is only for threads that are started after it.
  std::thread([meanwhile = std::move(meanwhile), listener = made.get_future()]() mutable {
    const int from = listener.get();
    for (;;) {
      seccomp_notif call = {};
      if (::ioctl(from, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
      meanwhile({call.data});
      seccomp_notif_resp go_on = {};
      go_on.id = call.id;
      go_on.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
      (void)::ioctl(from, SECCOMP_IOCTL_NOTIF_SEND, &go_on);
    }
  }).detach();
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  int listener = -1;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    listener = static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                          SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
  }
  const int error = errno;
  made.set_value(listener);
  if (listener >= 0) return "";
  return std::string("skip: no system call can be held up here: ") + std::strerror(error);
}

}  // namespace helve

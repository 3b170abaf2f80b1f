#include "sandbox/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "sandbox/failure.h"
#include "sandbox/kernel.h"

namespace helve::sandbox {
namespace {

constexpr int kNicer = 5;                       // a third of the weight of a process of ours
constexpr std::uint32_t kSmallestPidMax = 301;  // the kernel takes no less
constexpr const char* kFirstToGo = "500";       // of -1000 to 1000; everything else has about 0

// Lowers the limit; what is lower already stays. With some room the process is told by a signal
// of its own before it is killed.
Result<void> lower(__rlimit_resource resource, std::uint64_t value, const char* name,
                   std::uint64_t room = 0) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return failure(std::string("read ") + name, errno);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value + room);
  limit.rlim_cur = std::min<rlim_t>({limit.rlim_cur, limit.rlim_max, value});
  if (setrlimit(resource, &limit) == 0) return {};
  return failure(std::string("set ") + name, errno);
}

// Raised to one where it is zero, as it is for most: for zero the kernel would still start the
// program that takes core dumps, outside and as root (core(5)).
Result<void> leave_no_core() {
  const rlimit one{1, 1};
  if (setrlimit(RLIMIT_CORE, &one) == 0) return {};
  if (errno == EPERM) return {};  // zero by the hard limit, which only root may raise
  return failure("set RLIMIT_CORE", errno);
}

Result<void> write_at(const sys::Fd& directory, const char* name, const std::string& value) {
  const sys::Fd file(openat(directory.get(), name, O_WRONLY | O_CLOEXEC));
  if (file && write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size())) {
    return {};
  }
  return failure(std::string("write /proc/") + name, errno);
}

}  // namespace

Result<void> apply_limits(const Limits& limits) {
  TRY(leave_no_core());
  if (limits.processes != 0) TRY(lower(RLIMIT_NPROC, limits.processes, "RLIMIT_NPROC"));
  // Data and not address space: Node and Go reserve far more addresses than they use.
  if (limits.memory_bytes != 0) TRY(lower(RLIMIT_DATA, limits.memory_bytes, "RLIMIT_DATA"));
  if (limits.file_bytes != 0) TRY(lower(RLIMIT_FSIZE, limits.file_bytes, "RLIMIT_FSIZE"));
  if (limits.cpu_seconds != 0) TRY(lower(RLIMIT_CPU, limits.cpu_seconds, "RLIMIT_CPU", 1));
  if (limits.open_files != 0) TRY(lower(RLIMIT_NOFILE, limits.open_files, "RLIMIT_NOFILE"));
  return {};
}

void give_way() {
  errno = 0;
  const int now = getpriority(PRIO_PROCESS, 0);
  if (errno == 0) (void)setpriority(PRIO_PROCESS, 0, now + kNicer);
}

bool has_namespace_bound() {
  // Before, the same file set the bound of the whole machine.
  return kernel_at_least(6, 14);
}

Result<void> bound_namespace(const sys::Fd& proc, const Limits& limits) {
  TRY(write_at(proc, "self/oom_score_adj", kFirstToGo));
  if (limits.processes == 0 || !has_namespace_bound()) return {};
  const std::uint32_t highest = std::max(limits.processes, kSmallestPidMax - 1) + 1;
  if (highest > 4'194'304) return {};  // more than there can be anyway
  return write_at(proc, "sys/kernel/pid_max", std::to_string(highest));
}

}  // namespace helve::sandbox

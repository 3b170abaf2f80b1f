#include "sys/limits.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

namespace helve::sys {
namespace {

// A sanitizer reserves terabytes of address space that it never touches.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

bool set(__rlimit_resource what, rlim_t value) {
  const rlimit limit{value, value};
  return setrlimit(what, &limit) == 0;
}

}  // namespace

bool confine_self(const OwnLimits& limits) {
  // A library that would keep a cache, as the one for fonts does where there is none yet, is
  // refused and goes on without; the signal would end us.
  return std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR &&
         (kIsSanitized || set(RLIMIT_AS, limits.memory)) &&
         set(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu.count())) && set(RLIMIT_FSIZE, 0) &&
         set(RLIMIT_CORE, 0);
}

bool is_filtered() { return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER; }

void allow_many_open_files() {
  // More would slow down children that close all of them.
  constexpr rlim_t kMost = 65'536;
  (void)first_limit_of_open_files();
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kMost);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t first_limit_of_open_files() {
  static const std::uint64_t first = [] {
    rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
  }();
  return first;
}

}  // namespace helve::sys

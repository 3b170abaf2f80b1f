#include "sys/limits.h"

#include <sys/resource.h>

namespace helve::sys {
namespace {

bool set(__rlimit_resource what, rlim_t value) {
  const rlimit limit{value, value};
  return setrlimit(what, &limit) == 0;
}

}  // namespace

bool confine_self(const OwnLimits& limits) {
  return set(RLIMIT_AS, limits.memory) &&
         set(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu.count())) && set(RLIMIT_FSIZE, 0) &&
         set(RLIMIT_CORE, 0);
}

}  // namespace helve::sys

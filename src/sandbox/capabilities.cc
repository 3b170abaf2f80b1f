#include "sandbox/capabilities.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

constexpr int kSecureBits = SECURE_ALL_BITS & ~(1 << SECURE_KEEP_CAPS);
constexpr int kMostCapabilities = 64;

}  // namespace

Result<void> give_no_capabilities() {
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
    return failure("drop ambient capabilities", errno);
  }
  if (prctl(PR_SET_SECUREBITS, kSecureBits | SECURE_ALL_LOCKS, 0, 0, 0) != 0) {
    return failure("lock its secure bits", errno);
  }
  for (int capability = 0; capability < kMostCapabilities; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break;  // the kernel has no more
    return failure("bound its capabilities", errno);
  }
  return {};
}

Result<void> drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  if (syscall(SYS_capset, &header, none) == 0) return {};
  return failure("drop capabilities", errno);
}

}  // namespace helve::sandbox

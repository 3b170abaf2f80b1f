// Kernel: what the running kernel is and offers, asked and not assumed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::sandbox {

constexpr int kCapabilitySysAdmin = 21;

bool kernel_at_least(int major, int minor);
// Whether the calling thread has the capability in its user namespace.
bool has_capability(int capability);
// The value of a sysctl such as "kernel/pid_max"; empty when there is none.
std::string kernel_setting(std::string_view name);
// Writes one line into a file of /proc or /sys.
Result<void> write_setting(const std::string& path, std::string_view value);
// 0: there is no Landlock.
int landlock_version();

}  // namespace helve::sandbox

// Kernel: what the running kernel is and offers, asked and not assumed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

constexpr int kCapabilitySysAdmin = 21;

bool kernel_at_least(int major, int minor);
// Whether the calling thread has the capability in its user namespace.
bool has_capability(int capability);
// The value of a sysctl such as "kernel/pid_max"; empty when there is none.
std::string kernel_setting(std::string_view name);
// The whole of a file of /proc, which has no size; cut beyond 16 MB.
std::string read_table(const std::string& path);
// Writes one line into a file of /proc or /sys.
Result<void> write_setting(const std::string& path, std::string_view value);
// 0: there is no Landlock.
int landlock_version();
std::uint64_t physical_memory();  // bytes

// A line of /proc/self/mountinfo.
struct MountEntry {
  std::string device;
  std::string root;   // of the file system
  std::string point;  // where it is
  std::string type;
  std::string options;  // of the file system
};
std::vector<MountEntry> mount_table();

}  // namespace helve::sandbox

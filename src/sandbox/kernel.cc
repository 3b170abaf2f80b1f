#include "sandbox/kernel.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

bool kernel_at_least(int major, int minor) {
  utsname name{};
  int running_major = 0, running_minor = 0;
  if (uname(&name) != 0 ||
      std::sscanf(name.release, "%d.%d", &running_major, &running_minor) != 2) {
    return false;
  }
  return running_major > major || (running_major == major && running_minor >= minor);
}

bool has_capability(int capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return (data[capability / 32].effective >> (capability % 32) & 1) != 0;
}

std::string kernel_setting(std::string_view name) {
  const std::string path = "/proc/sys/" + std::string(name);
  const sys::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[256];
  const ssize_t count = file ? read(file.get(), buffer, sizeof buffer) : -1;
  if (count <= 0) return {};
  return std::string(trim({buffer, static_cast<size_t>(count)}));
}

Result<void> write_setting(const std::string& path, std::string_view value) {
  const sys::Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file && write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size())) {
    return {};
  }
  return failure("write " + path, errno);
}

int landlock_version() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

}  // namespace helve::sandbox

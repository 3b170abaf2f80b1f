#include "sandbox/kernel.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {
namespace {

constexpr size_t kMaxTable = 16u << 20;  // bytes

// The kernel writes a space in a path as \040.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out +=
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

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

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string read_table(const std::string& path) {
  const sys::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[16384];
  while (file && text.size() < kMaxTable) {
    const ssize_t count = read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

std::vector<MountEntry> mount_table() {
  std::vector<MountEntry> entries;
  const std::string table = read_table("/proc/self/mountinfo");
  for (const std::string_view line : split(table, '\n')) {
    // id parent device root point options … - type source options
    const auto fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 10 || fields.end() - dash < 4) continue;
    entries.push_back({std::string(fields[2]), unescaped(fields[3]), unescaped(fields[4]),
                       std::string(dash[1]), std::string(dash[3])});
  }
  return entries;
}

}  // namespace helve::sandbox

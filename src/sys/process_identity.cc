#include "sys/process_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/quick_hash.h"
#include "base/text.h"

namespace helve::sys {
namespace {

constexpr size_t kMaxSmallFile = 4096;  // a stat line is a few hundred bytes

struct SmallFile {
  std::string text;
  int error = 0;
};

SmallFile read_small(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {{}, errno};
  std::array<char, kMaxSmallFile> buffer;
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  const int error = count < 0 ? errno : 0;
  ::close(fd);
  return {std::string(buffer.data(), count < 0 ? 0 : static_cast<size_t>(count)), error};
}

std::string boot_id() {
  return std::string(trim(read_small("/proc/sys/kernel/random/boot_id").text));
}

// Process numbers mean something only within their namespace: containers may share a state
// directory.
std::string pid_namespace() {
  std::array<char, 64> target;
  const ssize_t length = ::readlink("/proc/self/ns/pid", target.data(), target.size());
  return length <= 0 ? std::string() : std::string(target.data(), static_cast<size_t>(length));
}

struct Stat {
  std::string state;
  std::string start;
};

// Fields 3 and 22 of /proc/PID/stat. The command's name, field 2, may hold spaces and brackets, so
// count from its end.
Stat parse_stat(std::string_view stat) {
  constexpr size_t kStart = 19;
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  const std::vector<std::string_view> fields = split(trim(stat.substr(name_end + 1)), ' ');
  if (fields.size() <= kStart) return {};
  return {std::string(fields[0]), std::string(fields[kStart])};
}

}  // namespace

std::string process_identity() {
  const std::string boot = boot_id();
  const std::string space = pid_namespace();
  const std::string start = parse_stat(read_small("/proc/self/stat").text).start;
  if (boot.empty() || space.empty() || start.empty()) return {};
  return boot + ' ' + space + ' ' + std::to_string(::getpid()) + ' ' + start;
}

Liveness liveness_of(std::string_view identity, std::string_view machine) {
  const std::vector<std::string_view> parts = split(identity, ' ');
  if (parts.size() != 4) return Liveness::unknown;
  const std::string boot = boot_id();
  if (boot.empty()) return Liveness::unknown;
  if (parts[0] != boot) {
    const bool is_ours = machine.empty() || machine == machine_identity();
    return is_ours ? Liveness::gone : Liveness::unknown;
  }
  if (parts[1] != pid_namespace()) return Liveness::unknown;
  int pid = 0;
  const char* end = parts[2].data() + parts[2].size();
  if (std::from_chars(parts[2].data(), end, pid).ptr != end) return Liveness::unknown;
  const SmallFile file = read_small("/proc/" + std::to_string(pid) + "/stat");
  if (file.error == ENOENT || file.error == ESRCH) return Liveness::gone;
  if (file.error != 0) return Liveness::unknown;
  const Stat stat = parse_stat(file.text);
  const bool ended = stat.state == "Z" || stat.state == "X";  // dead, and not yet waited for
  return stat.start == parts[3] && !ended ? Liveness::alive : Liveness::gone;
}

std::string machine_identity() {
  // Containers often have no number, but each a name.
  std::string machine(trim(read_small("/etc/machine-id").text));
  if (machine.empty()) {
    utsname names;
    if (::uname(&names) == 0) machine = names.nodename;
  }
  constexpr std::uint64_t kSeed = 0x68656c7665;  // of this use: others make other digests of it
  return machine.empty() ? std::string() : fmt::format("{:016x}", quick_hash(machine, kSeed));
}

}  // namespace helve::sys

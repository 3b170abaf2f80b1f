#include "sandbox/view.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "sandbox/failure.h"
#include "sandbox/hide.h"
#include "sandbox/kernel.h"
#include "sandbox/mounts.h"

namespace helve::sandbox {
namespace {

constexpr std::uint64_t kHarmless = kNoSuid | kNoDevices;

constexpr auto kPrivate = std::to_array<const char*>({"/tmp", "/var/tmp", "/dev/shm"});
constexpr auto kDevices =
    std::to_array<const char*>({"null", "zero", "full", "random", "urandom", "tty"});

// What programs need of a /run that is otherwise empty: name resolution, and the system of NixOS.
constexpr auto kKeptOfRun = std::to_array<const char*>(
    {"/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/systemd/resolve"});

// The kernel's files are known where they belong. Mounted elsewhere, for a chroot, they would show
// the processes of the host.
constexpr auto kKernelFiles = std::to_array<std::string_view>(
    {"proc", "sysfs", "debugfs", "tracefs", "securityfs", "bpf", "mqueue", "configfs"});

constexpr std::uint64_t kShareOfMemory = 4;         // temporary files get no more than a quarter
constexpr std::uint64_t kBytesPerFile = 16 * 1024;  // a file costs memory besides its content
constexpr std::uint64_t kFewestFiles = 4096;

// What tells or does more about the machine than a build needs, even read-only.
constexpr auto kHiddenOfSys = std::to_array<const char*>(
    {"/sys/firmware", "/sys/fs/bpf", "/sys/fs/pstore", "/sys/kernel/debug", "/sys/kernel/security",
     "/sys/kernel/tracing", "/sys/devices/virtual/powercap"});

struct Part {
  std::string path;
  Detached tree;
};

bool is_directory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

std::string part_of_temporary(std::string_view path) {
  std::string name(path.substr(1));
  std::ranges::replace(name, '/', '-');
  return fmt::format("{}/{}", kTemporaryInVault, name);
}

std::vector<std::string> kernel_files_elsewhere() {
  std::vector<std::string> points;
  for (MountEntry& mount : mount_table()) {
    const bool belongs = is_below(mount.point, "/proc") || is_below(mount.point, "/sys") ||
                         is_below(mount.point, "/dev") || is_below(mount.point, "/run");
    if (!belongs && std::ranges::find(kKernelFiles, mount.type) != kKernelFiles.end()) {
      points.push_back(std::move(mount.point));
    }
  }
  return points;
}

// Whether the place is in a directory that the view replaces by an empty one.
bool is_replaced(std::string_view path) {
  return is_below(path, "/tmp") || is_below(path, "/var/tmp") || is_below(path, "/run") ||
         is_below(path, "/dev");
}

// Copies of what must look through, taken before everything is covered.
struct Parts {
  std::vector<Part> shown;
  std::vector<Part> devices;
  Detached scratch;
};

Result<void> take(std::vector<Part>& parts, const std::string& path, std::uint64_t attributes) {
  Detached tree = TRY(clone_tree(path));
  TRY(restrict_tree(tree, attributes));
  parts.push_back({path, std::move(tree)});
  return {};
}

Result<Parts> take_parts(const Policy& policy) {
  Parts parts;
  const bool writable = policy.level == Level::workspace_write;
  for (const std::string& root : policy.roots) {
    if (root != "/") TRY(take(parts.shown, root, kHarmless | (writable ? 0 : kReadOnly)));
  }
  // Elsewhere the host's own tree shows them, read-only; inside roots each command protects them.
  for (const std::string& root : policy.read_only_roots) {
    if (is_replaced(root)) TRY(take(parts.shown, root, kHarmless | kReadOnly));
  }
  for (const char* path : kKeptOfRun) {
    if (exists(path)) TRY(take(parts.shown, path, kHarmless | kReadOnly));
  }
  for (const char* name : kDevices) {
    const std::string path = std::string("/dev/") + name;
    // Read-only, so that the owner of the host's node cannot change its mode; devices are
    // written all the same.
    if (exists(path)) TRY(take(parts.devices, path, kReadOnly | kNoSuid | kNoExecute));
  }
  if (!policy.scratch.empty()) {
    parts.scratch = TRY(clone_tree(policy.scratch));
    TRY(restrict_tree(parts.scratch, kHarmless));
  }
  // Parents before what is in them.
  std::ranges::sort(parts.shown, {}, [](const Part& part) { return part.path.size(); });
  return parts;
}

// An empty directory for what the view itself puts there.
Result<void> cover(const std::string& path) {
  if (!is_directory(path)) return {};  // missing, or a link to another one
  return attach(TRY(new_filesystem("tmpfs", {{"mode", "0755"}, {"size", "1m"}}, kHarmless)), path);
}

// One file system for all temporary files: it lives in memory, which no process's end gives back.
Result<void> make_temporary(const Limits& limits) {
  std::vector<MountOption> options{{"mode", "0755"}};
  const std::uint64_t size = temporary_bytes(limits);
  options.push_back({"size", std::to_string(size)});
  options.push_back({"nr_inodes", std::to_string(std::max(size / kBytesPerFile, kFewestFiles))});
  TRY(attach(TRY(new_filesystem("tmpfs", options, kHarmless)), kTemporaryInVault));
  for (const char* path : kPrivate) {
    const std::string part = part_of_temporary(path);
    if (mkdir(part.c_str(), 0777) != 0 || chmod(part.c_str(), 01777) != 0) {
      return failure("make " + part, errno);
    }
  }
  return {};
}

Result<void> show_temporary(const std::string& path) {
  if (!is_directory(path)) return {};  // missing, or a link to another one
  return attach(TRY(clone_tree(part_of_temporary(path))), path);
}

Result<void> make_node(const std::string& path) {
  const sys::Fd file(open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0644));
  if (!file) return failure("make " + path, errno);
  return {};
}

Result<void> make_devices(const Parts& parts) {
  TRY(cover("/dev"));
  for (const Part& device : parts.devices) {
    TRY(make_node(device.path));
    TRY(attach(device.tree, device.path));
  }
  for (const char* path : {"/dev/pts", "/dev/shm"}) {
    if (mkdir(path, 0755) != 0) return failure(std::string("make ") + path, errno);
  }
  TRY(attach(
      TRY(new_filesystem("devpts", {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0600"}},
                         kNoSuid | kNoExecute)),
      "/dev/pts"));
  TRY(show_temporary("/dev/shm"));
  constexpr std::array<std::array<const char*, 2>, 5> kLinks{{{"pts/ptmx", "/dev/ptmx"},
                                                              {"/proc/self/fd", "/dev/fd"},
                                                              {"/proc/self/fd/0", "/dev/stdin"},
                                                              {"/proc/self/fd/1", "/dev/stdout"},
                                                              {"/proc/self/fd/2", "/dev/stderr"}}};
  for (const auto& [target, path] : kLinks) {
    if (symlink(target, path) != 0) return failure(std::string("make ") + path, errno);
  }
  return restrict_mount("/dev", kReadOnly | kNoExecute);
}

// Makes the directory (or file) that a part is mounted on, where its parents were covered. Returns
// the first part of the path that had to be made.
Result<std::string> make_place(const std::string& path, bool directory) {
  std::string first;
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    const bool last = slash == path.npos;
    if (!exists(parent)) {
      if (first.empty()) first = parent;
      if (!last || directory) {
        if (mkdir(parent.c_str(), 0755) != 0) return failure("make " + parent, errno);
      } else {
        TRY(make_node(parent));
      }
    }
    if (last) return first;
  }
}

Result<void> show(const std::vector<Part>& parts) {
  std::vector<std::string> made;
  for (const Part& part : parts) {
    struct stat status {};
    if (fstat(part.tree.get(), &status) != 0) return failure("look at " + part.path, errno);
    std::string first = TRY(make_place(part.path, S_ISDIR(status.st_mode)));
    if (!first.empty() && first != part.path) made.push_back(std::move(first));
  }
  // Nobody renames a directory in /tmp that leads to a root.
  for (const std::string& path : made) {
    const sys::Fd place(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!place) return failure("find " + path, errno);
    TRY(bind_to_itself(place, kReadOnly, path));
  }
  for (const Part& part : parts) TRY(attach(part.tree, part.path));
  return {};
}

// The file that /etc/resolv.conf leads to, when it is in a place that gets covered.
Result<void> keep_name_resolution(std::vector<Part>& parts) {
  char* resolved = realpath("/etc/resolv.conf", nullptr);
  if (resolved == nullptr) return {};
  const std::string path(resolved);
  free(resolved);
  if (!is_replaced(path)) return {};
  for (const Part& part : parts) {
    if (is_below(path, part.path)) return {};
  }
  return take(parts, path, kHarmless | kReadOnly);
}

}  // namespace

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

std::uint64_t temporary_bytes(const Limits& limits) {
  const std::uint64_t most = physical_memory() / kShareOfMemory;
  return limits.tmp_bytes == 0 ? most : std::min(limits.tmp_bytes, most);
}

std::vector<std::string> private_directories() { return {kPrivate.begin(), kPrivate.end()}; }

Result<void> build_view(const Policy& policy) {
  TRY(make_private());
  Parts parts = TRY(take_parts(policy));
  TRY(keep_name_resolution(parts.shown));
  const bool all_writable = policy.level == Level::workspace_write &&
                            std::ranges::find(policy.roots, "/") != policy.roots.end();
  TRY(restrict_tree("/", kHarmless | (all_writable ? 0 : kReadOnly)));
  if (all_writable && is_directory("/sys")) TRY(restrict_tree("/sys", kReadOnly));
  for (const char* path : {"/run", "/var/run"}) TRY(cover(path));
  TRY(make_vault());
  TRY(make_temporary(policy.limits));
  for (const char* path : {"/tmp", "/var/tmp"}) TRY(show_temporary(path));
  TRY(make_devices(parts));
  TRY(show(parts.shown));
  if (parts.scratch) TRY(attach(parts.scratch, kScratchInVault));
  TRY(restrict_mount("/run", kReadOnly));
  std::vector<std::string> hidden(kHiddenOfSys.begin(), kHiddenOfSys.end());
  std::ranges::move(kernel_files_elsewhere(), std::back_inserter(hidden));
  return hide(hidden);
}

}  // namespace helve::sandbox

#include "sandbox/hide.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "sandbox/failure.h"
#include "sandbox/mounts.h"

namespace helve::sandbox {
namespace {

constexpr const char* kEmptyDirectory = "/run/helve/directory";
constexpr const char* kEmptyFile = "/run/helve/file";

// Two changes within this many seconds may bear the same time on some file systems.
constexpr std::int64_t kCoarseClock = 2;

Result<void> make_directory(const char* path, mode_t mode) {
  if (mkdir(path, mode) == 0 || errno == EEXIST) return {};
  return failure(std::string("make ") + path, errno);
}

Result<void> make_file(const char* path) {
  const sys::Fd file(open(path, O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0));
  if (!file) return failure(std::string("make ") + path, errno);
  return {};
}

std::string directory_of(const std::string& path) {
  return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

bool exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool leads_nowhere(const std::string& path) {
  struct stat status {};
  return exists(path) && stat(path.c_str(), &status) != 0;
}

// What changes before anything else can be at `path`: the nearest name above it that there is. What
// a link leads to may appear without a change above it.
std::string nearest_above(std::string path) {
  if (leads_nowhere(path)) return path;
  do {
    path = directory_of(path);
  } while (!exists(path));
  return path;
}

// What there is to cover at `path`; nothing when the command could not reach it either.
sys::Fd find(const std::string& path) { return sys::Fd(open(path.c_str(), O_PATH | O_CLOEXEC)); }

}  // namespace

Result<void> make_vault() {
  TRY(make_directory(kVault, 0755));
  const Detached vault = TRY(new_filesystem("tmpfs", {{"mode", "0755"}, {"size", "64k"}},
                                            kNoSuid | kNoDevices | kNoExecute));
  TRY(attach(vault, kVault));
  TRY(make_directory(kEmptyDirectory, 0));
  TRY(make_file(kEmptyFile));
  // Nobody without capabilities passes a directory of mode 0 that is on a read-only mount: its
  // owner could not change the mode.
  TRY(make_directory("/run/helve/kept", 0));
  TRY(make_directory(kScratchInVault, 0));
  TRY(make_directory(kTemporaryInVault, 0));
  return restrict_mount(kVault, kReadOnly);
}

Result<void> hide(std::span<const std::string> paths, Which which) {
  struct stat cover {};
  if (stat(kEmptyFile, &cover) != 0) return failure("find its covers", errno);
  for (const std::string& path : paths) {
    const sys::Fd place = find(path);
    struct stat status {};
    if (!place || fstat(place.get(), &status) != 0 || status.st_dev == cover.st_dev) continue;
    if (which == Which::sockets_only && !S_ISSOCK(status.st_mode)) continue;
    const Detached tree = TRY(clone_tree(S_ISDIR(status.st_mode) ? kEmptyDirectory : kEmptyFile));
    TRY(attach(tree, place, path));
  }
  return {};
}

Result<Covers> Covers::make(std::span<const std::string> paths) {
  Covers covers;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (const std::string& path : paths) covers.parents_[nearest_above(path)].paths.push_back(path);
  // After the nearest one was looked for and before covering: a change in between is seen as one.
  for (auto& [directory, parent] : covers.parents_) {
    parent.stamp = stamp_of(directory);
    parent.certain = now.tv_sec - parent.stamp.seconds > kCoarseClock;
    TRY(hide(parent.paths));
  }
  return covers;
}

Result<void> Covers::renew() const {
  for (const auto& [directory, parent] : parents_) {
    if (parent.certain && stamp_of(directory) == parent.stamp) continue;
    TRY(hide(parent.paths));
  }
  return {};
}

bool Covers::lead_astray() const {
  std::set<std::string_view> known;
  for (const auto& [directory, parent] : parents_)
    known.insert(parent.paths.begin(), parent.paths.end());
  return std::ranges::any_of(known, [&](std::string_view path) {
    const std::string name(path);
    if (leads_nowhere(name)) return true;
    const std::unique_ptr<char, void (*)(void*)> real(realpath(name.c_str(), nullptr), &free);
    return real && !known.contains(real.get());
  });
}

std::vector<std::string> Covers::directories() const {
  std::set<std::string> names;
  for (const auto& [directory, parent] : parents_)
    for (const std::string& path : parent.paths) names.insert(directory_of(path));
  return {names.begin(), names.end()};
}

Covers::Stamp Covers::stamp_of(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) return {};
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .seconds = status.st_ctim.tv_sec,
          .nanoseconds = status.st_ctim.tv_nsec};
}

}  // namespace helve::sandbox

#include "sandbox/watch.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

constexpr std::uint32_t kNames = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

// Elsewhere another machine could change a directory, and the kernel would not know. The last two
// have no name in the header.
constexpr auto kLocal = std::to_array<std::uint32_t>(
    {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC,
     OVERLAYFS_SUPER_MAGIC, PROC_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */, 0xca451a4e /* bcachefs */});

bool is_missing(int code) { return code == ENOENT || code == ENOTDIR; }

// Who replaces a directory takes along what is in it, and only what is above it changes.
std::set<std::string> with_all_above(std::span<const std::string> directories) {
  std::set<std::string> places;
  for (std::string place : directories) {
    while (places.insert(place).second && place.size() > 1)
      place.resize(std::max<size_t>(place.rfind('/'), 1));
  }
  return places;
}

bool is_local(const std::string& directory) {
  struct statfs system {};
  return statfs(directory.c_str(), &system) == 0 &&
         std::ranges::find(kLocal, static_cast<std::uint32_t>(system.f_type)) != kLocal.end();
}

}  // namespace

Result<sys::Fd> watch_names(std::span<const std::string> directories) {
  sys::Fd watch(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch) return failure("watch directories", errno);
  for (const std::string& place : with_all_above(directories)) {
    // What a command may not look into, it cannot change either.
    if (inotify_add_watch(watch.get(), place.c_str(), kNames) >= 0 || is_missing(errno) ||
        errno == EACCES)
      continue;
    return failure("watch " + place, errno,
                   errno == ENOSPC ? "raise sysctl fs.inotify.max_user_watches" : "");
  }
  return watch;
}

bool watch_all(const sys::Fd& watch, std::span<const std::string> directories) {
  return std::ranges::all_of(with_all_above(directories), [&](const std::string& place) {
    constexpr std::uint32_t kEverything = kNames | IN_MODIFY | IN_ATTRIB;
    if (inotify_add_watch(watch.get(), place.c_str(), kEverything) < 0) return is_missing(errno);
    return is_local(place);
  });
}

}  // namespace helve::sandbox

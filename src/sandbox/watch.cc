#include "sandbox/watch.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

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

Result<Watch> Watch::make(Of what) {
  sys::Fd changes(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!changes) return failure("watch directories", errno);
  return Watch(std::move(changes), what);
}

Result<bool> Watch::add(std::span<const std::string> directories) {
  const std::uint32_t events = what_ == Of::names ? kNames : kNames | IN_MODIFY | IN_ATTRIB;
  const int newest_before = newest_;
  for (const std::string& place : with_all_above(directories)) {
    const int number = inotify_add_watch(changes_.get(), place.c_str(), events);
    newest_ = std::max(newest_, number);
    if (number < 0 && is_missing(errno)) continue;
    // What a command may not look into, it cannot give other names.
    if (number < 0 && errno == EACCES && what_ == Of::names) continue;
    if (number < 0) {
      // All else that may be in the way passes.
      is_blind_ |= errno == EACCES;
      return failure("watch " + place, errno,
                     errno == ENOSPC ? "raise sysctl fs.inotify.max_user_watches" : "");
    }
    if (what_ == Of::everything && !is_local(place)) {
      is_blind_ = true;
      return failure("watch " + place, EREMOTE);
    }
  }
  return newest_ == newest_before;
}

void Watch::forget_changes() const {
  char events[16384];
  while (read(changes_.get(), events, sizeof events) > 0) {
  }
}

}  // namespace helve::sandbox

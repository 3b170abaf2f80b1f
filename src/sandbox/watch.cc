#include "sandbox/watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

constexpr std::uint32_t kNames = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

bool is_missing(int code) { return code == ENOENT || code == ENOTDIR; }

}  // namespace

Result<sys::Fd> watch_names(std::span<const std::string> directories) {
  sys::Fd watch(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch) return failure("watch directories", errno);
  for (std::string directory : directories) {
    while (inotify_add_watch(watch.get(), directory.c_str(), kNames) < 0) {
      if (errno == EACCES) break;  // nor can the command reach what is in there
      if (!is_missing(errno) || directory.size() <= 1) {
        return failure("watch " + directory, errno,
                       errno == ENOSPC ? "raise sysctl fs.inotify.max_user_watches" : "");
      }
      directory.resize(std::max<size_t>(directory.rfind('/'), 1));
    }
  }
  return watch;
}

}  // namespace helve::sandbox

#include "sys/directory_watch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "sys/file.h"

namespace helve::sys {
namespace {

constexpr std::uint32_t kEntry = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr std::uint32_t kContent = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB;
constexpr std::uint32_t kEnd = IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t kEnded = kEnd | IN_IGNORED | IN_UNMOUNT;

DirectoryWatch::Event to_event(const inotify_event& event, const char* name) {
  return {.watch = event.wd,
          .name = event.len > 0 ? std::string_view(name) : std::string_view(),
          .is_directory = (event.mask & IN_ISDIR) != 0,
          .entry = (event.mask & kEntry) != 0,
          .came = (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0,
          .content = (event.mask & kContent) != 0,
          .ended = (event.mask & kEnded) != 0,
          .lost = (event.mask & IN_Q_OVERFLOW) != 0};
}

}  // namespace

OrErrno<DirectoryWatch> DirectoryWatch::make() {
  Fd queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!queue) return last_error();
  Fd mounts(::open("/proc/self/mounts", O_RDONLY | O_CLOEXEC));
  if (!mounts) return last_error();
  return DirectoryWatch(std::move(queue), std::move(mounts));
}

OrErrno<int> DirectoryWatch::watch(const Fd& directory) const {
  // The kernel takes only a path; this one leads to what the descriptor holds, whatever was renamed
  // meanwhile.
  const std::string path = fmt::format("/proc/self/fd/{}", directory.get());
  const int watch = ::inotify_add_watch(queue_.get(), path.c_str(),
                                        kEntry | kContent | kEnd | IN_ONLYDIR | IN_EXCL_UNLINK);
  if (watch < 0) return last_error();
  return watch;
}

std::uint64_t DirectoryWatch::most_watches() {
  constexpr std::uint64_t kLeast = 8192;  // the default of old kernels
  const Result<std::string> text = read_file("/proc/sys/fs/inotify/max_user_watches", 64);
  if (!text) return kLeast;
  std::uint64_t most = kLeast;
  (void)std::from_chars(text->data(), text->data() + text->size(), most);
  return most;
}

void DirectoryWatch::forget(int watch) const { (void)::inotify_rm_watch(queue_.get(), watch); }

OrErrno<void> DirectoryWatch::drain(const std::function<void(const Event&)>& visit) const {
  // The kernel reports each change once, to each descriptor.
  pollfd mounts{.fd = mounts_.get(), .events = POLLPRI, .revents = 0};
  if (::poll(&mounts, 1, 0) > 0) visit({.lost = true});
  alignas(inotify_event) char buffer[64 * 1024];
  while (true) {
    const ssize_t size = ::read(queue_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return {};
    if (size < 0) return last_error();
    for (const char* at = buffer; at < buffer + size;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof event);
      visit(to_event(event, at + sizeof event));
      at += sizeof event + event.len;
    }
  }
}

}  // namespace helve::sys

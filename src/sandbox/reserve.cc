#include "sandbox/reserve.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/failure.h"
#include "sys/directory.h"
#include "sys/id.h"
#include "sys/reserved.h"

namespace helve::sandbox {
namespace {

constexpr time_t kMark = sys::kReservedTime;
constexpr long kMarkNanoseconds = 0;

// Against others who make and remove the same name: on a busy machine each attempt may lose.
constexpr int kAttempts = 200;

// A directory, unless the name is one that programs know as a file.
bool is_file_name(std::string_view name) {
  return name == "config" || name.find('.', 1) != name.npos;
}

// What somebody has put something into is no longer ours, whatever its time says.
bool is_empty(const sys::Fd& opened, const struct stat& status) {
  if (!S_ISDIR(status.st_mode)) return true;
  bool empty = true;
  const auto read = sys::for_each_entry(opened, [&](const auto&) { return empty = false; });
  return read && empty;
}

bool is_marked(const struct stat& status) {
  return status.st_mtim.tv_sec == kMark && status.st_mtim.tv_nsec == kMarkNanoseconds &&
         (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size == 0));
}

// By number, because the name of the system's header is that of one of ours.
bool lock_at_once(const sys::Fd& file, int how) {
  constexpr int kWithoutWaiting = 4;
  return syscall(SYS_flock, file.get(), how | kWithoutWaiting) == 0;
}
constexpr int kShared = 1;
constexpr int kExclusive = 2;

sys::Fd open_for_lock(const sys::Fd& parent, const std::string& name) {
  return sys::Fd(openat(parent.get(), name.c_str(),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

sys::Fd open_reserved(const sys::Fd& parent, const std::string& name) {
  struct stat status {};
  if (fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !is_marked(status)) {
    return {};
  }
  sys::Fd opened = open_for_lock(parent, name);
  if (!opened || fstat(opened.get(), &status) != 0 || !is_marked(status)) return {};
  if (!is_empty(opened, status)) return {};
  return opened;
}

bool create_at_once(const sys::Fd& parent, const std::string& name, bool is_file) {
  if (is_file) {
    const sys::Fd file(openat(parent.get(), name.c_str(),
                              O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file) return false;
  } else if (mkdirat(parent.get(), name.c_str(), 0755) != 0) {
    return false;
  }
  const timespec times[2]{{0, UTIME_OMIT}, {kMark, kMarkNanoseconds}};
  utimensat(parent.get(), name.c_str(), times, AT_SYMLINK_NOFOLLOW);
  return true;
}

// Under another name first, so that nobody ever sees it without the mark and takes it for real.
bool create(const sys::Fd& parent, const std::string& name, Reserved as) {
  const bool is_file = as == Reserved::file || is_file_name(name);
  const std::string hidden = fmt::format(".helve-{:016x}", sys::random_number());
  if (!create_at_once(parent, hidden, is_file)) return false;
  if (renameat2(parent.get(), hidden.c_str(), parent.get(), name.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  const int code = errno;
  unlinkat(parent.get(), hidden.c_str(), is_file ? 0 : AT_REMOVEDIR);
  // Some file systems cannot do that.
  if (code == EINVAL || code == ENOSYS) return create_at_once(parent, name, is_file);
  errno = code;
  return false;
}

}  // namespace

bool is_current(const sys::Fd& parent, const std::string& name, const sys::Fd& opened) {
  struct stat named {
  }, status{};
  return fstatat(parent.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         fstat(opened.get(), &status) == 0 && named.st_dev == status.st_dev &&
         named.st_ino == status.st_ino;
}

sys::Fd hold_reserved(const sys::Fd& parent, const std::string& name) {
  sys::Fd held = open_reserved(parent, name);
  if (!held || !lock_at_once(held, kShared) || !is_current(parent, name, held)) return {};
  return held;
}

bool is_reserved(const sys::Fd& parent, const std::string& name) {
  return static_cast<bool>(open_reserved(parent, name));
}

Result<sys::Fd> reserve(const sys::Fd& parent, const std::string& name, std::string_view shown,
                        Reserved as) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // First, so that nobody sees names come and go where all is there already.
    if (sys::Fd held = hold_reserved(parent, name)) return held;
    if (!create(parent, name, as) && errno != EEXIST) {
      // What we may not make, with more rights than the command will have, it cannot make either.
      if (errno == EACCES || errno == EPERM || errno == EROFS) return sys::Fd();
      return failure("reserve " + std::string(shown), errno);
    }
    struct stat status {};
    if (fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        !is_marked(status)) {
      return unfit(fmt::format("'{}' appeared just now", shown), "try again");
    }
  }
  return unfit(fmt::format("'{}' comes and goes", shown), "try again");
}

void release_reserved(const sys::Fd& parent, const std::string& name) {
  const sys::Fd held = open_for_lock(parent, name);
  struct stat status {};
  if (!held || fstat(held.get(), &status) != 0 || !is_marked(status)) return;
  if (!lock_at_once(held, kExclusive) || !is_current(parent, name, held)) return;
  unlinkat(parent.get(), name.c_str(), S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
}

}  // namespace helve::sandbox

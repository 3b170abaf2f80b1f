// The part of sys/file_at.h about what a file has besides its content: owner, mode, extended
// attributes.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sys/file_at.h"

namespace helve::sys {
namespace {

constexpr size_t kMaxAttributeBytes =
    64 * 1024;  // the kernel's own limit, for the names and for each value
constexpr mode_t kUsualUmask = 022;

// Access lists are extended attributes too. Those that this process may not set stay behind.
void copy_extended_attributes(const Fd& from, const Fd& to) {
  ssize_t expected = ::flistxattr(from.get(), nullptr, 0);
  if (expected == 0 || (expected < 0 && errno != EBADF)) return;
  // An identity descriptor gives no attributes itself, but its name in /proc does.
  char source[40];
  std::snprintf(source, sizeof source, "/proc/self/fd/%d", from.get());
  if (expected < 0) expected = ::listxattr(source, nullptr, 0);
  if (expected <= 0) return;
  std::string names(kMaxAttributeBytes, 0), value(kMaxAttributeBytes, 0);
  const ssize_t length = ::listxattr(source, names.data(), names.size());
  for (ssize_t at = 0; at < length; at += static_cast<ssize_t>(std::strlen(&names[at])) + 1) {
    const ssize_t size = ::getxattr(source, &names[at], value.data(), value.size());
    if (size >= 0) (void)::fsetxattr(to.get(), &names[at], value.data(), size, 0);
  }
}

// True when both the user and the group are as they were.
bool copy_owner(const FileStatus& status, const Fd& to) {
  struct stat now;
  if (::fstat(to.get(), &now) < 0) return false;
  if (now.st_uid == status.user && now.st_gid == status.group) return true;
  if (::fchown(to.get(), status.user, status.group) == 0) return true;
  // One's own files may be given to any group one is in.
  (void)!::fchown(to.get(), static_cast<uid_t>(-1), status.group);
  return false;
}

// Asking with umask() would change it for every thread for a moment.
mode_t current_umask() {
  const Fd file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  char text[512];
  const ssize_t length = file ? ::read(file.get(), text, sizeof text - 1) : -1;
  if (length <= 0) return kUsualUmask;
  text[length] = 0;
  const char* line = std::strstr(text, "\nUmask:");
  return line ? static_cast<mode_t>(std::strtoul(line + 7, nullptr, 8)) : kUsualUmask;
}

}  // namespace

OrErrno<void> copy_attributes(const Fd& from, const FileStatus& status, const Fd& to) {
  const bool same_owner = copy_owner(status, to);
  copy_extended_attributes(from, to);
  // Last, since a change of owner clears setuid and an access list carries a mode of its own.
  const mode_t mode = same_owner ? status.mode : status.mode & 01777;
  if (::fchmod(to.get(), mode) < 0) return last_error();
  return {};
}

OrErrno<void> set_default_mode(const Fd& file) { return set_mode(file, 0666 & ~current_umask()); }

OrErrno<void> set_mode(const Fd& file, std::uint32_t mode) {
  if (::fchmod(file.get(), mode) == 0) return {};
  if (errno != EBADF) return last_error();
  // An identity descriptor: only its name in /proc will do.
  char name[40];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file.get());
  if (::chmod(name, mode) < 0) return last_error();
  return {};
}

OrErrno<void> set_modified_at(const Fd& directory, std::string_view name, std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t part = ((ns % kSecond) + kSecond) % kSecond;
  const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                    {.tv_sec = (ns - part) / kSecond, .tv_nsec = part}};
  if (::utimensat(directory.get(), std::string(name).c_str(), times, AT_SYMLINK_NOFOLLOW) < 0) {
    return last_error();
  }
  return {};
}

void copy_link_owner(const FileStatus& status, const Fd& directory, std::string_view name) {
  (void)!::fchownat(directory.get(), std::string(name).c_str(), status.user, status.group,
                    AT_SYMLINK_NOFOLLOW);
}

bool has_attribute(const Fd& file, const char* name) {
  return ::fgetxattr(file.get(), name, nullptr, 0) >= 0;
}

void remove_attributes(const Fd& file, std::string_view beginning) {
  std::string names(kMaxAttributeBytes, 0);
  const ssize_t length = ::flistxattr(file.get(), names.data(), names.size());
  for (ssize_t at = 0; at < length; at += static_cast<ssize_t>(std::strlen(&names[at])) + 1) {
    if (std::string_view(&names[at]).starts_with(beginning)) ::fremovexattr(file.get(), &names[at]);
  }
}

bool has_extended_attributes(const Fd& file) {
  std::string names(kMaxAttributeBytes, 0);
  const ssize_t length = ::flistxattr(file.get(), names.data(), names.size());
  if (length < 0) return errno != EOPNOTSUPP;
  for (ssize_t at = 0; at < length; at += static_cast<ssize_t>(std::strlen(&names[at])) + 1) {
    // The system labels every file by itself.
    if (std::strcmp(&names[at], "security.selinux") != 0) return true;
  }
  return false;
}

}  // namespace helve::sys

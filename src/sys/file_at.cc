#include "sys/file_at.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sys/id.h"

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#else
struct open_how {
  std::uint64_t flags, mode, resolve;
};
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

namespace helve::sys {
namespace {

// The kernel asks for another try when something was renamed while ".." was resolved. An attacker
// who renames in a loop must not hold us here for ever.
constexpr int kMaxTries = 100;

// The kernel wants a terminated string; a view has none. On the stack, since most paths are
// short-lived and short.
class Terminated {
 public:
  explicit Terminated(std::string_view text) {
    if (text.size() >= sizeof buffer_) {
      error_ = ENAMETOOLONG;
    } else if (std::memchr(text.data(), 0, text.size())) {
      error_ = EINVAL;
    } else {
      std::memcpy(buffer_, text.data(), text.size());
      buffer_[text.size()] = 0;
    }
  }
  // Null, with errno set, when the text cannot be a path.
  const char* get() const {
    if (error_ == 0) return buffer_;
    errno = error_;
    return nullptr;
  }

 private:
  char buffer_[PATH_MAX + 1];
  int error_ = 0;
};

OrErrno<void> check(long result) {
  if (result < 0) return last_error();
  return {};
}

FileKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileKind::file;
    case S_IFDIR:
      return FileKind::directory;
    case S_IFLNK:
      return FileKind::symlink;
    case S_IFIFO:
      return FileKind::fifo;
    case S_IFSOCK:
      return FileKind::socket;
    default:
      return FileKind::device;
  }
}

FileStatus from_stat(const struct stat& s) {
  return {.kind = kind_of(s.st_mode),
          .size = static_cast<std::uint64_t>(s.st_size),
          .mode = s.st_mode & 07777,
          .user = s.st_uid,
          .group = s.st_gid,
          .links = s.st_nlink,
          .device = s.st_dev,
          .inode = s.st_ino,
          .modified_ns = s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec,
          .changed_ns = s.st_ctim.tv_sec * 1'000'000'000 + s.st_ctim.tv_nsec};
}

std::uint64_t flags_for(Open how) {
  switch (how) {
    case Open::read:
      return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    case Open::directory:
      return O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    case Open::identity:
      return O_PATH | O_NOFOLLOW | O_CLOEXEC;
    case Open::itself:
      return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
  }
  return O_PATH | O_CLOEXEC;
}

}  // namespace

Fd::~Fd() {
  if (number_ >= 0) ::close(number_);
}

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::file:
      return "file";
    case FileKind::directory:
      return "directory";
    case FileKind::symlink:
      return "symlink";
    case FileKind::fifo:
      return "FIFO";
    case FileKind::socket:
      return "socket";
    case FileKind::device:
      return "device";
  }
  return "file";
}

OrErrno<Fd> open_directory(std::string_view path) {
  const Terminated text(path);
  if (!text.get()) return last_error();
  const int fd = ::open(text.get(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return last_error();
  return Fd(fd);
}

OrErrno<Fd> open_beneath(const Fd& directory, std::string_view path, Open how, Links links) {
  const Terminated text(path);
  if (!text.get()) return last_error();
  struct open_how request = {};
  request.flags = flags_for(how);
  request.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (links == Links::refuse) request.resolve |= RESOLVE_NO_SYMLINKS;
  for (int i = 0; i < kMaxTries; ++i) {
    const long fd = ::syscall(SYS_openat2, directory.get(), text.get(), &request, sizeof request);
    if (fd >= 0) return Fd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return last_error();
}

OrErrno<void> can_open_beneath(const Fd& directory) {
  if (auto opened = open_beneath(directory, ".", Open::identity); !opened) {
    return std::unexpected(opened.error());
  }
  return {};
}

OrErrno<Fd> create_new(const Fd& directory, std::string_view name) {
  const Terminated text(name);
  if (!text.get()) return last_error();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int fd = ::openat(directory.get(), text.get(), kFlags, 0600);
  if (fd < 0) return last_error();
  return Fd(fd);
}

std::string temporary_name() {
  char text[40];
  std::snprintf(text, sizeof text, ".helve-tmp-%016llx",
                static_cast<unsigned long long>(random_number()));
  return text;
}

OrErrno<FileStatus> status(const Fd& file) {
  struct stat s;
  if (::fstat(file.get(), &s) < 0) return last_error();
  return from_stat(s);
}

OrErrno<FileStatus> status_at(const Fd& directory, std::string_view name) {
  const Terminated text(name);
  struct stat s;
  if (!text.get() || ::fstatat(directory.get(), text.get(), &s, AT_SYMLINK_NOFOLLOW) < 0) {
    return last_error();
  }
  return from_stat(s);
}

OrErrno<FileStatus> status_of(const std::string& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) < 0) return last_error();
  return from_stat(found);
}

bool is_overlay(const Fd& directory) {
  constexpr std::uint32_t kOverlay = 0x794C7630;
  struct statfs found;
  return ::fstatfs(directory.get(), &found) == 0 &&
         static_cast<std::uint32_t>(found.f_type) == kOverlay;
}

bool is_local(const Fd& directory) {
  struct statfs found;
  if (::fstatfs(directory.get(), &found) < 0) return false;
  switch (static_cast<std::uint32_t>(found.f_type)) {
    case 0x6969:      // NFS
    case 0x517B:      // SMB
    case 0xFF534D42:  // CIFS
    case 0xFE534D42:  // SMB2
    case 0x65735546:  // FUSE
    case 0x01021997:  // 9P
    case 0x00C36400:  // CEPH
    case 0x5346414F:  // AFS
    case 0x6B414653:  // kAFS
    case 0x73757245:  // CODA
    case 0x786F4256:  // VirtualBox's shared folders
    case 0xBACBACBC:  // VMware's
      return false;
    default:
      return true;
  }
}

OrErrno<std::string> path_of(const Fd& file) {
  char link[40], target[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file.get());
  const ssize_t length = ::readlink(link, target, sizeof target);
  if (length < 0) return last_error();
  return std::string(target, static_cast<size_t>(length));
}

OrErrno<std::uint64_t> mount_of(const Fd& file) {
  struct statx found;
  if (::statx(file.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &found) < 0) return last_error();
  if (!(found.stx_mask & STATX_MNT_ID)) return std::unexpected(std::errc::function_not_supported);
  return found.stx_mnt_id;
}

OrErrno<std::int64_t> birth_at(const Fd& directory, std::string_view name) {
  const Terminated text(name);
  struct statx found;
  if (!text.get() ||
      ::statx(directory.get(), text.get(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &found) < 0) {
    return last_error();
  }
  if (!(found.stx_mask & STATX_BTIME)) return std::unexpected(std::errc::function_not_supported);
  return found.stx_btime.tv_sec * 1'000'000'000 + found.stx_btime.tv_nsec;
}

OrErrno<std::string> read_link_at(const Fd& directory, std::string_view name) {
  const Terminated text(name);
  char target[PATH_MAX];
  if (!text.get()) return last_error();
  const ssize_t length = ::readlinkat(directory.get(), text.get(), target, sizeof target);
  if (length < 0) return last_error();
  return std::string(target, static_cast<size_t>(length));
}

OrErrno<void> may_write(const Fd& file, const FileStatus& status) {
  // What its owner may do, nobody else's entry in an access list can forbid.
  if (status.user == ::geteuid() && (status.mode & S_IWUSR)) return {};
  return check(::faccessat(file.get(), "", W_OK, AT_EACCESS | AT_EMPTY_PATH));
}

OrErrno<size_t> read_at(const Fd& file, std::span<char> buffer, std::uint64_t offset,
                        size_t enough) {
  size_t have = 0;
  while (have < std::min(buffer.size(), enough)) {
    const ssize_t got = ::pread(file.get(), buffer.data() + have, buffer.size() - have,
                                static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return last_error();
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  return have;
}

OrErrno<void> write_all(const Fd& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

OrErrno<void> write_at(const Fd& file, std::string_view content, std::uint64_t offset) {
  while (!content.empty()) {
    const ssize_t written =
        ::pwrite(file.get(), content.data(), content.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    content.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

OrErrno<void> sync_data(const Fd& file) { return check(::fdatasync(file.get())); }

OrErrno<void> sync_directory(const Fd& directory) {
  // Some file systems have nothing to sync for a directory, and say so.
  if (::fsync(directory.get()) < 0 && errno != EINVAL && errno != EOPNOTSUPP) return last_error();
  return {};
}

OrErrno<void> sync_file_system(const Fd& file) { return check(::syncfs(file.get())); }

OrErrno<void> close_file(Fd file) {
  // After EINTR the descriptor is closed all the same; a second close could hit somebody else's.
  if (::close(file.release()) < 0 && errno != EINTR) return last_error();
  return {};
}

OrErrno<void> make_directory_at(const Fd& directory, std::string_view name, std::uint32_t mode) {
  const Terminated text(name);
  if (!text.get()) return last_error();
  return check(::mkdirat(directory.get(), text.get(), mode));
}

OrErrno<void> rename_at(const Fd& directory, std::string_view from, std::string_view to,
                        Rename how) {
  return rename_between(directory, from, directory, to, how);
}

OrErrno<void> rename_between(const Fd& from_directory, std::string_view from,
                             const Fd& to_directory, std::string_view to, Rename how) {
  const Terminated old_name(from), new_name(to);
  if (!old_name.get() || !new_name.get()) return last_error();
  const int source = from_directory.get(), target = to_directory.get();
  if (how == Rename::replace) {
    return check(::renameat(source, old_name.get(), target, new_name.get()));
  }
  const unsigned flags = how == Rename::exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::syscall(SYS_renameat2, source, old_name.get(), target, new_name.get(), flags) == 0) {
    return {};
  }
  // Kernels and filters without this call: to the caller the same as a file system that cannot do
  // it.
  if (errno == ENOSYS || errno == EOPNOTSUPP) errno = EINVAL;
  return last_error();
}

OrErrno<void> link_between(const Fd& from_directory, std::string_view from, const Fd& to_directory,
                           std::string_view to) {
  const Terminated old_name(from), new_name(to);
  if (!old_name.get() || !new_name.get()) return last_error();
  return check(
      ::linkat(from_directory.get(), old_name.get(), to_directory.get(), new_name.get(), 0));
}

OrErrno<void> make_link_at(const Fd& directory, std::string_view name, std::string_view target) {
  const Terminated link(name), text(target);
  if (!link.get() || !text.get()) return last_error();
  return check(::symlinkat(text.get(), directory.get(), link.get()));
}

OrErrno<void> make_fifo_at(const Fd& directory, std::string_view name, std::uint32_t mode) {
  const Terminated text(name);
  if (!text.get()) return last_error();
  if (::mkfifoat(directory.get(), text.get(), 0600) != 0) return last_error();
  return check(::fchmodat(directory.get(), text.get(), mode & 0777, 0));
}

OrErrno<void> remove_file_at(const Fd& directory, std::string_view name) {
  const Terminated text(name);
  if (!text.get()) return last_error();
  return check(::unlinkat(directory.get(), text.get(), 0));
}

OrErrno<void> remove_directory_at(const Fd& directory, std::string_view name) {
  const Terminated text(name);
  if (!text.get()) return last_error();
  return check(::unlinkat(directory.get(), text.get(), AT_REMOVEDIR));
}

}  // namespace helve::sys

#include "sys/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/text.h"
#include "sys/file_at.h"

namespace helve::sys {
namespace {

constexpr size_t kMaxFile = size_t{1} << 40;  // no limit that a caller gives is larger
constexpr size_t kFirstRead = 4096;
constexpr std::chrono::milliseconds kLockPause{5};

// The directory that holds the last part of a path, and that part.
struct Split {
  std::string directory;
  std::string name;
};

Split split_last(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

OrErrno<void> write_and_sync(Fd file, std::string_view content, std::uint32_t mode) {
  if (auto done = write_all(file, content); !done) return done;
  if (::fchmod(file.get(), mode) < 0) return last_error();
  if (::fsync(file.get()) < 0) return last_error();
  return close_file(std::move(file));
}

OrErrno<void> replace_in(const Fd& directory, const std::string& name, std::string_view content,
                         std::uint32_t mode) {
  const std::string temporary = temporary_name();
  auto file = create_new(directory, temporary);
  if (!file) return std::unexpected(file.error());
  auto done = write_and_sync(std::move(*file), content, mode);
  if (done) done = rename_at(directory, temporary, name, Rename::replace);
  if (!done) {
    (void)remove_file_at(directory, temporary);
    return done;
  }
  return sync_directory(directory);
}

}  // namespace

Result<std::string> read_file(const std::string& path, size_t limit) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return to_error(last_error().error(), "read", path);
  const auto found = status(file);
  if (!found) return to_error(found.error(), "read", path);
  if (found->kind == FileKind::directory) {
    return to_error(std::errc::is_a_directory, "read", path);
  }
  if (found->kind != FileKind::file) {
    return Error{Code::unsupported,
                 "cannot read '" + escape_for_display(path) + "': it is a " +
                     std::string(name_of(found->kind)),
                 "only regular files are read", "not_a_file"};
  }
  limit = std::min(limit, kMaxFile);
  // One byte more than is needed shows a file that grew meanwhile, or one of /proc, which claims to
  // be empty.
  std::string content(std::min<size_t>(std::max<size_t>(found->size, kFirstRead), limit) + 1, 0);
  size_t have = 0;
  while (true) {
    const auto got = read_at(file, std::span(content).subspan(have), have);
    if (!got) return to_error(got.error(), "read", path);
    have += *got;
    if (have < content.size()) break;
    if (have > limit) {
      return Error{Code::too_large,
                   "'" + escape_for_display(path) + "' is larger than " + human_size(limit)};
    }
    content.resize(std::min(content.size() * 2, limit + 1));
  }
  content.resize(have);
  return content;
}

Result<void> replace_file(const std::string& path, std::string_view content, std::uint32_t mode) {
  const Split parts = split_last(path);
  const auto directory = open_directory(parts.directory);
  if (!directory) return to_error(directory.error(), "open the directory", parts.directory);
  const auto done = replace_in(*directory, parts.name, content, mode);
  if (!done) return to_error(done.error(), "write", path);
  return {};
}

Result<Fd> open_to_append(const std::string& path) {
  constexpr int kFlags =
      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  Fd file(::open(path.c_str(), kFlags, 0600));
  if (!file) return to_error(last_error().error(), "write", path);
  const auto found = status(file);
  if (!found) return to_error(found.error(), "write", path);
  if (found->kind != FileKind::file)
    return Error{Code::unsupported,
                 "'" + escape_for_display(path) + "' is a " + std::string(name_of(found->kind)) +
                     ", not a file",
                 "name a file", "not_a_file"};
  return file;
}

Result<void> append_file(const std::string& path, std::string_view content) {
  Fd file = TRY(open_to_append(path));
  auto done = write_all(file, content);
  if (done) done = close_file(std::move(file));
  if (!done) return to_error(done.error(), "write", path);
  return {};
}

Result<Fd> lock_file(const std::string& path, std::chrono::milliseconds longest) {
  // A file of its own: the one that is changed is replaced, and its lock would go with it.
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) return to_error(last_error().error(), "lock", path);
  const auto end = std::chrono::steady_clock::now() + longest;
  // Of this descriptor, not of the process: threads exclude each other too.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  while (::fcntl(file.get(), F_OFD_SETLK, &whole) != 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) return to_error(last_error().error(), "lock", path);
    if (std::chrono::steady_clock::now() >= end) {
      return Error{Code::unavailable,
                   "another process holds '" + escape_for_display(path) + "', and did not let go",
                   "try again, or end the process that holds it (fuser names it)", "busy"};
    }
    std::this_thread::sleep_for(kLockPause);
  }
  return file;
}

Result<void> make_directories(const std::string& path, std::uint32_t mode) {
  for (size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) == 0 || errno == EEXIST) continue;
    // On a read-only file system existing directories give this instead.
    struct stat existing;
    const int reason = errno;
    if (::stat(part.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode)) continue;
    return to_error(static_cast<std::errc>(reason), "make the directory", part);
  }
  struct stat made;
  if (::stat(path.c_str(), &made) < 0)
    return to_error(last_error().error(), "make the directory", path);
  if (!S_ISDIR(made.st_mode))
    return to_error(std::errc::not_a_directory, "make the directory", path);
  return {};
}

}  // namespace helve::sys

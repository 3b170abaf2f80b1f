#include "sys/private_file.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "sys/file.h"
#include "sys/file_error.h"

namespace helve::sys {
namespace {

constexpr std::uint32_t kPrivateDirectory = 0700;
constexpr std::uint32_t kPrivateFile = 0600;

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> check_access(const std::string& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) == 0) return {};
  Error error = to_error(last_error().error(), "write", path);
  struct stat info;
  if (error.type == "permission_denied" && ::stat(path.c_str(), &info) == 0) {
    error.hint = fmt::format(
        "it belongs to user {}, and this process runs as user {}: change its owner or mode",
        info.st_uid, ::geteuid());
  }
  return error;
}

Result<void> tighten(const std::string& path, const struct stat& info, mode_t mode) {
  if (info.st_uid != ::geteuid()) {
    if (info.st_uid == 0) return {};
    return Error{.code = Code::denied,
                 .message = fmt::format("'{}' belongs to user {}, and this process runs as user {}",
                                        escape_for_display(path), info.st_uid, ::geteuid()),
                 .hint = "change its owner, or choose another state directory",
                 .type = "unsafe_file"};
  }
  // Only what others may do is taken away.
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) == 0 || (info.st_mode & S_ISVTX)) return {};
  if (::chmod(path.c_str(), info.st_mode & mode) == 0) return {};
  return to_error(last_error().error(), "change the mode of", path);
}

}  // namespace

Result<void> keep_private(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) return tighten(path, info, kPrivateFile);
  if (errno == ENOENT) return {};
  return to_error(last_error().error(), "reach", path);
}

Result<void> ensure_private_file(const std::string& path) {
  const std::string directory = directory_of(path);
  TRY(make_directories(directory, kPrivateDirectory));
  struct stat info;
  if (::stat(directory.c_str(), &info) != 0)
    return to_error(last_error().error(), "reach", directory);
  TRY(tighten(directory, info, kPrivateDirectory));
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return to_error(last_error().error(), "reach", path);
    TRY(check_access(directory));
    // Creates a regular file without opening it. Somebody else may have been faster.
    if (::mknod(path.c_str(), S_IFREG | kPrivateFile, 0) != 0 && errno != EEXIST) {
      return to_error(last_error().error(), "create", path);
    }
    if (::stat(path.c_str(), &info) != 0) return to_error(last_error().error(), "reach", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{.code = Code::unsupported,
                 .message = fmt::format("'{}' is not a regular file", escape_for_display(path)),
                 .hint = "move it away, or choose another state directory",
                 .type = "not_a_file"};
  }
  TRY(tighten(path, info, kPrivateFile));
  TRY(check_access(directory));
  return check_access(path);
}

FileIdentity identity_of(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size)};
}

}  // namespace helve::sys

#include "sys/file_error.h"

#include <fmt/core.h>

#include <cerrno>

#include "base/text.h"

namespace helve::sys {
namespace {

// How an errno is told: the kind of error, the words, the next step, and a type where the code
// alone is too coarse.
struct Words {
  Code code;
  std::string_view reason;
  std::string_view hint = {};
  std::string_view type = {};
};

Words words_for(int number) {
  switch (number) {
    case ENOENT:
      return {Code::not_found, "it does not exist"};
    case EEXIST:
      return {Code::conflict, "it exists already", {}, "path_conflict"};
    case EACCES:
      return {Code::denied, "permission denied",
              "the permissions of the file or of a directory above it forbid it",
              "permission_denied"};
    case EPERM:
      return {Code::denied, "operation not permitted",
              "it may belong to somebody else or be immutable", "permission_denied"};
    case EROFS:
      return {Code::denied, "the file system is read-only", "choose a place that can be written",
              "read_only"};
    case EXDEV:
      return {Code::denied, "it leads outside the permitted directories",
              "name a path inside the workspace", "outside_workspace"};
    case ELOOP:
      return {Code::invalid_argument,
              "too many symbolic links, or a link that must not be followed",
              "the links may lead in a circle", "symlink_loop"};
    case ENAMETOOLONG:
      return {Code::invalid_argument, "the path or a part of it is too long",
              "a path has at most 4096 bytes, each part at most 255", "name_too_long"};
    case EISDIR:
      return {Code::invalid_argument, "it is a directory", {}, "is_directory"};
    case ENOTDIR:
      return {Code::invalid_argument, "a part of the path is not a directory",
              "a file stands where the path needs a directory", "not_directory"};
    case ENOTEMPTY:
      return {Code::conflict, "the directory is not empty"};
    case EINVAL:
      return {Code::invalid_argument, "the name is not possible here"};
    case EILSEQ:
      return {Code::invalid_argument, "the file system does not take this name"};
    case ENXIO:
    case ENODEV:
      return {Code::unsupported, "it is a socket or a device without a driver",
              "only files are read and written", "not_a_file"};
    case EFBIG:
      return {Code::too_large, "the file is too large"};
    case ENOSPC:
      return {Code::unavailable, "no space left on the device", "free some space and try again",
              "no_space"};
    case EDQUOT:
      return {Code::unavailable, "the disk quota is used up", "free some space and try again",
              "no_space"};
    case EIO:
      return {Code::unavailable, "input/output error",
              "the disk or the network file system may be failing"};
    case EMFILE:
    case ENFILE:
      return {Code::unavailable, "too many open files", "try again when fewer calls are running"};
    case ENOMEM:
      return {Code::unavailable, "out of memory", "try again later"};
    case EBUSY:
    case ETXTBSY:
      return {Code::unavailable, "it is in use", "it may be a mount point or a running program"};
    case EAGAIN:
      return {Code::unavailable, "it changed while it was being opened", "try again"};
    case ESTALE:
      return {Code::unavailable, "the network file system lost it", "try again"};
    case ENOSYS:
    case EOPNOTSUPP:
      return {Code::unsupported, "this system cannot do it"};
    default:
      return {Code::internal, {}};
  }
}

}  // namespace

std::unexpected<std::errc> last_error() { return std::unexpected(static_cast<std::errc>(errno)); }

std::string reason_of(std::errc number) {
  const int value = static_cast<int>(number);
  const Words words = words_for(value);
  return words.reason.empty() ? std::generic_category().message(value) : std::string(words.reason);
}

Error to_error(std::errc number, std::string_view action, std::string_view path) {
  const Words words = words_for(static_cast<int>(number));
  return {.code = words.code,
          .message = fmt::format("cannot {} '{}': {}", action, escape_for_display(path),
                                 reason_of(number)),
          .hint = std::string(words.hint),
          .type = std::string(words.type)};
}

}  // namespace helve::sys

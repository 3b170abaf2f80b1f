#include "sys/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace helve::sys {
namespace {

std::optional<FileKind> kind_of(unsigned char type) {
  switch (type) {
    case DT_REG:
      return FileKind::file;
    case DT_DIR:
      return FileKind::directory;
    case DT_LNK:
      return FileKind::symlink;
    case DT_FIFO:
      return FileKind::fifo;
    case DT_SOCK:
      return FileKind::socket;
    case DT_CHR:
    case DT_BLK:
      return FileKind::device;
    default:
      return {};
  }
}

}  // namespace

OrErrno<void> for_each_entry(const Fd& directory,
                             const std::function<bool(const DirectoryEntry&)>& visit) {
  // The stream closes its descriptor, so it gets one of its own; the position is shared, hence the
  // rewind.
  const int copy = ::fcntl(directory.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return last_error();
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(copy), close);
  if (!stream) {
    const auto error = last_error();
    ::close(copy);
    return error;
  }
  ::rewinddir(stream.get());
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (!visit({.name = name, .kind = kind_of(entry->d_type)})) return {};
  }
  if (errno != 0) return last_error();
  return {};
}

}  // namespace helve::sys

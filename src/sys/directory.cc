#include "sys/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
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

OrErrno<size_t> read_entries(const Fd& directory, std::span<char> buffer) {
  const ssize_t got = ::getdents64(directory.get(), buffer.data(), buffer.size());
  if (got < 0) return last_error();
  return static_cast<size_t>(got);
}

std::optional<DirectoryEntry> next_entry(std::span<const char>& entries) {
  while (!entries.empty()) {
    // The kernel's layout; the entry is cut where its name ends, so it is not a whole dirent64.
    const char* entry = entries.data();
    unsigned short length;
    std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
    const auto type = static_cast<unsigned char>(entry[offsetof(dirent64, d_type)]);
    const std::string_view name = entry + offsetof(dirent64, d_name);
    entries = entries.subspan(length);
    if (name == "." || name == "..") continue;
    return DirectoryEntry{.name = name, .kind = kind_of(type)};
  }
  return {};
}

}  // namespace helve::sys

#include "sys/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/text.h"
#include "sys/file_error.h"

namespace helve::sys {

OrErrno<MappedFile> MappedFile::map(const Fd& file) {
  const auto found = status(file);
  if (!found) return std::unexpected(found.error());
  if (found->size == 0) return MappedFile();
  void* const start = ::mmap(nullptr, found->size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) return last_error();
  return MappedFile({static_cast<const char*>(start), found->size});
}

Result<MappedFile> MappedFile::map_whole(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return to_error(last_error().error(), "read", path);
  const auto found = status(file);
  if (!found) return to_error(found.error(), "read", path);
  if (found->kind != FileKind::file)
    return Error{Code::unsupported,
                 "cannot read '" + escape_for_display(path) + "': it is a " +
                     std::string(name_of(found->kind)),
                 "only regular files are read", "not_a_file"};
  if (found->size == 0) return MappedFile();
  void* const start =
      ::mmap(nullptr, found->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (start == MAP_FAILED) return to_error(last_error().error(), "read", path);
  return MappedFile({static_cast<const char*>(start), found->size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace helve::sys

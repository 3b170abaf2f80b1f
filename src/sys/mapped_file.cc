#include "sys/mapped_file.h"

#include <sys/mman.h>

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

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace helve::sys

// MappedFile: the content of a file as memory, read when it is touched. Only for files that nobody
// shortens while they are mapped, such as our own: what is missing would end the process.
#pragma once

#include <string>
#include <string_view>

#include "sys/file_at.h"

namespace helve::sys {

class MappedFile {
 public:
  static OrErrno<MappedFile> map(const Fd& file);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

}  // namespace helve::sys

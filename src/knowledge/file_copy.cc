#include "knowledge/file_copy.h"

#include <span>

namespace helve::knowledge {

sys::OrErrno<std::string> copy_of(const sys::Fd& file) {
  const auto status = sys::status(file);
  if (!status) return std::unexpected(status.error());
  if (status->kind != sys::FileKind::file) return std::unexpected(std::errc::invalid_argument);
  if (status->size > kMaxFileCopy) return std::unexpected(std::errc::file_too_large);
  std::string content;
  sys::OrErrno<size_t> read = 0;
  // Without filling the memory with zeros first.
  content.resize_and_overwrite(status->size, [&](char* data, size_t size) {
    read = sys::read_at(file, std::span(data, size), 0);
    return read.value_or(0);
  });
  if (!read) return std::unexpected(read.error());
  return content;
}

}  // namespace helve::knowledge

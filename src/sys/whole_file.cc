#include "sys/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "base/text.h"
#include "sys/file_at.h"
#include "sys/file_error.h"
#include "sys/memory.h"

namespace helve::sys {

Result<std::string> read_whole_file(const std::string& path, std::uint64_t at_most) {
  // Without O_NONBLOCK, a FIFO would be waited for.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return to_error(last_error().error(), "read", path);
  const auto found = status(file);
  if (!found) return to_error(found.error(), "read", path);
  if (found->kind != FileKind::file)
    return Error{Code::unsupported,
                 "cannot read '" + escape_for_display(path) + "': it is a " +
                     std::string(name_of(found->kind)),
                 "only regular files are read", "not_a_file"};
  if (found->size > at_most)
    return Error{Code::too_large, fmt::format("cannot read '{}': it is larger than {}",
                                              escape_for_display(path), human_size(at_most))};
  std::string content;
  try {
    reserve_for_writing(content, found->size);
  } catch (const std::bad_alloc&) {
    return Error{Code::too_large, fmt::format("no memory for '{}', which has {}",
                                              escape_for_display(path), human_size(found->size))};
  }
  int failure = 0;
  content.resize_and_overwrite(found->size, [&](char* bytes, size_t size) {
    size_t read = 0;
    while (read < size) {
      const ssize_t more = ::read(file.get(), bytes + read, size - read);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) failure = errno;
      if (more <= 0) break;
      read += static_cast<size_t>(more);
    }
    return read;
  });
  if (failure != 0) return to_error(static_cast<std::errc>(failure), "read", path);
  return content;
}

}  // namespace helve::sys

// The entries of a directory, in the order of the file system.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "sys/file_at.h"

namespace helve::sys {

// `kind` is empty when the file system does not tell; status_at does. "." and ".." are left out.
struct DirectoryEntry {
  std::string_view name;  // valid during the visit
  std::optional<FileKind> kind;
};

// Visits entries until `visit` returns false. Reads from the start, whatever was read from this
// descriptor before; not for two threads on the same descriptor.
OrErrno<void> for_each_entry(const Fd& directory,
                             const std::function<bool(const DirectoryEntry&)>& visit);

}  // namespace helve::sys

// The entries of a directory, in the order of the file system.
#pragma once

#include <functional>
#include <optional>
#include <span>
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

// For walks of whole trees: one buffer for many directories.

// Reads as many entries as the buffer holds, and says how many bytes they take; 0: there are no
// more. Goes on where the last call on this descriptor ended.
OrErrno<size_t> read_entries(const Fd& directory, std::span<char> buffer);
// Takes the first entry off what read_entries put into a buffer; nothing when there is none.
std::optional<DirectoryEntry> next_entry(std::span<const char>& entries);

}  // namespace helve::sys

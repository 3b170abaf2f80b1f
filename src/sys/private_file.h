// Private file: a file that only this user may read, in a directory that only this user may enter.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace helve::sys {

// Makes sure that `path` is a regular file that this process may read and write, and that its
// directory is writable. What is missing is created: the directories with mode 0700, the file,
// empty, with mode 0600. What exists and belongs to this user gets these modes, except a directory
// that is meant for all (sticky); what belongs to another user, but for root, is refused. The file
// is never opened: closing a descriptor would drop the locks that this process holds on it.
Result<void> ensure_private_file(const std::string& path);
// The same for a file that need not exist and is not created.
Result<void> keep_private(const std::string& path);

// Which file bears a name, found out without opening it. All zero when none does.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;

  bool same_file(const FileIdentity& other) const {
    return device == other.device && inode == other.inode;
  }
};
FileIdentity identity_of(const std::string& path);

}  // namespace helve::sys

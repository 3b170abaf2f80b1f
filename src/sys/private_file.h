// Private file: a file that only this user may read, in a directory that only this user may enter.
#pragma once

#include <string>

#include "base/result.h"

namespace helve::sys {

// Makes sure that `path` is a regular file that this process may read and write, and that its
// directory is writable. What is missing is created: the directories with mode 0700, the file,
// empty, with mode 0600. What exists keeps its mode and is never opened: closing a descriptor would
// drop the locks that this process holds on the file.
Result<void> ensure_private_file(const std::string& path);

}  // namespace helve::sys

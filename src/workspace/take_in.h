// Copies of files, links and whole directories, with owner, mode, attributes and times: into the
// journal from another file system, and out of it.
#pragma once

#include <string>

#include "workspace/journal.h"

namespace helve::workspace {

// What was begun stays when it fails.
sys::OrErrno<void> copy_tree(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as);

// Whole or not at all. The file, link or directory becomes `as` in another directory; what was
// begun before is replaced.
sys::OrErrno<void> copy_into(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as);

}  // namespace helve::workspace

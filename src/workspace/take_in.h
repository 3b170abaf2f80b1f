// Taking old files into the journal that lie on another file system: copied, whole or not at all.
#pragma once

#include <string>

#include "workspace/journal.h"

namespace helve::workspace {

// The file, link or directory becomes `as` in another directory; what was begun before is replaced.
sys::OrErrno<void> copy_into(const sys::Fd& from, const std::string& name, const sys::Fd& to,
                             const std::string& as);

}  // namespace helve::workspace

// Watch: tells that directories have changed, without looking at them.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// Becomes readable when a name is made, removed or replaced in one of the directories from now on.
// Of a directory that does not exist, the nearest one that would hold it is watched.
Result<sys::Fd> watch_names(std::span<const std::string> directories);

}  // namespace helve::sandbox

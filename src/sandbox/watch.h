// Watch: tells that directories have changed, without looking at them.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// Becomes readable when a name is made, removed or replaced in one of the directories, or above
// them, from now on. They need not exist.
Result<sys::Fd> watch_names(std::span<const std::string> directories);

// The same for every change there, of contents and modes too, on a watch that may be in use. False:
// something could change without being told.
bool watch_all(const sys::Fd& watch, std::span<const std::string> directories);

}  // namespace helve::sandbox

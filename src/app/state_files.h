// What is there of the program's own files, without making any of them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "sys/file_at.h"

namespace helve::app {

// Of a file or directory; nothing when there is none. An error when that cannot be told.
Result<std::optional<sys::FileStatus>> state_file(const std::string& path);

}  // namespace helve::app

// The program's own files, by path: configuration and state. What a tool is asked to touch goes
// through a workspace::Workspace instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::sys {

// The whole of a regular file. More than `limit` bytes is too_large; a FIFO or a device is
// unsupported, never waited for.
Result<std::string> read_file(const std::string& path, size_t limit);

// Readers see the old content or the new, also after a power failure. Made beside the target with
// mode 0600 under a name nobody can foresee; `mode` holds from the moment it bears its name.
Result<void> replace_file(const std::string& path, std::string_view content, std::uint32_t mode);

// Makes what is missing of the path; directories that exist keep their mode.
Result<void> make_directories(const std::string& path, std::uint32_t mode);

}  // namespace helve::sys

// The program's own files, by path: configuration and state. What a tool is asked to touch goes
// through a workspace::Workspace instead.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sys {

// The whole of a regular file. More than `limit` bytes is too_large; a FIFO or a device is
// unsupported, never waited for.
Result<std::string> read_file(const std::string& path, size_t limit);

// Readers see the old content or the new, also after a power failure. Made beside the target with
// mode 0600 under a name nobody can foresee; `mode` holds from the moment it bears its name.
Result<void> replace_file(const std::string& path, std::string_view content, std::uint32_t mode);

// A regular file that whatever is written goes to the end of. Made with mode 0600 where there is
// none; a link is refused.
Result<Fd> open_to_append(const std::string& path);

// Adds to the end of such a file, with one write.
Result<void> append_file(const std::string& path, std::string_view content);

// A lock that one holder has at a time, among all processes and threads, until the descriptor is
// closed or its process ends. The file is made with mode 0600 and stays. Waits for others, but not
// longer than that: then the error has the type "busy".
Result<Fd> lock_file(const std::string& path, std::chrono::milliseconds longest);

// Makes what is missing of the path; directories that exist keep their mode.
Result<void> make_directories(const std::string& path, std::uint32_t mode);

}  // namespace helve::sys

// View: what the files look like to every command of an enclosure. The whole host is there to be
// read, only the roots and private temporary directories to be written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/policy.h"

namespace helve::sandbox {

// Changes the mount namespace of the calling process, which must be its own.
Result<void> build_view(const Policy& policy);

// Directories in which the view lets commands write, apart from the roots.
std::vector<std::string> private_directories();

// What fits into them together: what the policy says, but no more than a quarter of the memory.
std::uint64_t temporary_bytes(const Limits& limits);

// True for `path` itself, too.
bool is_below(std::string_view path, std::string_view directory);

}  // namespace helve::sandbox

// FileCopy: a file of ours as it was when it was opened, in memory of this process. A mapped file
// would need no copy, but whoever cuts it short then ends the process that reads it.
#pragma once

#include <cstdint>
#include <string>

#include "sys/file_at.h"

namespace helve::knowledge {

constexpr std::uint64_t kMaxFileCopy = 2ull << 30;  // bytes

// Of a regular file; more than kMaxFileCopy is `file_too_large`.
sys::OrErrno<std::string> copy_of(const sys::Fd& file);

}  // namespace helve::knowledge

// Reserved: how what the sandbox puts where a protected name does not exist yet is told from all
// else. It is empty, goes away again, and is no change that anybody made.
#pragma once

#include <ctime>

#include "sys/file_at.h"

namespace helve::sys {

// A modification time that nothing else has tells it, on every file system: the first change of the
// content replaces it.
constexpr std::time_t kReservedTime = 0x68656c76;  // seconds: in 2025

inline bool is_reserved(const FileStatus& status) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  if (status.modified_ns != kReservedTime * kNanoseconds) return false;
  return status.kind == FileKind::directory || (status.kind == FileKind::file && status.size == 0);
}

}  // namespace helve::sys

// Numbers for the descriptors that a command gets besides its streams.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sys/limits.h"

namespace helve::process {

// The highest of them: such as commands do not use, but below the limit of open files, where bash
// also needs a few for itself. `open_files` as in Launch.
inline int highest_number(std::uint64_t open_files) {
  constexpr std::uint64_t kUsual = 199, kAboveOurs = 63, kForBash = 8;
  const std::uint64_t limit = open_files > 0 ? open_files : sys::first_limit_of_open_files();
  return static_cast<int>(std::clamp(limit - std::min(limit, kForBash), kAboveOurs, kUsual));
}

}  // namespace helve::process

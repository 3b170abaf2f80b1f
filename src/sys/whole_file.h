// A regular file as it is at this moment, in memory of our own: whoever changes or shortens it
// meanwhile does no harm.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace helve::sys {

Result<std::string> read_whole_file(const std::string& path, std::uint64_t at_most);

}  // namespace helve::sys

// How many files below a directory were changed since a moment, whatever rules say of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sys/file_at.h"

namespace helve::search {

// Looks at no more entries than `allowance`, which it uses up.
size_t count_touched(const sys::Fd& directory, std::int64_t since_ns, size_t& allowance);

}  // namespace helve::search

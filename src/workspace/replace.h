// Replaces a file as a whole: staged in a temporary file beside it, synced once, then exchanged
// with it. On every failure the old file is what it was and the temporary one is gone.
#pragma once

#include <string>
#include <string_view>

#include "workspace/target.h"

namespace helve::workspace {

// The caller holds the lock of target.key. A change by another process between the look and the
// exchange is undone and reported as a conflict.
Result<Written> replace(const Target& target, std::string_view content, OnConflict on_conflict,
                        Durability durability, std::string temporary_name);

}  // namespace helve::workspace

// Whether somebody else could have written a file that helve is about to believe or to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "sys/file_at.h"

namespace helve::sys {

std::uint32_t effective_user();
std::uint32_t effective_group();

enum class Writers : unsigned char {
  owner,            // nobody else may write: for what is run
  owner_and_group,  // the world may not: for what is read
};

// The reason not to trust the file, with the command that mends it. The owner must be `user` or
// root.
std::optional<Error> open_to_others(std::string_view path, const FileStatus& status,
                                    Writers writers, std::uint32_t user);

}  // namespace helve::sys

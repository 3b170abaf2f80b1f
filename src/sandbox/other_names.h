// OtherNames: a file system may be mounted in several places, whole or in part. What is hidden in
// one of them must not be read in another.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sandbox/kernel.h"

namespace helve::sandbox {

// Where else the mounts show the places, whether they exist or not, or parts of them. Paths are
// taken as they are; links are not followed.
std::vector<std::string> other_names(std::span<const std::string> paths,
                                     std::span<const MountEntry> mounts);

}  // namespace helve::sandbox

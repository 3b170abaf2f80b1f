// Reserve: where a protected name does not exist yet, something must stand, because a mount needs
// something to be mounted on. It is empty, on the host's disk, and goes away again.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// Puts something empty at `name` in `parent`, and keeps other helves from removing it until the
// descriptor is closed. Without a descriptor: nobody may make anything there, so that nothing needs
// protection.
enum class Reserved : unsigned char { by_name, file };  // a directory, unless its name is a file's
Result<sys::Fd> reserve(const sys::Fd& parent, const std::string& name, std::string_view shown,
                        Reserved as = Reserved::by_name);
// Keeps what another helve has put there; without a descriptor: it is something else, or just being
// removed.
sys::Fd hold_reserved(const sys::Fd& parent, const std::string& name);
bool is_reserved(const sys::Fd& parent, const std::string& name);
// Whether what was opened still bears the name.
bool is_current(const sys::Fd& parent, const std::string& name, const sys::Fd& opened);

// Removes it again, unless somebody holds it or has put something into it. Anything else stays.
void release_reserved(const sys::Fd& parent, const std::string& name);

}  // namespace helve::sandbox

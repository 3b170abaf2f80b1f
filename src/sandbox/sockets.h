// Sockets: programs of the host that listen on a path. A read-only mount does not keep anybody from
// connecting, so their sockets are covered.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sandbox {

// The list of sockets in the network namespace of this moment, to be read later from another one.
Result<sys::Fd> open_socket_list();
// The absolute paths in it.
Result<std::vector<std::string>> socket_paths(const sys::Fd& list);

}  // namespace helve::sandbox

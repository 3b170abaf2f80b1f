// LiveView: what a command sees, for whoever wants to renew it while the command goes on.
#pragma once

#include "sys/file_descriptor.h"

namespace helve::sandbox {

struct LiveView {
  sys::Fd mounts;   // the mount namespace
  sys::Fd changes;  // readable: something that is protected or covered may have been replaced
};

}  // namespace helve::sandbox

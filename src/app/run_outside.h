// What somebody runs or reads outside the sandbox later, so that neither commands nor file tools
// may write it where it lies in a root.
#pragma once

#include <string>
#include <vector>

#include "app/surroundings.h"

namespace helve::app {

// helve's own programs; the configuration of git that counts in every repository; what shells and
// sessions read when they start. Absolute, as named, and only those that lie in one of the roots.
std::vector<std::string> run_outside(const Surroundings& surroundings,
                                     const std::vector<std::string>& roots);

}  // namespace helve::app

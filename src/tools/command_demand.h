// What a tool demands that runs a command.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tool/demand.h"

namespace helve::tools {

// The variables that it gets besides stand in front of the command: some of them change what runs.
Demand command_demand(std::string_view command,
                      const std::map<std::string, std::string>& variables);

}  // namespace helve::tools

// What a tool demands that runs a command, and what it may do once that is granted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/policy.h"
#include "tool/demand.h"

namespace helve::tools {

// The variables that it gets besides stand in front of the command: some of them change what runs.
Demand command_demand(std::string_view command,
                      const std::map<std::string, std::string>& variables);

// Whether a shell that is named by its path is bash.
bool is_bash(std::string_view shell);

// What one call asks for beyond the sandbox of all others.
struct Leave {
  bool network = false;
  bool full = false;  // no sandbox at all, and so the network as well
};
// What of it the policy does not allow by itself, in the words of permissions.
std::vector<std::string> ways_out(const Leave& leave, const sandbox::Policy& policy);
// The policy of a call that may have all of it.
sandbox::Policy policy_beyond(const Leave& leave, sandbox::Policy policy);
// Takes out of PATH what commands in the sandbox may have filled: relative directories, those in a
// root, and those that are not there. Returns what it took and somebody may miss.
std::vector<std::string> keep_path_outside(std::vector<std::string>& environment,
                                           const std::vector<std::string>& roots);

}  // namespace helve::tools

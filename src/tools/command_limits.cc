#include "tools/command_limits.h"

#include <fmt/format.h>
#include <signal.h>

#include "base/text.h"

namespace helve::tools {

void LimitWatch::tell(int shell_status, std::vector<std::string>& notes) const {
  const sandbox::Limits& limits = policy_.limits;
  if (supervisor_.memory_kills(policy_) > killed_before_)
    notes.push_back(
        fmt::format("a process was killed because commands took more than {} of memory together: "
                    "sandbox.limits.memory_mb",
                    human_size(limits.memory_bytes)));
  if (shell_status == 128 + SIGXCPU && limits.cpu_seconds != 0)
    notes.push_back(
        fmt::format("a process was ended because it took more than {} s of processor time: "
                    "sandbox.limits.cpu_seconds",
                    limits.cpu_seconds));
  if (shell_status == 128 + SIGXFSZ && limits.file_bytes != 0)
    notes.push_back(
        fmt::format("a process was ended because a file would have become larger than {}: "
                    "sandbox.limits.file_size_mb",
                    human_size(limits.file_bytes)));
}

}  // namespace helve::tools

// Which limit of the sandbox ended a process of a command, in a note.
#pragma once

#include <string>
#include <vector>

#include "process/commands.h"

namespace helve::tools {

// Made before the command starts. Borrows both.
class LimitWatch {
 public:
  LimitWatch(process::Supervisor& supervisor, const sandbox::Policy& policy)
      : supervisor_(supervisor), policy_(policy), killed_before_(supervisor.memory_kills(policy)) {}

  // After it ended; by its status as a shell has it: 128 and the number of a signal.
  void tell(int shell_status, std::vector<std::string>& notes) const;

 private:
  process::Supervisor& supervisor_;
  const sandbox::Policy& policy_;
  const std::uint64_t killed_before_;
};

}  // namespace helve::tools

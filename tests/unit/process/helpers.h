// The helper programs and keepers that this process has started.
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "process/descendants.h"

namespace helve::process {

#ifdef __SANITIZE_THREAD__
constexpr bool kForks = true;
#else
constexpr bool kForks = false;
#endif
constexpr const char* kNoVfork = "the thread sanitizer makes a fork of every vfork";

// The keeper that waits for the next command, once it does. No command may have run before.
inline pid_t idle_keeper() {
  std::vector<pid_t> helpers, keepers;
  while (helpers.empty()) helpers = children_of(getpid());
  while (keepers.empty()) keepers = children_of(helpers.front());
  for (std::string number, name, state; state != "S";)
    std::ifstream("/proc/" + std::to_string(keepers.front()) + "/stat") >> number >> name >> state;
  return keepers.front();
}

}  // namespace helve::process

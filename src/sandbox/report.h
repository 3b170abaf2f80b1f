// Report: what a policy means on this machine. Tried, not assumed: a process of its own builds the
// enclosure and says what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sandbox/policy.h"

namespace helve::sandbox {

struct Facts {
  std::optional<Error> failure;  // why no command can run; the rest is not known then
  std::string kernel;
  int landlock = 0;  // the version of its interface; 0: none
  bool user_namespace = false;
  bool bubblewrap = false;           // bwrap makes the namespaces
  bool group_processes = false;      // a control group counts processes
  bool group_memory = false;         // … and memory
  bool namespace_processes = false;  // each process namespace has its own bound
  bool root = false;                 // RLIMIT_NPROC does not bind it
};

// Takes some milliseconds.
Facts find_facts(const Policy& policy);

struct Line {
  std::string topic;
  std::string text;
};
// For people: one topic a line.
std::vector<Line> explain(const Policy& policy, const Facts& facts);
// For programs: the policy and the facts.
JsonObject to_json(const Policy& policy, const Facts& facts);

}  // namespace helve::sandbox

// Report: what a policy means on this machine, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sandbox/holds.h"
#include "sandbox/policy.h"

namespace helve::sandbox {

struct Facts {
  std::optional<Error> failure;  // why no command can run; the rest is not known then
  std::string kernel;
  int landlock = 0;  // the version of its interface; 0: none
  Holds holds;
  bool namespace_processes = false;  // each process namespace has its own bound
  bool root = false;                 // RLIMIT_NPROC does not bind it
};

// `tried` is what came of building the enclosure and running a command in it: nothing is assumed.
Facts find_facts(const Result<Holds>& tried);

struct Line {
  std::string topic;
  std::string text;
};
// For people: one topic a line.
std::vector<Line> explain(const Policy& policy, const Facts& facts);
// For programs: the policy and the facts.
JsonObject to_json(const Policy& policy, const Facts& facts);

}  // namespace helve::sandbox

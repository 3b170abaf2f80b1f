// The part of exec about trials: what one would change, and what becomes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/command_trial.h"
#include "tools/exec_output.h"

namespace helve::tools {

// One of the two, by the id of a trial.
struct Settling {
  std::optional<std::string> apply, discard;
};
Result<ExecOutput> settle_trial(const Settling& wish, Context& context);

// For whoever is asked: the command of a trial, and what it would change, a line each.
std::vector<std::string> about_trial(const std::string& id, const Context& context);

// What the command would change, once nothing of it runs any more.
Result<void> report_trial(TryOut& tried, Context& context, ExecOutput& out,
                          std::vector<std::string>& notes);

}  // namespace helve::tools

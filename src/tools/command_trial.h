// What a command would change, as exec shows it, and making it real.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/commands.h"
#include "sandbox/policy.h"
#include "tool/context.h"
#include "tools/changed_files.h"
#include "workspace/trial.h"

namespace helve::tools {

// A trial that nobody wanted for so long is dropped.
constexpr std::chrono::days kTrialLife{7};

// The trials of this workspace's state. Errors: there is no place to keep them.
Result<workspace::Trials> trials_of(const process::Settings& settings);

// One command that is tried out. Until look() has told what it would change, the trial goes with
// this: after a failure or a cancelled call nothing is left of it.
class TryOut {
 public:
  // From then on the plan runs over an overlay of the workspace, under policy().
  static Result<std::unique_ptr<TryOut>> begin(std::string_view command, const Context& context,
                                               process::Plan& plan);
  TryOut(const TryOut&) = delete;
  ~TryOut();

  const std::string& id() const { return trial_.id; }
  const std::string& command() const { return trial_.command; }
  const sandbox::Policy& policy() const { return policy_; }
  // After nothing of the command runs any more. What would change nothing is not kept.
  Result<workspace::TrialReport> look(const Context& context);
  bool is_kept() const { return is_kept_; }

 private:
  TryOut(workspace::Trials trials, workspace::Trial trial, sandbox::Policy policy)
      : trials_(std::move(trials)), trial_(std::move(trial)), policy_(std::move(policy)) {}

  workspace::Trials trials_;
  const workspace::Trial trial_;
  const sandbox::Policy policy_;
  bool is_kept_ = false;
};

enum class Counts : bool { unknown, known };  // of files in directories
std::vector<ChangedFile> tried_files(const std::vector<workspace::TrialFile>& tried, Counts counts);

}  // namespace helve::tools

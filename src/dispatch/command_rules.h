// CommandRules: what the configuration says about commands, in the terms of shell/rules.h, with
// what a rule may say besides: the workspace that it holds in, and the ways out of the sandbox that
// it allows.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "shell/rules.h"
#include "tool/approver.h"
#include "tool/demand.h"

namespace helve::dispatch {

constexpr std::string_view kCommandList = "commands";

struct CommandRule {
  shell::Rule rule;
  std::vector<std::string> beyond = {};  // only for rules that allow
  std::string workspace = {};            // only there; empty: everywhere
};

// A pattern that cannot be read, an example that disagrees, a way out that does not exist.
// `reader` is the shell that its examples are for.
Result<void> check(const CommandRule& rule, shell::Reader reader = shell::Reader::any_shell);
// One line of YAML, which is read back as the same rule.
std::string to_yaml(const CommandRule& rule);

// The rules that hold in one workspace. Immutable.
class CommandPolicy {
 public:
  static CommandPolicy make(const std::vector<CommandRule>& rules, std::string_view workspace);

  bool empty() const { return rules_.empty(); }
  // Whether a rule denies or asks. Those that allow take nothing from a command that may run
  // anyway.
  bool restricts() const { return restricts_; }
  const shell::Rules& rules() const { return rules_; }
  // Those that allow a command to leave the sandbox in all these ways.
  shell::Rules letting_out(const std::vector<std::string>& ways) const;

 private:
  shell::Rules rules_;
  bool restricts_ = false;
  std::vector<CommandRule> sources_;  // of those that allow a way out
};

}  // namespace helve::dispatch

#include "dispatch/command_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dispatch/yaml_line.h"

namespace helve::dispatch {
namespace {

// Rules were checked when they were read; an empty set is right in any case.
shell::Rules made(std::vector<shell::Rule> rules) {
  // Examples need not be tried again.
  for (shell::Rule& rule : rules) rule.match.clear(), rule.not_match.clear();
  Result<shell::Rules> made = shell::Rules::make(std::move(rules));
  return made ? std::move(*made) : *shell::Rules::make({});
}

}  // namespace

Result<void> check(const CommandRule& rule, shell::Reader reader) {
  TRY(shell::Rules::make({rule.rule}, reader));
  for (const std::string& way : rule.beyond) TRY(check_beyond(way));
  if (!rule.beyond.empty() && rule.rule.verdict != shell::Verdict::allow)
    return Error{Code::invalid_argument,
                 "only a rule that allows lets a command out of the sandbox", "leave out beyond",
                 "invalid_rule"};
  return {};
}

std::string to_yaml(const CommandRule& rule) {
  YamlLine line;
  line.text("pattern", rule.rule.pattern);
  line.text("verdict", name_of(rule.rule.verdict));
  line.texts("beyond", rule.beyond);
  line.text("workspace", rule.workspace);
  return line.str();
}

CommandPolicy CommandPolicy::make(const std::vector<CommandRule>& rules,
                                  std::string_view workspace) {
  CommandPolicy policy;
  std::vector<shell::Rule> all;
  for (const CommandRule& rule : rules) {
    if (!rule.workspace.empty() && rule.workspace != workspace) continue;
    all.push_back(rule.rule);
    policy.restricts_ |= rule.rule.verdict != shell::Verdict::allow;
    if (!rule.beyond.empty()) policy.sources_.push_back(rule);
  }
  policy.rules_ = made(std::move(all));
  return policy;
}

shell::Rules CommandPolicy::letting_out(const std::vector<std::string>& ways) const {
  std::vector<shell::Rule> found;
  for (const CommandRule& rule : sources_) {
    const bool allows_all = std::ranges::all_of(ways, [&](const std::string& way) {
      return std::ranges::find(rule.beyond, way) != rule.beyond.end();
    });
    if (allows_all) found.push_back(rule.rule);
  }
  return made(std::move(found));
}

}  // namespace helve::dispatch

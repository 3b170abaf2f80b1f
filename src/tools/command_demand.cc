#include "tools/command_demand.h"

#include <algorithm>

#include "base/text.h"
#include "sys/program.h"

namespace helve::tools {
namespace {

constexpr std::string_view kPath = "PATH=";

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Demand command_demand(std::string_view command,
                      const std::map<std::string, std::string>& variables) {
  Demand demand;
  for (const auto& [name, value] : variables) {
    demand.command += "export ";
    // What is no name must not look like something else.
    demand.command +=
        is_name(name) ? name + "=" + shell_quoted(value) : shell_quoted(name + "=" + value);
    demand.command += '\n';
  }
  demand.command += command;
  return demand;
}

bool is_bash(std::string_view shell) { return shell.substr(shell.rfind('/') + 1) == "bash"; }

std::vector<std::string> ways_out(const Leave& leave, const sandbox::Policy& policy) {
  if (policy.level == sandbox::Level::full) return {};
  if (leave.full) return {std::string(kBeyondFull)};
  if (leave.network && !policy.network) return {std::string(kBeyondNetwork)};
  return {};
}

sandbox::Policy policy_beyond(const Leave& leave, sandbox::Policy policy) {
  if (leave.full) policy.level = sandbox::Level::full;
  policy.network |= leave.network || leave.full;
  return policy;
}

std::vector<std::string> keep_path_outside(std::vector<std::string>& environment,
                                           const std::vector<std::string>& roots) {
  std::vector<std::string> taken;
  for (std::string& entry : environment) {
    if (!entry.starts_with(kPath)) continue;
    const std::string_view path = std::string_view(entry).substr(kPath.size());
    entry = std::string(kPath) + sys::path_outside(path, roots, &taken);
  }
  return taken;
}

}  // namespace helve::tools

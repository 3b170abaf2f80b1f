// AllowRule: a standing permission for calls of a tool, as approvals.allow has it.
//
//   {tool: write, arguments: {path: "docs/**"}}      writes anywhere below docs, whatever they say
//   {tool: fetch, arguments: {url: "https://a.org/**", method: "GET"}, beyond: [network]}
//
// Every argument that it names must be as it says, the others are free. In a text * stands for any
// characters but slashes, ** for any characters, **/ for any number of directories, and \ takes
// the meaning from the next character; a text with .. between slashes never matches a star. null
// means that the argument is not given. Other values are compared as they are. It lets a call out
// of the sandbox only in the ways that `beyond` names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/approver.h"
#include "tool/registry.h"

namespace helve::dispatch {

constexpr std::string_view kAllowList = "approvals.allow";

struct AllowRule {
  std::string tool;  // as Registry::expand takes it
  std::map<std::string, Json> arguments = {};
  std::vector<std::string> beyond = {};
  std::string workspace = {};  // only there; empty: everywhere

  bool operator==(const AllowRule&) const = default;
};

// What is wrong with a rule: where ("tool", "arguments.pth") and what.
struct RuleProblem {
  std::string path;
  Error error;
};
// A tool that is not known, an argument that it does not have, a value of another type. Tools that
// run commands take no stars: rules of `commands` look at every part of a command.
std::vector<RuleProblem> problems_of(const AllowRule& rule, const Registry& registry);

// Whether the tool's call with these arguments is one of those that the rule means, `beyond` apart.
// Of a tool that runs commands a rule that names the command means it as it is: what else of the
// subject (Spec) it does not name must not be given.
bool means(const AllowRule& rule, const Tool& tool, const JsonObject& arguments,
           std::string_view workspace);

// The rule that means calls like this one and no others: those with the same subject (Spec).
AllowRule exact_rule(const Tool& tool, const JsonObject& arguments, const Demand& demand,
                     std::string_view workspace);

// One line of YAML, which is read back as the same rule.
std::string to_yaml(const AllowRule& rule);

}  // namespace helve::dispatch

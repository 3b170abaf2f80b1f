// Registry: the tools that exist in this process, found by canonical name, alias or dialect name.
// Built once, then read by any number of threads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/result.h"
#include "tool/dialect.h"
#include "tool/tool.h"

namespace helve {

// What to load. Not to be confused with policy, which filters what is loaded: here "none" is a
// choice of its own, never an empty list.
struct LoadNone {};
struct LoadAll {};
struct LoadNames {
  std::vector<std::string> names;  // names, aliases or groups ("fs")
};
using Selection = std::variant<LoadNone, LoadAll, LoadNames>;

class Registry {
 public:
  // Fails as a whole, naming the tool: a duplicate or malformed name, a tool without function or
  // schema, or a selected name that does not exist. `tools` are kept in the order given.
  static Result<Registry> load(std::vector<Tool> tools, const Selection& selection = LoadAll{});

  Registry(Registry&&) = default;
  Registry& operator=(Registry&&) = default;

  const std::vector<Tool>& tools() const { return tools_; }
  size_t index_of(const Tool& tool) const { return static_cast<size_t>(&tool - tools_.data()); }

  struct Found {
    const Tool* tool = nullptr;
    const Dialect::Entry* dialect =
        nullptr;  // set when the name came from a dialect: how to translate the parameters
  };
  // A tool's own name wins over aliases, these over dialect names. Nothing found: tool is null.
  Found find(std::string_view name) const;
  // As find, with an error that says how a tool that was not selected is, or names the nearest
  // known one. When none is near it has no hint: how tools are listed depends on who asks.
  Result<Found> resolve(std::string_view name) const;

  // Every tool that a rule's pattern means: a name, alias or dialect name, a group ("fs",
  // "group:fs", "fs/*"), or a wildcard over all of these names ("memory_*", "file_*", "*"). Indices
  // into tools(), sorted. Error: the pattern names nothing known.
  Result<std::vector<size_t>> expand(std::string_view pattern) const;

  std::vector<std::string_view> groups() const;  // in order of first appearance

 private:
  Registry() = default;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<Tool> tools_;
  std::unordered_map<std::string, Found, Hash, std::equal_to<>> by_name_;
  // Names and groups that existed before some tools were selected, with their groups: rules may
  // speak of them.
  std::map<std::string, std::string, std::less<>> known_;
};

}  // namespace helve

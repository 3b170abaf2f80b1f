#include "tool/registry.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"

namespace helve {
namespace {

constexpr size_t kMaxNameLength = 64;

Error broken_tool(std::string_view name, std::string_view why) {
  return Error{Code::invalid_argument,
               fmt::format("tool '{}' cannot be loaded: {}", escape_for_display(name), why), "",
               "broken_tool"};
}

// For people who wrote a name into a configuration or a command.
Error with_listing(Error error) {
  if (error.hint.empty()) error.hint = "`helve tools` lists the tools and their groups";
  return error;
}

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

Result<void> check(const Tool& tool) {
  const Spec& spec = tool.spec;
  if (!is_tool_name(spec.name))
    return broken_tool(spec.name, "a name has 1 to 64 letters, digits, _ or -");
  if (spec.group.empty()) return broken_tool(spec.name, "it has no group");
  if (spec.description.empty()) return broken_tool(spec.name, "it has no description");
  if (!tool.bind) return broken_tool(spec.name, "it has no function");
  if (!tool.input && tool.input_schema_json.empty())
    return broken_tool(spec.name, "it has no input schema");
  return {};
}

bool is_selected(const Spec& spec, const std::set<std::string, std::less<>>& names) {
  if (names.contains(spec.name) || names.contains(spec.group)) return true;
  return std::any_of(spec.aliases.begin(), spec.aliases.end(),
                     [&](const std::string& alias) { return names.contains(alias); });
}

}  // namespace

Result<Registry> Registry::load(std::vector<Tool> tools, const Selection& selection) {
  Registry all;
  all.tools_ = std::move(tools);
  for (const Tool& tool :
       all.tools_) {  // every tool is checked, also those not asked for: no partial set, ever
    TRY(check(tool));
    if (!all.by_name_.try_emplace(tool.spec.name, Found{&tool}).second)
      return broken_tool(tool.spec.name, "the name is taken");
  }
  for (const Tool& tool : all.tools_) {
    for (const std::string& alias : tool.spec.aliases) {
      if (!all.by_name_.try_emplace(alias, Found{&tool}).second)
        return broken_tool(tool.spec.name, fmt::format("its alias '{}' is taken", alias));
    }
  }
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      auto ours = all.by_name_.find(entry.tool);
      if (ours == all.by_name_.end()) continue;
      auto [place, added] =
          all.by_name_.try_emplace(std::string(entry.name), Found{ours->second.tool, &entry});
      // The same name with other parameters: they are understood as well, as long as ours keep
      // their meaning.
      const bool same = !added && place->first == entry.tool && !place->second.dialect;
      const bool keeps = entry.defaults.empty() &&
                         std::ranges::all_of(entry.parameters, [](const Dialect::Parameter& each) {
                           return each.shift == 0;
                         });
      if (same && keeps) place->second.dialect = &entry;
    }
  }
  if (std::holds_alternative<LoadAll>(selection)) return all;
  std::map<std::string, std::string, std::less<>> existing;
  for (std::string_view group : all.groups()) existing.emplace(group, group);
  for (const auto& [name, found] : all.by_name_) existing[name] = found.tool->spec.group;
  if (std::holds_alternative<LoadNone>(selection)) {
    Registry none;
    none.known_ = std::move(existing);
    return none;
  }

  std::set<std::string, std::less<>> wanted;
  for (const std::string& name : std::get<LoadNames>(selection).names) {
    if (Found found = all.find(name); found.tool)
      wanted.insert(found.tool->spec.name);
    else if (auto groups = all.groups();
             std::find(groups.begin(), groups.end(), name) != groups.end())
      wanted.insert(name);
    else
      return with_listing(all.resolve(name).error());
  }
  std::vector<Tool> chosen;
  for (Tool& tool : all.tools_) {
    if (is_selected(tool.spec, wanted)) chosen.push_back(std::move(tool));
  }
  Registry loaded = TRY(load(std::move(chosen), LoadAll{}));
  loaded.known_ = std::move(existing);
  return loaded;
}

Registry::Found Registry::find(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? Found{} : found->second;
}

Result<Registry::Found> Registry::resolve(std::string_view name) const {
  if (Found found = find(name); found.tool) return found;
  std::vector<std::string_view> names;
  for (const auto& entry : by_name_) names.push_back(entry.first);
  // Of names that are equally near, a tool's own is meant.
  std::ranges::sort(names, {}, [&](std::string_view known) {
    return std::pair(find(known).tool->spec.name != known, known);
  });
  const auto left_out = known_.find(name);
  return Error{Code::not_found, fmt::format("no tool '{}'", preview(escape_for_display(name), 80)),
               left_out == known_.end()
                   ? did_you_mean(name, names)
                   : fmt::format("it was not chosen: helve has it with --tools {}, or --tools all",
                                 left_out->second),
               "unknown_tool"};
}

Result<std::vector<size_t>> Registry::expand(std::string_view pattern) const {
  std::set<size_t> matched;
  const auto known_groups = groups();
  std::string_view group;
  if (pattern.starts_with("group:"))
    group = pattern.substr(6);
  else if (pattern.ends_with("/*"))
    group = pattern.substr(0, pattern.size() - 2);
  else if (!find(pattern).tool && std::ranges::find(known_groups, pattern) != known_groups.end())
    group = pattern;
  if (!group.empty()) {
    for (size_t i = 0; i < tools_.size(); ++i) {
      if (tools_[i].spec.group == group) matched.insert(i);
    }
    if (matched.empty() && !known_.contains(group)) {
      return with_listing({Code::invalid_argument,
                           fmt::format("no group '{}' of tools", escape_for_display(group)),
                           did_you_mean(group, known_groups), "unknown_tool"});
    }
  } else if (pattern.find('*') != pattern.npos) {
    // Over every name that a tool has: a deny by any of them denies the behaviour.
    bool known = false;
    for (const auto& [name, found] : by_name_) {
      if (matches_wildcard(pattern, name)) matched.insert(index_of(*found.tool));
    }
    for (const auto& entry : known_) known = known || matches_wildcard(pattern, entry.first);
    for (const Dialect& dialect : dialects()) {
      for (const Dialect::Entry& entry : dialect.entries)
        known =
            known || matches_wildcard(pattern, entry.name) || matches_wildcard(pattern, entry.tool);
    }
    if (matched.empty() && !known) {
      return Error{Code::invalid_argument,
                   fmt::format("no tool matches '{}'", escape_for_display(pattern)),
                   "`helve tools` lists the tools and their groups", "unknown_tool"};
    }
  } else if (Found found = find(pattern); found.tool) {
    matched.insert(index_of(*found.tool));
  } else if (!known_.contains(pattern) &&
             !is_dialect_name(pattern)) {  // a known name whose tool is not loaded means nothing
                                           // here, and that is fine
    return with_listing(resolve(pattern).error());
  }
  return std::vector<size_t>(matched.begin(), matched.end());
}

std::vector<std::string_view> Registry::groups() const {
  std::vector<std::string_view> groups;
  for (const Tool& tool : tools_) {
    if (std::find(groups.begin(), groups.end(), tool.spec.group) == groups.end())
      groups.push_back(tool.spec.group);
  }
  return groups;
}

}  // namespace helve

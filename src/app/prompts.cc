#include "app/prompts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::app {
namespace {

constexpr std::string_view kTools = "tools";

mcp::Prompt tools_prompt() {
  return {.name = std::string(kTools),
          .title = "What these tools can do",
          .description = "Introduces the tools of this server",
          .arguments = {
              {.name = "group", .title = "Group", .description = "Only the tools of this group"}}};
}

mcp::Prompt offered(const guidance::Prompt& prompt) {
  mcp::Prompt out{.name = prompt.name, .title = prompt.title, .description = prompt.description};
  for (const guidance::PromptArgument& each : prompt.arguments)
    out.arguments.push_back({each.name, each.title, each.description, each.required});
  return out;
}

mcp::RenderedPrompt rendered(std::string description, std::string text) {
  return {std::move(description), {{mcp::PromptMessage::Role::user, TextContent{std::move(text)}}}};
}

Error no_prompt(std::string_view name) {
  return Error{Code::not_found,
               fmt::format("there is no prompt '{}'", preview(escape_for_display(name), 80)),
               "prompts/list has them", "unknown_prompt"};
}

Result<void> check_arguments(const mcp::Prompt& prompt, const mcp::Arguments& arguments) {
  for (const auto& [name, value] : arguments) {
    if (std::ranges::find(prompt.arguments, name, &mcp::PromptArgument::name) ==
        prompt.arguments.end())
      return Error{Code::invalid_argument,
                   fmt::format("the prompt '{}' has no argument '{}'", prompt.name,
                               preview(escape_for_display(name), 80))};
  }
  for (const mcp::PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name))
      return Error{Code::invalid_argument, fmt::format("the prompt '{}' needs the argument '{}'",
                                                       prompt.name, argument.name)};
  }
  return {};
}

}  // namespace

const std::vector<guidance::Prompt>& Prompts::templates() {
  std::call_once(once_, [this] {
    auto shelf = guidance::Library(nullptr, config_directory_).prompts_of(guidance::Owner::user);
    for (guidance::PromptFile& each : shelf.items) {
      if (each.prompt.loading) continue;  // models are told it without being asked
      if (each.prompt.name == kTools)
        shelf.problems.push_back(
            fmt::format("the prompt '{}' is left out: the name is taken", each.file.path));
      else
        templates_.push_back(std::move(each.prompt));
    }
    for (const std::string& problem : shelf.problems)
      tell_(fmt::format("helve: {}\n", escape_lines_for_display(problem)));
  });
  return templates_;
}

std::vector<mcp::Prompt> Prompts::list() {
  std::vector<mcp::Prompt> prompts = {tools_prompt()};
  for (const guidance::Prompt& each : templates()) prompts.push_back(offered(each));
  return prompts;
}

Result<mcp::RenderedPrompt> Prompts::get(std::string_view name, const mcp::Arguments& arguments,
                                         std::stop_token) {
  if (name == kTools) {
    TRY(check_arguments(tools_prompt(), arguments));
    return describe_tools(arguments);
  }
  const std::vector<guidance::Prompt>& prompts = templates();
  const auto found = std::ranges::find(prompts, name, &guidance::Prompt::name);
  if (found == prompts.end()) return no_prompt(name);
  TRY(check_arguments(offered(*found), arguments));
  return rendered(found->description, guidance::fill(found->body, arguments));
}

std::vector<std::string> Prompts::groups() const {
  std::vector<std::string> groups;
  for (std::string_view group : world_.registry->groups()) groups.emplace_back(group);
  return groups;
}

Result<mcp::RenderedPrompt> Prompts::describe_tools(const mcp::Arguments& arguments) const {
  const auto given = arguments.find("group");
  const std::string group = given == arguments.end() ? "" : given->second;
  const std::vector<std::string> known = groups();
  if (!group.empty() && std::ranges::find(known, group) == known.end())
    return Error{Code::invalid_argument,
                 fmt::format("there is no group '{}'", preview(escape_for_display(group), 80)),
                 "groups: " + join(known, ", ")};
  const std::shared_ptr<const Place> place = world_.place();
  const dispatch::Policy* policy = place->policy.get();
  std::string text = "These tools are at your disposal:\n";
  for (const Tool& tool : world_.registry->tools()) {
    if (!group.empty() && tool.spec.group != group) continue;
    if (policy && !policy->allows(world_.registry->index_of(tool))) continue;
    text += fmt::format("\n- {}: {}", tool.spec.name, tool.spec.description);
  }
  text += "\n\nTell me in a few sentences what you can do with them here.";
  return rendered(tools_prompt().description, std::move(text));
}

Result<mcp::Completions> Prompts::complete(std::string_view name, const mcp::Typed& typed) {
  mcp::Completions completions;
  if (name == kTools) {
    for (std::string& group : groups()) {
      if (group.starts_with(typed.value)) completions.values.push_back(std::move(group));
    }
    return completions;
  }
  for (const guidance::Prompt& each : templates()) {
    if (each.name == name) return completions;
  }
  return no_prompt(name);
}

}  // namespace helve::app

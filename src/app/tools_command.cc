// helve tools: which tools there are, for people, programs and models.
#include <fmt/format.h>

#include <algorithm>

#include "app/app.h"
#include "app/tool_formats.h"
#include "base/text.h"
#include "cli/listing.h"
#include "cli/render.h"

namespace helve::app {
namespace {

struct ToolsInput {
  std::vector<std::string> names;
  Format format = Format::text;
  static constexpr auto schema() {
    return schema::object(
        "List the tools, for people, programs or models",
        schema::opt<&ToolsInput::names>("Only these tools or groups").positional(),
        schema::opt<&ToolsInput::format>("How to describe them").shorthand('f'));
  }
};

constexpr std::string_view kDetails =
    "mcp, anthropic, openai, openai-strict, gemini and json-tags are what those systems take. A "
    "tool that a format cannot express, or that the policy "
    "denies, is left out and named on standard error.";

// The tools that are asked for and allowed; the others are told.
Result<cli::ToolList> chosen_tools(const ToolsInput& in, const World& world, const Tell& tell) {
  const Registry& registry = *world.registry;
  std::vector<size_t> wanted;
  for (const std::string& name : in.names) {
    const auto groups = registry.groups();
    const bool is_group = std::ranges::find(groups, name) != groups.end();
    std::ranges::copy(TRY(registry.expand(is_group ? "group:" + name : name)),
                      std::back_inserter(wanted));
  }
  const dispatch::Policy* policy = world.home->policy.get();
  cli::ToolList tools;
  for (size_t i = 0; i < registry.tools().size(); ++i) {
    if (!in.names.empty() && std::ranges::find(wanted, i) == wanted.end()) continue;
    if (policy && !policy->allows(i))
      tell(fmt::format("helve: {} is left out: {}\n", registry.tools()[i].spec.name,
                       policy->reason(i)));
    else
      tools.push_back(&registry.tools()[i]);
  }
  return tools;
}

Result<int> list_tools(const ToolsInput& in, App& app, cli::Run& run) {
  const World& world = *TRY(app.open(run.options, Purpose::inspect));
  const cli::ToolList tools = TRY(chosen_tools(in, world, app.tell()));
  const Format format = in.format == Format::text && run.options.json ? Format::json : in.format;
  if (format == Format::text) {
    run.screen.out.write(
        cli::tools_table(*world.registry, tools, {run.screen.width, run.screen.out.style}));
  } else if (format == Format::json) {
    cli::show_json(cli::tools_json(*world.registry, tools), run.screen);
  } else if (format == Format::markdown) {
    run.screen.out.write(cli::tools_markdown(*world.registry, tools));
  } else {
    const Formatted formatted = TRY(format_tools(format, world, tools));
    for (const std::string& omitted : formatted.omitted)
      app.tell()(fmt::format("helve: {}\n", escape_lines_for_display(omitted)));
    if (formatted.json.is_null())
      run.screen.out.write(formatted.text);
    else
      cli::show_json(formatted.json, run.screen);
  }
  return 0;
}

}  // namespace

cli::Command tools_command(App& app) {
  return cli::make_command<ToolsInput>(
      "tools", kDetails,
      {{"Every tool in full", "helve tools --json"},
       {"What a model would be given", "helve tools --format anthropic"}},
      [&app](const ToolsInput& in, cli::Run& run) { return list_tools(in, app, run); });
}

}  // namespace helve::app

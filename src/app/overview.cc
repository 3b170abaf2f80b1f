// helve without arguments: what it is, where it stands, and how to begin.
#include <fmt/format.h>

#include <algorithm>

#include "app/app.h"
#include "app/model_choice.h"
#include "app/snippet.h"
#include "base/text.h"
#include "cli/names.h"

namespace helve::app {
namespace {

constexpr size_t kMaxListedTools = 24;  // with more, a group gets one line

constexpr std::string_view kWhat =
    "helve is a tool runtime for AI agents. A tool is defined once and serves models, MCP clients "
    "and this command line; every call takes one path, "
    "where rules, hooks and records apply.";

constexpr std::pair<const char*, const char*> kToTry[] = {
    {"fs ls", "what is in the workspace"},
    {"help fs read", "how to use a tool"},
    {"tour", "watch an agent use the tools, offline"},
    {"doctor", "what is configured, and what is missing"},
};

std::string workspace_text(const World& world) {
  const workspace::Workspace* files = world.home->files.get();
  if (!files) return describe(*world.home->no_files);
  return fmt::format("{} ({})", escape_for_display(files->roots().front().path), world.root_from);
}

cli::Rows tool_rows(const World& world, std::string_view group) {
  cli::Rows rows;
  const dispatch::Policy* policy = world.home->policy.get();
  for (const Tool& tool : world.registry->tools()) {
    if (tool.spec.group != group) continue;
    const bool denied = policy && !policy->allows(world.registry->index_of(tool));
    rows.emplace_back(cli::named(tool).command(),
                      cli::summary_of(tool) + (denied ? " (denied)" : ""));
  }
  return rows;
}

cli::Rows all_rows(const World& world) {
  cli::Rows rows;
  for (std::string_view group : world.registry->groups()) {
    cli::Rows tools = tool_rows(world, group);
    if (world.registry->tools().size() <= kMaxListedTools) {
      std::ranges::move(tools, std::back_inserter(rows));
      continue;
    }
    std::vector<std::string> words;
    for (const Tool& tool : world.registry->tools()) {
      if (tool.spec.group == group) words.push_back(cli::named(tool).word);
    }
    rows.emplace_back(group, join(words, ", "));
  }
  return rows;
}

// As far as that can be told without asking anybody.
bool has_model(const World& world, const Surroundings& surroundings) {
  const Place& place = *world.home;
  const Result<ModelPlan> plan = plan_model(place.settings, place.who.agent, {}, surroundings);
  return plan && !plan->provider.empty() && !plan->find_problem();
}

}  // namespace

Result<int> show_overview(App& app, cli::Run& run) {
  const World& world = *TRY(app.open(run.options, Purpose::inspect));
  if (run.screen.out.is_terminal && !run.options.json) {
    const bool can_talk = world.home->files && has_model(world, app.surroundings());
    return can_talk ? start_chat(app, run) : take_tour(app, run);
  }
  const workspace::Workspace* files = world.home->files.get();
  const cli::Style& style = run.screen.out.style;
  const size_t width = run.screen.width;
  auto heading = [&](std::string_view title) { return "\n" + style.bold(title) + "\n"; };
  std::string out = cli::wrap(kWhat, width, 0);
  out += heading("Workspace") + cli::wrap(workspace_text(world), width, 2);
  out += heading("Tools") + cli::two_columns(all_rows(world), width, style);
  out += heading("For an MCP client, paste this into its configuration");
  out +=
      cli::indented(mcp_snippet_text(program_path(), files ? files->roots().front().path : ""), 2);
  out += heading("To try");
  cli::Rows rows;
  for (const auto& [command, what] : kToTry)
    rows.emplace_back(app.surroundings().invoked_as + " " + command, what);
  out += cli::two_columns(rows, width, style);
  run.screen.out.write(out);
  return 0;
}

}  // namespace helve::app

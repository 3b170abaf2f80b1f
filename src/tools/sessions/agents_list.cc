// agents_list: the agents that the configuration has.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

struct AgentsListInput {
  static constexpr auto schema() {
    return object("List the agents that sub-agents can be: their ids and what they are for.");
  }
};

struct AgentEntry {
  std::string id;
  std::string description;
  std::optional<std::string> model;

  static constexpr auto schema() {
    return object("An agent.", arg<&AgentEntry::id>("Its id"),
                  arg<&AgentEntry::description>("What it is for"),
                  opt<&AgentEntry::model>("Its model; absent: that of whoever begins it"));
  }
};

struct AgentsListOutput {
  std::vector<AgentEntry> agents;

  static constexpr auto schema() {
    return object("The agents.", arg<&AgentsListOutput::agents>("At least one"));
  }
  std::string text() const {
    std::string out;
    for (const AgentEntry& each : agents) {
      out += escape_for_display(each.id);
      if (each.model) out += " · " + escape_for_display(*each.model);
      if (!each.description.empty()) out += " · " + escape_for_display(each.description);
      out += "\n";
    }
    return out;
  }
};

Result<AgentsListOutput> agents_list(const AgentsListInput&, Context& context) {
  const agent::Agents& agents = *TRY(need_agents(context));
  AgentsListOutput out;
  for (const agent::Card& card : agents.cards()) {
    AgentEntry& entry = out.agents.emplace_back(AgentEntry{card.id, card.description, {}});
    if (!card.model.empty()) entry.model = card.model;
  }
  if (out.agents.empty()) out.agents.push_back({.id = "main", .description = "", .model = {}});
  return out;
}

}  // namespace

Tool tool_agents_list() {
  return make_tool({.name = "agents_list",
                    .group = "sessions",
                    .title = "List agents",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"Those that there are", "{}"}}},
                   agents_list);
}

}  // namespace helve::tools

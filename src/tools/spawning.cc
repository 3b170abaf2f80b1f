#include "tools/spawning.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace helve::tools {
namespace {

Result<void> check_agent(const std::string& id, const std::vector<agent::Card>& cards) {
  if (id.empty() || std::ranges::find(cards, id, &agent::Card::id) != cards.end()) return {};
  std::vector<std::string_view> known;
  for (const agent::Card& card : cards) known.emplace_back(card.id);
  const std::string meant = did_you_mean(id, known);
  return Error{Code::not_found, fmt::format("no agent '{}'", escape_for_display(preview(id, 100))),
               meant.empty() ? "agents_list shows those that there are" : meant, "unknown_agent"};
}

}  // namespace

std::string Child::text() const {
  if (!text_)
    return fmt::format(
        "Sub-agent {} works in the background; its end will be told. subagents shows its state.\n",
        session_id);
  return fmt::format("{}\n\n[sub-agent {} · {} · {} turns · {} calls · {} tokens{}]\n",
                     trim(*text_), session_id, outcome, turns, calls, input_tokens + output_tokens,
                     cost_usd ? " · " + dollars_text(*cost_usd) : "");
}

Result<Child> spawn(agent::Spawn spawn, Context& context) {
  agent::Agents& agents = *TRY(need_agents(context));
  TRY(check_agent(spawn.agent, agents.cards()));
  if (spawn.in_background && context.caller == Caller::cli)
    return Error{Code::unsupported, "at a shell a sub-agent ends with its command",
                 "leave background out, and put the command itself into the background",
                 "no_background"};
  spawn.parent = context.who.session;
  spawn.on_calls = telling_progress(context);
  const agent::Spawned spawned = TRY(agents.spawn(spawn, context.stop));
  Child child{.session_id = spawned.session, .outcome = "started", .text_ = {}, .cost_usd = {}};
  if (!spawned.ending) return child;
  const agent::Ending& ending = *spawned.ending;
  if (!ending.ok()) return failed_work("sub-agent", spawned.session, ending);
  child.outcome = agent::name_of(ending.end);
  child.text_ = ending.text;
  child.turns = ending.turns;
  child.calls = ending.calls;
  child.input_tokens = ending.usage.context() - ending.usage.output;
  child.output_tokens = ending.usage.output;
  if (ending.is_priced) child.cost_usd = dollars(ending.micro_dollars);
  return child;
}

}  // namespace helve::tools

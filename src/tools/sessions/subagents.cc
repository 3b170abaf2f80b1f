// subagents: what becomes of the sub-agents that were begun; stops and steers them.
#include <fmt/format.h>

#include <deque>

#include "base/text.h"
#include "session/fork.h"
#include "session/item.h"
#include "sys/clock.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/session_access.h"
#include "tools/spawning.h"

namespace helve::tools {
namespace {

using session::State;
using store::Conversation;

constexpr size_t kMaxShown = 100;
constexpr size_t kTitleChars = 80;
constexpr std::chrono::seconds kStopPatience{5};

enum class Action : unsigned char { list, stop, steer };

struct SubagentsInput {
  Action action = Action::list;
  std::optional<std::string> session_id;
  std::optional<std::string> message;

  static constexpr auto schema() {
    return object(
        "Look after the sub-agents that this session has begun: list them with their state; stop "
        "one; steer: tell one something more.",
        opt<&SubagentsInput::action>("What to do").positional(),
        opt<&SubagentsInput::session_id>("stop, steer: which one").positional().min_length(1),
        opt<&SubagentsInput::message>("steer: what to tell it")
            .min_length(1)
            .max_length(kMaxPrompt));
  }
  Result<void> check() const {
    if (action != Action::list && !session_id)
      return Error{Code::invalid_argument, "session_id is missing", "the action list shows the ids",
                   "invalid_input"};
    if (action == Action::steer && !message)
      return Error{Code::invalid_argument, "message is missing", "say what it is to be told",
                   "invalid_input"};
    return {};
  }
};

struct SubagentEntry {
  std::string session_id;
  std::string title;
  std::string agent;
  std::string parent;
  std::string state;
  std::int64_t calls = 0;
  std::int64_t elapsed_seconds = 0;

  static constexpr auto schema() {
    return object("A sub-agent.", arg<&SubagentEntry::session_id>("Its session"),
                  arg<&SubagentEntry::title>("Its task"), arg<&SubagentEntry::agent>("Which agent"),
                  arg<&SubagentEntry::parent>("The session that began it"),
                  arg<&SubagentEntry::state>("started, in_progress, done, stopped or failed"),
                  arg<&SubagentEntry::calls>("Calls that it has made"),
                  arg<&SubagentEntry::elapsed_seconds>("Of its work, as far as is known"));
  }
  std::string text() const {
    return fmt::format("{} · {} · {} calls · {} s · {}\n", session_id, state, calls,
                       elapsed_seconds, escape_for_display(preview(title, kTitleChars)));
  }
};

struct SubagentsOutput {
  std::vector<SubagentEntry> subagents;
  Notes notes;

  static constexpr auto schema() {
    return object("Sub-agents, those that changed last first.",
                  arg<&SubagentsOutput::subagents>("All, or the one that was meant"),
                  opt<&SubagentsOutput::notes>("What else is to be known"));
  }
  std::string text() const {
    std::string out;
    for (const SubagentEntry& each : subagents) out += each.text();
    if (subagents.empty()) out = "no sub-agents\n";
    if (notes) {
      for (const std::string& note : *notes) out += "note: " + note + "\n";
    }
    return out;
  }
};

Result<SubagentEntry> entry_of(store::Store& store, const Conversation& from, Context& context) {
  agent::Agents* const agents = context.agents ? context.agents->if_made() : nullptr;
  const std::shared_ptr<agent::Work> work =
      agents ? agents->runner().work_of(from.session) : nullptr;
  State state = TRY(session::state_of(store, from));
  std::int64_t elapsed_ms = from.changed_ms - from.created_ms;
  auto calls = static_cast<std::int64_t>(
      TRY(store.count_entries(from.session, kind_of(session::Finished{}))));
  if (work) {
    // What waits for its lane is not claimed yet.
    state = from.is_at_work ? State::in_progress : State::started;
    elapsed_ms = context.store->opener().clock().unix_ms() - work->begun_ms();
  }
  return SubagentEntry{.session_id = from.session,
                       .title = escape_invalid_utf8(from.title),
                       .agent = from.agent,
                       .parent = from.parent,
                       .state = std::string(session::name_of(state)),
                       .calls = calls,
                       .elapsed_seconds = elapsed_ms / 1000};
}

Result<std::vector<Conversation>> all_subagents(store::Store& store) {
  std::vector<Conversation> found = TRY(store.conversations({.limit = store::kMaxConversations}));
  std::erase_if(found, [](const Conversation& each) { return !agent::kit_of(each); });
  return found;
}

// Those of its sub-agents, too.
Result<std::vector<Conversation>> begun_by(store::Store& store, const std::string& session) {
  std::vector<Conversation> found;
  std::deque<std::string> parents{session};
  for (; !parents.empty() && found.size() <= kMaxShown; parents.pop_front()) {
    for (Conversation& each :
         TRY(store.conversations({.parent = parents.front(), .limit = kMaxShown + 1}))) {
      parents.push_back(each.session);
      found.push_back(std::move(each));
    }
  }
  return found;
}

Result<SubagentsOutput> list(store::Store& store, Context& context) {
  std::vector<Conversation> found = TRY(
      context.means_any_session() ? all_subagents(store) : begun_by(store, context.who.session));
  SubagentsOutput out;
  if (found.size() > kMaxShown) {
    out.notes = {fmt::format("only {} are shown: sessions_list has the others", kMaxShown)};
    found.resize(kMaxShown);
  }
  for (const Conversation& each : found)
    out.subagents.push_back(TRY(entry_of(store, each, context)));
  return out;
}

Result<void> check_own(agent::Agents& agents, const std::string& session, Context& context) {
  if (context.means_any_session()) return {};
  if (TRY(agents.descends(session, context.who.session))) return {};
  return Error{Code::denied,
               fmt::format("session {} is no sub-agent of this one", escape_for_display(session)),
               "the action list shows those that are; sessions_send reaches others", "not_own"};
}

Result<void> stop(agent::Runner& runner, const Conversation& target) {
  const std::shared_ptr<agent::Work> work = runner.work_of(target.session);
  if (work && runner.stop(target.session)) {
    // Whoever asks next is to see that it has stopped; it may still be busy with a call.
    (void)work->wait_as({.until = std::chrono::steady_clock::now() + kStopPatience});
    return {};
  }
  if (target.is_at_work)
    return Error{Code::conflict, fmt::format("another process works on session {}", target.session),
                 "stop it there", "session_elsewhere"};
  return Error{Code::conflict, fmt::format("session {} is not at work", target.session),
               "the action list shows the states", "not_at_work"};
}

Result<SubagentsOutput> subagents(const SubagentsInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  if (in.action == Action::list && !in.session_id) return list(store, context);
  agent::Agents& agents = *TRY(need_agents(context));
  const std::string& session = *in.session_id;
  const Conversation target = TRY(store.conversation(session));
  TRY(check_own(agents, session, context));
  if (in.action == Action::stop) TRY(stop(agents.runner(), target));
  if (in.action == Action::steer)
    TRY(agents.tell(session, sender_of(context), in.message.value_or("")));
  SubagentsOutput out;
  const Conversation now = TRY(store.conversation(session));
  out.subagents.push_back(TRY(entry_of(store, now, context)));
  return out;
}

}  // namespace

// Effect::read: a sub-agent is part of its parent's own work, and what it does is checked by the
// dispatcher.
Tool tool_subagents() {
  return make_tool(
      {.name = "subagents",
       .group = "sessions",
       .title = "Sub-agents",
       .effect = Effect::read,
       .delegates = true,
       .examples = {{"How they get on", "{}"},
                    {"Stop one", R"({"action": "stop", "session_id": "s_…"})"},
                    {"Tell one more",
                     R"({"action": "steer", "session_id": "s_…", "message": "Leave src/ out"})"}}},
      subagents);
}

}  // namespace helve::tools

#include "agent/agents.h"

#include <fmt/format.h>

#include "agent/left_behind.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/id.h"

namespace helve::agent {
namespace {

constexpr std::string_view kSubagent = "subagent";
constexpr size_t kMaxTitleChars = 60;

std::string report(const std::string& session, const Ending& ending) {
  if (ending.ok()) return fmt::format("Sub-agent {} has finished:\n\n{}", session, ending.text);
  return fmt::format("Sub-agent {} ended with '{}'{}{}", session, name_of(ending.end),
                     ending.error ? ": " + describe(*ending.error) : "",
                     ending.text.empty() ? "" : ". It said last:\n\n" + ending.text);
}

}  // namespace

std::string_view name_of(Kit kit) { return kit == Kit::inherit ? "inherit" : "read_only"; }

const std::vector<std::string>& read_only_tools() {
  static const std::vector<std::string> tools{"read", "grep",          "glob",
                                              "ls",   "memory_search", "memory_get"};
  return tools;
}

std::string purpose_of(Kit kit) { return fmt::format("{}:{}", kSubagent, name_of(kit)); }

std::optional<Kit> kit_of(const store::Conversation& conversation) {
  if (conversation.purpose == purpose_of(Kit::inherit)) return Kit::inherit;
  // What cannot be read gets least.
  if (conversation.purpose.starts_with(kSubagent)) return Kit::read_only;
  return std::nullopt;
}

std::string title_of(std::string_view prompt) {
  const size_t begin = prompt.find_first_not_of(" \t\r\n");
  if (begin == prompt.npos) return "";
  prompt.remove_prefix(begin);
  return preview(prompt.substr(0, prompt.find_first_of("\r\n")), kMaxTitleChars);
}

Result<int> Agents::depth_of(std::string_view session) {
  std::string at(session);
  for (int depth = 0;; ++depth) {
    if (depth > options_.depth) return depth;
    const store::Conversation found =
        TRY(store_.use([&](store::Store& store) { return store.conversation(at); }));
    if (found.parent.empty()) return depth;
    at = found.parent;
  }
}

Result<bool> Agents::descends(std::string_view session, std::string_view ancestor) {
  std::string at(session);
  for (int depth = 0; depth <= options_.depth + 1; ++depth) {
    const store::Conversation found =
        TRY(store_.use([&](store::Store& store) { return store.conversation(at); }));
    if (found.parent.empty()) return false;
    if (found.parent == ancestor) return true;
    at = found.parent;
  }
  return false;
}

Result<void> Agents::ensure(const std::string& session) {
  const Result<store::Conversation> known =
      store_.use([&](store::Store& store) { return store.conversation(session); });
  if (known) return {};
  if (known.error().type != "unknown_session") return known.error();
  const store::Conversation caller{.session = session,
                                   .title = "calls of another program",
                                   .workspace = options_.workspace,
                                   .purpose = "caller",
                                   .created_ms = clock_.unix_ms()};
  const Result<void> begun =
      store_.use([&](store::Store& store) { return store.begin_conversation(caller); });
  // Several calls may have been first.
  if (!begun && begun.error().type != "session_exists") return begun.error();
  return {};
}

Result<Spawned> Agents::spawn(const Spawn& spawn, std::stop_token stop) {
  TRY(ensure(spawn.parent));
  if (TRY(depth_of(spawn.parent)) >= options_.depth)
    return Error{
        Code::denied,
        fmt::format("sub-agents may be nested {} deep, and this would be deeper", options_.depth),
        "do it yourself, with the tools that you have", "depth_limit"};
  const store::Conversation parent =
      TRY(store_.use([&](store::Store& store) { return store.conversation(spawn.parent); }));
  const std::int64_t now = clock_.unix_ms();
  const store::Conversation child{
      .session = sys::new_id("s_", now),
      .title = spawn.title.empty() ? title_of(spawn.prompt) : spawn.title,
      .agent = spawn.agent.empty() ? parent.agent : spawn.agent,
      .workspace = parent.workspace,
      .purpose = purpose_of(spawn.kit),
      .parent = spawn.parent,
      .created_ms = now};
  TRY(store_.use([&](store::Store& store) { return store.begin_conversation(child); }));
  runner_.emit({spawn.parent, SubagentBegun{child.agent, child.session, spawn.prompt}});
  Letter letter{.session = child.session,
                .sender = spawn.parent,
                .message = model::user_message(spawn.prompt),
                .lane = Lane::subagent};
  if (spawn.in_background) letter.on_end = report_to(spawn.parent, Told::parent);
  std::optional<Waits> waits;
  if (!spawn.in_background) waits.emplace(TRY(runner_.begin_waiting(spawn.parent, child.session)));
  const std::shared_ptr<Work> work = TRY(runner_.post(letter));
  Spawned spawned{child.session, {}};
  if (spawn.in_background) return spawned;
  spawned.ending = runner_.see_through(*work, spawn.parent, stop, spawn.on_calls);
  account(*work, spawn.parent, *spawned.ending);
  return spawned;
}

OnEnd Agents::report_to(const std::string& parent, Told told) {
  return [this, parent, told](const Work& work, const Ending& ending) {
    account(work, parent, ending);
    if (told == Told::nobody) return;
    const Result<void> posted = tell_end(parent, work.session(), ending);
    if (!posted) runner_.emit({parent, Warned{describe(posted.error())}});
  };
}

Result<void> Agents::tell_end(const std::string& parent, const std::string& child,
                              const Ending& ending) {
  const store::Conversation ended =
      TRY(store_.use([&](store::Store& store) { return store.conversation(child); }));
  // Where nothing was said since the last report, this one is another all the same.
  const std::string id = ending.turns > 0 ? report_id(ended) : "";
  TRY(post(parent, child, report(child, ending), Told::parent, id));
  return {};
}

Result<void> Agents::tell(const std::string& session, const std::string& sender, std::string text) {
  TRY(post(session, sender, std::move(text), Told::parent));
  return {};
}

Result<std::shared_ptr<Work>> Agents::send(const std::string& session, const std::string& sender,
                                           std::string text) {
  return post(session, sender, std::move(text), Told::nobody);
}

Result<std::shared_ptr<Work>> Agents::post(const std::string& session, const std::string& sender,
                                           std::string text, Told told, std::string id) {
  const store::Conversation to =
      TRY(store_.use([&](store::Store& store) { return store.conversation(session); }));
  Letter letter{.session = session,
                .sender = sender,
                .message = model::user_message(std::move(text)),
                .id = std::move(id)};
  if (kit_of(to)) {
    letter.lane = Lane::subagent;
    letter.on_end = report_to(to.parent, told);
  }
  return runner_.post(letter);
}

// What it spent counts for all above it. Of one that is at work, what it spends has it in the end.
Result<void> Agents::charge(std::string session, const Ending& ending) {
  while (!session.empty()) {
    const store::Conversation conversation =
        TRY(store_.use([&](store::Store& store) -> Result<store::Conversation> {
          TRY(store.collect_spent(session));
          return store.conversation(session);
        }));
    if (runner_.charge(session, ending)) return {};
    session = conversation.parent;
  }
  return {};
}

void Agents::account(const Work& work, const std::string& parent, const Ending& ending) {
  if (const Result<void> charged = charge(parent, ending); !charged)
    runner_.emit({parent, Warned{describe(charged.error())}});
  runner_.emit(
      {parent, SubagentEnded{work.session(), ending, work.calls(),
                             std::chrono::milliseconds(clock_.unix_ms() - work.begun_ms())}});
}

}  // namespace helve::agent

// sessions_list: the sessions in which a model takes part.
#include <fmt/format.h>

#include "base/text.h"
#include "sys/clock.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kMaxListed = 1'000;
constexpr size_t kTitleChars = 80;

struct SessionsListInput {
  std::int64_t limit = 20;
  std::optional<std::string> query;
  std::optional<std::string> parent;
  bool all_workspaces = false;

  static constexpr auto schema() {
    return object(
        "List the sessions in which a model takes part, of this workspace, those that changed last "
        "first.",
        opt<&SessionsListInput::limit>("How many at most").min(1).max(kMaxListed).shorthand('n'),
        opt<&SessionsListInput::query>(
            "Only those in which this was said, called or answered, as it is written")
            .positional()
            .min_length(1)
            .max_length(1'000),
        opt<&SessionsListInput::parent>("Only those that this session began").min_length(1),
        opt<&SessionsListInput::all_workspaces>("Those of other workspaces, too").shorthand('a'));
  }
};

struct SessionEntry {
  std::string session_id;
  std::string title;
  std::string agent;
  std::string purpose;
  std::string workspace;
  std::optional<std::string> parent;
  std::int64_t entries = 0;
  std::string created;
  std::string changed;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> cost_usd;
  bool at_work = false;

  static constexpr auto schema() {
    return object("A session.", arg<&SessionEntry::session_id>("Its id"),
                  arg<&SessionEntry::title>("What it is about"),
                  arg<&SessionEntry::agent>("Whose it is"),
                  arg<&SessionEntry::purpose>("chat, run, subagent:…, caller: another program"),
                  arg<&SessionEntry::workspace>("Where it works"),
                  opt<&SessionEntry::parent>("The session that began it"),
                  arg<&SessionEntry::entries>("What it has in it: messages, calls' results, …"),
                  arg<&SessionEntry::created>("When it began, UTC"),
                  arg<&SessionEntry::changed>("When it was last added to, UTC"),
                  arg<&SessionEntry::input_tokens>("That models have read"),
                  arg<&SessionEntry::output_tokens>("That models have written"),
                  opt<&SessionEntry::cost_usd>("As far as prices are known; absent: none is"),
                  arg<&SessionEntry::at_work>("Whether a process works on it now"));
  }
  std::string text() const {
    std::string out = fmt::format(
        "{} · {} · {} · {} entries · {} tokens{} · {}", session_id, changed,
        escape_for_display(preview(title.empty() ? "(no title)" : std::string(title), kTitleChars)),
        entries, input_tokens + output_tokens, cost_usd ? " · " + dollars_text(*cost_usd) : "",
        escape_for_display(purpose));
    if (parent) out += " of " + *parent;
    if (at_work) out += " · at work";
    return out + "\n";
  }
};

struct SessionsListOutput {
  std::vector<SessionEntry> sessions;
  Notes notes;

  static constexpr auto schema() {
    return object("Sessions, those that changed last first.",
                  arg<&SessionsListOutput::sessions>("Those that were asked for"),
                  opt<&SessionsListOutput::notes>("What else is to be known"));
  }
  std::string text() const {
    std::string out;
    for (const SessionEntry& each : sessions) out += each.text();
    if (sessions.empty()) out = "no sessions\n";
    if (notes) {
      for (const std::string& note : *notes) out += "note: " + note + "\n";
    }
    return out;
  }
};

SessionEntry entry_of(const store::Conversation& from) {
  SessionEntry entry{.session_id = from.session,
                     .title = escape_invalid_utf8(from.title),
                     .agent = from.agent,
                     .purpose = from.purpose,
                     .workspace = escape_invalid_utf8(from.workspace),
                     .parent = {},
                     .entries = static_cast<std::int64_t>(from.entries),
                     .created = sys::utc(from.created_ms),
                     .changed = sys::utc(from.changed_ms),
                     .input_tokens = input_tokens(from.spent),
                     .output_tokens = from.spent.output,
                     .cost_usd = cost_of(from.spent),
                     .at_work = from.is_at_work};
  if (!from.parent.empty()) entry.parent = from.parent;
  return entry;
}

Result<SessionsListOutput> sessions_list(const SessionsListInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  const auto limit = static_cast<size_t>(in.limit);
  // A sub-agent works where its parent does.
  const bool is_anywhere = in.all_workspaces || in.parent;
  const std::vector<store::Conversation> found =
      TRY(store.conversations({.workspace = is_anywhere ? "" : context.who.workspace,
                               .parent = in.parent.value_or(""),
                               .text = in.query.value_or(""),
                               .limit = limit + 1}));
  SessionsListOutput out;
  for (const store::Conversation& each : found)
    if (out.sessions.size() < limit) out.sessions.push_back(entry_of(each));
  if (found.size() > limit)
    out.notes = {fmt::format("there are more: {} shows them", context.parameter("limit"))};
  else if (found.empty() && !is_anywhere)
    out.notes = {
        fmt::format("{}=true looks beyond this workspace", context.parameter("all_workspaces"))};
  return out;
}

}  // namespace

Tool tool_sessions_list() {
  return make_tool({.name = "sessions_list",
                    .group = "sessions",
                    .title = "List sessions",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"The last ones", "{}"},
                                 {"Where something was spoken of", R"({"query": "parser"})"},
                                 {"Everywhere", R"({"all_workspaces": true, "limit": 100})"}},
                    .limits = {.inline_chars = 30'000}},
                   sessions_list);
}

}  // namespace helve::tools

// sessions_history: what was said in a session.
#include <fmt/format.h>

#include "base/text.h"
#include "session/history.h"
#include "sys/clock.h"
#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

struct SessionsHistoryInput {
  std::string session_id;
  std::int64_t limit = 50;
  std::optional<std::int64_t> before;
  bool include_tools = false;

  static constexpr auto schema() {
    return object(
        "Read the last messages of a session, the oldest of them first. Long ones are shortened: "
        "`sessions_export` has all.",
        arg<&SessionsHistoryInput::session_id>("Which session").min_length(1),
        opt<&SessionsHistoryInput::limit>("Messages at most")
            .min(1)
            .max(session::kMaxHistory)
            .shorthand('n'),
        opt<&SessionsHistoryInput::before>("Only entries before this number: earlier ones").min(1),
        opt<&SessionsHistoryInput::include_tools>("Calls of tools and their results, too"));
  }
};

struct MessageEntry {
  std::int64_t number = 0;
  std::string time;
  std::string role;
  std::optional<std::string> sender;
  std::string text_;
  std::optional<bool> shortened;

  static constexpr auto schema() {
    return object("A message.", arg<&MessageEntry::number>("Of the entry, from 1"),
                  arg<&MessageEntry::time>("When it was said, UTC"),
                  arg<&MessageEntry::role>("user, assistant, tool, summary, remark, or broken"),
                  opt<&MessageEntry::sender>("Who said it: user, a session, a model, a tool"),
                  arg<&MessageEntry::text_>("What was said"),
                  opt<&MessageEntry::shortened>("True when this is not all of it"));
  }
  std::string text() const {
    return fmt::format("{} · {}{} · {}\n{}\n\n", number, role,
                       sender && *sender != role ? " " + escape_for_display(*sender) : "", time,
                       escape_lines_for_display(trim(text_)));
  }
};

struct SessionsHistoryOutput {
  std::string session_id;
  std::vector<MessageEntry> messages;
  std::optional<std::int64_t> earlier;

  static constexpr auto schema() {
    return object(
        "Messages of a session.", arg<&SessionsHistoryOutput::session_id>("Whose"),
        arg<&SessionsHistoryOutput::messages>("The oldest first"),
        opt<&SessionsHistoryOutput::earlier>("`before` of the page before; absent: there is none"));
  }
  std::string text() const {
    std::string out;
    if (earlier) out += fmt::format("(before={} shows earlier ones)\n\n", *earlier);
    for (const MessageEntry& each : messages) out += each.text();
    if (messages.empty()) out += "nothing was said\n";
    return out;
  }
};

Result<SessionsHistoryOutput> sessions_history(const SessionsHistoryInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  const session::History history =
      TRY(session::read_history(store, in.session_id,
                                {.limit = static_cast<size_t>(in.limit),
                                 .before = static_cast<std::uint64_t>(in.before.value_or(0)),
                                 .include_tools = in.include_tools}));
  SessionsHistoryOutput out{.session_id = in.session_id, .messages = {}, .earlier = {}};
  for (const session::Said& said : history.said) {
    MessageEntry& entry =
        out.messages.emplace_back(MessageEntry{.number = static_cast<std::int64_t>(said.number),
                                               .time = sys::utc(said.created_ms),
                                               .role = said.role,
                                               .sender = {},
                                               .text_ = escape_invalid_utf8(said.text),
                                               .shortened = {}});
    if (!said.sender.empty()) entry.sender = said.sender;
    if (said.is_cut) entry.shortened = true;
  }
  if (history.earlier > 0) out.earlier = static_cast<std::int64_t>(history.earlier);
  return out;
}

}  // namespace

Tool tool_sessions_history() {
  return make_tool(
      {.name = "sessions_history",
       .group = "sessions",
       .title = "Read a session",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"The last messages", R"({"session_id": "s_…"})"},
                    {"With what its tools did", R"({"session_id": "s_…", "include_tools": true})"},
                    {"Earlier ones", R"({"session_id": "s_…", "before": 120})"}},
       .limits = {.inline_chars = 30'000}},
      sessions_history);
}

}  // namespace helve::tools

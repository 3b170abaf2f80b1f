// sessions_fork: a session that goes on from some point of another, which stays as it is.
#include <fmt/format.h>

#include "session/fork.h"
#include "sys/clock.h"
#include "sys/id.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kMaxTitleChars = 200;

struct SessionsForkInput {
  std::string session_id;
  std::optional<std::int64_t> at;
  std::optional<std::string> title;

  static constexpr auto schema() {
    return object(
        "Begin a session that goes on from some point of another one, which stays as it is.",
        arg<&SessionsForkInput::session_id>("Which session").min_length(1),
        opt<&SessionsForkInput::at>(
            "The last entry that it has of the other, as sessions_history numbers them; default: "
            "all")
            .min(1),
        opt<&SessionsForkInput::title>("What it is about; default: as the other")
            .min_length(1)
            .max_length(kMaxTitleChars));
  }
};

struct SessionsForkOutput {
  std::string session_id;
  std::string from;
  std::int64_t entries = 0;
  Notes notes;

  static constexpr auto schema() {
    return object("The new session.", arg<&SessionsForkOutput::session_id>("Its id"),
                  arg<&SessionsForkOutput::from>("The session that it was made of"),
                  arg<&SessionsForkOutput::entries>("What it has of it"),
                  opt<&SessionsForkOutput::notes>("What else is to be known"));
  }
  std::string text() const {
    return fmt::format("Began {} with {} entries of {}{}\n", session_id, entries, from,
                       notes ? lines_of(*notes) : "");
  }
};

Result<SessionsForkOutput> sessions_fork(const SessionsForkInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  // Agent, purpose and parent stay, and with them what the session may do.
  store::Conversation fork = TRY(store.conversation(in.session_id));
  const std::uint64_t entries = fork.entries;
  const auto at = in.at ? static_cast<std::uint64_t>(*in.at) : entries;
  if (at > entries)
    return Error{Code::invalid_argument,
                 fmt::format("session {} has no entry {}", in.session_id, at),
                 fmt::format("it has {}", entries), "no_entry"};
  const std::uint64_t last = TRY(session::whole_until(store, in.session_id, at));
  const std::int64_t now = context.store->opener().clock().unix_ms();
  fork.session = sys::new_id("s_", now);
  fork.created_ms = now;
  if (in.title) fork.title = *in.title;
  TRY(store.copy_conversation(in.session_id, last, fork));
  SessionsForkOutput out{.session_id = fork.session,
                         .from = in.session_id,
                         .entries = static_cast<std::int64_t>(last),
                         .notes = {}};
  if (last < at)
    out.notes = {fmt::format(
        "it ends with entry {}, since after entry {} a call would have no result", last, at)};
  return out;
}

}  // namespace

Tool tool_sessions_fork() {
  return make_tool({.name = "sessions_fork",
                    .group = "sessions",
                    .title = "Fork a session",
                    .effect = Effect::write,
                    .examples = {{"Go on from its end", R"({"session_id": "s_…"})"},
                                 {"From an earlier point", R"({"session_id": "s_…", "at": 12})"}}},
                   sessions_fork);
}

}  // namespace helve::tools

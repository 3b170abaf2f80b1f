// sessions_delete: removes a session and all that was said in it.
#include <fmt/format.h>

#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

struct SessionsDeleteInput {
  std::string session_id;

  static constexpr auto schema() {
    return object(
        "Remove a session with all that was said in it. It cannot be brought back. Not while a "
        "process works on it. Sessions of its sub-agents stay.",
        arg<&SessionsDeleteInput::session_id>("Which session").min_length(1));
  }
};

struct SessionsDeleteOutput {
  std::string session_id;
  std::int64_t entries = 0;

  static constexpr auto schema() {
    return object("What was removed.", arg<&SessionsDeleteOutput::session_id>("The session"),
                  arg<&SessionsDeleteOutput::entries>("What it had in it"));
  }
  std::string text() const { return fmt::format("Removed {} ({} entries)\n", session_id, entries); }
};

Result<SessionsDeleteOutput> sessions_delete(const SessionsDeleteInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  const std::uint64_t entries = TRY(store.conversation(in.session_id)).entries;
  TRY(store.remove_conversation(in.session_id));
  return SessionsDeleteOutput{in.session_id, static_cast<std::int64_t>(entries)};
}

}  // namespace

Tool tool_sessions_delete() {
  return make_tool({.name = "sessions_delete",
                    .group = "sessions",
                    .title = "Delete a session",
                    .effect = Effect::write,
                    .destructive = true,
                    .examples = {{"For good", R"({"session_id": "s_…"})"}}},
                   sessions_delete);
}

}  // namespace helve::tools

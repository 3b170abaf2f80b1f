// sessions_rename: another title for a session.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/session_access.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kMaxTitleChars = 200;

struct SessionsRenameInput {
  std::string session_id;
  std::string title;

  static constexpr auto schema() {
    return object("Give a session another title.",
                  arg<&SessionsRenameInput::session_id>("Which session").min_length(1),
                  arg<&SessionsRenameInput::title>("What it is about")
                      .min_length(1)
                      .max_length(kMaxTitleChars));
  }
};

struct SessionsRenameOutput {
  std::string session_id;
  std::string title;

  static constexpr auto schema() {
    return object("The session.", arg<&SessionsRenameOutput::session_id>("Its id"),
                  arg<&SessionsRenameOutput::title>("Its title now"));
  }
  std::string text() const {
    return fmt::format("{} is now called {}\n", session_id, escape_for_display(title));
  }
};

Result<SessionsRenameOutput> sessions_rename(const SessionsRenameInput& in, Context& context) {
  store::Store& store = *TRY(need_store(context));
  TRY(store.rename_conversation(in.session_id, in.title));
  return SessionsRenameOutput{in.session_id, in.title};
}

}  // namespace

Tool tool_sessions_rename() {
  return make_tool(
      {.name = "sessions_rename",
       .group = "sessions",
       .title = "Rename a session",
       .effect = Effect::write,
       .idempotent = true,
       .examples = {{"What it is about", R"({"session_id": "s_…", "title": "The parser"})"}}},
      sessions_rename);
}

}  // namespace helve::tools

// sessions_spawn: a sub-agent that can only look, for research.
#include "tool/make.h"
#include "tools/spawning.h"

namespace helve::tools {
namespace {

struct SessionsSpawnInput {
  std::string prompt;
  std::string agent;
  bool background = false;

  static constexpr auto schema() {
    return object(
        "Let a sub-agent find something out, in a session of its own: it can read and search "
        "files and memory, and change nothing. It knows only what the prompt tells it. Several "
        "can be begun at once.",
        arg<&SessionsSpawnInput::prompt>("What to find out, and what to report")
            .min_length(1)
            .max_length(kMaxPrompt)
            .from_stdin(),
        opt<&SessionsSpawnInput::agent>("Which agent it is; default: the same as here"),
        opt<&SessionsSpawnInput::background>("Go on meanwhile; its end will be told"));
  }
};

Result<Child> sessions_spawn(const SessionsSpawnInput& in, Context& context) {
  return spawn({.parent = {},
                .prompt = in.prompt,
                .agent = in.agent,
                .kit = agent::Kit::read_only,
                .in_background = in.background},
               context);
}

}  // namespace

// Effect::read: it reads, and what it does goes through the dispatcher, which checks that.
Tool tool_sessions_spawn() {
  return make_tool(
      {.name = "sessions_spawn",
       .group = "sessions",
       .title = "Sub-agent that only reads",
       .effect = Effect::read,
       .concurrent = true,
       .delegates = true,
       .examples = {{"Find something out",
                     R"({"prompt": "Where are command line flags parsed? List files and lines."})"},
                    {"By another agent",
                     R"({"prompt": "Look for mistakes in src/", "agent": "reviewer"})"}},
       .limits = {.inline_chars = 30'000}},
      sessions_spawn);
}

}  // namespace helve::tools

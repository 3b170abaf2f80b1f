// agent: a sub-agent with the tools of whoever begins it.
#include "tool/make.h"
#include "tools/spawning.h"

namespace helve::tools {
namespace {

struct AgentInput {
  std::string prompt;
  std::string description;
  std::string agent;
  bool background = false;

  static constexpr auto schema() {
    return object(
        "Give a task to a sub-agent, which works on it in a session of its own with the tools that "
        "you have, and reports. It knows only what the prompt tells it. Several can be begun at "
        "once, for tasks that do not touch the same files.",
        arg<&AgentInput::prompt>("The task, and what to report")
            .min_length(1)
            .max_length(kMaxPrompt)
            .from_stdin(),
        opt<&AgentInput::description>("The task in a few words, as a title").max_length(200),
        opt<&AgentInput::agent>("Which agent it is; default: the same as here"),
        opt<&AgentInput::background>("Go on meanwhile; its end will be told"));
  }
};

Result<Child> run_agent(const AgentInput& in, Context& context) {
  return spawn({.parent = {},
                .prompt = in.prompt,
                .agent = in.agent,
                .kit = agent::Kit::inherit,
                .title = in.description,
                .in_background = in.background},
               context);
}

}  // namespace

// Effect::read: all that the sub-agent does goes through the dispatcher with no more permissions
// than its parent has, so that nobody need be asked twice.
Tool tool_agent() {
  return make_tool(
      {.name = "agent",
       .group = "sessions",
       .title = "Sub-agent",
       .effect = Effect::read,
       .concurrent = true,
       .delegates = true,
       .aliases = {"subagent"},
       .examples =
           {{"Hand a task on",
             R"({"prompt": "Make the tests in tests/unit/base pass, and say what was wrong.",
                     "description": "Fix the base tests"})"},
            {"By another agent", R"({"prompt": "Review the last change", "agent": "reviewer"})"}},
       .limits = {.inline_chars = 30'000}},
      run_agent);
}

}  // namespace helve::tools

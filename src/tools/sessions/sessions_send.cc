// sessions_send: says something in another session, and brings back what is answered there.
#include <fmt/format.h>

#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/session_access.h"
#include "tools/spawning.h"

namespace helve::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr double kLongestWait = 86'400;

struct SessionsSendInput {
  std::string session_id;
  std::string content;
  bool wait = true;
  std::optional<double> timeout_seconds;

  static constexpr auto schema() {
    return object(
        "Say something in another session. Its model answers with the tools and permissions that "
        "it has there, and the answer comes back. What is said is never lost: when nobody waits, "
        "sessions_history shows the answer later.",
        arg<&SessionsSendInput::session_id>("Which session").min_length(1),
        arg<&SessionsSendInput::content>("What to say")
            .min_length(1)
            .max_length(kMaxPrompt)
            .from_stdin(),
        opt<&SessionsSendInput::wait>("For its answer"),
        opt<&SessionsSendInput::timeout_seconds>("How long at most; default: until it comes")
            .min_number(0)
            .max_number(kLongestWait));
  }
};

struct SessionsSendOutput {
  std::string session_id;
  bool answered = false;
  std::optional<std::string> answer;
  std::optional<std::string> outcome;
  Notes notes;

  static constexpr auto schema() {
    return object("What came of it.", arg<&SessionsSendOutput::session_id>("The other session"),
                  arg<&SessionsSendOutput::answered>("False: it has the message, and answers it"),
                  opt<&SessionsSendOutput::answer>("What its model said last"),
                  opt<&SessionsSendOutput::outcome>("How its work ended"),
                  opt<&SessionsSendOutput::notes>("What else is to be known"));
  }
  std::string text() const {
    if (answer)
      return fmt::format("{}\n\n[session {} · {}]\n", trim(*answer), session_id,
                         outcome.value_or(""));
    return fmt::format("Session {} has the message{}\n", session_id, notes ? lines_of(*notes) : "");
  }
};

SessionsSendOutput unanswered(const std::string& session, std::string note) {
  return {.session_id = session,
          .answered = false,
          .answer = {},
          .outcome = {},
          .notes = {{std::move(note)}}};
}

Result<void> check_target(const SessionsSendInput& in, agent::Runner& runner,
                          const std::string& own) {
  if (in.session_id == own)
    return Error{Code::invalid_argument, "a session cannot send to itself",
                 "name another one: sessions_list shows them", "own_session"};
  if (in.wait && runner.is_awaited(own, in.session_id))
    return Error{
        Code::conflict,
        fmt::format("session {} waits for this one, so this one cannot wait for it", in.session_id),
        "wait=false sends the message; it reads it when this session is done",
        "would_wait_forever"};
  return {};
}

Result<SessionsSendOutput> sessions_send(const SessionsSendInput& in, Context& context) {
  agent::Agents& agents = *TRY(need_agents(context));
  agent::Runner& runner = agents.runner();
  const std::string& own = context.who.session;
  TRY(check_target(in, runner, own));
  const std::shared_ptr<agent::Work> work =
      TRY(agents.send(in.session_id, sender_of(context), in.content));
  constexpr std::string_view kLater = "sessions_history shows the answer when it has come";
  if (!in.wait) return unanswered(in.session_id, std::string(kLater));

  agent::Waiting waiting{.stop = context.stop, .until = {}, .on_calls = telling_progress(context)};
  if (in.timeout_seconds)
    waiting.until =
        steady_clock::now() + milliseconds(static_cast<std::int64_t>(*in.timeout_seconds * 1000));
  const Result<agent::Ending> ending = runner.await(*work, own, waiting);
  if (!ending) {
    const Error& why = ending.error();
    if (why.code == Code::cancelled)
      return Error{
          Code::cancelled,
          fmt::format("stopped waiting for session {}, which has the message", in.session_id),
          std::string(kLater)};
    return unanswered(in.session_id, fmt::format("{}: {}", why.message, kLater));
  }
  if (ending->error && ending->error->type == "session_busy")
    return unanswered(in.session_id, fmt::format("another process works on it: {}", kLater));
  if (!ending->ok()) return failed_work("session", in.session_id, *ending);
  return SessionsSendOutput{.session_id = in.session_id,
                            .answered = true,
                            .answer = ending->text,
                            .outcome = std::string(agent::name_of(ending->end)),
                            .notes = {}};
}

}  // namespace

// Effect::execute: what the other session does is checked there, but it may be allowed what this
// one is not.
Tool tool_sessions_send() {
  return make_tool(
      {.name = "sessions_send",
       .group = "sessions",
       .title = "Send to a session",
       .effect = Effect::execute,
       .concurrent = true,
       .delegates = true,
       .subject = {"session_id"},
       .examples = {{"Ask another session",
                     R"({"session_id": "s_…", "content": "Which port did you choose?"})"},
                    {"Without waiting",
                     R"({"session_id": "s_…", "content": "The tests pass.", "wait": false})"}},
       .limits = {.inline_chars = 30'000}},
      sessions_send);
}

}  // namespace helve::tools

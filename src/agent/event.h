// Event: what happens in a session while it happens, one stream for everyone who watches: a
// terminal, a log, a program, a dashboard. Views are valid during the call.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include "session/item.h"
#include "tool/approver.h"

namespace helve::agent {

struct Ending;

struct PromptTaken {  // out of the inbox, into the conversation
  std::string_view post;
  const session::Prompt& prompt;
};
struct ModelAsked {
  int turn = 0;  // from 1, of this run
};
struct TextAdded {
  std::string_view text;
};
struct ThinkingAdded {
  std::string_view text;
};
struct CallShaped {  // the model is writing a call; arguments may be a piece
  size_t index = 0;
  std::string_view name;
  std::string_view arguments;
};
struct AnswerVoid {  // what came so far does not count: the model is asked once more
  const Error& why;
  int attempt = 0;
  std::chrono::milliseconds wait{};
};
struct AnswerGiven {
  const session::Answer& answer;
  std::int64_t micro_dollars = 0;
  bool is_priced = false;    // false: nobody knows what it cost
  std::int64_t context = 0;  // tokens in the window
  std::int64_t window = 0;   // 0: not known
};
struct CallBegun {
  std::string_view id;
  std::string_view tool;  // as the model calls it
  std::string_view arguments;
};
struct CallProgress {
  std::string_view id;
  double done = 0;
  std::optional<double> total;
  std::string_view message;
};
struct CallOutput {  // of a command, as it comes
  std::string_view id;
  std::string_view text;
};
struct CallEnded {
  std::string_view tool;  // as it was begun
  const model::ToolResult& result;
  std::chrono::nanoseconds duration{};
  int status = 0;  // what the program that it ran left to a shell
};
struct ApprovalAsked {
  std::string_view id;  // of the call
  const Approver::Question& question;
};
struct ApprovalResolved {
  std::string_view id;
  const Approver::Question& question;
  const Result<Approver::Answer>& answer;
};
struct SubagentBegun {
  std::string_view agent;    // which of the configured ones
  std::string_view session;  // its own
  std::string_view prompt;
};
struct SubagentProgress {
  std::string_view session;
  int calls = 0;  // that it has made
  std::chrono::milliseconds elapsed{};
};
struct SubagentEnded {
  std::string_view session;
  const Ending& ending;
  int calls = 0;
  std::chrono::milliseconds elapsed{};
};
struct Compacted {
  std::int64_t before = 0, after = 0;  // tokens
};
struct Warned {
  std::string_view text;
};
struct RunEnded {
  const Ending& ending;
};

struct Event {
  std::string_view session;
  std::variant<PromptTaken, ModelAsked, TextAdded, ThinkingAdded, CallShaped, AnswerVoid,
               AnswerGiven, CallBegun, CallProgress, CallOutput, CallEnded, ApprovalAsked,
               ApprovalResolved, SubagentBegun, SubagentProgress, SubagentEnded, Compacted, Warned,
               RunEnded>
      what;
};

// Called on several threads, also at once; must return quickly and not throw.
using Emit = std::function<void(const Event&)>;

// {"type", "session", …}: one line each is what `helve run --json` prints.
JsonObject to_json(const Event& event);

}  // namespace helve::agent

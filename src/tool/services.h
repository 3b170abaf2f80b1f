// The services a call may pass through, as the dispatcher sees them. Each is absent unless app/
// connects one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/approver.h"
#include "tool/context.h"
#include "tool/tool.h"

namespace helve {

// Output that was too long to show, kept whole. Ids are lr_1, lr_2, … within a session; another
// session's id does not exist. Thread-safe.
class Results {
 public:
  struct Stored {
    std::string id;
    std::string tool;
    std::uint64_t chars = 0;
    std::int64_t created_ms = 0;
  };
  static constexpr std::uint64_t kPageChars = 8000;
  struct Page {
    std::string text;         // empty beyond the last page
    std::uint64_t chars = 0;  // of the whole
    std::uint64_t pages = 1;
  };
  static std::uint64_t pages_of(std::uint64_t chars) {
    return chars <= kPageChars ? 1 : (chars - 1) / kPageChars + 1;
  }
  static Page page_of(std::string_view text, std::uint64_t number);

  virtual ~Results() = default;
  // Survives the end of the process when it returns, and a power cut unless `effect` is read: then
  // the same call would tell it again.
  virtual Result<Stored> keep(std::string_view session, std::string_view tool, Effect effect,
                              std::string_view text) = 0;
  virtual Result<std::string> text(std::string_view session, std::string_view id) = 0;
  // Pages are counted from 1. Reads the whole text, unless it is overridden by somebody who knows
  // better.
  virtual Result<Page> page(std::string_view session, std::string_view id, std::uint64_t number);
  virtual Result<std::vector<Stored>> list(std::string_view session) = 0;
};

// Lets a running tool call another one on behalf of its caller: by the same rules, asked about and
// recorded as a call of its own. For the thread that the tool runs on.
class Calls {
 public:
  struct Answer {
    const Tool* tool = nullptr;  // null: there is none of that name
    std::optional<Error> error;
    Product product;  // whole, however long
    std::vector<std::string> notes;
  };
  // What is wanted of a command: what it answers, or besides all that it wrote.
  enum class Want : unsigned char { answer, written };

  virtual ~Calls() = default;
  // By any of its names; null when there is none.
  virtual const Tool* find(std::string_view name) const = 0;
  virtual Answer call(std::string_view name, const Json& arguments, Want want) = 0;
};

// What is written down about a call.
struct CallRecord {
  std::string id;
  Identity who;
  Caller caller = Caller::cli;
  std::string tool;
  std::string arguments;  // JSON, cut to kMaxRecordedArguments
  Effect effect = Effect::read;
  std::int64_t started_ms = 0;
  std::int64_t duration_us = 0;
  std::string outcome;  // "ok", or the error's type; "running" while it runs
  std::string message;  // of the error
  // Who decided that it may run, or may not: "rule", "session" (a person, earlier in it), "person",
  // "fallback", "nobody". Empty: there was nothing to decide. Then how it left the sandbox, if it
  // did: "person, network", "host:builder".
  std::string decided;
  std::uint64_t output_bytes = 0;
};
constexpr size_t kMaxRecordedArguments = 10'000;

// Thread-safe.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Before a call with effects runs: on disk when it returns. A failure refuses the call.
  virtual Result<void> begin(const CallRecord& record) = 0;
  // After a call that begin() knows.
  virtual void finish(const CallRecord& record) = 0;
  // After a read: kept in memory and written in batches.
  virtual void note(CallRecord record) = 0;
};

// What a session is told once, with whatever answer comes next: that a command in the background
// has ended. Thread-safe.
class Notices {
 public:
  struct Taken {
    std::vector<std::string> lines;
    std::vector<std::string> ids;  // of what they tell
  };
  virtual ~Notices() = default;
  // Asked by every call: it must cost next to nothing.
  virtual bool has_any() const = 0;
  // What the session is to be told now, in the caller's words. Nobody else gets it until arrived()
  // or failed() settles it; when this process dies before, it is told again.
  virtual Taken take(const Identity& who, Caller caller) = 0;
  virtual void arrived(std::string_view session, const std::vector<std::string>& ids) = 0;
  virtual void failed(std::string_view session, const std::vector<std::string>& ids) = 0;
};

// Notices on their way to a session. They count as told when this goes, so whoever delivers an
// answer keeps it until then.
class Telling {
 public:
  Telling(Notices& notices, std::string session, std::vector<std::string> ids)
      : notices_(notices), session_(std::move(session)), ids_(std::move(ids)) {}
  ~Telling();
  Telling(const Telling&) = delete;

  // They go with another answer.
  void did_not_arrive() { arrived_ = false; }

 private:
  Notices& notices_;
  const std::string session_;
  const std::vector<std::string> ids_;
  bool arrived_ = true;
};

// A hook's answer. `deny` beats `allow` beats `none`; an allow never lifts a deny or an ask of the
// policy.
struct HookAnswer {
  enum class Decision : unsigned char { none, allow, deny } decision = Decision::none;
  std::string reason;
  std::optional<Json> arguments;      // before: run with these instead
  std::vector<std::string> failures;  // hooks that did not work; reported, never blocking
};

struct HookCall {
  const Identity& who;
  std::string_view call_id;
  Caller caller;
  std::string_view tool;  // canonical
  const Json& arguments;  // canonical names
  Effect effect = Effect::read;
  std::string_view result = {};  // after: the text of the answer
  bool is_error = false;         // after
};

// Around what is said in a session.
struct HookTalk {
  const Identity& who;
  std::string_view text;  // the prompt, or the last answer
};

// Thread-safe; nothing is locked while a hook runs.
class Hooks {
 public:
  virtual ~Hooks() = default;
  // A deny keeps the prompt from the model.
  virtual HookAnswer before_prompt(const HookTalk&, std::stop_token) { return {}; }
  // It has been given: nothing can be denied any more.
  virtual HookAnswer after_response(const HookTalk&, std::stop_token) { return {}; }
  virtual HookAnswer before(const HookCall& call, std::stop_token stop) = 0;
  virtual HookAnswer after(const HookCall& call, std::stop_token stop) = 0;
};

}  // namespace helve

// Dispatcher: the only way to call a tool. Every call, whoever makes it, passes the same stages in
// the same order; a stage that nothing configures is not on the path.
//
// Thread rule: call() may run on any number of threads at once and holds no lock while hooks,
// people or tools run, so tools may call tools.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/approvals.h"
#include "dispatch/policy.h"
#include "tool/registry.h"
#include "tool/services.h"

namespace helve::sys {
class Clock;
}

namespace helve::dispatch {

// Whether a long answer is cut and kept as lr_N (for models), or given whole (for programs and
// pipes).
enum class Cap : unsigned char { inline_limit, none };

// A call that was allowed together with the one that makes it.
struct Allowed {
  std::string call;  // its tool and arguments
  std::string by;    // as in CallRecord::decided
};

struct Call {
  std::string_view tool;                // as the caller knows it
  const Json* arguments = nullptr;      // parsed; or
  std::string_view raw_arguments = {};  // text, parsed and conservatively repaired here
  Caller caller = Caller::cli;
  const Identity& who;
  bool named_session = false;        // as in Context
  bool wants_written = false;        // likewise
  const Allowed* allowed = nullptr;  // null: nothing was, or nothing makes it
  const Policy* policy = nullptr;    // null: everything loaded is allowed
  Cap cap = Cap::inline_limit;
  std::stop_token stop = {};
  std::optional<std::chrono::milliseconds> timeout = {};
  Listener* listener = nullptr;
  Approver* approver = nullptr;  // who is asked about this call; null: the one of the stages
  std::string_view id = {};      // by which it is recorded; empty: a new one
};

// What came of a call. Exactly one of error and product is meaningful.
struct Outcome {
  std::string call_id;         // set when calls are recorded or hooked
  const Tool* tool = nullptr;  // null when the name is unknown
  std::optional<Error> error;
  Product product;
  std::optional<Results::Stored> stored;  // the answer was long: the whole of it
  std::vector<std::string> notes;  // what the caller should be told besides: repairs, failing hooks
  std::unique_ptr<Telling> telling;  // of notes that are told once; null: there are none
  std::chrono::nanoseconds duration{};

  bool ok() const { return !error; }
};

// What tools may reach. Null: not granted.
struct Capabilities {
  workspace::Workspace* files = nullptr;
  std::optional<Error> no_files =
      {};  // why there are none; said in place of a tool's own error of type "no_files"
  search::IndexService* index = nullptr;
  search::Witness* witness = nullptr;
  process::Commands* commands = nullptr;
  knowledge::Library* library = nullptr;
  agent::AgentsOnDemand* agents = nullptr;
  tools::AgentMemories* memories = nullptr;
  sys::Clock* clock = nullptr;
  guidance::Library* guidance = nullptr;
  const Dialect* dialect = nullptr;  // by whose names the caller knows the tools; null: by ours
  // A store handle for one call; null when there is no store.
  std::function<std::shared_ptr<store::CallStore>()> store = {};
  // After the hooks of a call with effects, which may have changed what the call wrote.
  std::function<void(std::string_view call_id)> after_hooks = {};
};

// The configured stages. Null: the stage is absent.
struct Stages {
  Hooks* hooks = nullptr;
  const Approvals* approvals = nullptr;  // null: mode off, and no rules
  Approver* approver = nullptr;          // null: nobody can be asked
  Recorder* recorder = nullptr;
  Results* results = nullptr;
  Notices* notices = nullptr;
  std::optional<std::chrono::milliseconds> timeout = {};  // of calls that state none
  std::optional<size_t> inline_chars = {};                // of tools that state none of their own
  // Told of every call and its outcome, for --verbose.
  std::function<void(const Call&, std::string_view arguments)> on_call = {};
  std::function<void(const Call&, const Outcome&)> on_outcome = {};
};

class Deadlines;

class Dispatcher {
 public:
  // Borrows the registry and everything that `stages` and `capabilities` point to.
  Dispatcher(const Registry& registry, Capabilities capabilities, Stages stages = {});
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;

  // Never throws; a tool's failure is an Outcome.
  Outcome call(const Call& call);

  const Registry& registry() const { return registry_; }

 private:
  struct Passage;  // one call on its way through the stages
  Result<Product> pass(Passage& passage);
  Context context_of(const Passage& passage) const;
  Result<void> ask_policy(Passage& passage, const Context& context);
  Policy::Decision decide(const Call& call, const Tool& tool, Effect effect) const;
  Result<void> run_before_hooks(Passage& passage);
  void run_after_hooks(Passage& passage, Result<Product>& result);
  const Dialect::Entry* words_of(const Passage& passage) const;
  Result<Product> run(Passage& passage, Context& context);
  void cap(const Call& call, Effect effect, Outcome& outcome);
  void describe_call(Passage& passage);
  Result<void> record_intent(Passage& passage);
  void record_outcome(Passage& passage);
  void add_notices(const Call& call, Outcome& outcome);

  const Registry& registry_;
  Capabilities capabilities_;
  Stages stages_;
  Grants grants_;  // where nobody configured approvals
  Approvals own_;  // likewise
  std::unique_ptr<Deadlines> deadlines_;
};

}  // namespace helve::dispatch

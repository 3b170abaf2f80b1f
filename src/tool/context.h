// Context: the only capability surface of a tool. What is null here, the tool cannot reach.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/dialect.h"

namespace helve {

namespace workspace {
class Workspace;
}
namespace search {
class IndexService;
class Witness;
}  // namespace search
namespace store {
class CallStore;
}
namespace process {
class Commands;
}
namespace guidance {
class Library;
}
namespace knowledge {
class Library;
}
namespace agent {
class AgentsOnDemand;
}
namespace tools {
class AgentMemories;
}
namespace sys {
class Clock;
}
class Results;
class Calls;
class Inventory;

// Who calls, on whose behalf, where.
struct Identity {
  std::string agent;
  std::string user;
  std::string workspace;
  std::string session;

  bool operator==(const Identity&) const = default;
};

enum class Caller : unsigned char { cli, mcp, model, pipe, test };
std::string_view name_of(Caller caller);

enum class Level : unsigned char { debug, info, notice, warning, error };
std::string_view name_of(Level level);

// Where a running call tells how far it is. Called on the tool's thread; must return quickly.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void progress(double done, std::optional<double> total, std::string_view message) = 0;
  virtual void log(Level level, std::string_view message) = 0;
  // What a command writes, as it comes, safe to show; for those who want all of it. The text of the
  // answer begins with the same, and the product says how much of it that is.
  virtual bool wants_output() const { return false; }
  virtual void output(std::string_view /*text*/) {}
};

struct Context {
  const Identity& who;
  Caller caller = Caller::test;
  std::string_view tool = {};  // canonical
  std::string_view call_id = {};
  bool named_session = false;  // the caller chose it, and means what was done in it

  bool wants_written = false;  // the caller takes all that a command wrote: Product::written
  bool only_reads = false;     // nothing is changed by this call, as far as can be told beforehand

  std::stop_token stop = {};  // requested on cancellation and at the deadline
  std::optional<std::chrono::steady_clock::time_point> deadline = {};

  // Capabilities, null unless granted.
  workspace::Workspace* files = nullptr;
  search::IndexService* index = nullptr;  // what is known about the files beforehand
  search::Witness* witness = nullptr;     // sees what commands change
  store::CallStore* store = nullptr;      // opened on first use, released when the call ends
  Results* results = nullptr;             // stored results of this session
  process::Commands* commands = nullptr;
  knowledge::Library* library = nullptr;     // the documents that are kept
  agent::AgentsOnDemand* agents = nullptr;   // other sessions and sub-agents
  Calls* calls = nullptr;                    // of other tools, on behalf of this one
  tools::AgentMemories* memories = nullptr;  // notes of each agent
  sys::Clock* clock = nullptr;
  guidance::Library* guidance = nullptr;  // prompts and skills
  const Inventory* inventory = nullptr;   // what the caller can use

  Listener* listener = nullptr;
  const Dialect::Entry* dialect = nullptr;  // whose names the caller used; null: ours

  // A value of one of our parameters as the caller counts it: where to go on, in a dialect whose
  // lines begin at 1.
  std::int64_t as_caller_counts(std::string_view parameter, std::int64_t value) const;
  // At a shell each call is a session of its own, unless one is named.
  bool means_any_session() const { return caller == Caller::cli && !named_session; }
  // One of our parameters, or tools, by the caller's word.
  std::string_view parameter(std::string_view ours) const {
    return dialect ? their_parameter(*dialect, ours) : ours;
  }
  std::string_view other_tool(std::string_view ours) const {
    return dialect ? their_tool(*dialect, ours) : ours;
  }
  void progress(double done, std::optional<double> total = {}, std::string_view message = {}) {
    if (listener) listener->progress(done, total, message);
  }
  void log(Level level, std::string_view message) {
    if (listener) listener->log(level, message);
  }
  // An error once the call should end: `timeout` past the deadline, `cancelled` otherwise. For
  // loops in long work.
  Result<void> checkpoint() const;
};

}  // namespace helve

// Approver: asks a person whether a call may run. A terminal, an MCP client and a list of open
// questions (dispatch/pending_approvals.h) are such; a program that embeds helve brings its own.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tool/context.h"
#include "tool/demand.h"
#include "tool/tool.h"

namespace helve {

// A rule as it stands in the configuration, on one line.
struct RuleLine {
  std::string list;  // the key that holds it: "approvals.allow", "commands"
  std::string yaml;  // one item: {tool: write, arguments: {path: "a.txt"}}

  bool operator==(const RuleLine&) const = default;
};

// Thread-safe.
class Approver {
 public:
  // How far the person's word goes: not at all, for this call, for such calls of this session, for
  // such calls ever.
  enum class Answer : unsigned char { deny, once, session, always };

  struct Question {
    Identity who;
    std::string tool;
    Effect effect = Effect::read;
    std::string arguments;  // JSON: canonical names, without defaults
    Demand demand;
    std::vector<std::string> about;  // lines of Demand::about, which is empty here
    std::string reason;              // which rule asks, or what leaves the sandbox
    // What `always` would write into `file`. Without rules `no_rule` says why there are none.
    std::vector<RuleLine> rules;
    std::string no_rule;
    std::string file;
    // After this time `on_timeout` holds.
    std::optional<std::chrono::milliseconds> timeout;
    Answer on_timeout = Answer::deny;

    bool can_be_always() const { return !rules.empty() && !file.empty(); }
  };

  virtual ~Approver() = default;
  // Returns soon after a stop was requested, with the code `cancelled`. Another error says why
  // nobody could be asked.
  virtual Result<Answer> ask(const Question& question, std::stop_token stop) = 0;
};

std::string_view name_of(Approver::Answer answer);
// The answer of that name; nothing when there is none.
std::optional<Approver::Answer> find_answer(std::string_view name);

}  // namespace helve

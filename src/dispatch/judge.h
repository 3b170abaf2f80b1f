// Judge: what the mode and the rules say about a call, before any person is asked: it may run, it
// is denied, or somebody must be asked; and which rules would spare the question.
//
// Thread rule: any number of threads at once.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/allow_rule.h"
#include "dispatch/command_rules.h"
#include "dispatch/grants.h"
#include "shell/unwrap.h"

namespace helve::dispatch {

struct ApprovalSettings {
  enum class Mode : unsigned char {
    off,     // only where a rule asks
    smart,   // whatever does more than read
    always,  // everything
  };
  Mode mode = Mode::off;
  std::string mode_from = {};  // what set it, for people
  std::chrono::milliseconds timeout{120'000};
  // After that time. What leaves the sandbox is denied all the same.
  enum class Fallback : unsigned char { deny, allow } fallback = Fallback::deny;
  std::vector<AllowRule> allow = {};
  std::vector<CommandRule> commands = {};
  shell::Reader reader = shell::Reader::any_shell;  // who runs the examples of those rules
  // Ways out of the sandbox that the settings themselves allow: routes that need no more word.
  std::vector<std::string> granted = {};
};

// A call that the policy lets pass or asks about.
struct Case {
  const Identity& who;
  const Tool& tool;
  Effect effect;
  const Bound& bound;
  Demand demand;
  shell::Analysis script;       // of the demand
  std::string asked_by = {};    // the policy's rule that asks; empty: none does
  const Case* inner = nullptr;  // the call that it makes; null: it makes none
  // Who has allowed this very call, with the one that makes it, as in CallRecord; empty: nobody.
  std::string_view allowed_by = {};
};

// What the command of a demand runs, where it does. Empty: it has none.
shell::Analysis analysis_of(const Demand& demand);

// Whether nothing but what it answers could be lost with it. A command has the effect of all that
// it runs, as far as its words tell.
bool only_reads(const Case& wanted);

struct Judgement {
  std::string denied;        // why it may not run; empty: it is not denied
  std::string reasons;       // why a person must be asked; empty: nobody must
  bool rule_allows = false;  // a rule means this call
  std::string no_rule;       // why no rule can spare the question; empty: one may

  void ask(std::string_view reason) {
    if (!reasons.empty()) reasons += "; ";
    reasons += reason;
  }
};

// The rules that would allow a call. Without any, `why_not` says why.
struct Offer {
  std::vector<RuleLine> lines = {};
  Standing rules = {};  // the same
  std::string why_not = {};
};

// The rules that would allow two calls that are made as one.
Offer both(Offer one, Offer other);

class Judge {
 public:
  // Borrows the registry and the grants. Rules must be right.
  Judge(const Registry& registry, ApprovalSettings settings, Grants& grants);
  Judge(Judge&&) noexcept;
  ~Judge();

  const ApprovalSettings& settings() const { return settings_; }
  // True for most calls, at little cost: nothing speaks of them.
  bool is_silent(const Case& wanted) const;
  Judgement judge(const Case& wanted, const JsonObject& arguments) const;
  // `exact` is the rule that means calls like this one and no others.
  Offer offer(const Case& wanted, const AllowRule& exact, const Judgement& judgement) const;

 private:
  struct Compiled {
    AllowRule rule;
    std::vector<size_t> tools;  // indices, sorted
  };
  struct Cache;

  bool asks_by_mode(const Case& wanted) const;
  std::string asked_by(const Case& wanted) const;
  // Where the mode asks, and nothing else does, the parts of a command that only read need no rule.
  shell::Exempt exempt(const Case& wanted) const;
  std::shared_ptr<const CommandPolicy> commands_in(std::string_view workspace) const;
  std::vector<AllowRule> matching(const Case& wanted, const JsonObject& arguments) const;
  void judge_command(const Case& wanted, Judgement& judgement) const;
  void judge_ways_out(const Case& wanted, const std::vector<AllowRule>& rules,
                      Judgement& judgement) const;

  const Registry* registry_;
  ApprovalSettings settings_;
  std::vector<Compiled> allow_;
  Grants* grants_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace helve::dispatch

// Approvals: whether a call may run at once or needs a person's word, and what that word is good
// for. The policy has let the call pass or asks; this stage adds the mode, the rules that allow,
// and that nothing leaves the sandbox unless a rule or a person lets it.
//
// Thread rule: permit() may run on any number of threads at once; nothing is locked while a person
// is asked.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/allow_rule.h"
#include "dispatch/grants.h"

namespace helve::dispatch {

class Deadlines;

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
};

// The type of the error that an approver gives when the answer comes with another call: the call is
// over, and nobody has decided.
constexpr std::string_view kApprovalPending = "approval_pending";

class Approvals {
 public:
  // Borrows the registry and the grants. Rules must be right.
  Approvals(const Registry& registry, ApprovalSettings settings, Grants& grants);
  // Fails on the first rule that is wrong (problems_of).
  static Result<Approvals> make(const Registry& registry, ApprovalSettings settings,
                                Grants& grants);

  struct Case {
    const Identity& who;
    const Tool& tool;
    Effect effect;
    const Bound& bound;
    const Demand& demand;
    std::string_view asked_by = {};  // the policy's rule that asks; empty: none does
  };
  // Who is asked, and until when.
  struct Asking {
    Approver* approver = nullptr;  // null: there is nobody
    Deadlines& deadlines;
    std::stop_token stop = {};
  };
  // What came of it, besides the permission itself.
  struct Ruling {
    std::string decided = {};             // as in CallRecord
    std::vector<std::string> notes = {};  // for the caller
  };
  Result<void> permit(const Case& wanted, const Asking& asking, Ruling& ruling) const;

 private:
  struct Open;  // what no rule allows

  struct Compiled {
    AllowRule rule;
    std::vector<size_t> tools;  // indices, sorted
  };
  std::string mode_reason(const Case& wanted) const;
  std::vector<AllowRule> matching(const Case& wanted, const JsonObject& arguments) const;
  Open judge(const Case& wanted, const JsonObject& arguments) const;
  Approver::Question question(const Case& wanted, const AllowRule& exact, std::string reason) const;
  Result<void> ask(const Approver::Question& question, const AllowRule& exact, const Asking& asking,
                   Ruling& ruling) const;
  Result<void> timed_out(const Approver::Question& question, Ruling& ruling) const;
  void keep_for_ever(const Approver::Question& question, const AllowRule& exact,
                     Ruling& ruling) const;

  const Registry* registry_;
  ApprovalSettings settings_;
  std::vector<Compiled> allow_;
  Grants* grants_;
};

}  // namespace helve::dispatch

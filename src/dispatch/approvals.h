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

#include "dispatch/judge.h"

namespace helve::dispatch {

class Deadlines;

// The type of the error that an approver gives when the answer comes with another call: the call is
// over, and nobody has decided.
constexpr std::string_view kApprovalPending = "approval_pending";

class Approvals {
 public:
  // Borrows the registry and the grants. Rules must be right.
  Approvals(const Registry& registry, ApprovalSettings settings, Grants& grants)
      : judge_(registry, std::move(settings), grants), grants_(&grants) {}
  // Fails on the first rule that is wrong (problems_of, check).
  static Result<Approvals> make(const Registry& registry, ApprovalSettings settings,
                                Grants& grants);

  using Case = dispatch::Case;
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
    bool allows_inner = false;            // the same word allowed the inner call, too
  };
  Result<void> permit(const Case& wanted, const Asking& asking, Ruling& ruling) const;

 private:
  // What there is to ask about a call.
  struct Doubt {
    Judgement judgement;
    std::vector<std::string> keys;  // what a word for the session is good for
    Offer offer;

    bool is_open() const { return !judgement.reasons.empty() && judgement.denied.empty(); }
  };
  Result<void> decide(const Case& wanted, const Asking& asking, Ruling& ruling) const;
  Result<Doubt> doubt(const Case& wanted, Ruling& ruling) const;
  // Tells two demands apart: a grant for a session is good for the same one only.
  std::string key_of(const Case& wanted, const AllowRule& exact) const;
  Result<void> ask(const Approver::Question& question, const Doubt& doubt, const Asking& asking,
                   Ruling& ruling) const;
  Result<void> timed_out(const Approver::Question& question, Ruling& ruling) const;
  void keep_for_ever(const Approver::Question& question, const Standing& rules,
                     Ruling& ruling) const;

  Judge judge_;
  Grants* grants_;
};

}  // namespace helve::dispatch

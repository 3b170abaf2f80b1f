// Elicitation: the question whether a call may run, put to the person behind the client.
//
// A client of the handshake era is sent a request and answers it while the call waits. A stateless
// one gets the question as the result of its call, and makes the call again with the answer.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "dispatch/pending_approvals.h"
#include "mcp/request.h"
#include "mcp/request_state.h"
#include "mcp/sink.h"
#include "mcp/version.h"

namespace helve::mcp {

// Whether a client with these capabilities shows forms. Null: it told none.
bool shows_forms(const Json* capabilities, Version version);

// The params of elicitation/create.
std::string form_of(const Approver::Question& question, Version version);
// What the person made of the form. Whoever declines or closes it denies. Error: the client's
// answer is none.
Result<Approver::Answer> read_form(const Json* result);

// Asks a client of the handshake era. Thread-safe.
class LegacyElicitation {
 public:
  LegacyElicitation(Sink& sink, const sys::Clock& clock);

  // The client agreed on this version and shows forms.
  void enable(Version version) { version_ = version; }
  // Null: the client cannot be asked.
  Approver* approver() { return version_.load() ? &pending_ : nullptr; }
  // Takes a response of the client; `result` is null when it is an error. False: it answers none of
  // our questions.
  bool take(std::string_view id, const Json* result);

 private:
  void tell(dispatch::PendingApprovals::Event event,
            const dispatch::PendingApprovals::Pending& pending);

  Sink& sink_;
  std::atomic<std::optional<Version>> version_{};
  dispatch::PendingApprovals pending_;
};

// Asks a stateless client: an Approver for one call, which may bring the answer to the question
// that the call before it raised.
class ModernElicitation final : public Approver {
 public:
  // Borrows all of it. Nothing is computed unless a state came with the call or somebody must be
  // asked.
  ModernElicitation(RequestStates& states, const Request& request, std::string_view session,
                    std::string_view tool)
      : states_(states), request_(request), session_(session), tool_(tool) {}

  // Looks at the state that came with the call. Error: it is not ours, or of another call.
  Result<void> open();
  Result<Answer> ask(const Question& question, std::stop_token stop) override;

  // The members of a result that puts the question; empty: nothing was asked.
  const std::string& input_required() const { return input_required_; }

 private:
  std::string digest() const;
  std::optional<Answer> given_answer(const Question& question, std::string_view asked);

  RequestStates& states_;
  const Request& request_;
  const std::string_view session_;
  const std::string_view tool_;
  std::optional<RequestState> opened_;
  std::string input_required_;
};

}  // namespace helve::mcp

// PendingApprovals: questions that wait for somebody who answers elsewhere: a dashboard, a chat, an
// MCP client. ask() waits; list() and answer() are for whoever shows the questions.
//
// Thread-safe. Events are told without any lock held: `asked` and `withdrawn` on the thread that
// asks, `answered` on the one that answers.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tool/approver.h"

namespace helve::sys {
class Clock;
}

namespace helve::dispatch {

class PendingApprovals final : public Approver {
 public:
  static constexpr size_t kMaxPending = 1000;  // a further question is refused

  struct Pending {
    std::string id;  // that nobody can foresee
    std::int64_t asked_ms = 0;
    Question question;
  };
  enum class Event : unsigned char { asked, answered, withdrawn };
  // `answer` is set when it was answered by a person.
  using OnEvent = std::function<void(Event, const Pending&, std::optional<Answer> answer)>;

  // Borrows the clock.
  explicit PendingApprovals(const sys::Clock& clock, OnEvent on_event = {})
      : clock_(clock), on_event_(std::move(on_event)) {}

  Result<Answer> ask(const Question& question, std::stop_token stop) override;

  // The oldest first; of one session, or of all when it is empty.
  std::vector<Pending> list(std::string_view session = {}) const;
  // Error: the question is not open any more, or cannot be answered so (`always` without a rule).
  Result<void> answer(std::string_view id, Answer answer);
  // The person cannot be asked after all; `why` is what ask() returns.
  Result<void> fail(std::string_view id, Error why);

 private:
  struct Entry {
    Pending pending;
    std::optional<Result<Answer>> settled = {};
  };
  Result<Pending> settle(std::string_view id, Result<Answer> answer);
  void tell(Event event, const Pending& pending, std::optional<Answer> answer = {}) const {
    if (on_event_) on_event_(event, pending, answer);
  }

  const sys::Clock& clock_;
  const OnEvent on_event_;
  mutable std::mutex mutex_;
  std::condition_variable_any settled_;
  std::map<std::string, Entry, std::less<>> entries_;  // guarded by mutex_; ids sort by time
};

}  // namespace helve::dispatch

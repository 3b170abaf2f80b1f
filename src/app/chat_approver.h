// ChatApprover: questions of agents to the person in a chat. Whoever asks waits; the thread that
// draws shows one question after the other and answers it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>

#include "app/happenings.h"
#include "tool/approver.h"

namespace helve::app {

// Thread-safe.
class ChatApprover final : public Approver {
 public:
  Result<Answer> ask(const Question& question, std::stop_token stop) override;

  struct Open {
    std::uint64_t number = 0;
    Question question;
    size_t behind = 0;  // how many others wait
  };
  // The one that was asked first; nothing when none is open.
  std::optional<Open> first() const;
  // A question that nobody waits for any more is passed over.
  void answer(std::uint64_t number, Answer answer);

 private:
  struct Waiting {
    std::uint64_t number;
    const Question& question;
    std::optional<Answer> answer = std::nullopt;
  };
  mutable std::mutex mutex_;
  std::condition_variable_any answered_;
  std::list<Waiting> waiting_;  // guarded by mutex_
  std::uint64_t next_ = 1;      // guarded by mutex_
};

// Where questions are asked beside the screen, on a terminal that only knows lines: all that was
// said before stands there first.
class ApproverAfterOutput final : public Approver {
 public:
  static constexpr std::chrono::milliseconds kPatience{500};
  // Borrows both.
  ApproverAfterOutput(Happenings& happenings, Approver& inner,
                      std::chrono::milliseconds patience = kPatience)
      : happenings_(happenings), inner_(inner), patience_(patience) {}
  Result<Answer> ask(const Question& question, std::stop_token stop) override {
    happenings_.wait_until_shown(patience_, stop);
    return inner_.ask(question, stop);
  }

 private:
  Happenings& happenings_;
  Approver& inner_;
  const std::chrono::milliseconds patience_;
};

// Says yes to what a person has typed: asking whether they meant it would only annoy.
class TypedApprover final : public Approver {
 public:
  Result<Answer> ask(const Question&, std::stop_token) override { return Answer::once; }
};

}  // namespace helve::app

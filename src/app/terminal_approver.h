// TerminalApprover: asks the person at the terminal whether a call may run.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include "tool/services.h"

namespace helve::app {

// Breaks lines where a terminal of so many columns would and goes on behind a bar or blanks:
// nothing that was asked for may stand where a line of ours could begin. For texts of dispatch.
std::string folded_question(std::string_view text, size_t columns);

class TerminalApprover final : public Approver {
 public:
  // Opened with the first question. Empty: there is no terminal.
  explicit TerminalApprover(std::string terminal) : terminal_(std::move(terminal)) {}

  // y, s and a allow; everything else denies.
  Result<Answer> ask(const Question& question, std::stop_token stop) override;

 private:
  Result<Answer> ask_now(const Question& question, std::stop_token stop) const;

  const std::string terminal_;
  std::mutex mutex_;
  std::condition_variable_any free_;
  bool is_asking_ = false;  // one question at a time
};

}  // namespace helve::app

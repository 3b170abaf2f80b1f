// TerminalApprover: asks the person at the terminal whether a call may run.
#pragma once

#include <mutex>
#include <string>

#include "tool/services.h"

namespace helve::app {

class TerminalApprover final : public Approver {
 public:
  // Opened with the first question. Empty: there is no terminal.
  explicit TerminalApprover(std::string terminal) : terminal_(std::move(terminal)) {}

  // Only y or yes grants the call.
  Result<void> ask(const Question& question, std::stop_token stop) override;

 private:
  const std::string terminal_;
  std::mutex mutex_;  // held while a person is asked: one question at a time
};

}  // namespace helve::app

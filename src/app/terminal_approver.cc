#include "app/terminal_approver.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sys/terminal.h"

namespace helve::app {
namespace {

constexpr size_t kShownArguments = 300;  // characters

std::string question_text(const Approver::Question& question) {
  // Cut before it is made safe, since there may be much of it, and after, since escapes are longer.
  const std::string arguments = preview(
      escape_for_display(first_chars(question.arguments, kShownArguments + 1)), kShownArguments);
  return fmt::format(
      "helve: {} needs approval (effect: {}; rule: {})\n  {}\nAllow this call? [y/N] ",
      escape_for_display(question.tool), name_of(question.effect),
      escape_for_display(question.reason), arguments);
}

bool is_yes(std::string_view answer) {
  answer = trim(answer);
  return equals_ignoring_case(answer, "y") || equals_ignoring_case(answer, "yes");
}

}  // namespace

Result<void> TerminalApprover::ask(const Question& question, std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  Result<sys::Terminal> terminal = sys::Terminal::open(terminal_);
  if (!terminal)
    return Error{
        Code::denied,
        fmt::format("tool '{}' needs approval ({}), and there is nobody to ask: {}", question.tool,
                    question.reason, terminal.error().message),
        fmt::format("change {}, or run it in the foreground of a terminal", question.reason),
        "approval_required"};
  Result<std::string> answer = terminal->ask(question_text(question), stop);
  if (!answer && answer.error().code == Code::cancelled)
    return Error{Code::cancelled, "the call was cancelled"};
  if (!answer) return std::move(answer).error();
  if (is_yes(*answer)) return {};
  return Error{Code::denied, fmt::format("tool '{}' was refused at the terminal", question.tool),
               fmt::format("{} asks; change it to be asked no more", question.reason),
               "approval_refused"};
}

}  // namespace helve::app

#include "app/terminal_approver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dispatch/question_text.h"
#include "sys/terminal.h"

namespace helve::app {
namespace {

using Answer = Approver::Answer;
using dispatch::answer_text;

std::string without_answer(const Approver::Question& question) {
  if (!question.timeout) return "[n] deny, as Enter does";
  const double seconds = std::chrono::duration<double>(*question.timeout).count();
  return question.on_timeout == Answer::deny
             ? fmt::format("[n] deny, as Enter and no answer within {} s do", seconds)
             : fmt::format("[n] deny, as Enter does; no answer within {} s allows it", seconds);
}

std::string prompt(const Approver::Question& question) {
  const bool can_be_always = question.can_be_always();
  return fmt::format("helve: {}[y] {}\n[s] {}\n{}{}\n{}\nA letter and Enter answer. Allow? {} ",
                     dispatch::question_text(question), answer_text(question, Answer::once),
                     answer_text(question, Answer::session), can_be_always ? "[a] " : "    ",
                     answer_text(question, Answer::always), without_answer(question),
                     can_be_always ? "[y/s/a/N]" : "[y/s/N]");
}

Answer answer_of(std::string_view line, const Approver::Question& question) {
  line = trim(line);
  auto is = [&](std::string_view letter, std::string_view word) {
    return equals_ignoring_case(line, letter) || equals_ignoring_case(line, word);
  };
  if (is("y", "yes")) return Answer::once;
  if (is("s", "session")) return Answer::session;
  return is("a", "always") && question.can_be_always() ? Answer::always : Answer::deny;
}

}  // namespace

// At blanks where it can be, but for what stands behind a bar: that is shown as it is. What is not
// ASCII may take two columns.
std::string folded_question(std::string_view text, size_t columns) {
  constexpr std::string_view kBlanks = "      ";
  const size_t least = 2 * kBlanks.size();
  std::string out;
  std::string_view start;  // of a line that goes on
  size_t used = 0;
  size_t blank = 0, used_at_blank = 0;  // the last one that the line can be broken at; 0: none
  while (!text.empty()) {
    if (used == 0) {
      start = text.starts_with(dispatch::kBar) ? dispatch::kBar : kBlanks;
      blank = 0;
    }
    const std::string_view character = text.substr(0, std::max<size_t>(1, char_length(text)));
    const size_t width = character.size() == 1 ? 1 : 2;
    if (character == "\n") {
      used = 0;
    } else if (used + width <= std::max(columns, least)) {
      if (character == " " && start == kBlanks && used > least)
        blank = out.size(), used_at_blank = used;
      used += width;
    } else if (blank > 0 && character != " ") {
      out.replace(blank, 1, fmt::format("\n{}", start));
      used = start.size() + used - used_at_blank - 1 + width;
      blank = 0;
    } else {
      out += '\n';
      out += start;
      used = start.size() + width;
      blank = 0;
    }
    out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

// Nothing is locked while the person is asked; whoever waits for a turn can be stopped.
Result<Answer> TerminalApprover::ask(const Question& question, std::stop_token stop) {
  {
    std::unique_lock lock(mutex_);
    if (!free_.wait(lock, stop, [&] { return !is_asking_; }))
      return Error{Code::cancelled, "the question was cancelled"};
    is_asking_ = true;
  }
  Result<Answer> answer = ask_now(question, stop);
  {
    const std::lock_guard lock(mutex_);
    is_asking_ = false;
  }
  free_.notify_one();
  return answer;
}

Result<Answer> TerminalApprover::ask_now(const Question& question, std::stop_token stop) const {
  Result<sys::Terminal> terminal = sys::Terminal::open(terminal_);
  if (!terminal)
    return Error{Code::unavailable, terminal.error().message,
                 "run it in the foreground of a terminal"};
  constexpr size_t kUsualColumns = 80;
  const size_t columns = terminal->columns();
  const std::string text = folded_question(prompt(question), columns ? columns : kUsualColumns);
  return answer_of(TRY(terminal->ask(text, stop)), question);
}

}  // namespace helve::app

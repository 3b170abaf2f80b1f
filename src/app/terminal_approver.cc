#include "app/terminal_approver.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "sys/terminal.h"

namespace helve::app {
namespace {

constexpr size_t kShownLines = 20;  // arguments, one on each
// Characters:
constexpr size_t kShownKey = 60;
constexpr size_t kShownHead = 300;  // of a value that is too long to be shown whole
constexpr size_t kShownTail = 150;

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// As JSON, safe to show. What decides may stand at either end of a long value; it is cut before it
// is escaped, since there may be much of it. The words about what is left out stand outside of the
// quotes, where no string can write.
std::string shown_value(const Json& value) {
  const bool is_string = value.is_string();
  const std::string text = is_string ? std::string(value.get_string()) : to_text(value);
  auto part = [&](std::string_view piece) {
    return is_string ? escape_for_display(quoted(piece)) : escape_for_display(piece);
  };
  const size_t count = count_chars(text);
  if (count <= kShownHead + kShownTail) return part(text);
  return fmt::format("{} ({} more characters) {}", part(first_chars(text, kShownHead)),
                     count - kShownHead - kShownTail, part(last_chars(text, kShownTail)));
}

std::string shown_arguments(std::string_view text) {
  const Result<Json> arguments = parse_json(text);
  if (!arguments || !arguments->is_object()) return fmt::format("  {}\n", shown_value(Json(text)));
  const JsonObject& object = arguments->get_object();
  std::string out;
  for (size_t line = 0; const auto& [key, value] : object) {
    if (line++ == kShownLines) {
      out += fmt::format("  ({} more arguments)\n", object.size() - kShownLines);
      break;
    }
    out +=
        fmt::format("  {}: {}\n", escape_for_display(preview(key, kShownKey)), shown_value(value));
  }
  return out;
}

std::string question_text(const Approver::Question& question) {
  return fmt::format("helve: {} needs approval (effect: {}; rule: {})\n{}Allow this call? [y/N] ",
                     escape_for_display(question.tool), name_of(question.effect),
                     escape_for_display(question.reason), shown_arguments(question.arguments));
}

bool is_yes(std::string_view answer) {
  answer = trim(answer);
  return equals_ignoring_case(answer, "y") || equals_ignoring_case(answer, "yes");
}

}  // namespace

// Nothing is locked while the person is asked; whoever waits for a turn can be stopped.
Result<void> TerminalApprover::ask(const Question& question, std::stop_token stop) {
  {
    std::unique_lock lock(mutex_);
    if (!free_.wait(lock, stop, [&] { return !is_asking_; }))
      return Error{Code::cancelled, "the call was cancelled"};
    is_asking_ = true;
  }
  Result<void> answer = ask_now(question, stop);
  {
    const std::lock_guard lock(mutex_);
    is_asking_ = false;
  }
  free_.notify_one();
  return answer;
}

Result<void> TerminalApprover::ask_now(const Question& question, std::stop_token stop) const {
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
  if (!answer)
    return Error{answer.error().code,
                 fmt::format("tool '{}' needs approval ({}), and nobody answered: {}",
                             question.tool, question.reason, answer.error().message),
                 answer.error().hint};
  if (is_yes(*answer)) return {};
  return Error{Code::denied, fmt::format("tool '{}' was refused at the terminal", question.tool),
               fmt::format("{} asks; change it to be asked no more", question.reason),
               "approval_refused"};
}

}  // namespace helve::app

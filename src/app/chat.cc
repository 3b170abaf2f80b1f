#include "app/chat.h"

#include <fmt/format.h>

#include "app/chat_files.h"
#include "base/text.h"
#include "dispatch/question_text.h"
#include "sys/environment.h"
#include "sys/id.h"
#include "sys/terminal.h"
#include "terminal/completion.h"
#include "terminal/width.h"

namespace helve::app {
namespace {

using std::chrono::milliseconds;
using terminal::Edited;
using terminal::with_look;
using Answer = Approver::Answer;

constexpr milliseconds kBusyWait{30};    // how soon what happens is shown
constexpr milliseconds kIdleWait{100};   // likewise, while nothing runs
constexpr milliseconds kQuiet{400};      // a letter answers only when nothing was typed for so long
constexpr milliseconds kAfterEnd{1500};  // Ctrl-C so soon after the end was meant for the turn

std::string answers_of(const Approver::Question& question) {
  return question.can_be_always() ? "ysan" : "ysn";
}

}  // namespace

bool Chat::is_plain(const Surroundings& surroundings) {
  const auto term = surroundings.environment.find("TERM");
  const bool is_dumb =
      term == surroundings.environment.end() || term->second.empty() || term->second == "dumb";
  return is_dumb || !sys::is_terminal(0) || !sys::is_terminal(1);
}

Chat::Chat(ChatSession& session, Happenings& happenings, ChatApprover* approver,
           const Surroundings& surroundings, cli::Screen& screen, std::stop_token stop)
    : session_(session),
      happenings_(happenings),
      approver_(approver),
      surroundings_(surroundings),
      screen_(screen),
      stop_(std::move(stop)),
      colours_(screen.out.style.is_on()),
      history_(surroundings.chat_history()),
      prompt_(terminal::Prompt::open(
          {.is_dumb = is_plain(surroundings),
           .editor = {.prompt = with_look(terminal::cyan, "› ", colours_),
                      .hint = "Ask anything, or /help",
                      .colours = colours_,
                      .leaves_submitted = false,
                      .complete = [this](std::string_view text,
                                         size_t cursor) { return complete(text, cursor); }}})),
      view_({.colours = colours_,
             .columns = columns(),
             .shows_prompts = prompt_.editor() != nullptr,
             .has_keys = prompt_.editor() != nullptr},
            [this](std::string_view text) { print(text); }) {
  view_.set_session(session_.id());
  if (prompt_.editor())
    prompt_.editor()->set_history(history_.load().value_or(std::vector<std::string>()));
}

size_t Chat::columns() {
  const size_t columns = prompt_.terminal() ? prompt_.terminal()->size().columns : 0;
  return columns > 0 ? columns : screen_.width;
}

void Chat::print(std::string_view text) {
  if (prompt_.editor()) return prompt_.editor()->print(text);
  screen_.out.write(text);
  screen_.out.flush();
}

void Chat::tell(std::string_view line) {
  view_.note(with_look(terminal::dim, line, colours_) + "\n");
}

Result<int> Chat::run(const std::string& first_prompt) {
  greet();
  if (!first_prompt.empty()) submit(first_prompt);
  const Result<void> talked = prompt_.editor() ? talk() : talk_plainly();
  if (prompt_.editor()) {
    prompt_.editor()->ask("", "");
    prompt_.editor()->set_status({});
    prompt_.editor()->hide();
  }
  // Whatever runs is stopped, and what it still says is shown. From here on Ctrl-C is a signal
  // again, which ends what does not stop.
  is_leaving_ = true;
  if (prompt_.terminal()) prompt_.terminal()->restore();
  session_.stop();
  while (!show_new()) happenings_.wait_for(kBusyWait);
  take_leave();
  if (!talked && talked.error().code != Code::cancelled) return talked.error();
  return stop_.stop_requested() ? exit_code(Code::cancelled) : 0;
}

Result<void> Chat::talk() {
  terminal::LineEditor& editor = *prompt_.editor();
  while (!is_leaving_) {
    view_.resize(columns());
    show_new();
    follow_question();
    editor.set_status(is_asking_ ? std::vector<std::string>{""} : view_.status(now()));
    const Edited edited = TRY(prompt_.read_for(session_.is_busy() ? kBusyWait : kIdleWait, stop_));
    if (editor.text() != last_text_) typed_at_ = now();
    last_text_ = editor.text();
    if (handle(edited) == Next::leave) break;
  }
  return {};
}

Result<void> Chat::talk_plainly() {
  const bool is_echoed = sys::is_terminal(0);
  wait_plainly();
  while (!is_leaving_) {
    print("\n");
    const Edited edited = TRY(prompt_.read(stop_));
    if (edited.kind != Edited::Kind::submitted) break;
    if (!is_echoed) print(escape_lines_for_display(edited.text) + "\n");
    if (handle(edited) == Next::leave) break;
    wait_plainly();
  }
  return {};
}

void Chat::wait_plainly() {
  while (!show_new()) {
    if (stop_.stop_requested()) session_.stop();
    happenings_.wait_for(kBusyWait);
  }
}

Chat::Next Chat::handle(const Edited& edited) {
  switch (edited.kind) {
    case Edited::Kind::submitted:
      submit(edited.text);
      break;
    case Edited::Kind::interrupted:
      return interrupt();
    case Edited::Kind::ended:
      return Next::leave;
    case Edited::Kind::expand: {
      const std::string details = view_.details();
      if (details.empty())
        tell("There were no calls.");
      else
        view_.note(details);
      break;
    }
    case Edited::Kind::chosen:
      answer(edited.text);
      break;
    default:
      break;
  }
  return is_leaving_ ? Next::leave : Next::go_on;
}

Chat::Next Chat::interrupt() {
  if (!session_.is_busy()) {
    const bool is_late = ended_at_ && now() - *ended_at_ < kAfterEnd;
    if (!is_late) return Next::leave;
    ended_at_.reset();
    tell("Ctrl-C once more leaves.");
    return Next::go_on;
  }
  if (is_stopping_) return Next::leave;
  is_stopping_ = true;
  session_.interrupt();
  return Next::go_on;
}

void Chat::submit(const std::string& text) {
  const std::string_view line = trim(text);
  if (line.empty()) return;
  (void)history_.add(line);  // a conversation without history is one all the same
  if (prompt_.editor()) prompt_.editor()->remember(line);
  const bool is_path = line.starts_with('/') && line.substr(0, line.find(' ')).rfind('/') > 0;
  if (line.starts_with('!'))
    run_shell(trim(line.substr(1)));
  else if (line.starts_with('/') && !is_path)
    obey(line);
  else
    say(std::string(line));
}

void Chat::say(const std::string& text) {
  const std::string id = sys::new_id("p_", session_.world().clock.unix_ms());
  view_.queue(id, text);
  view_.begin("Waiting", now());
  if (const Result<void> posted = session_.post(id, text); !posted) {
    view_.unqueue(id);
    view_.error(posted.error().message, posted.error().hint);
    if (!session_.is_busy()) view_.end();
    if (prompt_.editor()) prompt_.editor()->set_text(text);
  }
}

void Chat::run_shell(std::string_view command) {
  if (command.empty()) return tell("!COMMAND runs it in the sandbox; the model does not see it.");
  if (session_.is_job_running()) return view_.error(busy().message, busy().hint);
  view_.begin("Running", now());
  session_.start_call("exec", JsonObject{{"command", command}}, ChatSession::Show::result);
}

Error Chat::busy() const {
  return {Code::conflict, "this has to wait until what runs is done", "Ctrl-C stops it", "busy"};
}

// Whether everything rests: looked at first, so that nothing said before that is missed.
bool Chat::show_new() {
  const std::optional<agent::Ending> ending = session_.ended();
  const bool is_busy = session_.is_busy();
  for (const terminal::Happening& happening : happenings_.take()) {
    if (is_busy) view_.begin("Waiting", now());
    view_.show(happening, now());
  }
  if (ending) show_ending(*ending);
  if (is_busy) was_busy_ = true;
  if (is_busy || (!std::exchange(was_busy_, false) && !ending)) return !is_busy;
  ended_at_ = now();
  is_stopping_ = false;
  view_.end();
  return true;
}

void Chat::show_ending(const agent::Ending& ending) {
  using agent::End;
  if (ending.ok()) return;
  if (ending.end == End::cancelled)
    return is_leaving_ ? void() : tell("Stopped. Say what to do instead.");
  if (ending.error)
    return view_.error(ending.error->message,
                       ending.error->hint.empty()
                           ? "/retry asks again"
                           : fmt::format("{}; /retry asks again", ending.error->hint));
  if (ending.end == End::refused) return view_.error("the model refused to go on", "");
  if (ending.end == End::cut)
    return view_.error("the answer was cut: there was no room for the rest", "ask for the rest");
  view_.error(fmt::format("ended by {}", agent::name_of(ending.end)), "/retry goes on");
}

// A question is shown at once, but a letter answers it only when the person is not typing: what was
// meant for the agent must not allow anything.
void Chat::follow_question() {
  if (!approver_) return;
  std::optional<ChatApprover::Open> open = approver_->first();
  const bool is_same = open && question_ && open->number == question_->number;
  if (!is_same) {
    if (std::exchange(is_asking_, false)) prompt_.editor()->ask("", "");
    question_ = std::move(open);
    if (!question_) return;
    show_question(*question_);
    typed_at_ = std::max(typed_at_, now() - kQuiet / 2);
  }
  if (is_asking_ || now() - typed_at_ < kQuiet) return;
  is_asking_ = true;
  const Approver::Question& question = question_->question;
  prompt_.editor()->ask(
      fmt::format("Allow {}? y once · s session ·{} n deny{}", terminal::shown(question.tool),
                  question.can_be_always() ? " a always ·" : "",
                  question_->behind > 0 ? fmt::format(" ({} more)", question_->behind) : ""),
      answers_of(question));
}

void Chat::show_question(const ChatApprover::Open& open) {
  const Approver::Question& question = open.question;
  const std::string asked = folded_question(dispatch::question_text(question), columns() - 1);
  const size_t head = asked.find('\n');
  std::string text = fmt::format("y  {}\ns  {}\n", dispatch::answer_text(question, Answer::once),
                                 dispatch::answer_text(question, Answer::session));
  if (question.can_be_always())
    text += fmt::format("a  {}\n", dispatch::answer_text(question, Answer::always));
  if (question.timeout)
    text += fmt::format("No answer within {} {} it.\n", terminal::short_duration(*question.timeout),
                        question.on_timeout == Answer::deny ? "denies" : "allows");
  view_.note(with_look(terminal::bold, asked.substr(0, head), colours_) + asked.substr(head) +
             with_look(terminal::dim, folded_question(text, columns() - 1), colours_));
}

void Chat::answer(std::string_view letter) {
  if (!question_) return;
  const Answer answer = letter == "y"   ? Answer::once
                        : letter == "s" ? Answer::session
                        : letter == "a" ? Answer::always
                                        : Answer::deny;
  approver_->answer(question_->number, answer);
  question_.reset();
  is_asking_ = false;
  prompt_.editor()->ask("", "");
}

terminal::Completions Chat::complete(std::string_view text, size_t cursor) {
  using Kind = terminal::CompletionWord::Kind;
  const terminal::CompletionWord word = terminal::word_at(text, cursor);
  terminal::Completions found{.start = word.start};
  if (word.kind == Kind::file) found.candidates = files_like(word.word, session_);
  if (word.kind == Kind::command) {
    for (const Command& each : commands()) {
      if (each.name.starts_with(word.word))
        found.candidates.push_back({fmt::format("/{}", each.name), std::string(each.summary)});
    }
  }
  return found;
}

}  // namespace helve::app

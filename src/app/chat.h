// Chat: a person and an agent at a terminal. What agents do comes as happenings, what the person
// types from the prompt, and one thread shows both.
#pragma once

#include <string>

#include "app/chat_approver.h"
#include "app/chat_session.h"
#include "cli/command.h"
#include "terminal/history.h"
#include "terminal/prompt.h"
#include "terminal/talk_view.h"

namespace helve::app {

class Chat {
 public:
  // Borrows all. Without an approver questions are asked elsewhere.
  Chat(ChatSession& session, Happenings& happenings, ChatApprover* approver,
       const Surroundings& surroundings, cli::Screen& screen, std::stop_token stop);

  static bool is_plain(const Surroundings& surroundings);

  // Until the person leaves.
  Result<int> run(const std::string& first_prompt);

  // What a line that begins with / may begin with.
  struct Command {
    std::string_view name;
    std::string_view arguments;
    std::string_view summary;
    Result<void> (Chat::*run)(std::string_view argument);
  };
  static std::span<const Command> commands();

 private:
  using Time = terminal::TalkView::Time;
  enum class Next : unsigned char { go_on, leave };

  Result<void> talk();
  Result<void> talk_plainly();
  Next handle(const terminal::Edited& edited);
  Next interrupt();
  void submit(const std::string& text);
  void say(const std::string& text);
  void obey(std::string_view line);
  void run_shell(std::string_view command);
  bool show_new();
  void show_ending(const agent::Ending& ending);
  void follow_question();
  void show_question(const ChatApprover::Open& open);
  void answer(std::string_view letter);
  void wait_plainly();
  void greet();
  void take_leave();
  // The model as it was stays where this one cannot be used.
  Result<const ChosenModel*> use_model(ModelFlags flags);
  std::string summary_of_cost(const store::Spent& spent, bool is_priced) const;
  Error busy() const;
  size_t columns();
  Time now() const { return session_.world().clock.steady(); }
  terminal::Completions complete(std::string_view text, size_t cursor);
  void print(std::string_view text);
  void tell(std::string_view line);

  // The commands.
  Result<void> help(std::string_view);
  Result<void> list_tools(std::string_view);
  Result<void> show_context(std::string_view);
  Result<void> refresh_capabilities(std::string_view);
  Result<void> compact(std::string_view);
  Result<void> change_model(std::string_view words);
  Result<void> change_session(std::string_view which);
  Result<void> begin_new(std::string_view);
  Result<void> undo(std::string_view change);
  Result<void> show_cost(std::string_view);
  Result<void> export_session(std::string_view file);
  Result<void> rename(std::string_view title);
  Result<void> set_thinking(std::string_view word);
  Result<void> retry(std::string_view);
  Result<void> quit(std::string_view);

  ChatSession& session_;
  Happenings& happenings_;
  ChatApprover* approver_;
  const Surroundings& surroundings_;
  cli::Screen& screen_;
  const std::stop_token stop_;
  const bool colours_;
  terminal::History history_;
  terminal::Prompt prompt_;
  terminal::TalkView view_;

  bool is_leaving_ = false;
  bool was_busy_ = false;
  bool is_stopping_ = false;  // the person has asked for it once
  std::optional<Time> ended_at_;
  std::vector<std::string> listed_;  // sessions, as /sessions showed them
  // The question on the screen.
  std::optional<ChatApprover::Open> question_;
  bool is_asking_ = false;  // a letter answers it now
  std::string last_text_;   // in the editor
  Time typed_at_{};
};

}  // namespace helve::app

// TalkView: a conversation as a person reads it: prompts, streamed answers, a line for each call,
// the diff of each change; and what is going on, for the rows above a prompt. What is written is
// never taken back, so it can scroll away. One thread at a time.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/happening.h"
#include "terminal/markdown.h"
#include "terminal/status_line.h"
#include "terminal/tool_lines.h"

namespace helve::terminal {

struct TalkStyle {
  bool colours = false;
  size_t columns = 80;
  bool shows_prompts = true;  // false: they are on the screen already
  bool shows_text = true;     // false: answers go somewhere else
  bool has_keys = true;       // false: nobody is listened to
};

class TalkView {
 public:
  using Time = StatusLine::Time;

  TalkView(const TalkStyle& style, Write write);
  TalkView(const TalkView&) = delete;

  // Whose conversation it is: what happens in others is indented.
  void set_session(std::string session) { session_ = std::move(session); }
  void show(const Happening& what, Time now);
  // A text of ours, apart from the answers: rows that are safe to show.
  void note(std::string_view rows);
  // What the person said to us, and not to the agent.
  void echo(std::string_view line);
  void error(std::string_view message, std::string_view hint);
  void resize(size_t columns);
  void set_thinking(bool is_shown) { shows_thinking_ = is_shown; }
  bool shows_thinking() const { return shows_thinking_; }

  // Somebody waits from now on; `what` it is for.
  void begin(std::string_view what, Time now);
  // Nothing is going on any more; lines that are begun are ended.
  void end();
  // A prompt that has to wait for its turn, until it is shown.
  void queue(std::string id, std::string text);
  void unqueue(std::string_view id);

  // Running calls, what waits, and the spinner.
  std::vector<std::string> status(Time now);
  // The calls of the last turn with all they were given and answered.
  std::string details() const;
  std::int64_t context() const { return context_; }
  std::int64_t window() const { return window_; }

 private:
  enum class Block : unsigned char { none, prompt, text, thinking, calls, note };
  struct Running {
    std::string id;
    CallView view;
    Time begun{};
    std::string output = {};  // the last line
  };
  struct Queued {
    std::string id;
    std::string text;
  };

  void open(Block block);
  void close();
  void write_line(std::string_view line);
  void show_prompt(const Happening& what);
  void add_note(const Happening& what);
  void write_wrapped(std::string_view text, Look look, const std::string& indent, size_t most);
  void add_text(std::string_view text);
  void add_thinking(std::string_view text);
  void fold_thinking();
  void begin_call(const Happening& what, Time now);
  void end_call(const Happening& what);
  void show_error(CallView view, const std::string& indent, size_t most);
  void add_output(const Happening& what);
  std::string what_is_done() const;
  std::string indent_of(const Happening& what) const;

  TalkStyle style_;
  Write write_;
  std::string session_;
  MarkdownStream markdown_;
  WordWrap thoughts_;
  StatusLine status_;
  Block block_ = Block::none;
  bool in_text_ = false;
  bool shows_thinking_ = false;
  std::string thinking_;  // not shown yet
  std::vector<Running> running_;
  std::deque<Queued> queued_;
  std::vector<CallView> done_;  // of the last turn
  bool is_new_turn_ = false;    // done_ has those of the turn before
  bool is_working_ = false;
  std::string doing_;
  std::int64_t tokens_ = 0;  // of the answers that are complete, since begin()
  size_t streamed_ = 0;      // bytes of the one that is not
  std::int64_t context_ = 0, window_ = 0;
  std::string row_;  // the last spinner
};

}  // namespace helve::terminal

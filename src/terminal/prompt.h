// Prompt: reads what a person types, with the editor on a terminal that can, and line by line
// elsewhere (a dumb terminal, a pipe).
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "terminal/line_editor.h"

namespace helve::sys {
class RawTerminal;
}

namespace helve::terminal {

struct PromptOptions {
  int input = 0;
  int output = 1;
  bool is_dumb = false;  // TERM is "dumb" or not set
  EditorOptions editor = {};
};

// One thread.
class Prompt {
 public:
  // Borrows the descriptors. Where there is no terminal for the editor, there is none.
  static Prompt open(PromptOptions options);
  Prompt(Prompt&&) noexcept;
  ~Prompt();

  // Null where lines are read as they are.
  LineEditor* editor() { return editor_.get(); }
  sys::RawTerminal* terminal() { return terminal_.get(); }

  // Shows the prompt and waits until there is something to tell: never going_on. Error: a stop was
  // requested, or the terminal went away.
  Result<Edited> read(std::stop_token stop);
  // The same, but not longer than that; then going_on. Without an editor it waits for a line.
  Result<Edited> read_for(std::chrono::milliseconds longest, std::stop_token stop);

 private:
  explicit Prompt(PromptOptions options);
  Result<Edited> read_plain(std::stop_token stop);

  PromptOptions options_;
  std::unique_ptr<sys::RawTerminal> terminal_;
  std::unique_ptr<LineEditor> editor_;
  std::string held_;  // of the next lines, without an editor
  bool has_ended_ = false;
};

}  // namespace helve::terminal

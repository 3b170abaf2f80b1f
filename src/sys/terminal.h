// Terminals: how wide one is, asking the person in front of it, and reading their keys.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sys/file_descriptor.h"

namespace helve::sys {

// $COLUMNS, else what the terminal behind the descriptor says; 0 when neither knows.
size_t terminal_columns(int descriptor);

// The process's own terminal, whatever its standard input and output are.
constexpr const char* kControllingTerminal = "/dev/tty";

// A terminal that a person can be asked on. One question at a time.
class Terminal {
 public:
  // Error: there is none, or this process runs in its background, where reading would stop it.
  static Result<Terminal> open(const std::string& path);

  // What the terminal itself says; 0 when it does not know.
  size_t columns() const;

  // Shows the question and waits for a line, which is returned without its end; it is empty when
  // the person ends the input instead. What was typed before the question is no answer to it. A raw
  // terminal is raw again afterwards. Error: a stop was requested, or the terminal went away.
  Result<std::string> ask(std::string_view question, std::stop_token stop) const;

 private:
  explicit Terminal(Fd descriptor) : descriptor_(std::move(descriptor)) {}
  void end_line() const;
  Fd descriptor_;
};

struct TerminalSize {
  size_t columns = 0;  // 0: the terminal does not know
  size_t rows = 0;
};

// A terminal whose keys are read as they are pressed: none is echoed, Ctrl-C is one like any other.
// Once it is destroyed the terminal is as it was; StopSignals lets that happen when a signal ends
// the process. One thread, but for restore().
class RawTerminal {
 public:
  // Borrows the descriptors. `entering` and `leaving` are written when it becomes raw and when it
  // is as before again. Error: one of them is no terminal.
  static Result<std::unique_ptr<RawTerminal>> open(int input, int output, std::string entering,
                                                   std::string leaving);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;

  // What was typed, or nothing when nothing was within `longest`. Error: a stop was requested, or
  // the terminal went away.
  Result<std::string> read(std::chrono::milliseconds longest, std::stop_token stop) const;
  void write(std::string_view bytes) const;
  TerminalSize size() const;

  // For good, from any thread: for what must end the process without unwinding.
  void restore();
  // Stops the process, as Ctrl-Z does on other terminals, until it is continued.
  void suspend();

 private:
  struct State;
  explicit RawTerminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace helve::sys

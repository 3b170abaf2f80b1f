// Terminals: how wide one is, and asking the person in front of it.
#pragma once

#include <cstddef>
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

}  // namespace helve::sys

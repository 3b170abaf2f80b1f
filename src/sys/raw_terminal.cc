#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "sys/environment.h"
#include "sys/stream.h"
#include "sys/terminal.h"

namespace helve::sys {

struct RawTerminal::State {
  int input;
  int output;
  std::string entering;
  std::string leaving;
  termios before{};
  std::mutex mutex{};
  bool is_raw = false;       // guarded by mutex
  bool is_restored = false;  // for good; guarded by mutex

  bool enter() {
    const std::lock_guard lock(mutex);
    if (is_raw || is_restored) return is_raw;
    if (::tcgetattr(input, &before) != 0) return false;
    termios raw = before;
    raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_oflag |= OPOST | ONLCR;  // a newline still begins a row
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    is_raw = ::tcsetattr(input, TCSANOW, &raw) == 0;
    if (is_raw) (void)write_all(output, entering);
    return is_raw;
  }

  void leave(bool for_good) {
    const std::lock_guard lock(mutex);
    is_restored = is_restored || for_good;
    if (!std::exchange(is_raw, false)) return;
    (void)write_all(output, leaving);
    // Setting it from the background would stop us; then it belongs to somebody else anyway.
    const pid_t foreground = ::tcgetpgrp(input);
    if (foreground < 0 || foreground == ::getpgrp()) ::tcsetattr(input, TCSANOW, &before);
  }
};

RawTerminal::RawTerminal(std::unique_ptr<State> state) : state_(std::move(state)) {}
RawTerminal::~RawTerminal() { restore(); }

Result<std::unique_ptr<RawTerminal>> RawTerminal::open(int input, int output, std::string entering,
                                                       std::string leaving) {
  if (!is_terminal(input) || !is_terminal(output))
    return Error{Code::unavailable, "there is no terminal"};
  auto state =
      std::unique_ptr<State>(new State{input, output, std::move(entering), std::move(leaving)});
  if (!state->enter())
    return Error{Code::unavailable,
                 fmt::format("cannot set the terminal: {}", strerrordesc_np(errno))};
  return std::unique_ptr<RawTerminal>(new RawTerminal(std::move(state)));
}

Result<std::string> RawTerminal::read(std::chrono::milliseconds longest,
                                      std::stop_token stop) const {
  if (!TRY(wait_readable(state_->input, longest, stop))) return std::string();
  char block[4096];
  const ReadOutcome read = read_some(state_->input, block, sizeof block);
  if (read.bytes == 0) return Error{Code::unavailable, "the terminal went away"};
  return std::string(block, read.bytes);
}

void RawTerminal::write(std::string_view bytes) const { (void)write_all(state_->output, bytes); }

TerminalSize RawTerminal::size() const {
  winsize size{};
  if (::ioctl(state_->output, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

void RawTerminal::restore() { state_->leave(true); }

void RawTerminal::suspend() {
  state_->leave(false);
  ::kill(0, SIGTSTP);
  state_->enter();
}

}  // namespace helve::sys

#include "sys/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "sys/environment.h"
#include "sys/stream.h"

namespace helve::sys {
namespace {

constexpr size_t kMaxAnswer = 1000;  // bytes of a line that are looked at

bool is_in_background(int terminal) {
  const pid_t foreground = ::tcgetpgrp(terminal);
  return foreground >= 0 && foreground != ::getpgrp();
}

// Whatever shares the terminal may have made it raw, where return ends no line and nothing that is
// typed can be seen or taken back. While this lives it is as a person expects it.
class LineMode {
 public:
  explicit LineMode(int terminal) : terminal_(terminal) {
    if (::tcgetattr(terminal_, &before_) != 0) return;
    termios lines = before_;
    lines.c_iflag &= ~static_cast<tcflag_t>(IGNCR | INLCR);
    lines.c_iflag |= ICRNL;
    lines.c_oflag |= OPOST | ONLCR;
    lines.c_lflag |= ICANON | ECHO | ISIG;
    changed_ = ::tcsetattr(terminal_, TCSANOW, &lines) == 0;
  }
  ~LineMode() {
    // In the background it belongs to somebody else by now, and changing it would stop us.
    if (changed_ && !is_in_background(terminal_)) ::tcsetattr(terminal_, TCSANOW, &before_);
  }
  LineMode(const LineMode&) = delete;

 private:
  int terminal_;
  termios before_{};
  bool changed_ = false;
};

size_t columns_of(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

size_t terminal_columns(int descriptor) {
  if (const auto columns = environment("COLUMNS")) {
    size_t count = 0;
    const auto [end, error] =
        std::from_chars(columns->data(), columns->data() + columns->size(), count);
    if (error == std::errc() && end == columns->data() + columns->size() && count > 0) return count;
  }
  return columns_of(descriptor);
}

Result<Terminal> Terminal::open(const std::string& path) {
  Fd descriptor(::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!descriptor || !is_terminal(descriptor.get()))
    return Error{Code::unavailable, "there is no terminal"};
  if (is_in_background(descriptor.get()))
    return Error{Code::unavailable, "this process runs in the background of its terminal"};
  return Terminal(std::move(descriptor));
}

size_t Terminal::columns() const { return columns_of(descriptor_.get()); }

// Nobody pressed return, so the cursor still stands behind the question.
void Terminal::end_line() const { (void)write_all(descriptor_.get(), "\n"); }

Result<std::string> Terminal::ask(std::string_view question, std::stop_token stop) const {
  const Wakeup stopped = TRY(Wakeup::make());
  const std::stop_callback on_stop(stop, [&] { stopped.signal(); });
  const LineMode mode(descriptor_.get());
  ::tcflush(descriptor_.get(), TCIFLUSH);
  if (!write_all(descriptor_.get(), question))
    return Error{Code::unavailable, "cannot write to the terminal"};
  std::string line;
  for (;;) {
    pollfd waiting[2] = {{descriptor_.get(), POLLIN, 0}, {stopped.descriptor(), POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR)
      return Error{Code::unavailable,
                   fmt::format("cannot wait for the terminal: {}", strerrordesc_np(errno))};
    if (stop.stop_requested()) {
      end_line();
      return Error{Code::cancelled, "the question was cancelled"};
    }
    if (waiting[0].revents == 0) continue;
    char block[256];
    const ReadOutcome read = read_some(descriptor_.get(), block, sizeof block);
    if (read.end == ReadEnd::failed || (read.end == ReadEnd::end && is_hung_up(descriptor_.get())))
      return Error{Code::unavailable, "the terminal went away"};
    if (read.end == ReadEnd::end) {
      end_line();
      return std::string();
    }
    line.append(block, read.bytes);
    if (const size_t end = line.find_first_of("\r\n"); end != line.npos) return line.substr(0, end);
    if (line.size() > kMaxAnswer) return std::string();
  }
}

}  // namespace helve::sys

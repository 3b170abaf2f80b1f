#include "process/attached.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "process/foreground.h"
#include "sys/stream.h"

namespace helve::process {
namespace {

constexpr std::chrono::milliseconds kSizeInterval{200};  // how soon another size is noticed

TerminalSize terminal_size() {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0) return {};
  return {window.ws_row, window.ws_col};
}

// Every key goes to the command, Control-C too.
class RawTerminal {
 public:
  RawTerminal() : is_raw_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios raw = before_;
    cfmakeraw(&raw);
    if (is_raw_) tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  ~RawTerminal() {
    if (is_raw_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;

 private:
  termios before_{};
  bool is_raw_;
};

bool carry(int from, int to) {
  char buffer[16 << 10];
  const ssize_t count = read(from, buffer, sizeof buffer);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  return count > 0 && sys::write_all(to, {buffer, static_cast<size_t>(count)});
}

void relay(Running& running, const std::stop_token& stop, int wakeup) {
  const RawTerminal raw;
  TerminalSize size = terminal_size();
  bool reads_keys = true;
  while (!running.has_ended() && !stop.stop_requested()) {
    pollfd events[Running::kEvents + 2];
    running.expect(events);
    const int terminal = events[1].fd;
    events[Running::kEvents] = {reads_keys ? STDIN_FILENO : -1, POLLIN, 0};
    events[Running::kEvents + 1] = {wakeup, POLLIN, 0};
    poll(events, std::size(events), static_cast<int>(kSizeInterval.count()));
    // What it writes is shown, not kept.
    if (events[1].revents) carry(terminal, STDOUT_FILENO);
    if (events[Running::kEvents].revents) reads_keys = carry(STDIN_FILENO, terminal);
    events[1].revents = 0;
    running.attend(events);
    const TerminalSize now = terminal_size();
    if (now.rows != size.rows || now.columns != size.columns) running.resize(size = now);
  }
  sys::write_all(STDOUT_FILENO, running.out().whole());  // what was left when it ended
}

}  // namespace

Result<Ended> run_attached(Supervisor& supervisor, const sandbox::Policy& policy, Plan plan,
                           std::chrono::milliseconds grace, std::stop_token stop) {
  plan.input = Plan::Input::ours;
  plan.launch.has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  plan.launch.terminal = terminal_size();
  const bool has_terminal = plan.launch.has_terminal;
  const std::unique_ptr<Running> running = TRY(supervisor.start(policy, std::move(plan)));
  if (has_terminal) {
    const sys::Wakeup wakeup = TRY(sys::Wakeup::make());
    const std::stop_callback wake(stop, [&] { wakeup.signal(); });
    relay(*running, stop, wakeup.descriptor());
  }
  TRY(stay_with(*running, {.deadline = Time::max(), .yield_at = {}, .grace = grace}, stop));
  return running->ended();
}

}  // namespace helve::process

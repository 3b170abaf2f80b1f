#include "process/attached.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "process/foreground.h"
#include "sys/stream.h"

namespace helve::process {
namespace {

constexpr std::chrono::milliseconds kSizeInterval{200};  // how soon another size is noticed

TerminalSize size_of(int terminal) {
  winsize window{};
  if (ioctl(terminal, TIOCGWINSZ, &window) != 0 || window.ws_row == 0) return {};
  return {window.ws_row, window.ws_col};
}

// A directory would lead to files as they are outside of the sandbox: /proc/self/fd/0/../….
Result<void> check_streams(const std::array<int, 3>& streams) {
  constexpr std::array<std::string_view, 3> kNames{"standard input", "standard output",
                                                   "standard error"};
  for (size_t i = 0; i < streams.size(); ++i) {
    struct stat status {};
    const int flags = fcntl(streams[i], F_GETFL);
    if (flags < 0 || fstat(streams[i], &status) != 0) continue;  // closed
    if (!S_ISDIR(status.st_mode) && (flags & O_PATH) == 0) continue;
    return Error{
        Code::invalid_argument,
        fmt::format("{} is {}", kNames[i], S_ISDIR(status.st_mode) ? "a directory" : "no stream"),
        "redirect it to a file, a pipe or /dev/null"};
  }
  return {};
}

// Every key goes to the command, Control-C too.
class RawTerminal {
 public:
  explicit RawTerminal(int terminal)
      : terminal_(terminal), is_raw_(tcgetattr(terminal, &before_) == 0) {
    termios raw = before_;
    cfmakeraw(&raw);
    if (is_raw_) tcsetattr(terminal_, TCSADRAIN, &raw);
  }
  ~RawTerminal() {
    if (is_raw_) tcsetattr(terminal_, TCSADRAIN, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;

 private:
  const int terminal_;
  termios before_{};
  bool is_raw_;
};

bool carry(int from, int to) {
  char buffer[16 << 10];
  const ssize_t count = read(from, buffer, sizeof buffer);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  return count > 0 && sys::write_all(to, {buffer, static_cast<size_t>(count)});
}

void relay(Running& running, int in, int out, const std::stop_token& stop, int wakeup) {
  const RawTerminal raw(in);
  TerminalSize size = size_of(out);
  bool reads_keys = true;
  while (!running.has_ended() && !stop.stop_requested()) {
    pollfd events[Running::kEvents + 2];
    running.expect(events);
    const int terminal = events[1].fd;
    events[Running::kEvents] = {reads_keys ? in : -1, POLLIN, 0};
    events[Running::kEvents + 1] = {wakeup, POLLIN, 0};
    poll(events, std::size(events), static_cast<int>(kSizeInterval.count()));
    // What it writes is shown, not kept.
    if (events[1].revents) carry(terminal, out);
    if (events[Running::kEvents].revents) reads_keys = carry(in, terminal);
    events[1].revents = 0;
    running.attend(events);
    const TerminalSize now = size_of(out);
    if (now.rows != size.rows || now.columns != size.columns) running.resize(size = now);
  }
  sys::write_all(out, running.out().whole());  // what was left when it ended
}

}  // namespace

Result<Ended> run_attached(Supervisor& supervisor, const sandbox::Policy& policy, Plan plan,
                           std::chrono::milliseconds grace, std::stop_token stop) {
  TRY(check_streams(*plan.streams));
  const auto [in, out, err] = *plan.streams;
  plan.launch.has_terminal = isatty(in) && isatty(out);
  plan.launch.terminal = size_of(out);
  const bool has_terminal = plan.launch.has_terminal;
  const std::unique_ptr<Running> running = TRY(supervisor.start(policy, std::move(plan)));
  if (has_terminal) {
    const sys::Wakeup wakeup = TRY(sys::Wakeup::make());
    const std::stop_callback wake(stop, [&] { wakeup.signal(); });
    relay(*running, in, out, stop, wakeup.descriptor());
  }
  TRY(stay_with(*running, {.deadline = Time::max(), .yield_at = {}, .grace = grace}, stop));
  return running->ended();
}

}  // namespace helve::process

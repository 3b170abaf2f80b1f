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

constexpr std::chrono::milliseconds kInterval{200};  // how soon another size is noticed

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

// Between the terminal that somebody sits at and that of the command.
class Relay {
 public:
  Relay(Running& running, int in, int out) : running_(running), in_(in), out_(out), raw_(in) {}

  // One round; `wakeup` cuts it short.
  void carry(int wakeup) {
    pollfd events[Running::kEvents + 2];
    running_.expect(events);
    const int terminal = events[1].fd;
    // A command may leave its terminal and come back, and meanwhile reading it fails at once.
    if (std::exchange(is_left_, false)) events[1].fd = -1;
    if (!keys_.empty()) events[1].events |= POLLOUT;
    events[Running::kEvents] = {keys_.empty() && has_keys_ ? in_ : -1, POLLIN, 0};
    events[Running::kEvents + 1] = {wakeup, POLLIN, 0};
    poll(events, std::size(events), static_cast<int>(kInterval.count()));
    // What it writes is shown, not kept.
    if (events[1].revents & (POLLIN | POLLHUP)) is_left_ = !show(terminal);
    events[1].revents = 0;
    if (events[Running::kEvents].revents) read_keys();
    if (!keys_.empty()) keys_.erase(0, running_.write_input(keys_).value_or(keys_.size()));
    running_.attend(events);
    const TerminalSize now = size_of(out_);
    if (now.rows != size_.rows || now.columns != size_.columns) running_.resize(size_ = now);
  }

 private:
  static constexpr size_t kMost = 16u << 10;  // bytes at once

  bool show(int terminal) const {
    char buffer[kMost];
    const ssize_t count = read(terminal, buffer, sizeof buffer);
    if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR);
    return sys::write_all(out_, {buffer, static_cast<size_t>(count)});
  }

  // A command that does not read leaves them here, and further ones where they are.
  void read_keys() {
    char buffer[kMost];
    const ssize_t count = read(in_, buffer, sizeof buffer);
    has_keys_ = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
    if (count > 0) keys_.assign(buffer, static_cast<size_t>(count));
  }

  Running& running_;
  const int in_, out_;
  const RawTerminal raw_;
  TerminalSize size_ = size_of(out_);
  std::string keys_;
  bool has_keys_ = true;
  bool is_left_ = false;
};

}  // namespace

Result<Ended> run_attached(Supervisor& supervisor, const sandbox::Policy& policy, Plan plan,
                           std::chrono::milliseconds grace, std::stop_token stop) {
  TRY(check_streams(*plan.streams));
  const auto [in, out, err] = *plan.streams;
  plan.launch.has_terminal = isatty(in) && isatty(out);
  plan.launch.terminal = size_of(out);
  const bool has_terminal = plan.launch.has_terminal;
  const std::unique_ptr<Running> running = TRY(supervisor.start(policy, std::move(plan)));
  std::optional<Relay> relay;
  if (has_terminal) {
    const sys::Wakeup wakeup = TRY(sys::Wakeup::make());
    const std::stop_callback wake(stop, [&] { wakeup.signal(); });
    relay.emplace(*running, in, out);
    while (!running->has_exited() && !stop.stop_requested()) relay->carry(wakeup.descriptor());
  }
  TRY(stay_with(*running, {.deadline = Time::max(), .yield_at = {}, .grace = grace}, stop));
  if (has_terminal) sys::write_all(out, running->out().whole());  // what was left when it ended
  return running->ended();
}

}  // namespace helve::process

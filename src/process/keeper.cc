#include "process/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>

#include "process/descendants.h"
#include "process/messages.h"
#include "process/protocol.h"
#include "process/unconfined.h"

namespace helve::process {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// What the new process needs to become the command.
struct Start {
  const Launch& launch;
  const char* program;
  char* const* argv;
  char* const* env;
  int in, out, err;
  std::span<const sys::Fd> others;  // as launch.numbers has them
  const char* terminal;             // path of the terminal that all three are instead; or null
  bool dies_with_us;                // the kernel must be told so
  Step step = Step::none;           // how far it came
  int code = 0;                     // errno
};

bool put_at(int descriptor, int number) {
  if (descriptor == number) return fcntl(descriptor, F_SETFD, 0) == 0;
  return dup2(descriptor, number) >= 0;
}

bool take_streams(const Start& start) {
  if (!start.terminal) return put_at(start.in, 0) && put_at(start.out, 1) && put_at(start.err, 2);
  const int terminal = open(start.terminal, O_RDWR);
  return terminal >= 0 && ioctl(terminal, TIOCSCTTY, 0) == 0 && put_at(terminal, 0) &&
         put_at(terminal, 1) && put_at(terminal, 2);
}

// The numbers are above all that we have ourselves, so none is overwritten before it is used.
bool take_others(const Start& start) {
  for (size_t i = 0; i < start.others.size(); ++i) {
    if (!put_at(start.others[i].get(), static_cast<int>(start.launch.numbers[i]))) return false;
  }
  return true;
}

// Runs in the new process, whose memory is ours: system calls only. Where it fails, we read why.
[[noreturn]] void become(Start& start) {
  setsid();
  if (start.dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  start.step = Step::terminal;
  bool is_ready = take_streams(start);
  if (is_ready && !start.launch.cwd.empty()) {
    start.step = Step::directory;
    is_ready = chdir(start.launch.cwd.c_str()) == 0;
  }
  if (is_ready) {
    start.step = Step::launch;
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    // Before the limit, which may be below the numbers.
    is_ready = take_others(start);
  }
  if (is_ready) {
    start.step = Step::program;
    rlimit limit;
    if (start.launch.open_files > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, start.launch.open_files);
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    struct sigaction ordinary {};
    ordinary.sa_handler = SIG_DFL;
    for (const int number : kIgnored) sigaction(number, &ordinary, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(start.program, start.argv, start.env);
  }
  start.code = errno;
  _exit(127);
}

[[gnu::noinline]] pid_t start_process(Start& start) {
  const pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions): we are small, it is still faster
  if (pid == 0) become(start);
  return pid;
}

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

class Keeper {
 public:
  Keeper(const sandbox::Enclosure& enclosure, const sandbox::Groundwork& ground)
      : enclosure_(enclosure), ground_(ground), is_first_(enclosure.clone_flags() & CLONE_NEWPID) {}

  // Returns when everything of the command has ended and helve no longer listens.
  void run(int socket, int taken) {
    watch_children();
    // The death that the kernel would tell us may have been before we asked to be told.
    pollfd parent{taken, 0, 0};
    if (poll(&parent, 1, 0) > 0) return;
    const Result<void> prepared = enclosure_.prepare();
    const bool stands = prepared && enclosure_.stand_on(ground_);
    descriptors_ = receive_message(socket, 1).descriptors;
    if (descriptors_.size() < kFirstDescriptors) return;
    // The next keeper's groundwork is laid once we have said that we are taken.
    is_protected_ = stands && ground_.holds();
    (void)!write(taken, "t", 1);
    // From now on only helve decides: nobody but us could end what this command leaves behind. That
    // the helper is gone must not be hidden by us.
    prctl(PR_SET_PDEATHSIG, 0);
    close(socket);
    const std::optional<Launch> launch = receive_launch();
    if (launch && launch->view == Launch::View::of_other) return renew(prepared);
    if (!launch || !confine(*launch, prepared) || !start(*launch)) return;
    // The command has its streams now, and whoever reads them must see their end.
    descriptors_.resize(1);
    while (obey_or_reap()) {
    }
    end_all();
  }

 private:
  int channel() const { return descriptors_[0].get(); }

  void watch_children() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    children_ = sys::Fd(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!is_first_) prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  bool fail(Step step, int code, std::string_view text = {}) {
    text = text.substr(0, kMaxEventText);
    const Event event{.kind = Event::Kind::failed,
                      .step = step,
                      .code = code,
                      .text = static_cast<std::uint32_t>(text.size())};
    send_message(channel(), std::string(as_bytes(event)).append(text));
    return false;
  }

  bool fail(const Error& error) {
    const Unconfined why = unconfined(error);
    return fail(why.step, 0, why.text);
  }

  std::optional<Launch> receive_launch() {
    std::uint32_t size = 0;
    if (!receive_exactly(channel(), &size, sizeof size) || size > kMaxLaunchBytes) return {};
    std::string bytes(size, '\0');
    if (!receive_exactly(channel(), bytes.data(), size)) return {};
    Result<Launch> launch = decode_launch(bytes);
    if (launch && descriptors_.size() == kFirstDescriptors + launch->numbers.size())
      return std::move(*launch);
    fail(Step::launch, EPROTO);
    return {};
  }

  bool confine(const Launch& launch, Result<void> confined) {
    std::vector<sandbox::Overlay> overlays;
    for (size_t i = 0; i + 2 < launch.overlays.size(); i += 3) {
      overlays.push_back({.root = launch.overlays[i],
                          .upper = launch.overlays[i + 1],
                          .work = launch.overlays[i + 2]});
    }
    if (confined && launch.view == Launch::View::stays) {
      Result<sandbox::LiveView> view = enclosure_.view();
      if (view)
        view_ = std::move(*view);
      else
        confined = std::move(view).error();
    }
    if (confined) confined = enclosure_.enter(overlays, is_protected_);
    if (confined) confined = enclosure_.lock();
    return confined || fail(confined.error());
  }

  void renew(const Result<void>& prepared) {
    if (!prepared) return void(fail(prepared.error()));
    Result<sandbox::LiveView> view =
        enclosure_.renew({.mounts = std::move(descriptors_.back()), .changes = {}});
    if (!view) return void(fail(view.error()));
    view_ = std::move(*view);
    tell_started();
  }

  // The terminal's descriptor comes along, or those of the view; we keep only the first.
  void tell_started() {
    std::vector<int> descriptors;
    for (const sys::Fd* each : {&terminal_, &view_.mounts, &view_.changes}) {
      if (*each) descriptors.push_back(each->get());
    }
    const Event event{.kind = Event::Kind::started};
    send_message(channel(), as_bytes(event), descriptors);
    view_ = {};
  }

  bool start(const Launch& launch) {
    const std::vector<char*> argv = pointers(launch.argv), env = pointers(launch.env);
    sys::Fd terminal;
    char name[64];
    if (launch.has_terminal) {
      terminal = open_terminal(launch.terminal, name);
      if (!terminal) return fail(Step::terminal, errno);
    }
    Start start{.launch = launch,
                .program = launch.program.empty() ? argv[0] : launch.program.c_str(),
                .argv = argv.data(),
                .env = env.data(),
                .in = descriptors_[1].get(),
                .out = descriptors_[2].get(),
                .err = descriptors_[3].get(),
                .others = std::span(descriptors_).subspan(kFirstDescriptors, launch.numbers.size()),
                .terminal = launch.has_terminal ? name : nullptr,
                .dies_with_us = !is_first_};
    // Whoever no longer waits for it has been told that it does not run.
    pollfd listener{channel(), POLLRDHUP, 0};
    if (poll(&listener, 1, 0) > 0) return false;
    const Event starting{.kind = Event::Kind::starting};
    send_message(channel(), as_bytes(starting));
    command_ = start_process(start);
    if (command_ < 0) return fail(Step::process, errno);
    if (start.code != 0) {
      waitpid(command_, nullptr, 0);
      return fail(start.step, start.code);
    }
    terminal_ = std::move(terminal);
    tell_started();
    return true;
  }

  // Made here and not in helve, so that the command finds it by its name.
  static sys::Fd open_terminal(TerminalSize size, std::span<char> name) {
    sys::Fd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!master || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0 ||
        ptsname_r(master.get(), name.data(), name.size()) != 0)
      return {};
    set_size(master, size);
    return master;
  }

  static void set_size(const sys::Fd& terminal, TerminalSize size) {
    const winsize window{
        .ws_row = size.rows, .ws_col = size.columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(terminal.get(), TIOCSWINSZ, &window);
  }

  // False once helve is gone or wants no more of the command.
  bool obey_or_reap() {
    pollfd events[] = {{channel(), POLLIN, 0}, {children_.get(), POLLIN, 0}};
    if (poll(events, std::size(events), -1) < 0) return errno == EINTR;
    if (events[1].revents) reap();
    if (!events[0].revents) return true;
    Order order;
    if (!receive_exactly(channel(), &order, sizeof order)) return false;
    obey(order);
    return true;
  }

  void obey(const Order& order) {
    switch (order.kind) {
      case Order::Kind::signal_all:
        signal_all(order.signal);
        break;
      case Order::Kind::signal_group:
        if (!has_exited_) kill(-command_, order.signal);
        break;
      case Order::Kind::resize:
        if (terminal_) set_size(terminal_, order.size);
        break;
    }
  }

  void signal_all(int number) {
    if (is_first_)
      kill(-1, number);
    else
      for (const pid_t pid : descendants_of(getpid())) kill(pid, number);
  }

  void reap() {
    signalfd_siginfo info;
    while (read(children_.get(), &info, sizeof info) > 0) {
    }
    std::optional<Event> end;
    int status = 0;
    rusage usage{};
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &usage)) > 0) {
      if (pid != command_ || has_exited_) continue;
      if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
        tell_pause(WIFSTOPPED(status));
        continue;
      }
      has_exited_ = true;
      end = {.kind = Event::Kind::exited,
             .code = status,
             .cpu_us = microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
             .peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
    }
    if (!end) return;
    terminal_ = sys::Fd();  // else its reader never sees the end
    end->left_others = pid == 0;
    send_message(channel(), as_bytes(*end));
  }

  void tell_pause(bool is_stopped) {
    const Event event{.kind = is_stopped ? Event::Kind::stopped : Event::Kind::resumed};
    send_message(channel(), as_bytes(event));
  }

  // In a namespace our own end does the same, but it is not told when it is done.
  void end_all() {
    constexpr int kRoundMilliseconds = 5;
    while (true) {
      signal_all(SIGKILL);
      pid_t pid;
      while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0) {
      }
      if (pid < 0 && errno == ECHILD) return;
      pollfd event{children_.get(), POLLIN, 0};
      poll(&event, 1, kRoundMilliseconds);
      signalfd_siginfo info;
      while (read(children_.get(), &info, sizeof info) > 0) {
      }
    }
  }

  const sandbox::Enclosure& enclosure_;
  const sandbox::Groundwork& ground_;
  const bool is_first_;  // of a process namespace
  bool is_protected_ = false;
  std::vector<sys::Fd> descriptors_;
  sys::Fd children_;
  sys::Fd terminal_;
  sandbox::LiveView view_;  // until helve has it
  pid_t command_ = -1;
  bool has_exited_ = false;
};

}  // namespace

void keep(const sandbox::Enclosure& enclosure, const sandbox::Groundwork& ground, int socket,
          int taken) {
  Keeper(enclosure, ground).run(socket, taken);
  _exit(0);
}

}  // namespace helve::process

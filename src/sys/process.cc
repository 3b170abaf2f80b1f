#include "sys/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/text.h"
#include "sys/file_descriptor.h"
#include "sys/limits.h"
#include "sys/stream.h"

namespace helve::sys {
namespace {

using Time = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr milliseconds kLongestTimeout = std::chrono::hours(24);
constexpr int kChildIn = 0, kChildOut = 1, kChildErr = 2;
constexpr milliseconds kCheckInterval{5};  // only where the kernel cannot tell us of the exit

Error no_resources(std::string_view what, int code) {
  return Error{Code::unavailable, fmt::format("cannot make {}: {}", what, strerrordesc_np(code)),
               "", "spawn_failed"};
}

// One output of the program: what was read of it, up to a limit.
struct Stream {
  Fd ours, theirs;
  std::string* text;
  bool* truncated;
  size_t limit;

  Result<void> open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return no_resources("a pipe", errno);
    ours = Fd(ends[0]), theirs = Fd(ends[1]);
    fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    return {};
  }

  // Reads once. The number of bytes; 0: there is nothing at the moment, or, closed now, never
  // again.
  size_t read_some(size_t most) {
    char buffer[16 << 10];
    const ssize_t count = ::read(ours.get(), buffer, std::min(most, sizeof buffer));
    if (count > 0) {
      const size_t kept = std::min(static_cast<size_t>(count), limit - text->size());
      text->append(buffer, kept);
      if (kept < static_cast<size_t>(count)) *truncated = true;
      return static_cast<size_t>(count);
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) ours = Fd();
    return 0;
  }

  // Reads what is there at this moment and no more: a process left behind may write forever.
  void drain() {
    int waiting = 0;
    if (!ours || ioctl(ours.get(), FIONREAD, &waiting) != 0) return;
    for (auto left = static_cast<size_t>(waiting); left > 0;) {
      const size_t count = read_some(left);
      if (count == 0) return;
      left -= count;
    }
  }
};

// Above the numbers that the child's own streams are moved to.
Result<Fd> copy_of(const Fd& file) {
  Fd copy(fcntl(file.get(), F_DUPFD_CLOEXEC, kChildErr + 1));
  if (!copy) return no_resources("the program's input", errno);
  return copy;
}

// The file that argv[0] means.
Result<std::string> find_program(const Command& command) {
  const std::string& name = command.argv[0];
  if (name.find('/') != name.npos) return name;
  std::string_view path = kDefaultPath;
  for (std::string_view entry : command.env) {
    if (entry.starts_with("PATH=")) path = entry.substr(5);
  }
  for (std::string_view directory : split(path, ':')) {
    // "." would run whatever lies in the current directory.
    if (!directory.starts_with('/')) continue;
    std::string file = fmt::format("{}/{}", directory, name);
    struct stat info;
    if (access(file.c_str(), X_OK) == 0 && stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      return file;
  }
  return Error{Code::not_found, fmt::format("no program '{}' in PATH", name),
               "install it, or name it by its path", "spawn_failed"};
}

Result<void> check(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty()) {
    return Error{Code::invalid_argument, "no program was named", "", "spawn_failed"};
  }
  for (const auto* texts : {&command.argv, &command.env}) {
    for (const std::string& text : *texts) {
      if (text.find('\0') != text.npos) {
        return Error{Code::invalid_argument,
                     fmt::format("'{}' contains a NUL byte", preview(escape_for_display(text), 80)),
                     "", "spawn_failed"};
      }
    }
  }
  return {};
}

// The system's one number does not say what is wrong, so look again.
Error spawn_error(const Command& command, const std::string& program, int code) {
  const std::string name = escape_for_display(program);
  auto failed = [](Code kind, std::string message, std::string hint = {},
                   std::string type = "spawn_failed") {
    return Error{kind, std::move(message), std::move(hint), std::move(type)};
  };
  struct stat info;
  if (!command.cwd.empty()) {
    const std::string cwd = escape_for_display(command.cwd);
    if (stat(command.cwd.c_str(), &info) != 0) {
      return failed(Code::not_found,
                    fmt::format("the directory '{}' to run in: {}", cwd, strerrordesc_np(errno)));
    }
    if (!S_ISDIR(info.st_mode))
      return failed(Code::invalid_argument, fmt::format("'{}' is not a directory to run in", cwd));
    if (access(command.cwd.c_str(), X_OK) != 0) {
      return failed(Code::denied,
                    fmt::format("the directory '{}' to run in may not be entered", cwd));
    }
  }
  switch (code) {
    case ENOENT:
      if (stat(program.c_str(), &info) != 0)
        return failed(Code::not_found, fmt::format("no program '{}'", name));
      return failed(
          Code::not_found,
          fmt::format("the interpreter that '{}' names in its first line does not exist", name),
          "correct the line that begins with #!");
    case EACCES:
      if (stat(program.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
        return failed(Code::invalid_argument,
                      fmt::format("'{}' is a directory, not a program", name));
      }
      return failed(Code::denied, fmt::format("'{}' is not executable", name),
                    fmt::format("chmod +x '{}'", name));
    case ENOEXEC:
      return failed(Code::unsupported,
                    fmt::format("'{}' is not a program that this machine can run", name),
                    "a script needs a first line such as #!/bin/sh", "not_a_program");
    case E2BIG:
      return failed(Code::too_large,
                    fmt::format("the arguments and environment of '{}' are too long", name));
    default:
      return failed(Code::unavailable,
                    fmt::format("cannot start '{}': {}", name, strerrordesc_np(code)));
  }
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// What a new process needs to become the program.
struct Start {
  const char* program;
  char* const* argv;
  char* const* env;
  const char* cwd;  // null: ours
  int in, out, err;
  int failure;  // where a failure is told, as errno
  pid_t parent;
  rlim_t open_files;
};

// Moves a descriptor. Where it stands there already, it must only stay open.
bool put_at(int descriptor, int number) {
  if (descriptor == number) return fcntl(descriptor, F_SETFD, 0) == 0;
  return dup2(descriptor, number) >= 0;
}

// Runs in the new process, whose memory may be ours: system calls only.
[[noreturn]] void become(const Start& start) {
  constexpr int kFailure = kChildErr + 1;
  struct sigaction ordinary {};
  ordinary.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &ordinary, nullptr);
  setsid();
  // Opened in this order, none of the three can stand on a number that an earlier one is moved to,
  // and the last one is above them all.
  const bool ready =
      put_at(start.in, kChildIn) && put_at(start.out, kChildOut) && put_at(start.err, kChildErr) &&
      dup3(start.failure, kFailure, O_CLOEXEC) >= 0 && (!start.cwd || chdir(start.cwd) == 0);
  int code = errno;
  if (ready) {
    closefrom(kFailure + 1);
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > start.open_files) {
      limit.rlim_cur = start.open_files;
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    // A helve that is killed cannot end what it started, so the kernel does. It does so when the
    // thread that started the program ends, and that thread stays in run() until the program is
    // reaped. What the program itself has started is not reached: only a process that outlives us
    // could do that.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start.parent) _exit(EXIT_FAILURE);  // we were killed before that was said
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(start.program, start.argv, start.env);
    code = errno;
  }
  [[maybe_unused]] const ssize_t told = write(ready ? kFailure : start.failure, &code, sizeof code);
  _exit(EXIT_FAILURE);
}

// posix_spawn cannot ask for PR_SET_PDEATHSIG, and fork would copy the page tables of a large
// process. We stand still only until the program runs: nothing that become() calls waits.
[[gnu::noinline]] pid_t start_process(const Start& start) {
  const pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions): see above
  if (pid == 0) become(start);
  return pid;
}

Result<pid_t> spawn(const Command& command, int in, int out, int err) {
  const std::string program = TRY(find_program(command));
  const std::vector<char*> argv = pointers(command.argv), env = pointers(command.env);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return no_resources("a pipe", errno);
  const Fd failure(ends[0]);
  Fd theirs(ends[1]);
  const Start start{program.c_str(),
                    argv.data(),
                    env.data(),
                    command.cwd.empty() ? nullptr : command.cwd.c_str(),
                    in,
                    out,
                    err,
                    theirs.get(),
                    getpid(),
                    first_limit_of_open_files()};
  sigset_t all, before;
  sigfillset(&all);
  // No handler of ours may run in the new process.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = start_process(start);
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return spawn_error(command, program, fork_error);
  theirs = Fd();
  int code = 0;
  ssize_t told;
  do {
    told = read(failure.get(), &code, sizeof code);
  } while (told < 0 && errno == EINTR);
  if (told == 0) return pid;  // it closed with the start of the program
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return spawn_error(command, program, code);
}

// A started program until it is reaped.
class Child {
 public:
  Child(pid_t pid, const Command& command, Stream& out, Stream& err, int stop_event)
      : pid_(pid),
        exit_event_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
        stop_event_(stop_event),
        grace_(command.kill_grace),
        out_(out),
        err_(err) {
    deadline_ = std::chrono::steady_clock::now() +
                std::clamp(command.timeout, milliseconds(0), kLongestTimeout);
  }

  void wait() {
    while (!exited()) {
      wait_for_event();
      if (std::chrono::steady_clock::now() >= deadline_) end_it();
    }
    // The zombie still holds the group's number, so this cannot hit anybody else's processes.
    if (ending_) kill(-pid_, SIGKILL);
    out_.drain();
    err_.drain();
  }

  Result<void> reap(Finished& finished) {
    int status = 0;
    pid_t reaped;
    do {
      reaped = waitpid(pid_, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    if (reaped != pid_) {
      return Error{Code::internal, "the program ended, but its exit code is lost",
                   "SIGCHLD must not be ignored", "spawn_failed"};
    }
    finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (WIFSIGNALED(status)) {
      const char* name = sigabbrev_np(WTERMSIG(status));
      finished.signal =
          name ? fmt::format("SIG{}", name) : fmt::format("signal {}", WTERMSIG(status));
    }
    finished.timed_out = timed_out_;
    return {};
  }

  bool was_stopped() const { return stopped_; }

 private:
  bool exited() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
  }

  void wait_for_event() {
    // A negative descriptor is passed over.
    pollfd events[] = {{out_.ours.get(), POLLIN, 0},
                       {err_.ours.get(), POLLIN, 0},
                       {exit_event_.get(), POLLIN, 0},
                       {ending_ ? -1 : stop_event_, POLLIN, 0}};
    auto left = std::chrono::ceil<milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (!exit_event_) left = std::min(left, kCheckInterval);
    const int wait = static_cast<int>(std::max(left, milliseconds(0)).count());
    if (poll(events, std::size(events), wait) <= 0) return;
    if (events[0].revents) out_.read_some(SIZE_MAX);
    if (events[1].revents) err_.read_some(SIZE_MAX);
    if (events[3].revents) {
      stopped_ = true;
      deadline_ = Time::min();
    }
  }

  // First asks, then, when the grace is over, insists.
  void end_it() {
    if (!ending_) timed_out_ = !stopped_;
    kill(-pid_, ending_ ? SIGKILL : SIGTERM);
    const milliseconds patience = ending_ ? kLongestTimeout : grace_;
    deadline_ =
        std::chrono::steady_clock::now() + std::clamp(patience, milliseconds(0), kLongestTimeout);
    ending_ = true;
  }

  pid_t pid_;
  Fd exit_event_;
  int stop_event_;
  milliseconds grace_;
  Stream& out_;
  Stream& err_;
  Time deadline_;
  bool ending_ = false;
  bool stopped_ = false;
  bool timed_out_ = false;
};

Error stopped(const Command& command) {
  return Error{Code::cancelled,
               fmt::format("'{}' was stopped", escape_for_display(command.argv[0]))};
}

}  // namespace

// Unlike a pipe it needs no feeding, so there is nothing to deadlock, and no SIGPIPE.
Result<Fd> memory_file(std::string_view text) {
  Fd file(memfd_create("stdin", MFD_CLOEXEC));
  if (!file) return no_resources("the program's input", errno);
  while (!text.empty()) {
    const ssize_t count = write(file.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) return no_resources("the program's input", errno);
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

Result<Finished> run(const Command& command, std::stop_token stop) {
  TRY(check(command));
  if (stop.stop_requested()) return stopped(command);
  Finished finished;
  Stream out{{}, {}, &finished.out, &finished.out_truncated, command.stdout_limit};
  Stream err{{}, {}, &finished.err, &finished.err_truncated, command.stderr_limit};
  Fd in = TRY(command.stdin_file ? copy_of(*command.stdin_file) : memory_file(command.stdin_text));
  TRY(out.open());
  TRY(err.open());
  const Wakeup wakeup = TRY(Wakeup::make());
  std::stop_callback wake(stop, [&] { wakeup.signal(); });

  const pid_t pid = TRY(spawn(command, in.get(), out.theirs.get(), err.theirs.get()));
  out.theirs = Fd();
  err.theirs = Fd();
  Child child(pid, command, out, err, wakeup.descriptor());
  child.wait();
  TRY(child.reap(finished));
  if (child.was_stopped()) return stopped(command);
  return finished;
}

}  // namespace helve::sys

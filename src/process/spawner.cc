#include "process/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/text.h"
#include "process/messages.h"
#include "process/unconfined.h"
#include "sys/environment.h"

namespace helve::process {
namespace {

constexpr int kSocketNumber = 3;
constexpr int kPatienceMilliseconds = 2000;  // for a helper program that has nothing left to do
constexpr std::chrono::milliseconds kStopInterval{50};  // how soon a cancelled start is given up

Error broken(std::string_view what, int code) {
  return Error{Code::unavailable, fmt::format("cannot make {}: {}", what, strerrordesc_np(code)),
               "close other programs or raise the limit of open files", "spawn_failed"};
}

struct Pair {
  sys::Fd ours, theirs;
};
Result<Pair> make_pair(int type) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return broken("a socket", errno);
  // Who does not read must not hold us up for ever.
  constexpr timeval kLongestSend{.tv_sec = 30, .tv_usec = 0};
  setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &kLongestSend, sizeof kLongestSend);
  return Pair{sys::Fd(ends[0]), sys::Fd(ends[1])};
}

// Runs in the new process, whose memory is ours: system calls only.
[[noreturn]] void become_helper(const char* program, int socket, int nothing, int* failure) {
  struct sigaction ordinary {};
  ordinary.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &ordinary, nullptr);
  setsid();  // the keys of our terminal are not for it
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const bool is_ready = dup2(nothing, 0) >= 0 && dup2(nothing, 1) >= 0 && dup2(nothing, 2) >= 0 &&
                        dup2(socket, kSocketNumber) >= 0;
  if (is_ready) {
    closefrom(kSocketNumber + 1);
    char* const words[] = {const_cast<char*>("helve-spawn"), nullptr};
    char* const variables[] = {nullptr};
    execve(program, words, variables);
  }
  *failure = errno;
  _exit(127);
}

[[gnu::noinline]] pid_t start_helper(const char* program, int socket, int nothing, int* failure) {
  const pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions): fork would copy a large process
  if (pid == 0) become_helper(program, socket, nothing, failure);
  return pid;
}

// Above the numbers that are given to the child's own.
Result<sys::Fd> moved_up(const sys::Fd& descriptor) {
  sys::Fd moved(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kSocketNumber + 1));
  if (!moved) return broken("a descriptor", errno);
  return moved;
}

Result<pid_t> run_helper(const std::string& program, const sys::Fd& socket) {
  const sys::Fd high = TRY(moved_up(socket));
  const sys::Fd nothing = TRY(moved_up(sys::Fd(open("/dev/null", O_RDWR | O_CLOEXEC))));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of ours may run in the new process
  int failure = 0;
  const pid_t pid = start_helper(program.c_str(), high.get(), nothing.get(), &failure);
  const int fork_failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid > 0 && failure == 0) return pid;
  if (pid > 0) waitpid(pid, nullptr, 0);
  const int code = pid < 0 ? fork_failure : failure;
  return Error{code == ENOENT ? Code::not_found : Code::unavailable,
               fmt::format("the helper program '{}' cannot be started: {}",
                           escape_for_display(program), strerrordesc_np(code)),
               "it is built and installed beside helve; commands need it", "no_spawn_helper"};
}

struct Told {
  Event event;
  std::string text;
  std::vector<sys::Fd> descriptors;
};
// Empty: the other side is gone.
std::optional<Told> receive_event(int channel) {
  Told told;
  if (!receive_exactly(channel, &told.event, sizeof told.event, &told.descriptors)) return {};
  if (told.event.text > kMaxEventText) return {};
  told.text.resize(told.event.text);
  if (!told.text.empty() && !receive_exactly(channel, told.text.data(), told.text.size()))
    return {};
  return told;
}

Error start_error(const Launch& launch, const Told& told) {
  const int code = told.event.code;
  const std::string program = escape_for_display(launch.argv[0]);
  const std::string cwd = escape_for_display(launch.cwd);
  const std::string reason = strerrordesc_np(code) ? strerrordesc_np(code) : "unknown error";
  switch (told.event.step) {
    case Step::sandbox:
    case Step::workspace:
      return why_unconfined(told.event.step, told.text);
    case Step::directory:
      return Error{code == ENOENT ? Code::not_found : Code::denied,
                   fmt::format("cannot run in '{}': {}", cwd, reason),
                   "name a directory of the workspace", "bad_workdir"};
    case Step::program:
      if (code == E2BIG)
        return Error{Code::too_large, "the command and its environment are too long to start",
                     "write the command to a file and run that", "spawn_failed"};
      return Error{code == ENOENT ? Code::not_found : Code::denied,
                   fmt::format("'{}' cannot be run: {}", program, reason),
                   "name a program that is installed", "spawn_failed"};
    case Step::terminal:
      return Error{Code::unavailable, fmt::format("cannot make a terminal: {}", reason),
                   "try without one", "spawn_failed"};
    default:
      return Error{Code::unavailable, fmt::format("cannot start a process: {}", reason),
                   "end other processes, then try again", "spawn_failed"};
  }
}

Error gone() {
  return Error{Code::unavailable, "the helper program that runs commands has ended",
               "try again: it is started anew", std::string(Spawner::kGone)};
}

// Until there is something to read, be it the end.
Result<void> await_answer(int socket, const StartLimits& limits) {
  const auto end = std::chrono::steady_clock::now() + limits.longest;
  pollfd event{socket, POLLIN, 0};
  while (poll(&event, 1, static_cast<int>(std::min(limits.longest, kStopInterval).count())) <= 0) {
    if (limits.stop.stop_requested())
      return Error{Code::cancelled, "the start of the command was cancelled"};
    if (std::chrono::steady_clock::now() >= end)
      return Error{Code::unavailable, "the helper program that runs commands does not answer",
                   "the command was not started; try again: the helper is started anew",
                   std::string(Spawner::kStuck)};
  }
  return {};
}

}  // namespace

Error lost_command(std::string_view last_words) {
  return Error{
      Code::unavailable,
      fmt::format("nobody knows how the command ended: the process that kept it was killed{}{}",
                  last_words.empty() ? "" : "; the last that it wrote: ", last_words),
      "see what it has done before you run it again", "lost"};
}

std::string spawn_program() { return sys::program_directory() + "/helve-spawn"; }

Result<std::unique_ptr<Spawner>> Spawner::start(const std::string& program,
                                                const sandbox::Policy& policy,
                                                const StartLimits& limits) {
  const std::string encoded = sandbox::encode(policy);
  if (encoded.size() > kMaxPolicyBytes)
    return Error{Code::too_large, "the sandbox's policy names too many paths",
                 "configure fewer roots", "no_sandbox"};
  Pair pair = TRY(make_pair(SOCK_SEQPACKET));
  const pid_t pid = TRY(run_helper(program, pair.theirs));
  pair.theirs = sys::Fd();
  std::unique_ptr<Spawner> spawner(new Spawner(std::move(pair.ours), pid));
  if (!send_message(spawner->socket_.get(), encoded)) return gone();
  if (Result<void> answered = await_answer(spawner->socket_.get(), limits); !answered) {
    spawner->give_up();
    return std::move(answered).error();
  }
  const Message answer = receive_message(spawner->socket_.get(), sizeof(Event) + kMaxEventText);
  if (answer.bytes.size() < sizeof(Event)) return gone();
  Event event;
  memcpy(&event, answer.bytes.data(), sizeof event);
  const std::string_view rest = std::string_view(answer.bytes).substr(sizeof event);
  if (event.kind != Event::Kind::ready) return why_unconfined(event.step, rest);
  if (rest.size() != sizeof spawner->holds_) return gone();
  memcpy(&spawner->holds_, rest.data(), rest.size());
  return spawner;
}

void Spawner::retire() {
  if (socket_) shutdown(socket_.get(), SHUT_RDWR);
  socket_ = sys::Fd();
}

bool Spawner::has_ended() {
  if (!is_reaped_) is_reaped_ = waitpid(pid_, nullptr, WNOHANG) != 0;
  return is_reaped_;
}

void Spawner::give_up() const { kill(pid_, SIGKILL); }

Spawner::~Spawner() {
  retire();
  if (has_ended()) return;
  // Usually it ends at once, and no zombie may stay behind. One that still keeps commands is left
  // to them.
  const sys::Fd end(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd event{end.get(), POLLIN, 0};
  if (end) poll(&event, 1, kPatienceMilliseconds);
  waitpid(pid_, nullptr, end && event.revents == 0 ? WNOHANG : 0);
}

Result<Launched> Spawner::launch(const Launch& launch, const Streams& streams,
                                 const StartLimits& limits) const {
  const std::string encoded = encode(launch);
  if (encoded.size() > kMaxLaunchBytes)
    return Error{Code::too_large, "the command and its environment are too long to start",
                 "write the command to a file and run that", "spawn_failed"};
  Pair pair = TRY(make_pair(SOCK_STREAM));
  std::vector<int> descriptors{pair.theirs.get(), streams.in, streams.out, streams.err};
  descriptors.insert(descriptors.end(), streams.others.begin(), streams.others.end());
  if (!send_message(socket_.get(), "s", descriptors)) return gone();
  pair.theirs = sys::Fd();
  const auto size = static_cast<std::uint32_t>(encoded.size());
  // A helper that cannot make a process says so without waiting for more: then its answer is there.
  if (send_message(pair.ours.get(), std::string(as_bytes(size)).append(encoded)))
    TRY(await_answer(pair.ours.get(), limits));
  std::optional<Told> told = receive_event(pair.ours.get());
  if (!told) return gone();
  if (told->event.kind == Event::Kind::starting) {
    if (!await_answer(pair.ours.get(), limits)) return lost_command();
    told = receive_event(pair.ours.get());
    if (!told) return lost_command();
  }
  if (told->event.kind != Event::Kind::started) return start_error(launch, *told);
  Launched launched{.channel = std::move(pair.ours), .terminal = {}, .view = {}};
  if (launch.has_terminal && !told->descriptors.empty())
    launched.terminal = std::move(told->descriptors.front());
  if (launch.view != Launch::View::once && told->descriptors.size() == 2)
    launched.view = {std::move(told->descriptors[0]), std::move(told->descriptors[1])};
  return launched;
}

Result<sandbox::LiveView> Spawner::renew(const sandbox::LiveView& view) const {
  const Launch launch{.argv = {"renew"}, .numbers = {0}, .view = Launch::View::of_other};
  const int mounts = view.mounts.get();
  Launched launched = TRY(this->launch(launch, {mounts, mounts, mounts, {mounts}}));
  return std::move(launched.view);
}

}  // namespace helve::process

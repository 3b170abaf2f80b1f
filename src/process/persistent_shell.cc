#include "process/persistent_shell.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>

#include "base/text.h"
#include "process/commands.h"
#include "sys/id.h"
#include "sys/stream.h"

namespace helve::process {
namespace {

constexpr std::string_view kBash = "/bin/bash";
// Numbers that commands do not use.
constexpr int kFrame = 196;
constexpr int kOrders = 197;
constexpr int kScript = 198;
constexpr int kStatus = 199;
// No command may read what comes after it. An interrupt ends the command and not the shell.
constexpr std::string_view kPrologue = "exec 197<&-;trap 'return 130' INT\n";
// Short, since the shell takes what comes through a pipe byte by byte.
constexpr std::string_view kOrder = ". /dev/fd/196\n";
constexpr std::chrono::milliseconds kTurnInterval{50};
constexpr size_t kMaxSeats = 1000;
constexpr size_t kMaxTold = 4096;  // of what the shell tells; it is short unless somebody disturbs

Error broken(std::string_view what) {
  return Error{Code::unavailable, fmt::format("the shell cannot be {}", what),
               "try again: a new one is started", "shell_failed"};
}

}  // namespace

Result<std::unique_ptr<PersistentShell>> PersistentShell::start(Supervisor& supervisor,
                                                                const ShellPlan& plan) {
  std::unique_ptr<PersistentShell> shell(new PersistentShell);
  if (!shell->frame_.make("frame") || !shell->command_.make("command")) return broken("started");
  sys::Pipe orders = TRY(sys::make_pipe());
  sys::Pipe status = TRY(sys::make_pipe());
  Plan started;
  started.launch.argv = {std::string(kBash), "--norc", "--noprofile",
                         fmt::format("/dev/fd/{}", kOrders)};
  started.launch.env = plan.environment;
  started.launch.cwd = plan.directory;
  started.launch.open_files = plan.open_files;
  started.launch.numbers = {kFrame, kOrders, kScript, kStatus};
  started.others = {shell->frame_.get(), orders.read.get(), shell->command_.get(),
                    status.write.get()};
  started.launch.view = Launch::View::stays;
  started.separate_errors = true;
  started.limits = plan.limits;
  shell->running_ = TRY(supervisor.start(plan.policy, std::move(started)));
  shell->view_ = shell->running_->take_view();
  shell->orders_ = std::move(orders.write);
  shell->status_ = std::move(status.read);
  fcntl(shell->status_.get(), F_SETFL, O_NONBLOCK);
  if (!sys::write_all(shell->orders_.get(), kPrologue)) return broken("reached");
  return shell;
}

bool PersistentShell::Script::make(const char* name) {
  file_ = sys::Fd(memfd_create(name, MFD_CLOEXEC));
  return static_cast<bool>(file_);
}

// Keeps its pages: to give them back and get new ones takes longer than all the rest.
bool PersistentShell::Script::put(std::string_view text) {
  const auto size = static_cast<ssize_t>(text.size());
  if (pwrite(get(), text.data(), text.size(), 0) != size) return false;
  if (text.size() < size_ && ftruncate(get(), size) != 0) return false;
  size_ = text.size();
  return true;
}

Result<std::string> PersistentShell::submit(std::string_view command) {
  std::string word = fmt::format("{:016x}{:016x}", sys::random_number(), sys::random_number());
  const std::string frame =
      fmt::format(". /dev/fd/{}\nbuiltin printf '%s %d\\n' {} $? >&{}\n", kScript, word, kStatus);
  if (!command_.put(command) || !frame_.put(frame)) return broken("given the command");
  if (!sys::write_all(orders_.get(), kOrder)) return broken("reached");
  return word;
}

std::optional<int> PersistentShell::await(const std::string& word, Time end,
                                          const std::stop_token& stop, int wakeup,
                                          const std::function<void(const Output&)>& on_output) {
  std::uint64_t seen = 0;
  while (!running_->has_ended() && !stop.stop_requested()) {
    pollfd events[Running::kEvents + 2];
    running_->expect(events);
    events[Running::kEvents] = {status_.get(), POLLIN, 0};
    events[Running::kEvents + 1] = {wakeup, POLLIN, 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return {};
    const auto wait = std::min<std::chrono::milliseconds::rep>(left.count(), 24 * 3600 * 1000);
    if (poll(events, std::size(events), static_cast<int>(wait)) <= 0) continue;
    running_->attend(events);
    if (on_output && running_->out().size() != seen) {
      seen = running_->out().size();
      on_output(running_->out());
    }
    if (!events[Running::kEvents].revents) continue;
    char buffer[256];
    const ssize_t count = read(status_.get(), buffer, sizeof buffer);
    if (count <= 0) continue;
    told_.append(buffer, static_cast<size_t>(count));
    const size_t at = told_.find(word + " ");
    if (at != told_.npos && told_.find('\n', at) != told_.npos) {
      int code = 0;
      const char* number = told_.data() + at + word.size() + 1;
      std::from_chars(number, told_.data() + told_.size(), code);
      told_.clear();
      return code;
    }
    // Somebody else writes there: only what may become the word is kept.
    if (told_.size() > kMaxTold) told_.erase(0, told_.size() - word.size() - 8);
  }
  return {};
}

ShellAnswer PersistentShell::answer(ShellAnswer::End end, int exit_code) {
  running_->take_waiting();
  ShellAnswer answer{.end = end,
                     .exit_code = exit_code,
                     .how = {},
                     .out = running_->take_out(),
                     .err = running_->take_err()};
  if (running_->has_ended()) answer.how = running_->ended();
  return answer;
}

Result<ShellAnswer> PersistentShell::run(std::string_view command,
                                         std::chrono::milliseconds timeout,
                                         std::chrono::milliseconds grace, std::stop_token stop,
                                         const std::function<void(const Output&)>& on_output) {
  using End = ShellAnswer::End;
  const Time begun = std::chrono::steady_clock::now();
  const std::string word = TRY(submit(command));
  std::optional<sys::Wakeup> wakeup;
  if (stop.stop_possible()) wakeup = TRY(sys::Wakeup::make());
  const std::stop_callback wake(stop, [&] { wakeup->signal(); });
  const int woken = wakeup ? wakeup->descriptor() : -1;
  if (const std::optional<int> code = await(word, begun + timeout, stop, woken, on_output))
    return answer(End::done, *code);
  if (running_->has_ended()) return answer(End::exited, 0);
  running_->signal_group(SIGINT);
  const Time last = std::chrono::steady_clock::now() + grace;
  const std::optional<int> code = await(word, last, {}, -1, on_output);
  if (!code) running_->end_now();
  if (stop.stop_requested()) {
    (void)answer(End::interrupted, 0);
    return Error{Code::cancelled, "the call was cancelled"};
  }
  return answer(code ? End::interrupted : End::lost, code.value_or(0));
}

Result<void> PersistentShell::renew(Supervisor& supervisor, const sandbox::Policy& policy) {
  pollfd event{view_.changes.get(), POLLIN, 0};
  if (!view_.mounts || poll(&event, 1, 0) == 0) return {};
  Result<sandbox::LiveView> renewed = supervisor.renew(policy, view_);
  if (!renewed)
    return Error{Code::unavailable,
                 fmt::format("the shell's sandbox cannot be renewed: {}", renewed.error().message),
                 "try again: a new shell is started", "shell_failed"};
  view_ = std::move(*renewed);
  return {};
}

std::shared_ptr<Shells::Seat> Shells::seat_of(std::string_view session) {
  std::lock_guard lock(mutex_);
  const auto found = seats_.find(session);
  if (found != seats_.end()) return found->second;
  // The shells of sessions that are long gone make room.
  if (seats_.size() >= kMaxSeats) seats_.erase(seats_.begin());
  return seats_.emplace(std::string(session), std::make_shared<Seat>()).first->second;
}

Result<ShellAnswer> Shells::run(const Call& call, const ShellPlan& plan, std::stop_token stop) {
  const std::shared_ptr<Seat> seat = seat_of(call.session);
  std::unique_lock turn(seat->turn, std::defer_lock);
  while (!turn.try_lock_for(kTurnInterval)) {
    if (stop.stop_requested()) return Error{Code::cancelled, "the call was cancelled"};
  }
  if (!seat->shell || !seat->shell->is_alive() || seat->policy != plan.policy) {
    seat->shell = TRY(PersistentShell::start(supervisor_, plan));
    seat->policy = plan.policy;
  }
  PersistentShell& shell = *seat->shell;
  if (Result<void> renewed = shell.renew(supervisor_, plan.policy); !renewed) {
    seat->shell.reset();
    return std::move(renewed).error();
  }
  Result<ShellAnswer> answer =
      shell.run(call.command, call.timeout, call.grace, stop, call.on_output);
  if (shell.is_alive()) (void)shell.renew(supervisor_, plan.policy);  // the next call sees why not
  return answer;
}

bool Shells::end(std::string_view session) {
  const std::shared_ptr<Seat> seat = seat_of(session);
  std::lock_guard turn(seat->turn);
  const bool was_alive = seat->shell && seat->shell->is_alive();
  seat->shell.reset();
  return was_alive;
}

}  // namespace helve::process

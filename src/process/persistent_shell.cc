#include "process/persistent_shell.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <span>

#include "process/commands.h"
#include "process/numbers.h"

namespace helve::process {
namespace {

constexpr int kInterrupted = 130;
constexpr size_t kMaxTold = 64u << 10;  // of what the shell tells; it is short
constexpr size_t kMaxRestored = 8u << 10;
constexpr std::string_view kTrapBegins = "\ntrap -- '", kTrapEnds = "' DEBUG\n";
// Most commands end within this, and then we need not wake up for the status as well.
constexpr std::chrono::milliseconds kQuick{20};
// A program that is being started may miss an interrupt, and then the shell waits for its end.
constexpr std::chrono::milliseconds kAgain{200};
constexpr std::chrono::milliseconds kTurnInterval{50};
constexpr std::chrono::milliseconds kLetPass{1};
constexpr std::chrono::milliseconds kLookInterval{50};
constexpr std::chrono::hours kLongestWait{24};
constexpr size_t kMaxSeats = 1000;

Error broken(std::string_view what) {
  return Error{Code::unavailable, fmt::format("the shell cannot be {}", what),
               "try again: a new one is started", std::string(PersistentShell::kGone)};
}

Error cancelled() { return Error{Code::cancelled, "the call was cancelled"}; }

struct Sockets {
  sys::Fd ours, theirs;
};
// Ours does not block, and tells of each message who sent it.
Result<Sockets> make_status() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return broken("started");
  Sockets sockets{sys::Fd(ends[0]), sys::Fd(ends[1])};
  const int on = 1;
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 ||
      setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    return broken("started");
  return sockets;
}

// So small that one line fills it.
Result<sys::Pipe> make_orders() {
  sys::Pipe pipe = TRY(sys::make_pipe());
  if (fcntl(pipe.write.get(), F_SETPIPE_SZ, 1) < 0 ||
      fcntl(pipe.write.get(), F_SETFL, O_NONBLOCK) != 0)
    return broken("started");
  return pipe;
}

struct Heard {
  ssize_t bytes;
  int sender = 0;
};
Heard receive_from(int socket, std::span<char> buffer) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec part{buffer.data(), buffer.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  Heard heard{.bytes = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)};
  const cmsghdr* header = heard.bytes > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
    ucred who;
    memcpy(&who, CMSG_DATA(header), sizeof who);
    heard.sender = who.pid;
  }
  return heard;
}

}  // namespace

Result<std::unique_ptr<PersistentShell>> PersistentShell::start(Supervisor& supervisor,
                                                                const ShellPlan& plan,
                                                                int program) {
  const ShellNumbers numbers(highest_number(plan.open_files));
  std::unique_ptr<PersistentShell> shell(new PersistentShell(numbers));
  TRY(shell->command_.make());
  TRY(shell->long_command_.make());
  const sys::Fd frame = TRY(fixed_file(frame_text(numbers)));
  const sys::Fd careful_frame = TRY(fixed_file(careful_frame_text(numbers)));
  sys::Pipe orders = TRY(make_orders());
  Sockets status = TRY(make_status());
  Plan started;
  Launch& launch = started.launch;
  launch.argv = {kBash, "--norc", "--noprofile", fmt::format("/dev/fd/{}", numbers.orders)};
  launch.env = plan.environment;
  launch.cwd = TRY(plan.directory());
  launch.open_files = plan.open_files;
  launch.view = Launch::View::stays;
  const auto give = [&](int number, int descriptor) {
    launch.numbers.push_back(static_cast<std::uint64_t>(number));
    started.others.push_back(descriptor);
  };
  give(numbers.status, status.theirs.get());
  give(numbers.command, shell->command_.get());
  give(numbers.orders, orders.read.get());
  give(numbers.frame, frame.get());
  give(numbers.long_command, shell->long_command_.get());
  give(numbers.careful_frame, careful_frame.get());
  if (program >= 0) {
    give(numbers.program, program);
    launch.program = fmt::format("/dev/fd/{}", numbers.program);
  }
  started.separate_errors = true;
  started.limits = plan.limits;
  shell->running_ = TRY(supervisor.start(plan.policy, std::move(started)));
  shell->view_ = shell->running_->take_view();
  shell->orders_ = std::move(orders.write);
  shell->status_ = std::move(status.ours);
  if (!sys::write_all(shell->orders_.get(), prologue(numbers, program >= 0)))
    return broken("reached");
  return shell;
}

Result<void> PersistentShell::submit(const ShellCall& call) {
  const std::string text =
      restored_.empty() ? command_text(++calls_, code_, call.command)
                        : command_text(++calls_, code_, restored_ + std::string(call.command));
  knows_traps_ = knows_traps_ || call.command.find("DEBUG") != call.command.npos;
  order_ = kOrder;
  if (knows_traps_ || !command_.put(text + std::string(end_of_short()))) {
    order_ = careful_order_;
    if (!long_command_.put(text + end_of_long_))
      return Error{Code::too_large, "the command is too long for the shell",
                   "write it to a file and run that", "bad_command"};
  }
  told_.clear();
  seen_ = running_->out().size() + running_->err().size();
  ssize_t count;
  do {
    count = write(orders_.get(), order_.data(), order_.size());
  } while (count < 0 && errno == EINTR);
  // The empty line of the last call may still be on its way.
  if (count < 0 && errno == EAGAIN && sys::write_until(orders_.get(), order_, call.deadline))
    return {};
  if (count < 0) return broken("reached");
  return {};
}

// Takes all that was told, and keeps what the shell itself did.
void PersistentShell::hear() {
  char buffer[4096];
  while (status_) {
    const Heard heard = receive_from(status_.get(), buffer);
    if (heard.bytes < 0 && errno == EINTR) continue;
    if (heard.bytes < 0 && errno == EAGAIN) return;
    if (heard.bytes <= 0) {
      status_ = sys::Fd();  // nobody can tell anything any more
      return;
    }
    if (process_ == 0) process_ = heard.sender;  // nothing else runs before its first message
    if (heard.sender != process_) continue;
    told_.append(buffer, static_cast<size_t>(heard.bytes));
    if (told_.size() > kMaxTold) told_.erase(0, told_.size() - kMaxTold);
  }
}

// The last it told is what counts: "\0STATUS OPTIONS CALL\n", and the trap when there is one.
// False: it told nothing, or did not get the command.
bool PersistentShell::understand() {
  const size_t begin = told_.rfind('\0');
  if (begin == told_.npos) return false;
  std::string_view last = std::string_view(told_).substr(begin + 1);
  const size_t line = last.find('\n');
  const std::string_view status = last.substr(0, line);
  if (line == last.npos || !status.ends_with(fmt::format(" {}", calls_))) return false;
  std::from_chars(status.data(), status.data() + status.size(), code_);
  last.remove_prefix(line);
  restored_.clear();
  const size_t trap = last.find(kTrapBegins);
  const size_t end = trap == last.npos ? trap : last.find(kTrapEnds, trap);
  if (end != last.npos && end - trap <= kMaxRestored)
    restored_.append(last.substr(trap + 1, end + kTrapEnds.size() - trap - 2)).append(";");
  if (status.find('v') != status.npos) restored_ += "builtin set -v;";
  if (status.find('x') != status.npos) restored_ += "builtin set -x;";
  return true;
}

PersistentShell::Course PersistentShell::await(Time end, const ShellUrge* urge,
                                               const ShellCall& call) {
  constexpr size_t kStatus = Running::kEvents, kOrders = kStatus + 1, kWakeup = kStatus + 2;
  bool is_quick = true, has_reader = true;
  while (!running_->has_ended()) {
    if (urge && (urge->stop.stop_requested() || urge->endings > 0)) return Course::late;
    pollfd events[kWakeup + 1];
    running_->expect(events);
    events[kStatus] = {is_quick ? -1 : status_.get(), POLLIN, 0};
    events[kOrders] = {has_reader ? orders_.get() : -1, POLLOUT, 0};
    events[kWakeup] = {urge ? urge->wakeup.descriptor() : -1, POLLIN, 0};
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Course::late;
    left = std::min<std::chrono::milliseconds>(left, is_quick ? kQuick : kLongestWait);
    const int count = poll(events, std::size(events), static_cast<int>(left.count()));
    is_quick = is_quick && count > 0;
    if (count <= 0) continue;
    if (events[kWakeup].revents) urge->wakeup.reset();  // for what, is looked at above
    attend(events, call);
    const bool is_taken = events[kOrders].revents == POLLOUT;
    // It is ending, or has become another program.
    if (events[kOrders].revents && !is_taken) has_reader = false;
    if (events[kStatus].revents || is_taken) hear();
    if (is_taken) return understand() ? Course::done : Course::broken;
  }
  return Course::ended;
}

void PersistentShell::attend(const pollfd* events, const ShellCall& call) {
  const std::uint64_t out_before = running_->out().size();
  running_->attend(events);
  const Output& out = running_->out();
  const Output& err = running_->err();
  const std::uint64_t bytes = out.size() + err.size();
  if (call.on_output && bytes != std::exchange(seen_, bytes))
    call.on_output(out.size() != out_before ? out : err, bytes);
}

// Whether it ended without having begun with the last order.
bool PersistentShell::has_missed_order() const {
  int waiting = 0;
  return ioctl(orders_.get(), FIONREAD, &waiting) == 0 &&
         static_cast<size_t>(waiting) >= order_.size();
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

Result<ShellAnswer> PersistentShell::run(const ShellCall& call, const ShellUrge& urge) {
  using End = ShellAnswer::End;
  TRY(submit(call));
  const Course course = [&] {
    const std::stop_callback wake(urge.stop, [&] { urge.wakeup.signal(); });
    return await(call.deadline, &urge, call);
  }();
  if (course == Course::done) return answer(End::done, code_);
  if (course == Course::ended && has_missed_order()) return broken("reached");
  if (course == Course::ended) return answer(End::exited);
  const bool is_cancelled = urge.stop.stop_requested();
  if (course == Course::broken || (urge.endings > 0 && !is_cancelled)) {
    running_->end_now();
    return answer(course == Course::broken ? End::broken : End::restarted);
  }
  const Course then = interrupt(call);
  // An interrupt may hit the frame, which then tells nothing.
  if (then == Course::broken) code_ = kInterrupted;
  const bool goes_on = then == Course::done || then == Course::broken;
  if (!goes_on) running_->end_now();
  ShellAnswer last = answer(goes_on ? End::interrupted : End::lost, code_);
  if (is_cancelled) return cancelled();
  return last;
}

PersistentShell::Course PersistentShell::interrupt(const ShellCall& call) {
  const Time end = std::chrono::steady_clock::now() + call.grace;
  for (;;) {
    running_->signal_group(SIGINT);
    const Time again = std::chrono::steady_clock::now() + kAgain;
    const Course course = await(std::min(again, end), nullptr, call);
    if (course != Course::late || again >= end) return course;
  }
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

Shells::~Shells() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  wakeup_->signal();
  thread_.join();
}

Result<std::shared_ptr<Shells::Seat>> Shells::seat_of(std::string_view session) {
  std::lock_guard lock(mutex_);
  const auto found = seats_.find(session);
  if (found != seats_.end()) return found->second;
  auto seat = std::make_shared<Seat>(TRY(sys::Wakeup::make()));
  // The shells of sessions that are long gone make room.
  if (seats_.size() >= kMaxSeats) seats_.erase(seats_.begin());
  return seats_.emplace(std::string(session), std::move(seat)).first->second;
}

Result<void> Shells::start(Seat& seat, const ShellPlan& plan) {
  int program;
  {
    std::lock_guard lock(mutex_);
    if (!program_) program_ = private_bash();
    program = program_->get();
  }
  seat.shell.reset();
  Result<std::unique_ptr<PersistentShell>> shell =
      PersistentShell::start(supervisor_, plan, program);
  // A machine may forbid to run what is in memory only.
  if (!shell && program >= 0 && shell.error().type == "spawn_failed")
    shell = PersistentShell::start(supervisor_, plan, -1);
  seat.shell = TRY(std::move(shell));
  seat.policy = plan.policy;
  std::lock_guard lock(mutex_);
  if (!wakeup_) wakeup_ = TRY(sys::Wakeup::make());
  if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { watch(stop); });
  wakeup_->signal();
  return {};
}

Result<ShellAnswer::Before> Shells::prepare(Seat& seat, const ShellPlan& plan) {
  using Before = ShellAnswer::Before;
  Before before = Before::same;
  if (!seat.shell)
    before = Before::none;
  else if (!seat.shell->is_alive())
    before = Before::died;
  else if (seat.policy != plan.policy)
    before = Before::other_policy;
  if (before != Before::same) TRY(start(seat, plan));
  return before;
}

Result<ShellAnswer> Shells::run(const ShellCall& call, const ShellPlan& plan,
                                std::stop_token stop) {
  const std::shared_ptr<Seat> seat = TRY(seat_of(call.session));
  std::unique_lock turn(seat->turn, std::defer_lock);
  while (!turn.try_lock_until(std::chrono::steady_clock::now() + kTurnInterval) ||
         seat->endings > 0) {
    if (turn) {
      turn.unlock();
      std::this_thread::sleep_for(kLetPass);  // whoever ends the shell comes first
    }
    if (stop.stop_requested()) return cancelled();
    if (std::chrono::steady_clock::now() >= call.deadline)
      return Error{Code::timeout, "the shell was busy with another command all the time",
                   "wait longer, or end what it does with restart=true", "shell_busy"};
  }
  if (call.on_turn) call.on_turn();
  ShellAnswer::Before before = TRY(prepare(*seat, plan));
  if (Result<void> renewed = seat->shell->renew(supervisor_, plan.policy); !renewed) {
    seat->shell.reset();
    return std::move(renewed).error();
  }
  const ShellUrge urge{stop, seat->endings, seat->wakeup};
  Result<ShellAnswer> answer = seat->shell->run(call, urge);
  if (!answer && answer.error().type == PersistentShell::kGone) {
    if (before == ShellAnswer::Before::same) before = ShellAnswer::Before::died;
    TRY(start(*seat, plan));
    answer = seat->shell->run(call, urge);
  }
  if (seat->shell->is_alive())
    (void)seat->shell->renew(supervisor_, plan.policy);  // the next call sees why not
  if (!answer) return answer;
  answer->before = before;
  if (!seat->shell->is_alive()) seat->shell.reset();  // the answer tells of that
  return answer;
}

Result<void> Shells::end(std::string_view session, std::stop_token stop) {
  const std::shared_ptr<Seat> seat = TRY(seat_of(session));
  ++seat->endings;
  seat->wakeup.signal();
  std::unique_lock turn(seat->turn, std::defer_lock);
  while (!turn.try_lock_until(std::chrono::steady_clock::now() + kTurnInterval) &&
         !stop.stop_requested()) {
  }
  if (turn) seat->shell.reset();
  --seat->endings;
  if (!turn) return cancelled();
  return {};
}

// Not more often than it must: what is written during a call, the call takes.
void Shells::watch(std::stop_token stop) {
  for (;;) {
    // Before anything is looked at: what comes after the look wakes us again.
    wakeup_->reset();
    if (stop.stop_requested()) return;
    std::vector<std::shared_ptr<Seat>> seats;
    {
      std::lock_guard lock(mutex_);
      for (const auto& [session, seat] : seats_) seats.push_back(seat);
    }
    std::vector<pollfd> events{{wakeup_->descriptor(), POLLIN, 0}};
    bool is_any_busy = false;
    for (const std::shared_ptr<Seat>& seat : seats) {
      const std::unique_lock turn(seat->turn, std::try_to_lock);
      is_any_busy = is_any_busy || !turn;
      if (!turn || !seat->shell) continue;
      seat->shell->look();
      if (!seat->shell->is_alive()) continue;
      events.resize(events.size() + Running::kEvents);
      seat->shell->expect(&events[events.size() - Running::kEvents]);
    }
    const int wait = is_any_busy ? static_cast<int>(kLookInterval.count()) : -1;
    if (poll(events.data(), events.size(), wait) > 0 && !events[0].revents)
      wakeup_->wait_for(kLookInterval);
  }
}

}  // namespace helve::process

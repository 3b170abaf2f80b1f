// PersistentShell: one bash for a whole session. Variables, functions, the directory and background
// jobs stay from call to call.
//
// The shell reads short lines from a pipe. Each makes it run a frame, which takes the command from
// a file in memory, runs it and tells how it ended on a socket. An empty line follows, and the pipe
// is so small that it counts as full until that one is taken, too. The command has ended when both
// came to pass: a status came from the shell's own process, and the shell has taken the empty line.
// When only the second happens, the command broke the shell.
//
// What holds: what runs is what was asked for, and no process that a command leaves behind can
// change that or tell an end. The files are sealed, the socket tells us who wrote, bash lets no
// child have the pipe, and nobody can look into the process to get at it (private_bash).
// What does not hold: a command is a part of the shell. It may set traps and define functions that
// change what later commands mean, or leave the shell unusable; that is noticed at once. As root
// without a sandbox, or where no program can be run from memory, its children get at the pipe by
// way of /proc.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/turn_mutex.h"
#include "process/running.h"
#include "process/shell_scripts.h"
#include "sandbox/policy.h"
#include "sys/stream.h"

namespace helve::process {

class Supervisor;

// Borrows what only a new shell needs, since most calls find one.
struct ShellPlan {
  const sandbox::Policy& policy;
  const std::vector<std::string>& environment;
  const OutputLimits& limits;
  const std::function<Result<std::string>()>& directory;  // where it begins
  std::uint64_t open_files = 0;
};

struct ShellAnswer {
  enum class End : unsigned char {
    done,
    interrupted,  // its time was up; the shell goes on
    lost,         // its time was up, and the shell had to be ended
    exited,       // the command ended the shell
    broken,       // nobody knows how it ended: the shell can no longer tell, and was ended
    restarted,    // another call ended the shell
  } end = End::done;
  enum class Before : unsigned char {
    same,
    none,                   // this is the session's first one, or the last call told of its end
    died,                   // it had ended since the last call
    other_policy,           // it ran under another policy, and was ended
  } before = Before::same;  // the shell that the call found
  int exit_code = 0;
  Ended how;        // unless it goes on
  Output out, err;  // what was written since the last call, also by jobs in the background
};

struct ShellCall {
  std::string_view session, command;
  Time deadline;
  std::chrono::milliseconds grace;  // after an interrupt
  // No other call of the session runs any more, and this one is about to.
  std::function<void()> on_turn = {};
  // The output that has grown, and how many bytes there are of both.
  std::function<void(const Output& newest, std::uint64_t bytes)> on_output = {};
};

// What ends a call before its time. Whoever wants that signals the wakeup.
struct ShellUrge {
  std::stop_token stop;             // the call is cancelled
  const std::atomic<int>& endings;  // somebody wants the shell to end
  const sys::Wakeup& wakeup;
};

// For one thread at a time.
class PersistentShell {
 public:
  // `program`: of private_bash; may be -1.
  static Result<std::unique_ptr<PersistentShell>> start(Supervisor& supervisor,
                                                        const ShellPlan& plan, int program);

  // Errors: cancelled; kGone: it had ended before, and the command did not run.
  static constexpr std::string_view kGone = "shell_gone";
  Result<ShellAnswer> run(const ShellCall& call, const ShellUrge& urge);
  bool is_alive() const { return !running_->has_ended(); }

  // Between two commands: renews what the shell sees when somebody has changed it meanwhile, and
  // takes away what the command made to mislead git. Errors: the shell must not go on.
  Result<void> renew(Supervisor& supervisor, const sandbox::Policy& policy);

  // Between calls: takes what was written, so that nothing waits for us, and notices its end.
  void look() { running_->attend(Time(), -1); }
  void expect(pollfd* events) const { running_->expect(events); }

 private:
  explicit PersistentShell(const ShellNumbers& numbers)
      : careful_order_(careful_order(numbers)), end_of_long_(end_of_long(numbers)) {}
  Result<void> submit(const ShellCall& call);
  enum class Course : unsigned char { done, broken, ended, late };
  // `urge` may be null. Late: the time is up, or somebody urges.
  Course await(Time end, const ShellUrge* urge, const ShellCall& call);
  Course interrupt(const ShellCall& call);
  void attend(const pollfd* events, const ShellCall& call);
  void hear();
  bool understand();
  bool has_missed_order() const;
  ShellAnswer answer(ShellAnswer::End end, int exit_code = 0);

  static constexpr size_t kShort = 512;           // bytes, as are read for every command
  static constexpr size_t kLongest = 768u << 10;  // the same for those that have no room there

  const std::string careful_order_, end_of_long_;
  CommandFile command_{kShort}, long_command_{kLongest};
  std::uint64_t calls_ = 0;
  bool knows_traps_ = false;  // a command named the trap before each command
  std::string_view order_;    // the last one
  sys::Fd orders_;            // the lines that it runs
  sys::Fd status_;            // where it tells how that ended
  int process_ = 0;
  std::string told_;
  int code_ = 0;          // what the last command left
  std::string restored_;  // what the frame had put off
  std::uint64_t seen_ = 0;
  sandbox::LiveView view_;
  std::unique_ptr<Running> running_;
};

// The shells of all sessions. Thread-safe. A thread of its own takes what they write between calls.
class Shells {
 public:
  explicit Shells(Supervisor& supervisor) : supervisor_(supervisor) {}
  ~Shells();

  // Runs it in the session's shell, when those before are done. One that is gone, or runs under
  // another policy, is replaced. Errors: cancelled; timeout (shell_busy).
  Result<ShellAnswer> run(const ShellCall& call, const ShellPlan& plan, std::stop_token stop);
  // Ends the session's shell with all that runs in it. Errors: cancelled.
  Result<void> end(std::string_view session, std::stop_token stop);

 private:
  struct Seat {
    explicit Seat(sys::Wakeup event) : wakeup(std::move(event)) {}
    TurnMutex turn;
    std::atomic<int> endings = 0;  // they go first
    sys::Wakeup wakeup;            // of the call whose turn it is
    std::unique_ptr<PersistentShell> shell;
    sandbox::Policy policy;  // that it runs under
  };
  Result<std::shared_ptr<Seat>> seat_of(std::string_view session);
  Result<ShellAnswer::Before> prepare(Seat& seat, const ShellPlan& plan);
  Result<void> start(Seat& seat, const ShellPlan& plan);
  void watch(std::stop_token stop);

  Supervisor& supervisor_;
  std::mutex mutex_;  // guards the next
  std::map<std::string, std::shared_ptr<Seat>, std::less<>> seats_;
  std::optional<sys::Fd> program_;     // of private_bash, once it was made
  std::optional<sys::Wakeup> wakeup_;  // of the thread: there is a new shell
  std::jthread thread_;
};

}  // namespace helve::process

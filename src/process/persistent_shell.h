// PersistentShell: one bash for a whole session. Variables, functions, the directory and background
// jobs stay from call to call.
//
// The shell reads short lines from a pipe that only it has. Each makes it run what is in a file in
// memory: a frame that runs the command, which is in another one, and then writes a word that
// nobody can guess to a descriptor of its own. So no output can be taken for the end of a command,
// nor swallow it, and a command never reads what comes after.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "process/running.h"
#include "sandbox/policy.h"

namespace helve::process {

class Supervisor;

// Borrows what only a new shell needs, since most calls find one.
struct ShellPlan {
  const sandbox::Policy& policy;
  const std::vector<std::string>& environment;
  const OutputLimits& limits;
  std::string_view directory;
  std::uint64_t open_files = 0;
};

struct ShellAnswer {
  enum class End : unsigned char {
    done,
    interrupted,  // its time was up; the shell goes on
    lost,         // its time was up or the call was cancelled, and the shell had to be ended
    exited,       // the command ended the shell
  } end = End::done;
  int exit_code = 0;
  Ended how;        // lost, exited
  Output out, err;  // what was written since the last call, also by jobs in the background
};

// One call at a time; whoever calls waits for its turn.
class PersistentShell {
 public:
  static Result<std::unique_ptr<PersistentShell>> start(Supervisor& supervisor,
                                                        const ShellPlan& plan);

  // Errors: cancelled.
  Result<ShellAnswer> run(std::string_view command, std::chrono::milliseconds timeout,
                          std::chrono::milliseconds grace, std::stop_token stop,
                          const std::function<void(const Output&)>& on_output = {});
  // Between two commands: renews what the shell sees when somebody has changed it meanwhile, and
  // takes away what the command made to mislead git. Errors: the shell must not go on.
  Result<void> renew(Supervisor& supervisor, const sandbox::Policy& policy);
  bool is_alive() const { return !running_->has_ended(); }

 private:
  PersistentShell() = default;
  Result<std::string> submit(std::string_view command);
  // The command's exit code; nothing: not within the time.
  std::optional<int> await(const std::string& word, Time end, const std::stop_token& stop,
                           int wakeup, const std::function<void(const Output&)>& on_output);
  ShellAnswer answer(ShellAnswer::End end, int exit_code);

  // What it runs, in memory.
  class Script {
   public:
    bool make(const char* name);
    bool put(std::string_view text);
    int get() const { return file_.get(); }

   private:
    sys::Fd file_;
    size_t size_ = 0;
  };
  Script frame_, command_;
  sys::Fd orders_;  // what wakes it
  sys::Fd status_;  // where it tells how that ended
  std::string told_;
  sandbox::LiveView view_;
  std::unique_ptr<Running> running_;
};

// The shells of all sessions. Thread-safe.
class Shells {
 public:
  explicit Shells(Supervisor& supervisor) : supervisor_(supervisor) {}

  // Runs it in the session's shell, which is started when there is none, or when the policy is
  // another one now.
  struct Call {
    std::string_view session, command;
    std::chrono::milliseconds timeout, grace;
    std::function<void(const Output&)> on_output = {};
  };
  Result<ShellAnswer> run(const Call& call, const ShellPlan& plan, std::stop_token stop);
  // Ends the session's shell with all that runs in it. False: there was none.
  bool end(std::string_view session);

 private:
  struct Seat {
    std::timed_mutex turn;
    std::unique_ptr<PersistentShell> shell;
    sandbox::Policy policy;  // that it runs under
  };
  std::shared_ptr<Seat> seat_of(std::string_view session);

  Supervisor& supervisor_;
  std::mutex mutex_;  // guards the next
  std::map<std::string, std::shared_ptr<Seat>, std::less<>> seats_;
};

}  // namespace helve::process

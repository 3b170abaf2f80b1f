// Running: a command that was started, with its streams, until it has ended.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/output.h"
#include "process/spawner.h"

struct pollfd;

namespace helve::process {

using Time = std::chrono::steady_clock::time_point;

// How a command ended.
struct Ended {
  int exit_code = -1;  // -1: a signal ended it
  std::string signal;  // "SIGSEGV" when one did
  int signal_number = 0;
  bool left_others = false;  // it left processes behind, which were ended with it
  bool is_lost = false;      // its keeper was killed: nobody knows how it ended
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_bytes = 0;
};
// "exit code 3", "killed by SIGSEGV", "lost: …".
std::string describe(const Ended& ended);

// What is started, and how its streams are.
struct Plan {
  Launch launch;
  enum class Input : unsigned char { none, text, open } input = Input::none;
  std::string input_text;
  bool separate_errors = false;  // standard error by itself instead of among the output
  std::vector<int> others = {};  // descriptors for `launch.numbers`
  OutputLimits limits;
  bool outlives_nothing = false;  // it counts as ended only when all its processes have
  std::optional<std::array<int, 3>> streams = {};  // these, instead of pipes
};

// For one thread at a time. Destroying it ends every process of the command.
class Running {
 public:
  static Result<std::unique_ptr<Running>> start(const Spawner& spawner, Plan plan,
                                                const StartLimits& limits = {});

  // Waits for something to happen, until `end` at the latest or until `wakeup` is readable, and
  // deals with it. True once the command has ended and its output was taken.
  bool attend(Time end, int wakeup);
  // The same for whoever waits for many: what to wait for, and what then came of it.
  static constexpr size_t kEvents = 3;
  void expect(pollfd* events) const;
  bool attend(const pollfd* events);

  // When it must be called though nothing has happened; empty: there is no such time.
  std::optional<Time> due() const { return leaves_until_; }

  // How the command ended is known; what it left behind may not be gone yet.
  bool has_exited() const { return ended_.has_value(); }
  // A signal halts it until another lets it go on.
  bool is_stopped() const { return is_stopped_ && !ended_; }
  // Nothing more comes of it.
  bool has_ended() const { return ended_ && !leaves_until_; }
  const Ended& ended() const { return *ended_; }

  // To all its processes; to its own group, as a terminal's keys do.
  void signal_all(int number);
  void signal_group(int number);
  void resize(TerminalSize size);
  // Without a grace: everything of it is ended before long, and it counts as killed.
  void begin_end();
  void end_now();  // the same, and waits for that

  bool has_terminal() const { return has_terminal_; }
  // Writes to its standard input; how many bytes it took at the moment. Errors: it has ended, or
  // its input is closed.
  Result<size_t> write_input(std::string_view bytes);
  // At a terminal that is typed, and more may be typed after it.
  void close_input();

  const Output& out() const { return out_; }
  const Output& err() const { return err_; }
  sandbox::LiveView take_view() { return std::move(view_); }
  // For one that goes on: takes what is written at this moment, and begins anew.
  void take_waiting();
  Output take_out() { return std::exchange(out_, Output(limits_)); }
  Output take_err() { return std::exchange(err_, Output(limits_)); }

 private:
  explicit Running(const Plan& plan)
      : limits_(plan.limits),
        out_(plan.limits),
        err_(plan.limits),
        has_terminal_(plan.launch.has_terminal),
        outlives_nothing_(plan.outlives_nothing) {}
  void receive_event();
  void order(const void* bytes);
  Result<size_t> put_input(std::string_view bytes);
  void type_keys();
  void leave(bool leaves_others);
  void mind_leaving();
  void close_all();

  sandbox::LiveView view_;
  sys::Fd channel_, in_, terminal_, out_end_, err_end_;
  OutputLimits limits_;
  Output out_, err_;
  bool has_terminal_;
  bool outlives_nothing_;
  std::string keys_;      // for the terminal, which has no room for all of them yet
  size_t typed_ = 0;      // of them
  char last_key_ = '\n';  // that it was given
  bool is_stopped_ = false;
  std::optional<Ended> ended_;
  std::optional<Time> leaves_until_;  // it has exited, and its rest is waited for
  std::uint64_t last_byte_ = 0;       // of the output that still counts
};

}  // namespace helve::process

// Spawner: helve's side of one helper program, which starts commands under one policy.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "process/protocol.h"
#include "sandbox/control_group.h"
#include "sandbox/holds.h"
#include "sandbox/live_view.h"
#include "sandbox/policy.h"
#include "sys/file_descriptor.h"

namespace helve::process {

// helve-spawn beside the running program.
std::string spawn_program();

// A command whose start was asked for.
struct Launched {
  sys::Fd channel;
  sys::Fd terminal;        // when it has one
  sandbox::LiveView view;  // when it stays
};

struct Streams {
  int in, out, err;
  std::vector<int> others;  // for the launch's `numbers`
};

// What takes longer hangs; nothing takes half as long even on a machine that is very busy.
struct StartLimits {
  std::chrono::milliseconds longest{30'000};
  std::stop_token stop = {};
};

// Of a command whose keeper was killed. It has run, and must not be run again by itself.
Error lost_command(std::string_view last_words = {});

// Thread-safe but for retire() and has_ended(). Commands live on when it is destroyed, until their
// channels are closed; the helper program ends after the last of them.
class Spawner {
 public:
  // Starts the program and waits until it serves. Errors: unavailable (no_sandbox,
  // unfit_workspace) with the reason when the sandbox cannot be made; not_found or unavailable
  // (no_spawn_helper); kStuck; cancelled.
  static Result<std::unique_ptr<Spawner>> start(const std::string& program,
                                                const sandbox::Policy& policy,
                                                const StartLimits& limits = {});
  ~Spawner();  // waits for the program, but not for long
  Spawner(const Spawner&) = delete;

  // Waits until the command runs. Errors: what is wrong with the directory or the program; kGone;
  // kStuck; cancelled; lost_command(). After any other error it has not run.
  Result<Launched> launch(const Launch& launch, const Streams& streams,
                          const StartLimits& limits = {}) const;
  // The view of a command that was launched here and goes on: see Enclosure::renew.
  Result<sandbox::LiveView> renew(const sandbox::LiveView& view) const;
  // Nobody will launch anything.
  void retire();
  // After retire(): whether the program is gone without a trace.
  bool has_ended();
  // It does not answer: makes an end of it. Its commands go on.
  void give_up() const;
  // What bounds its commands.
  sandbox::Holds holds() const { return holds_; }
  // How many of its processes were ended so far because they took too much memory together.
  std::uint64_t memory_kills() const {
    return holds_.group_memory ? sandbox::memory_kills(pid_) : 0;
  }
  // The program was killed. Another one must be started.
  static constexpr std::string_view kGone = "spawn_helper_gone";
  // It does not answer in time.
  static constexpr std::string_view kStuck = "spawn_helper_stuck";

 private:
  Spawner(sys::Fd socket, int pid) : socket_(std::move(socket)), pid_(pid) {}
  sys::Fd socket_;
  int pid_;
  bool is_reaped_ = false;
  sandbox::Holds holds_;
};

}  // namespace helve::process

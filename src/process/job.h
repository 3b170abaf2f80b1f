// Jobs::Job: one command in the background, for the sources of Jobs.
#pragma once

#include <signal.h>

#include "process/jobs.h"

namespace helve::process {

// What is asked of it and what its thread does take turns by its own mutex.
struct Jobs::Job {
  std::mutex mutex;
  JobInfo info;
  std::unique_ptr<Running> running;  // null: only the record is left, or it never ran here
  std::optional<Time> deadline;
  std::chrono::milliseconds grace{0};
  bool asked_to_end = false;
  bool is_settled = false;   // its end is written down
  bool is_recorded = false;  // in the ledger
  // Guarded by the mutex of all jobs:
  bool is_on_its_way = false;  // somebody tells the session that it has ended
  bool is_said = false;        // the answer to wait or kill says so

  bool is_here() {
    std::lock_guard lock(mutex);
    return info.state != JobState::elsewhere;
  }

  JobInfo told() {
    JobInfo now = info;
    if (running) {
      now.output_bytes = running->out().size();
      now.is_stopped = running->is_stopped();
    }
    return now;
  }

  void ask_to_end() {
    if (!running || running->has_exited() || asked_to_end) return;
    asked_to_end = true;
    running->signal_all(SIGTERM);
    running->signal_all(SIGCONT);  // a stopped process would not hear it
    deadline = std::chrono::steady_clock::now() + grace;
  }

  void hurry(Time end) {
    if (deadline) deadline = std::min(*deadline, end);
  }

  // When it must be looked at though nothing happens.
  std::optional<Time> due() const { return running->has_exited() ? running->due() : deadline; }

  // When its time is up: first asks, then insists.
  void mind_deadline() {
    if (!deadline || !running || running->has_exited() ||
        std::chrono::steady_clock::now() < *deadline)
      return;
    if (asked_to_end) {
      running->begin_end();
      return;
    }
    info.timed_out = true;
    ask_to_end();
  }
};

}  // namespace helve::process

// StopSignals: requests to end the process (SIGINT, SIGTERM, SIGHUP) as a stop token. The first one
// asks politely; a second one, or work that does not end in time, ends the process at once. A
// signal that was ignored before stays ignored.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include "base/result.h"

namespace helve::sys {

struct StopOptions {
  std::chrono::milliseconds grace{4500};  // from the first signal until the process is ended anyway
  int late_status = 1;                    // its exit status then
  std::function<void()> on_stop =
      {};  // called once, on a thread of its own, after the token was stopped
};

class StopSignals {
 public:
  // To be made before any other thread: those inherit that the signals are not theirs to handle.
  static Result<std::unique_ptr<StopSignals>> make(StopOptions options = {});
  // From then on the signals do what they did before.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;

  std::stop_token token() const;

 private:
  struct State;
  explicit StopSignals(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace helve::sys

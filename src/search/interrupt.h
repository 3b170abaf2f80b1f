// Interrupt: whether a search has to end before it is done, because somebody asks for it or its
// time is over. A step of a search is cheaper than a look at the clock, so steps are counted and a
// look is taken only now and then.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

namespace helve::search {

// For one thread.
class Interrupt {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  Interrupt() = default;  // never
  Interrupt(std::stop_token stop, Deadline deadline)
      : stop_(std::move(stop)), deadline_(deadline) {}

  // To be asked after every few steps; stays true once it is.
  bool is_due(size_t steps) {
    if (steps < left_) {
      left_ -= steps;
      return due_;
    }
    return look();
  }
  bool look() {
    left_ = kStepsBetweenLooks;
    due_ = due_ || stop_.stop_requested() ||
           (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
    return due_;
  }
  bool was_due() const { return due_; }

 private:
  static constexpr size_t kStepsBetweenLooks = 1 << 16;  // well below a millisecond

  std::stop_token stop_;
  Deadline deadline_;
  size_t left_ = kStepsBetweenLooks;
  bool due_ = false;
};

}  // namespace helve::search

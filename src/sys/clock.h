// Clock: where time comes from. Tests move a ManualClock by hand; nothing sleeps to see time pass.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace helve::sys {

// Thread-safe.
class Clock {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;
  virtual std::int64_t unix_ms() const = 0;  // wall clock
  virtual Steady steady() const = 0;         // for durations
};

class RealClock final : public Clock {
 public:
  std::int64_t unix_ms() const override;
  Steady steady() const override;
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t unix_ms = 1'767'225'600'000) : unix_ms_(unix_ms) {}
  std::int64_t unix_ms() const override { return unix_ms_; }
  Steady steady() const override { return Steady(std::chrono::milliseconds(unix_ms_)); }
  void advance(std::chrono::milliseconds by) { unix_ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> unix_ms_;
};

// "2026-01-31 23:59:59": for people and models.
std::string utc(std::int64_t unix_ms);

}  // namespace helve::sys

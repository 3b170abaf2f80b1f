// ServerRest: a server that did not answer is left alone for a while, so that not every search
// waits for it. Short-lived processes tell each other by a file in the state directory.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "sys/clock.h"

namespace helve::knowledge {

class ServerRest {
 public:
  static constexpr std::chrono::milliseconds kRest{30'000};

  // Without a file only this process knows.
  explicit ServerRest(const sys::Clock& clock, std::string file = {})
      : clock_(clock), file_(std::move(file)) {}

  void begin();
  void end();
  // How long it is still left alone; zero: it may be asked.
  std::chrono::milliseconds left() const;

 private:
  std::chrono::milliseconds left_since(std::int64_t began_ms) const;

  const sys::Clock& clock_;
  const std::string file_;               // holds the time when the rest began
  std::atomic<std::int64_t> began_ = 0;  // in milliseconds since 1970; 0: it did not
};

}  // namespace helve::knowledge

#include "sys/clock.h"

namespace helve::sys {

std::int64_t RealClock::unix_ms() const {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Clock::Steady RealClock::steady() const { return std::chrono::steady_clock::now(); }

}  // namespace helve::sys

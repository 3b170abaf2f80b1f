#include "sys/clock.h"

#include <fmt/format.h>

namespace helve::sys {

std::int64_t RealClock::unix_ms() const {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Clock::Steady RealClock::steady() const { return std::chrono::steady_clock::now(); }

std::string utc(std::int64_t unix_ms) {
  using namespace std::chrono;
  const sys_seconds at(floor<seconds>(milliseconds(unix_ms)));
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace helve::sys

#include "sys/local_time.h"

#include <chrono>
#include <ctime>

namespace helve::sys {

std::int64_t local_ms(std::int64_t unix_ms) {
  using namespace std::chrono;
  const std::time_t at = floor<seconds>(milliseconds(unix_ms)).count();
  std::tm parts{};
  ::tzset();
  if (!::localtime_r(&at, &parts)) return unix_ms;
  return unix_ms + milliseconds(seconds(parts.tm_gmtoff)).count();
}

}  // namespace helve::sys

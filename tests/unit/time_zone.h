// Another time zone for as long as a test runs.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace helve {

class TimeZone {
 public:
  explicit TimeZone(const char* zone) {
    if (const char* const now = getenv("TZ")) before_ = now;
    setenv("TZ", zone, 1);
  }
  ~TimeZone() {
    if (before_)
      setenv("TZ", before_->c_str(), 1);
    else
      unsetenv("TZ");
  }
  TimeZone(const TimeZone&) = delete;
  TimeZone& operator=(const TimeZone&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace helve

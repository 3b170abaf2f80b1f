#include "sys/local_time.h"

#include <gtest/gtest.h>

#include "sys/clock.h"
#include "unit/time_zone.h"

namespace helve::sys {
namespace {

TEST(LocalTime, IsThatOfTheZone) {
  constexpr std::int64_t kNewYear = 1'767'225'600'999;  // 2026-01-01 00:00:00.999 UTC
  const auto shown = [](const char* zone, std::int64_t at) {
    const TimeZone here(zone);
    return utc(local_ms(at));
  };
  EXPECT_EQ(shown("UTC0", kNewYear), "2026-01-01 00:00:00");
  EXPECT_EQ(shown("KIR-14", kNewYear), "2026-01-01 14:00:00");
  EXPECT_EQ(shown("HST10", kNewYear), "2025-12-31 14:00:00");
  EXPECT_EQ(shown("NPT-5:45", -1), "1970-01-01 05:44:59");
  // Summer time counts when it is summer.
  constexpr std::int64_t kHalfAYear = 182ll * 24 * 60 * 60 * 1000;
  EXPECT_EQ(shown("CET-1CEST,M3.5.0,M10.5.0/3", kNewYear), "2026-01-01 01:00:00");
  EXPECT_EQ(shown("CET-1CEST,M3.5.0,M10.5.0/3", kNewYear + kHalfAYear), "2026-07-02 02:00:00");
}

}  // namespace
}  // namespace helve::sys

#include "sys/id.h"

#include <gtest/gtest.h>

#include <set>

#include "sys/clock.h"

namespace helve::sys {
namespace {

TEST(Id, IsAVersionSevenUuidBehindItsPrefix) {
  ManualClock clock(0x0123456789AB);
  std::string id = new_id("s_", clock.unix_ms());
  ASSERT_EQ(id.size(), 38u);
  EXPECT_EQ(id.substr(0, 17), "s_01234567-89ab-7");
  EXPECT_NE(std::string("89ab").find(id[21]), std::string::npos);
}

TEST(Id, NeverRepeatsAndSortsByTime) {
  ManualClock clock;
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(new_id("c_", clock.unix_ms()));
  EXPECT_EQ(ids.size(), 1000u);
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_GT(new_id("c_", clock.unix_ms()), *ids.rbegin());
}

}  // namespace
}  // namespace helve::sys

#include <gtest/gtest.h>

#include "process/commands.h"
#include "process/descendants.h"

namespace helve::process {
namespace {

class SupervisorTest : public ::testing::Test {
 protected:
  const sys::RealClock clock_;
  Supervisor supervisor_{spawn_program(), clock_, nullptr};
};

TEST_F(SupervisorTest, TriesTheSandboxOfThisMachineOut) {
  const auto holds = supervisor_.try_out({.level = sandbox::Level::read_only});
  EXPECT_TRUE(holds) << describe(holds.error());
}

TEST_F(SupervisorTest, SaysWhyNoCommandCanRun) {
  const auto holds = supervisor_.try_out({.roots = {"/nowhere"}});
  ASSERT_FALSE(holds);
  EXPECT_EQ(holds.error().type, "no_sandbox");
  EXPECT_NE(holds.error().message.find("/nowhere"), std::string::npos) << describe(holds.error());
}

}  // namespace
}  // namespace helve::process

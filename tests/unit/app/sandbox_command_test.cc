#include <gtest/gtest.h>

#include "unit/app/fixture.h"

namespace helve::app {
namespace {

class SandboxCommand : public Machine {};

TEST_F(SandboxCommand, ExplainsThePolicy) {
  EXPECT_EQ(run({"sandbox", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("workspace-write"), std::string::npos) << out_;
  EXPECT_NE(out_.find((base_ / "work").string()), std::string::npos) << out_;
}

TEST_F(SandboxCommand, ExplainsItToPrograms) {
  EXPECT_EQ(run({"--json", "sandbox", "--level", "read_only", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("read-only"), std::string::npos) << out_;
}

TEST_F(SandboxCommand, PassesTheExitCodeOn) {
  EXPECT_EQ(run({"sandbox", "--", "sh", "-c", "exit 5"}), 5) << err_;
  EXPECT_EQ(run({"sandbox", "--", "sh", "-c", "kill -9 $$"}), 128 + 9);
  EXPECT_EQ(run({"sandbox", "--", "no-such-program"}), 127);
}

TEST_F(SandboxCommand, WritesInTheWorkspaceUnlessTheLevelForbidsIt) {
  EXPECT_EQ(run({"sandbox", "--", "touch", "made"}), 0) << err_;
  EXPECT_TRUE(exists("work/made"));
  EXPECT_NE(run({"sandbox", "--level", "read_only", "--", "touch", "other"}), 0);
  EXPECT_FALSE(exists("work/other"));
}

TEST_F(SandboxCommand, SaysThatACommandIsMissing) {
  EXPECT_EQ(run({"sandbox"}), 2);
  EXPECT_NE(err_.find("helve sandbox explain"), std::string::npos) << err_;
}

}  // namespace
}  // namespace helve::app

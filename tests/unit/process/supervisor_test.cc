#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

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

TEST_F(SupervisorTest, TheFirstCommandsOfAnEmptyRootMayComeTogether) {
  std::string root = (std::filesystem::temp_directory_path() / "helve-supervisor-XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  for (int round = 0; round < 5; ++round) {
    Supervisor supervisor(spawn_program(), clock_, nullptr);
    const sandbox::Policy policy{.roots = {root},
                                 .protected_names = sandbox::default_protected_names()};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        const auto holds = supervisor.try_out(policy);
        EXPECT_TRUE(holds) << describe(holds.error());
      });
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(root));  // what was reserved is gone again
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace helve::process

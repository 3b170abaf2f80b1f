#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "process/commands.h"
#include "process/descendants.h"
#include "unit/process/helpers.h"

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
  EXPECT_EQ(holds.error().type, "unfit_workspace");
  EXPECT_NE(holds.error().message.find("/nowhere"), std::string::npos) << describe(holds.error());
}

TEST_F(SupervisorTest, TellsAFaultOfTheWorkspaceFromOneOfTheMachine) {
  std::string root = "/tmp/helve-unit-XXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  std::filesystem::create_directory_symlink("elsewhere", root + "/.git");
  const auto holds =
      supervisor_.try_out({.roots = {root}, .protected_names = sandbox::default_protected_names()});
  std::filesystem::remove_all(root);
  ASSERT_FALSE(holds);
  EXPECT_EQ(holds.error().type, "unfit_workspace");
  EXPECT_EQ(holds.error().message, "commands cannot be confined to this workspace: '" + root +
                                       "/.git' is a symbolic link, which commands could replace");
  EXPECT_EQ(holds.error().hint, "put what it leads to in its place");
}

TEST_F(SupervisorTest, ReplacesAHelperThatDoesNotAnswer) {
  const sandbox::Policy policy{.level = sandbox::Level::full};
  supervisor_.warm_up([&] { return policy; });
  kill(idle_keeper(), SIGSTOP);
  const Plan plan{.launch = {.argv = {"/bin/true"}, .env = {}, .cwd = "/"}};
  const auto late = supervisor_.start(policy, plan, {.longest = std::chrono::milliseconds(20)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().type, Spawner::kStuck);
  EXPECT_TRUE(supervisor_.start(policy, plan));
}

// Eight helpers are kept; those of further policies must make room for one another.
TEST_F(SupervisorTest, NeitherWaitsForAHelperThatItNeedsNoMoreNorForgetsIt) {
  const auto policy = [](int i) {
    return sandbox::Policy{.level = sandbox::Level::full,
                           .limits = {.file_bytes = (1ull << 30) + static_cast<size_t>(i)}};
  };
  std::vector<std::unique_ptr<Running>> running;
  for (int i = 0; i < 12; ++i) {
    auto started = supervisor_.start(
        policy(i), {.launch = {.argv = {"/bin/sleep", "1000"}, .env = {}, .cwd = "/"}});
    ASSERT_TRUE(started) << describe(started.error());
    running.push_back(std::move(*started));
  }
  EXPECT_EQ(children_of(getpid()).size(), 12u);
  running.clear();
  const Time end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (children_of(getpid()).size() > 8 && std::chrono::steady_clock::now() < end)
    EXPECT_TRUE(supervisor_.try_out(policy(11)));
  EXPECT_EQ(children_of(getpid()).size(), 8u);
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

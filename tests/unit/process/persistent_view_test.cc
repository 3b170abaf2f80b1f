#include "process/persistent_shell.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/commands.h"

namespace helve::process {
namespace {

// The shell goes on while somebody outside replaces files that are covered or protected.
class PersistentView : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/var/lib/helve-test-XXXXXX";
    if (geteuid() != 0) name = std::string(getenv("HOME")) + "/.helve-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
    for (const char* part : {"root/.git/hooks", "root/.git/info", "home"})
      std::filesystem::create_directories(base_ / part);
    put("root/.git/config", "[core]\n");
    put("home/secret", "word");
    policy_.roots = {base_ / "root"};
    policy_.protected_names = sandbox::default_protected_names();
    policy_.hidden = {base_ / "home/secret", base_ / "home/later/secret"};
  }
  void TearDown() override {
    (void)supervisor_.shells().end("session", {});
    if (!base_.empty()) std::filesystem::remove_all(base_);
  }

  void put(const std::string& name, std::string_view text) { std::ofstream(base_ / name) << text; }
  // As git and editors do.
  void replace(const std::string& name, std::string_view text) {
    put(name + ".new", text);
    std::filesystem::rename(base_ / (name + ".new"), base_ / name);
  }
  int run(const std::string& command) {
    const std::string directory = base_ / "root";
    const std::string quiet = command + " 2>/dev/null";
    const auto answer = supervisor_.shells().run(
        {.session = "session",
         .command = quiet,
         .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60),
         .grace = std::chrono::seconds(1)},
        {.policy = policy_, .environment = environment_, .limits = limits_, .directory = directory},
        {});
    EXPECT_TRUE(answer) << describe(answer.error());
    return answer ? answer->exit_code : -1;
  }

  const sys::RealClock clock_;
  Supervisor supervisor_{spawn_program(), clock_, nullptr};
  std::filesystem::path base_;
  sandbox::Policy policy_;
  const std::vector<std::string> environment_{"PATH=/usr/bin:/bin"};
  const OutputLimits limits_;
};

TEST_F(PersistentView, ProtectsWhatSomebodyReplacedBetweenTwoCalls) {
  EXPECT_NE(run("kept=7; echo x >> .git/config"), 0);
  replace("root/.git/config", "[user]\n");
  EXPECT_NE(run("echo x >> .git/config"), 0);
  EXPECT_EQ(run("echo x > .git/index && test $kept = 7"), 0);
}

TEST_F(PersistentView, CoversWhatSomebodyReplacedBetweenTwoCalls) {
  EXPECT_NE(run("cat ../home/secret"), 0);
  replace("home/secret", "word");
  EXPECT_NE(run("cat ../home/secret"), 0);
  std::filesystem::create_directory(base_ / "home/later");
  put("home/later/secret", "word");
  EXPECT_NE(run("cat ../home/later/secret"), 0);
}

TEST_F(PersistentView, TakesAwayAfterEachCallWhatMisleadsGit) {
  EXPECT_EQ(run("echo ../evil > .git/commondir"), 0);
  EXPECT_FALSE(std::filesystem::exists(base_ / "root/.git/commondir"));
  EXPECT_EQ(run("mkdir objects refs; echo 'ref: refs/heads/main' > HEAD"), 0);
  EXPECT_FALSE(std::filesystem::exists(base_ / "root/HEAD"));
}

}  // namespace
}  // namespace helve::process

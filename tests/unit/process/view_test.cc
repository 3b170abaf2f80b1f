// What commands can reach stays right while somebody outside replaces files that are covered or
// protected.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/commands.h"
#include "process/foreground.h"

namespace helve::process {
namespace {

enum class How : unsigned char { in_one_shell, one_by_one };

class View : public ::testing::TestWithParam<How> {
 protected:
  void SetUp() override {
    std::string name = "/var/lib/helve-test-XXXXXX";
    if (geteuid() != 0) name = std::string(getenv("HOME")) + "/.helve-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
    for (const char* part :
         {"root/.git/hooks", "root/.git/info", "home", "deep/deeper", "one", "two"})
      std::filesystem::create_directories(base_ / part);
    put("root/.git/config", "[core]\n");
    put("home/secret", "word");
    put("deep/deeper/secret", "word");
    put("two/secret", "word");
    std::filesystem::create_symlink("../two/secret", base_ / "one/link");
    std::filesystem::create_symlink("../one/link", base_ / "home/chain");
    policy_.roots = {base_ / "root"};
    policy_.protected_names = sandbox::default_protected_names();
    policy_.hidden = {base_ / "home/secret", base_ / "home/later/secret", base_ / "home/link",
                      base_ / "home/chain", base_ / "deep/deeper/secret"};
    // What they all share is made with the first ones.
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run("kept=7"), 0);
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
    const std::string quiet = command + " 2>/dev/null";
    return GetParam() == How::in_one_shell ? run_in_shell(quiet) : run_alone(quiet);
  }
  int run_in_shell(const std::string& command) {
    const auto answer = supervisor_.shells().run(
        {.session = "session", .command = command, .deadline = soon(), .grace = {}},
        {.policy = policy_,
         .environment = environment_,
         .limits = limits_,
         .directory = [this] { return base_ / "root"; }},
        {});
    EXPECT_TRUE(answer) << describe(answer.error());
    return answer ? answer->exit_code : -1;
  }
  int run_alone(const std::string& command) {
    auto running = supervisor_.start(
        policy_,
        {.launch = {.argv = {"/bin/sh", "-c", command}, .env = environment_, .cwd = base_ / "root"},
         .limits = limits_});
    EXPECT_TRUE(running) << describe(running.error());
    if (!running) return -1;
    const auto waited = stay_with(**running, {.deadline = soon()}, {});
    EXPECT_TRUE(waited && *waited == Waited::ended);
    return (*running)->ended().exit_code;
  }
  // What a command of its own has left is taken away when nobody waits for it any more.
  bool goes(const std::string& name) const {
    const Time end = GetParam() == How::in_one_shell ? Time() : soon();
    while (std::filesystem::exists(base_ / name)) {
      if (std::chrono::steady_clock::now() >= end) return false;
    }
    return true;
  }
  static Time soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(60); }

  const sys::RealClock clock_;
  Supervisor supervisor_{spawn_program(), clock_, nullptr};
  std::filesystem::path base_;
  sandbox::Policy policy_;
  const std::vector<std::string> environment_{"PATH=/usr/bin:/bin"};
  const OutputLimits limits_;
};

TEST_P(View, ProtectsWhatSomebodyReplacedBetweenTwoCalls) {
  EXPECT_NE(run("echo x >> .git/config"), 0);
  replace("root/.git/config", "[user]\n");
  EXPECT_NE(run("echo x >> .git/config"), 0);
  EXPECT_EQ(run("echo x > .git/index"), 0);
  EXPECT_EQ(run("test $kept = 7") == 0, GetParam() == How::in_one_shell);
}

TEST_P(View, ProtectsARepositoryThatSomebodyReplaced) {
  std::filesystem::rename(base_ / "root/.git", base_ / "root/old");
  std::filesystem::create_directories(base_ / "root/.git/hooks");
  put("root/.git/config", "[core]\n");
  EXPECT_NE(run("echo x >> .git/config"), 0);
  EXPECT_NE(run("echo x > .git/hooks/pre-commit"), 0);
}

// A command may have made room for them, so that nothing changes where something is protected.
TEST_P(View, ProtectsWorktreesAndSubmodulesThatSomebodyAdds) {
  EXPECT_EQ(run("mkdir -p .git/worktrees/early"), 0);
  EXPECT_NE(run("mkdir -p .git/modules/libs"), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run("true"), 0);
  std::filesystem::create_directory(base_ / "root/.git/worktrees/tree");
  put("root/.git/worktrees/tree/commondir", "../..\n");
  EXPECT_NE(run("echo ../../../evil > .git/worktrees/tree/commondir"), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run("true"), 0);
  put("root/.git/worktrees/early/commondir", "../..\n");
  EXPECT_NE(run("echo ../../../evil > .git/worktrees/early/commondir"), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run("true"), 0);
  std::filesystem::create_directories(base_ / "root/.git/modules/libs/sub");
  put("root/.git/modules/libs/sub/config", "[core]\n");
  EXPECT_NE(run("echo x >> .git/modules/libs/sub/config"), 0);
}

TEST_P(View, ProtectsTheCheckoutOfASubmoduleThatSomebodyMakes) {
  std::filesystem::create_directory(base_ / "root/sub");
  replace("root/.git/config", "[submodule \"sub\"]\n\turl = x\n");
  put("root/.gitmodules", "[submodule \"sub\"]\n\tpath = sub\n");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run("true"), 0);
  put("root/sub/.git", "gitdir: ../.git/modules/sub\n");
  EXPECT_NE(run("echo gitdir: ../evil > sub/.git"), 0);
}

TEST_P(View, CoversWhatSomebodyReplacedBetweenTwoCalls) {
  EXPECT_NE(run("cat ../home/secret"), 0);
  replace("home/secret", "word");
  EXPECT_NE(run("cat ../home/secret"), 0);
  std::filesystem::create_directory(base_ / "home/later");
  put("home/later/secret", "word");
  EXPECT_NE(run("cat ../home/later/secret"), 0);
}

TEST_P(View, CoversWhatIsBelowADirectoryThatSomebodyReplaced) {
  std::filesystem::rename(base_ / "home", base_ / "before");
  std::filesystem::create_directory(base_ / "home");
  put("home/secret", "word");
  EXPECT_NE(run("cat ../home/secret"), 0);
}

TEST_P(View, CoversWhatIsFarBelowADirectoryThatSomebodyReplaced) {
  std::filesystem::rename(base_ / "deep", base_ / "before");
  std::filesystem::create_directories(base_ / "deep/deeper");
  put("deep/deeper/secret", "word");
  EXPECT_NE(run("cat ../deep/deeper/secret"), 0);
}

TEST_P(View, CoversWhatALinkLeadsToOnceThatIsThere) {
  std::filesystem::create_directory(base_ / "far");
  std::filesystem::create_symlink(base_ / "far/secret", base_ / "home/link");
  EXPECT_NE(run("cat ../home/link"), 0);
  put("far/secret", "word");
  EXPECT_NE(run("cat ../home/link"), 0);
}

TEST_P(View, CoversWhatALinkLeadsToWhenSomebodyReplacesThat) {
  std::filesystem::create_directory(base_ / "far");
  put("far/secret", "word");
  std::filesystem::create_symlink(base_ / "far/secret", base_ / "home/link");
  for (int i = 0; i < 3; ++i) EXPECT_NE(run("cat ../home/link"), 0);
  replace("far/secret", "word");
  EXPECT_NE(run("cat ../home/link"), 0);
}

TEST_P(View, CoversWhatAChainOfLinksLeadsToWhenSomebodyReplacesOne) {
  EXPECT_NE(run("cat ../home/chain"), 0);
  std::filesystem::create_directory(base_ / "three");
  put("three/secret", "word");
  std::filesystem::create_symlink("../three/secret", base_ / "one/new");
  std::filesystem::rename(base_ / "one/new", base_ / "one/link");
  for (int i = 0; i < 3; ++i) EXPECT_NE(run("cat ../home/chain"), 0);
  replace("three/secret", "word");
  EXPECT_NE(run("cat ../home/chain"), 0);
}

TEST_P(View, TakesAwayAfterEachCallWhatMisleadsGit) {
  EXPECT_EQ(run("echo ../evil > .git/commondir"), 0);
  EXPECT_TRUE(goes("root/.git/commondir"));
  EXPECT_EQ(run("mkdir objects refs; echo 'ref: refs/heads/main' > HEAD"), 0);
  EXPECT_TRUE(goes("root/HEAD"));
}

INSTANTIATE_TEST_SUITE_P(Commands, View, ::testing::Values(How::in_one_shell, How::one_by_one),
                         [](const auto& info) {
                           return info.param == How::in_one_shell ? "InOneShell" : "OneByOne";
                         });

}  // namespace
}  // namespace helve::process

// What one sandbox closed stays hidden from the commands of the next.
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "unit/sandbox/enclosed.h"

namespace helve::sandbox {
namespace {

constexpr mode_t kOpen = 0770;

class Closed : public InEnclosure {
 protected:
  void SetUp() override {
    InEnclosure::SetUp();
    write("root/a/b/private/key", "x");
    make_directory("home");
  }
  void TearDown() override {
    open_again();
    InEnclosure::TearDown();
  }

  void open_again() const { chmod(path("root/a/b/private").c_str(), kOpen); }
  void lead_to(const std::string& place) {
    std::filesystem::create_symlink(path(place), path("home/.netrc"));
    policy.hidden = {path("home/.netrc")};
  }
  // As in a tree that several people work in. The user namespace knows nothing of that group, so
  // that nobody has special rights there.
  bool share(const std::string& name = "a/b/private") {
    const std::optional<gid_t> group = other_group();
    if (!group) return false;
    groups = {*group};
    return chown(path("root/" + name).c_str(), static_cast<uid_t>(-1), *group) == 0 &&
           chmod(path("root/" + name).c_str(), kOpen) == 0;
  }
  int close(const std::string& name = "a/b/private") { return sh("chmod 0 " + name); }
  // In two sandboxes more.
  bool gets_out() {
    return sh("chmod 700 a/b/private && cat a/b/private/key && exit;"
              "mv a/b/private a/b/moved && mkdir a/b/private; false") == 0 ||
           sh("cat a/b/private/key || cat a/b/moved/key") == 0;
  }
};
INSTANTIATE_TEST_SUITE_P(Users, Closed, testing::ValuesIn(users()), user_name);

TEST_P(Closed, KeepsWhatALinkOfHomeLeadsTo) {
  lead_to("root/a/b/private/key");
  EXPECT_EQ(close(), 0);
  EXPECT_FALSE(gets_out());
  EXPECT_EQ(sh("true"), 0);
}

TEST_P(Closed, KeepsWhatALinkInItLeadsTo) {
  write("root/c/key", "x");
  std::filesystem::create_symlink("../../../c/key", path("root/a/b/private/link"));
  own();
  lead_to("root/a/b/private/link");
  EXPECT_EQ(close(), 0);
  EXPECT_NE(sh("cat c/key"), 0);
  (void)sh("mv c d && mkdir c");
  EXPECT_NE(sh("cat c/key || cat d/key"), 0);
}

TEST_P(Closed, RunsNothingWhereItIsSharedWithOthers) {
  policy.hidden = {path("root/a/b/private/key")};
  if (!share()) GTEST_SKIP() << "needs a second group";
  EXPECT_EQ(close(), 0);
  EXPECT_FALSE(gets_out());
  EXPECT_EQ(sh("true"), kBroken);
  open_again();
  EXPECT_EQ(sh("test -d a/b/private && ! cat a/b/private/key"), 0);
}

TEST_P(Closed, RunsNothingWhereALinkLeadsToWhatIsShared) {
  lead_to("root/a/b/private/key");
  if (!share()) GTEST_SKIP() << "needs a second group";
  EXPECT_EQ(close(), 0);
  EXPECT_FALSE(gets_out());
  EXPECT_EQ(sh("true"), kBroken);
}

TEST_P(Closed, RunsNothingWhereTheCommandBeforeClosedIt) {
  policy.hidden = {path("root/a/b/private/key")};
  if (!share()) GTEST_SKIP() << "needs a second group";
  const int status = with_enclosure([&](Enclosure& enclosure, const Ask&) {
    (void)run_in(enclosure, [&] { return shell(variables() + "chmod 0 a/b/private"); });
    return run_in(enclosure, [&] {
      return shell(variables() + "chmod 700 a/b/private && mv a/b/private a/b/moved");
    });
  });
  EXPECT_EQ(status, kBroken);
  EXPECT_FALSE(exists("root/a/b/moved"));
}

TEST_P(Closed, RunsWhereSomebodyElseClosedIt) {
  if (GetParam() != 0) GTEST_SKIP() << "whom the kernel does not know there it calls nobody";
  policy.hidden = {path("root/a/b/private/key")};
  ASSERT_EQ(chown(path("root/a/b/private").c_str(), 1, 1), 0);
  ASSERT_EQ(chmod(path("root/a/b/private").c_str(), 0700), 0);
  EXPECT_EQ(sh("! chmod 777 a/b/private && ! cat a/b/private/key"), 0);
}

TEST_P(Closed, KeepsTheRepositoriesOfSubmodules) {
  repository("root/.git");
  repository("root/.git/modules/sub");
  if (!share(".git/modules")) GTEST_SKIP() << "needs a second group";
  EXPECT_NE(close(".git/modules"), 0) << "nobody inside changes it";
  chmod(path("root/.git/modules").c_str(), 0);
  EXPECT_NE(sh("chmod 700 .git/modules && echo x > .git/modules/sub/hooks/post-checkout"), 0);
  chmod(path("root/.git/modules").c_str(), kOpen);
  EXPECT_NE(sh("echo x > .git/modules/sub/hooks/post-checkout"), 0);
  EXPECT_EQ(sh("echo x > .git/modules/sub/index"), 0);
}

TEST_P(Closed, KeepsARepositoryThatACheckoutLeadsTo) {
  repository("root/a/b/private/apart");
  write("root/checkout/.git", "gitdir: ../a/b/private/apart\n");
  if (!share()) GTEST_SKIP() << "needs a second group";
  EXPECT_EQ(close(), 0);
  EXPECT_NE(sh("chmod 700 a/b/private && echo x > a/b/private/apart/hooks/post-checkout"), 0);
}

TEST_P(Closed, KeepsTheCheckoutsThatARepositoryKnows) {
  repository("root/.git");
  write("root/.git/config", "[submodule \"a/b/private/sub\"]\n");
  write("root/a/b/private/sub/.git", "gitdir: ../../../../.git\n");
  write("root/.git/worktrees/w/gitdir", path("root/a/b/private/w/.git") + "\n");
  write("root/a/b/private/w/.git", "gitdir: ../../../../.git/worktrees/w\n");
  if (!share()) GTEST_SKIP() << "needs a second group";
  for (const char* name : {"sub", "w"}) {
    EXPECT_EQ(close(), 0);
    EXPECT_NE(sh(std::string("chmod 700 a/b/private && echo x > a/b/private/") + name + "/.git"),
              0);
    open_again();
  }
}

}  // namespace
}  // namespace helve::sandbox

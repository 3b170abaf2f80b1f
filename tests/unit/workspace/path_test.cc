#include "workspace/path.h"

#include <gtest/gtest.h>

namespace helve::workspace {
namespace {

TEST(Path, IsBelowARootByPartsNotByLetters) {
  EXPECT_EQ(below("/a/allow", "/a/allow/x/y"), "x/y");
  EXPECT_EQ(below("/a/allow", "/a//./allow/x"), "x");
  EXPECT_EQ(below("/a/allow", "/a/allow"), "");
  EXPECT_EQ(below("/a/allow/", "/a/allow/"), "");
  EXPECT_EQ(below("/a/allow", "/a/allow_evil/x"), std::nullopt);
  EXPECT_EQ(below("/a/allow", "/a"), std::nullopt);
  EXPECT_EQ(below("/", "/a"), "a");
}

TEST(Path, KeepsTheDotsThatTheFileSystemMustJudge) {
  EXPECT_EQ(below("/a", "/a/../etc"), "../etc");
  EXPECT_EQ(tidy("./a//b/./../c/"), "a/b/../c");
}

TEST(Path, TidiesTheRootAndTheCurrentDirectory) {
  EXPECT_EQ(tidy("//"), "/");
  EXPECT_EQ(tidy("./."), ".");
  EXPECT_EQ(tidy("/a//b"), "/a/b");
}

TEST(Path, SplitsTheNameOff) {
  EXPECT_EQ(split_name("a/b/c").directory, "a/b");
  EXPECT_EQ(split_name("a/b/c").name, "c");
  EXPECT_EQ(split_name("c").directory, ".");
  EXPECT_EQ(split_name("a/").name, "");
}

TEST(Path, KnowsTheProtectedParts) {
  EXPECT_EQ(protected_part("a/.git/config"), ".git");
  EXPECT_EQ(protected_part(".helve/config.yaml"), ".helve");
  EXPECT_EQ(protected_part("a/.GIT"), ".GIT");
  EXPECT_EQ(protected_part("a/.gitignore"), "");
  EXPECT_EQ(protected_part("git/.github/x"), "");
}

}  // namespace
}  // namespace helve::workspace

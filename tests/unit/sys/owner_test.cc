#include "sys/owner.h"

#include <gtest/gtest.h>

namespace helve::sys {
namespace {

TEST(Owner, MustBeTheUserOrRoot) {
  FileStatus status{.mode = 0644, .user = 1000};
  EXPECT_FALSE(open_to_others("f", status, Writers::owner_and_group, 1000));
  const auto other = open_to_others("f", status, Writers::owner_and_group, 1001);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->message, "'f' belongs to user 1000, not to you");
  status.user = 0;
  EXPECT_FALSE(open_to_others("f", status, Writers::owner_and_group, 1001));
}

TEST(Owner, MayShareWritingWithTheGroupOnlyWhereThatIsSaid) {
  const FileStatus status{.mode = 0664, .user = 1000};
  EXPECT_FALSE(open_to_others("f", status, Writers::owner_and_group, 1000));
  EXPECT_TRUE(open_to_others("f", status, Writers::owner, 1000));
}

TEST(Owner, HintsCanBePastedIntoAShell) {
  const FileStatus open{.mode = 0666, .user = 1000};
  EXPECT_EQ(open_to_others("/a b", open, Writers::owner, 1000)->hint, "chmod go-w '/a b'");
  EXPECT_EQ(open_to_others("/a'; id #", open, Writers::owner, 1000)->hint,
            R"(chmod go-w '/a'\''; id #')");
  EXPECT_EQ(open_to_others("f", {.mode = 0644, .user = 1}, Writers::owner, 2)->hint.find("sudo"),
            std::string::npos);
}

}  // namespace
}  // namespace helve::sys

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

}  // namespace
}  // namespace helve::sys

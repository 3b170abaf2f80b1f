#include "base/error.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(ErrorCode, IsFoundByItsName) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i)
    EXPECT_EQ(find_code(name_of(static_cast<Code>(i))), static_cast<Code>(i));
  EXPECT_EQ(find_code("no such code"), std::nullopt);
  EXPECT_EQ(find_code(""), std::nullopt);
}

}  // namespace
}  // namespace helve

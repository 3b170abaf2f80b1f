#include <chrono>

#include "unit/tools/fixture.h"

namespace helve {
namespace {

using GrepTool = ToolTest;

TEST_F(GrepTool, SaysThatTheTimeWasOver) {
  tree.file("a", "x\n");
  EXPECT_FALSE(call("grep", R"({"pattern":"x"})").is_partial);
  context.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const Answer answer = call("grep", R"({"pattern":"x"})");
  EXPECT_TRUE(answer.is_partial);
  EXPECT_TRUE(has(answer.text, "no matches so far\n")) << answer.text;
  EXPECT_TRUE(has(answer.text, "the time was over after 0 files")) << answer.text;
}

}  // namespace
}  // namespace helve

#include "unit/tools/fixture.h"

namespace helve {
namespace {

using Write = ToolTest;

TEST_F(Write, CreatesAndSaysSo) {
  const Answer answer = call("write", R"({"path": "docs/notes.md", "content": "one\ntwo"})");
  ASSERT_TRUE(answer.ok);
  EXPECT_EQ(answer.text, "Created docs/notes.md (2 lines, 7 bytes)");
  EXPECT_EQ(answer["created"], true);
  EXPECT_EQ(answer["lines"], 2);
  EXPECT_EQ(answer["bytes"], 7);
  EXPECT_EQ(tree.content("docs/notes.md"), "one\ntwo");
}

TEST_F(Write, OverwritesAndSaysSo) {
  tree.file("notes.md", "old");
  EXPECT_EQ(call("write", R"({"path": "notes.md", "content": "\n"})").text,
            "Overwrote notes.md (1 line, 1 byte)\n1 - old  (no newline at the end)\n1 + \n");
}

TEST_F(Write, KeepsAnExistingFileWhenAskedTo) {
  tree.file("notes.md", "old");
  const Answer answer =
      call("write", R"({"path": "notes.md", "content": "", "on_conflict": "error"})");
  EXPECT_EQ(kind_of(answer), "conflict path_conflict");
  EXPECT_EQ(tree.content("notes.md"), "old");
}

TEST_F(Write, WritesNothingOnceCancelled) {
  std::stop_source source;
  source.request_stop();
  context.stop = source.get_token();
  EXPECT_EQ(kind_of(call("write", R"({"path": "x", "content": ""})")), "cancelled cancelled");
  EXPECT_FALSE(tree.exists("x"));
}

}  // namespace
}  // namespace helve

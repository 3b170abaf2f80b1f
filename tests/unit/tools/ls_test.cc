#include <sys/stat.h>

#include "unit/tools/fixture.h"

namespace helve {
namespace {

using Ls = ToolTest;

TEST_F(Ls, ListsTheWorkspaceByDefault) {
  tree.file("b.txt", "12345");
  tree.directory("a");
  tree.link("c", "b.txt");
  ASSERT_EQ(::mkfifo(tree.path("d").c_str(), 0600), 0);
  const Answer answer = call("ls", "{}");
  EXPECT_EQ(answer.text,
            "a/ (directory)\nb.txt (file, 5 bytes)\nc -> b.txt (symlink)\nd (other)\n");
  EXPECT_EQ(answer["path"], ".");
  EXPECT_EQ(answer["total"], 4);
  EXPECT_EQ(answer["truncated"], false);
  EXPECT_EQ(to_text(answer["entries"].json.as_array()[1]),
            R"({"name":"b.txt","type":"file","size":5})");
  EXPECT_EQ(to_text(answer["entries"].json.as_array()[2]),
            R"({"name":"c","type":"symlink","size":0,"target":"b.txt"})");
}

TEST_F(Ls, SaysThatADirectoryIsEmpty) { EXPECT_EQ(call("ls", "{}").text, ". is empty\n"); }

TEST_F(Ls, ShowsOddNamesEscapedAndKeepsThemDistinct) {
  tree.file("a\nb");
  tree.file("c\x1b[2J");
  tree.file("d\xff");
  tree.file("d\\xff");
  const Answer answer = call("ls", "{}");
  EXPECT_TRUE(
      answer.text.starts_with("\"a\\nb\" (file, 1 byte)\n\"c\\x1b[2J\" (file, 1 byte)\nd\\xff "
                              "(file, 1 byte)\n\"d\\xff\" (file, 1 byte)\n"));
  EXPECT_TRUE(has(answer.text, "note: one name is not UTF-8"));
  EXPECT_EQ(answer["entries"].json.as_array()[0].at("name").as_string(), "a\nb");
  EXPECT_EQ(answer["entries"].json.as_array()[2].at("name").as_string(), "d\\xff");
  EXPECT_FALSE(answer["entries"].json.as_array()[2].as_object().contains("escaped"));
  EXPECT_TRUE(answer["entries"].json.as_array()[3].at("escaped").as_bool());
}

TEST_F(Ls, BoundsALargeDirectoryAndSaysSo) {
  for (int i = 0; i < 1100; ++i) tree.file("many/" + std::to_string(i));
  const Answer answer = call("ls", R"({"path": "many"})");
  EXPECT_EQ(answer["entries"].json.as_array().size(), 1000u);
  EXPECT_EQ(answer["total"], 1100);
  EXPECT_EQ(answer["truncated"], true);
  EXPECT_TRUE(has(answer.text, "note: entries 1–1000 of 1100; offset=1000 shows the next"));
}

TEST_F(Ls, NotesWhatCannotBeRead) {
  tree.file("closed/file");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("closed").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const Answer answer = call("ls", R"({"depth": 2})");
    return has(answer.text, "note: 'closed' cannot be read") ? "" : answer.text;
  });
}

TEST_F(Ls, RefusesDepthsOutOfRange) {
  EXPECT_EQ(kind_of(call("ls", R"({"depth": 0})")), "invalid_argument invalid_input");
  EXPECT_EQ(kind_of(call("ls", R"({"depth": 6})")), "invalid_argument invalid_input");
}

}  // namespace
}  // namespace helve

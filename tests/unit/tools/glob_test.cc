#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>

#include "unit/tools/fixture.h"

namespace helve {
namespace {

class GlobTool : public ToolTest {
 protected:
  void file_of(const char* name, time_t modified) {
    tree.file(name);
    const timespec times[2] = {{modified, 0}, {modified, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, tree.path(name).c_str(), times, 0), 0);
  }
};

TEST_F(GlobTool, ShowsTheNewestFirst) {
  file_of("a", 1'000'000'000);
  file_of("b", 1'000'000'002);
  file_of("d/c", 1'000'000'001);
  file_of("d/e", 1'000'000'001);
  EXPECT_EQ(call("glob", R"({"pattern":"*"})").text, "b\nd/c\nd/e\na\n");
  EXPECT_EQ(call("glob", R"({"pattern":"*","max_results":1})").text,
            "b\nnote: 3 more match; raise max_results or narrow the pattern\n");
}

TEST_F(GlobTool, KeepsTheNewestOfMany) {
  for (int i = 0; i < 300; ++i) file_of(std::to_string(i).c_str(), 1'000'000'000 + (i * 7) % 300);
  const Answer answer = call("glob", R"({"pattern":"*","max_results":2})");
  EXPECT_EQ(answer["total"], 300);
  EXPECT_TRUE(answer.text.starts_with("257\n214\n")) << answer.text;
}

TEST_F(GlobTool, ShowsOddNamesEscapedAndMarksThem) {
  tree.file("a\nb");
  tree.file("c\x1b[2J");
  tree.file("d\xff");
  const Answer answer = call("glob", R"({"pattern":"*","sort":"path"})");
  EXPECT_EQ(answer.text,
            "\"a\\nb\"\n\"c\\x1b[2J\"\n\"d\\xff\"\nnote: one name is not UTF-8: \\xNN stands for a "
            "byte of it; "
            "JSON cannot name it, a shell can\n");
  EXPECT_EQ(answer["matches"].json.as_array()[0].at("path").as_string(), "a\nb");
  EXPECT_TRUE(answer["matches"].json.as_array()[2].at("escaped").as_bool());
}

TEST_F(GlobTool, SaysThatTheTimeWasOver) {
  tree.file("a");
  context.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const Answer answer = call("glob", R"({"pattern":"*"})");
  EXPECT_TRUE(answer.ok);
  EXPECT_EQ(answer["truncated"], true);
  EXPECT_TRUE(answer.is_partial);
  EXPECT_TRUE(has(answer.text, "nothing in '.' matches '*' so far")) << answer.text;
  EXPECT_TRUE(has(answer.text, "the time was over after")) << answer.text;
  EXPECT_FALSE(has(call("glob", R"({"pattern":"*","sort":"none"})").text, "there are more"));
}

TEST_F(GlobTool, ACancelledCallIsAnError) {
  tree.file("a");
  std::stop_source source;
  source.request_stop();
  context.stop = source.get_token();
  EXPECT_EQ(kind_of(call("glob", R"({"pattern":"*"})")), "cancelled cancelled");
}

TEST_F(GlobTool, NamesWhatCannotBeReadAndFindsTheRest) {
  tree.file("a");
  tree.file("closed/b");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("closed").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const Answer answer = call("glob", R"({"pattern":"*"})");
    return answer.text == "a\nnote: 'closed' cannot be read: permission denied\n" ? ""
                                                                                  : answer.text;
  });
}

TEST_F(GlobTool, EntersGitOnlyWhenItIsNamed) {
  tree.file(".git/HEAD");
  tree.file(".env");
  EXPECT_EQ(call("glob", R"({"pattern":"*","hidden":true})").text, ".env\n");
  EXPECT_EQ(call("glob", R"({"pattern":".git/*"})").text, ".git/HEAD\n");
  EXPECT_EQ(call("glob", R"({"pattern":"*","path":".git"})").text, ".git/HEAD\n");
}

TEST_F(GlobTool, LongAndNestedPatternsAreAnsweredOrRefused) {
  tree.file("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  std::string nested, stars;
  for (int i = 0; i < 1000; ++i) nested += "{a,";
  nested += std::string(1000, '}');
  EXPECT_TRUE(call("glob", R"({"pattern":"**/**/**/*)" + nested + "\"}").ok);
  for (int i = 0; i < 2000; ++i) stars += "*a*";
  EXPECT_TRUE(call("glob", R"({"pattern":")" + stars + "\"}").ok);
  EXPECT_EQ(kind_of(call("glob", R"({"pattern":")" + stars + stars + "\"}")),
            "invalid_argument invalid_pattern");
}

}  // namespace
}  // namespace helve

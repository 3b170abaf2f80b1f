#include <fmt/format.h>

#include "guidance/library.h"
#include "tools/guidance_access.h"
#include "unit/tools/fixture.h"

namespace helve {
namespace {

class SkillToolsTest : public ToolTest {
 protected:
  SkillToolsTest() { context.guidance = &library; }

  guidance::Library library{files.get(), ""};
};

TEST_F(SkillToolsTest, SearchManyWordsInALargeSkill) {
  std::string text = "---\ndescription: d\n---\n", query;
  for (int i = 0; i < 25'000; ++i) text += fmt::format("word{}\n", i);
  for (int i = 0; i < 900; ++i) query += fmt::format("word{}x ", 10'000 + i);
  tree.file(".helve/skills/large/SKILL.md", text);
  const Answer found = call("skill_search", fmt::format(R"({{"query": "{}"}})", query));
  ASSERT_TRUE(found.ok) << found.error.message;
  const Json& skill = found.value.at("skills").at(0);
  EXPECT_EQ(skill.at("snippet").get_string(), "word1");  // another form of all of them
  const std::string endless(10'001, 'x');
  EXPECT_EQ(kind_of(call("skill_search", fmt::format(R"({{"query": "{}"}})", endless))),
            "invalid_argument invalid_input");
}

TEST_F(SkillToolsTest, SearchEndsWhenItIsStopped) {
  tree.file(".helve/skills/a/SKILL.md", "---\ndescription: d\n---\nword\n");
  std::stop_source source;
  source.request_stop();
  context.stop = source.get_token();
  EXPECT_EQ(kind_of(call("skill_search", R"({"query": "word"})")).substr(0, 9), "cancelled");
}

// Arguments of a command line are any bytes.
TEST_F(SkillToolsTest, NameTheFileThatIsNotWritten) {
  const Error error = tools::not_written("s/SKILL.md", guidance::check_skill("s", "\xff")).error();
  EXPECT_EQ(error.message, "'s/SKILL.md' is not written: it is not UTF-8 text");
  EXPECT_EQ(error.hint, "convert it to UTF-8");
  EXPECT_EQ(
      tools::not_written("p", guidance::check_prompt("p", "---\ntytle: x\n---\n")).error().hint,
      "correct that and try again: nothing was changed");
}

TEST_F(SkillToolsTest, ReadTellsHowManyFilesAreNotNamed) {
  tree.file(".helve/skills/a/SKILL.md", "---\ndescription: d\n---\n");
  for (size_t i = 0; i < guidance::kMaxFiles + 3; ++i)
    tree.file(fmt::format(".helve/skills/a/{}.txt", 1000 + i), "x");
  const Answer answer = call("skill_read", R"({"name": "a"})");
  EXPECT_EQ(answer["more_files"], 3);
  EXPECT_TRUE(has(answer.text, "1199.txt and 3 more\n"));
}

}  // namespace
}  // namespace helve

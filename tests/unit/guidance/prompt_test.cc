// Prompts and skills as files: their format, and which of them count.
#include "guidance/prompt.h"

#include <gtest/gtest.h>

#include "guidance/front_matter.h"
#include "guidance/relevance.h"

namespace helve::guidance {
namespace {

TEST(Prompt, TakeATextWithoutFrontMatter) {
  EXPECT_EQ(parse_prompt("plain", "Just text\n")->body, "Just text\n");
}
TEST(Prompt, DoNotExpandWhatWasFilledIn) {
  EXPECT_EQ(fill("{{a}} {{b}}", {{"a", "{{b}}"}, {"b", "x"}}), "{{b}} x");
}
TEST(Prompt, RefuseWhatIsWrong) {
  EXPECT_FALSE(parse_prompt("a b", "text"));
  EXPECT_FALSE(parse_prompt("a", "---\ntitle: x\nno end"));
  EXPECT_FALSE(parse_prompt("a", "Use {{this}}"));
  EXPECT_FALSE(parse_prompt("a", "---\ntitle: 3\n---\n"));
  EXPECT_FALSE(parse_prompt("a", "\xff\xfe"));
  EXPECT_FALSE(parse_prompt("a", "---\narguments:\n  - name: x\n  - name: x\n---\n{{x}}"));
}

TEST(Prompt, SaysWhenItIsLoadedAndWhetherItMayBeChanged) {
  const auto prompt = parse_prompt("a",
                                   "---\ntitle: T\nloading: contextual\nagent-modification: "
                                   "false\n---\nWith {{braces}}.\n");
  ASSERT_TRUE(prompt) << describe(prompt.error());
  EXPECT_EQ(prompt->loading, Loading::contextual);
  EXPECT_FALSE(prompt->agent_modification);
  EXPECT_EQ(prompt->body, "With {{braces}}.\n");
  EXPECT_TRUE(parse_prompt("a", "text")->agent_modification);
  EXPECT_FALSE(parse_prompt("a", "text")->loading);
}

TEST(Prompt, TellsWrongNamesFromWrongFrontMatter) {
  for (const char* name : {"", "..", ".a", "a/b", "a b", "ä", "a\n"})
    EXPECT_EQ(parse_prompt(name, "text").error().type, "invalid_name") << name;
  EXPECT_EQ(parse_prompt(std::string(65, 'a'), "text").error().type, "invalid_name");
  for (const char* text :
       {"---\nloading: never\n---\n", "---\nagent-modification: 1\n---\n",
        "---\nagent_modification: true\n---\n", "---\n- a\n---\n", "---\ntitle: [\n---\n",
        "---\nloading: always\narguments: [{name: x}]\n---\n", "---\n"})
    EXPECT_EQ(parse_prompt("a", text).error().type, "invalid_frontmatter") << text;
}

TEST(Prompt, TellsAllKeysThatItMayHave) {
  EXPECT_EQ(parse_prompt("a", "---\ncolour: red\n---\n").error().message,
            "colour: unknown key (known: title, description, loading, arguments, "
            "agent-modification)");
}

TEST(FrontMatter, KeepsItsLinesAsTheyStand) {
  EXPECT_EQ(front_of("---\r\ntitle:   x # why\r\n---\r\nbody\n"),
            "---\r\ntitle:   x # why\r\n---\r\n");
  EXPECT_EQ(front_of("no front matter"), "");
  EXPECT_EQ(front_of("---\nno end"), "");
}

TEST(FrontMatter, WritesValuesThatAreReadAsTheyWere) {
  for (const std::string text :
       {"plain words", "true",   "null", "1.5",        "a: b", "- x", "#x",
        "'",           "\"",     "a\nb", "",           " a ",  "\\",  "ü – \x01",
        "[x]",         "{x: 1}", "yes",  "2026-01-31", "a #b", "..."}) {
    std::string file = "---\ntitle: " + yaml_value(text) + "\n---\n";
    std::string_view rest = file;
    const auto front = take_front_matter(rest);
    ASSERT_TRUE(front) << file << describe(front.error());
    EXPECT_EQ(string_at(*front, "title"), text) << file;
    EXPECT_EQ(rest, "");
  }
}

TEST(Relevance, CountsSharedWordsOfMoreThanThreeLetters) {
  const Words words = words_of("Make a RELEASE, now: größe!");
  EXPECT_EQ(words, (Words{"make", "release", "größe"}));
  EXPECT_EQ(shared_words(words, "A release has a Größe"), 2u);
  EXPECT_EQ(shared_words(words, "releases now"), 0u);
  EXPECT_EQ(shared_words({}, "release"), 0u);
}

}  // namespace
}  // namespace helve::guidance

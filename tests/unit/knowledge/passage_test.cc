#include "knowledge/passage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace helve::knowledge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "heading|first-last|text"
std::vector<std::string> shown(std::string_view text, TextKind kind = TextKind::markdown) {
  std::vector<std::string> out;
  for (const Passage& passage : split_passages(text, kind))
    out.push_back(passage.heading + "|" + std::to_string(passage.first_line) + "-" +
                  std::to_string(passage.last_line) + "|" + passage.text);
  return out;
}

std::string repeated(std::string_view text, size_t count) {
  std::string out;
  for (; count > 0; --count) out += text;
  return out;
}

TEST(Passages, AreSectionsWithThePathOfTheirHeadings) {
  EXPECT_THAT(
      shown("intro\n\n# A\none\n\n## B ##\ntwo\n# C\nthree\n"),
      ElementsAre("|1-1|intro", "A|3-4|# A\none", "A > B|6-7|## B ##\ntwo", "C|8-9|# C\nthree"));
}

TEST(Passages, KeepAHeadingWithTheOneBelowItWhenNothingIsBetween) {
  EXPECT_THAT(shown("# A\n\n## B\ntext\n"), ElementsAre("A > B|1-4|# A\n\n## B\ntext"));
  EXPECT_THAT(shown("# A\n# B\ntext\n"), ElementsAre("A|1-1|# A", "B|2-3|# B\ntext"));
}

TEST(Passages, KnowUnderlinedHeadings) {
  EXPECT_THAT(shown("Top\n===\none\n\nSub\nof two lines\n---\ntwo\n"),
              ElementsAre("Top|1-3|Top\n===\none",
                          "Top > Sub of two lines|5-8|Sub\nof two lines\n---\ntwo"));
  // Below a list and after a blank line it is a rule.
  EXPECT_THAT(shown("- item\n---\n\n---\ntext\n"), ElementsAre("|1-5|- item\n---\n\n---\ntext"));
}

TEST(Passages, TakeNoHeadingFromCode) {
  EXPECT_THAT(
      shown("# A\n```sh\n# not one\n~~~\n## nor this\n```\n## B\nb\n"),
      ElementsAre("A|1-6|# A\n```sh\n# not one\n~~~\n## nor this\n```", "A > B|7-8|## B\nb"));
  EXPECT_THAT(shown("~~~\n# open until the end\n"), ElementsAre("|1-2|~~~\n# open until the end"));
  EXPECT_THAT(shown("- item\n\n      ```\n# code\n      ```\n"),
              ElementsAre("|1-5|- item\n\n      ```\n# code\n      ```"));
  EXPECT_THAT(shown("#tag\n####### seven\n    # indented\n"),
              ElementsAre("|1-3|#tag\n####### seven\n    # indented"));
}

TEST(Passages, LeaveOutFrontMatter) {
  EXPECT_THAT(shown("---\ntitle: x\n---\n\n# A\nb\n"), ElementsAre("A|5-6|# A\nb"));
  EXPECT_THAT(shown("\xEF\xBB\xBF---\r\ntitle: x\r\n...\r\ntext\r\n"), ElementsAre("|4-4|text"));
  EXPECT_THAT(shown("---\nno end\n"), ElementsAre("|1-2|---\nno end"));
}

TEST(Passages, CutLongSectionsBetweenBlocks) {
  const std::string paragraph = repeated("some words here\n", 40);  // 640 bytes
  const auto passages =
      split_passages("# A\n" + paragraph + "\n" + paragraph + "\n" + paragraph, TextKind::markdown);
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[0].first_line, 1u);
  EXPECT_EQ(passages[0].last_line, 82u);
  EXPECT_EQ(passages[1].first_line, 84u);
  EXPECT_EQ(passages[1].last_line, 123u);
  EXPECT_EQ(passages[1].heading, "A");
}

TEST(Passages, KeepAListAndATableTogetherWhereTheyFit) {
  const std::string paragraph = repeated("some words here\n", 50);  // 800 bytes
  const std::string list = repeated("- an item\n\n  more of it\n\n", 45);
  const std::string table = repeated("| a cell | another |\n", 80);  // 1680 bytes
  const auto lists = split_passages(paragraph + "\n" + list, TextKind::markdown);
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_TRUE(lists[1].text.starts_with("- an item"));
  const auto tables = split_passages("Numbers:\n\n" + table, TextKind::markdown);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].last_line, 82u);
}

TEST(Passages, CutALongListBetweenItsItems) {
  const auto passages =
      split_passages(repeated("1. an item\n   that goes on\n", 200), TextKind::markdown);
  ASSERT_GT(passages.size(), 2u);
  for (const Passage& passage : passages) EXPECT_TRUE(passage.text.starts_with("1. an item"));
}

TEST(Passages, OfPlainTextAreParagraphs) {
  const std::string paragraph = repeated("# words\n", 150);  // 1200 bytes
  const auto passages = split_passages(paragraph + "\n\n" + paragraph, TextKind::plain);
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[0].heading, "");
  EXPECT_EQ(passages[1].first_line, 153u);
}

TEST(Passages, OfCodeBeginWithDefinitions) {
  const std::string function = "void f() {\n" + repeated("  work();\n\n", 60) + "}\n";  // 680 bytes
  const auto passages =
      split_passages(function + "\n" + function + "\n" + function, TextKind::code);
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_TRUE(passages[1].text.starts_with("void f()"));
  const auto dense = split_passages(repeated(function, 3), TextKind::code);
  ASSERT_GT(dense.size(), 1u);
  EXPECT_TRUE(dense[1].text.starts_with("void f()"));
}

TEST(Passages, OfNothingAreNone) {
  for (const TextKind kind : {TextKind::markdown, TextKind::plain, TextKind::code}) {
    EXPECT_THAT(shown("", kind), IsEmpty());
    EXPECT_THAT(shown("\n \r\n\t\n", kind), IsEmpty());
  }
}

TEST(Passages, CutALineThatIsTooLongAtSpacesOrCharacters) {
  const std::string words = repeated("lorem ipsum ", 200'000);
  const std::string umlauts = repeated("ä", 100'000);
  for (const TextKind kind : {TextKind::markdown, TextKind::plain, TextKind::code}) {
    const auto passages = split_passages("a\n" + words + "\n" + umlauts, kind);
    std::string all;
    for (const Passage& passage : passages) {
      EXPECT_LE(passage.text.size(), kMaxPassageBytes);
      EXPECT_TRUE(is_utf8(passage.text));
      if (passage.first_line > 1) all += passage.text;
    }
    EXPECT_EQ(all, words + umlauts);
    EXPECT_EQ(passages.back().first_line, 3u);
    EXPECT_EQ(passages.back().last_line, 3u);
  }
}

TEST(Passages, OfManyHeadingsAreManyAndSmall) {
  const auto passages = split_passages(repeated("###### x\n", 100'000), TextKind::markdown);
  ASSERT_EQ(passages.size(), 100'000u);
  EXPECT_EQ(passages.back().first_line, 100'000u);
  const auto nested = split_passages(repeated("# a\n## b\n### c\n", 30'000), TextKind::markdown);
  ASSERT_EQ(nested.size(), 30'000u);
  EXPECT_EQ(nested.back().heading, "a > b > c");
}

TEST(Passages, HaveBoundedHeadings) {
  const auto passages =
      split_passages("# " + std::string(1 << 20, 'x') + "\ntext\n", TextKind::markdown);
  for (const Passage& passage : passages) EXPECT_LE(passage.heading.size(), 200u);
}

// Whatever the text is: passages are in order, within bounds, made of exactly their lines, and no
// line with text is lost.
TEST(Passages, HaveTrueLinesOfAnyText) {
  const std::vector<std::string> pieces = {"# ",
                                           "## h",
                                           "\n",
                                           "\n\n",
                                           "\r\n",
                                           "---\n",
                                           "===\n",
                                           "```\n",
                                           "~~~",
                                           "- i\n",
                                           "  b\n",
                                           "| c |\n",
                                           "\t",
                                           "> q\n",
                                           std::string(1, '\0'),
                                           "\xff\xfe",
                                           "word word\n",
                                           "ä",
                                           std::string(2500, 'x'),
                                           "long line of words \n",
                                           "}\n",
                                           "1. \n"};
  std::mt19937 random(7);
  for (int round = 0; round < 800; ++round) {
    std::string text;
    const size_t count = random() % 120;
    for (size_t i = 0; i < count; ++i) text += pieces[random() % pieces.size()];
    std::vector<std::string_view> lines = split(text, '\n');
    for (const TextKind kind : {TextKind::markdown, TextKind::plain, TextKind::code}) {
      size_t next = 1;
      size_t bytes = 0;
      for (const Passage& passage : split_passages(text, kind)) {
        ASSERT_LE(passage.text.size(), kMaxPassageBytes);
        ASSERT_LE(passage.first_line, passage.last_line);
        ASSERT_LE(passage.last_line, lines.size());
        ASSERT_GE(passage.first_line + 1, next);
        next = passage.last_line + 1;
        const char* const begin = lines[passage.first_line - 1].data();
        const std::string_view last = lines[passage.last_line - 1];
        const std::string_view whole(begin, static_cast<size_t>(last.data() + last.size() - begin));
        ASSERT_NE(whole.find(passage.text), whole.npos);
        bytes += static_cast<size_t>(std::ranges::count_if(passage.text, [](char c) {
          return std::string_view(" \t\r\n").find(c) == std::string_view::npos;
        }));
      }
      const auto all = static_cast<size_t>(std::ranges::count_if(text, [](char c) {
        return std::string_view(" \t\r\n").find(c) == std::string_view::npos;
      }));
      if (kind == TextKind::markdown && text.starts_with("---"))
        continue;  // front matter is left out
      ASSERT_EQ(bytes, all) << escape_bytes(text);
    }
  }
}

}  // namespace
}  // namespace helve::knowledge

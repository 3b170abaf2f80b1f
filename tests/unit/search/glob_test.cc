#include "search/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool matches(std::string_view pattern, std::string_view text, Syntax syntax = Syntax::tool) {
  const Result<Glob> glob = Glob::compile(pattern, syntax);
  EXPECT_TRUE(glob) << pattern;
  return glob && glob->matches(text);
}

std::string wrong(std::string_view pattern) {
  const Result<Glob> glob = Glob::compile(pattern, Syntax::tool);
  return glob ? "compiles" : glob.error().message;
}

TEST(Glob, AStarTakesAnythingButASlash) {
  EXPECT_TRUE(matches("*.c", ".c"));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_FALSE(matches("a*c", "a/c"));
  EXPECT_TRUE(matches("*a*b*", "xaxbx"));
  EXPECT_FALSE(matches("*a*b*", "xbxax"));
  EXPECT_FALSE(matches("ab*ba", "aba"));
}

TEST(Glob, TwoStarsBetweenSlashesTakeAnyDirectories) {
  EXPECT_TRUE(matches("a/**/b", "a/b"));
  EXPECT_TRUE(matches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(matches("a/**/b", "a/xb"));
  EXPECT_TRUE(matches("**/b", "b"));
  EXPECT_TRUE(matches("a/**", "a/x/y"));
  EXPECT_FALSE(matches("a/**", "a"));
  EXPECT_TRUE(matches("**/a*/**/c", "x/ab/y/z/c"));
}

TEST(Glob, TwoStarsElsewhereAreOneStar) {
  EXPECT_TRUE(matches("a**c", "abc"));
  EXPECT_FALSE(matches("a**c", "a/c"));
  EXPECT_FALSE(matches("a**/c", "a/b/c"));
}

TEST(Glob, TriesTheNextDirectoryWhenAStarFails) {
  EXPECT_TRUE(matches("**/foo/[^b]*", "x/foo/foo/y"));
  EXPECT_TRUE(matches("**/a*b/c", "ab/axb/c"));
  EXPECT_FALSE(matches("**/a*b/c", "ab/d"));
}

TEST(Glob, AQuestionMarkIsOneCharacter) {
  EXPECT_TRUE(matches("?.c", "é.c"));
  EXPECT_FALSE(matches("??.c", "é.c"));
  EXPECT_TRUE(matches("?.c", "\xff.c"));
  EXPECT_FALSE(matches("a?b", "a/b"));
}

TEST(Glob, AQuestionMarkIsOneByteForGit) {
  EXPECT_FALSE(matches("?.c", "é.c", Syntax::git));
  EXPECT_TRUE(matches("??.c", "é.c", Syntax::git));
}

TEST(Glob, ClassesHaveRangesNegationAndEscapes) {
  EXPECT_TRUE(matches("[a-c]", "b"));
  EXPECT_FALSE(matches("[!a-c]", "b"));
  EXPECT_TRUE(matches("[^a-c]", "d"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("[a-]", "-"));
  EXPECT_TRUE(matches("[\\]]", "]"));
  EXPECT_TRUE(matches("[à-ü]", "é"));
  EXPECT_FALSE(matches("[!a]", "/"));
  EXPECT_FALSE(matches("[\xC3\xA0-\xC3\xBC]", "\xe9"));  // a stray byte is no character
}

TEST(Glob, KnowsNamedClasses) {
  EXPECT_TRUE(matches("[[:digit:]_]", "7"));
  EXPECT_TRUE(matches("[[:digit:]_]", "_"));
  EXPECT_FALSE(matches("[[:upper:]]", "a"));
  EXPECT_THAT(wrong("[[:nope:]]"), HasSubstr("unknown class [:nope:]"));
}

TEST(Glob, ABackslashTakesTheMeaningAway) {
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "a"));
  EXPECT_TRUE(matches("a\\[b", "a[b"));
}

TEST(Glob, NamesWhatIsWrong) {
  EXPECT_EQ(wrong("a[b"), "the pattern 'a[b' has a [ without its ]");
  EXPECT_EQ(wrong("["), "the pattern '[' has a [ without its ]");
  EXPECT_EQ(wrong("[z-a]"), "the pattern '[z-a]' has a range that runs backwards");
  EXPECT_EQ(wrong("a\\"), "the pattern 'a\\' ends in a backslash");
  EXPECT_THAT(wrong(std::string(kMaxGlob + 1, 'a')), HasSubstr("the limit is 10240"));
}

TEST(Glob, ManyStarsAndManyDirectoriesAreNoProblem) {
  std::string stars, text(4000, 'a'), directories, path;
  for (int i = 0; i < 2000; ++i) stars += "*a";
  EXPECT_FALSE(matches(stars + "*b", text));
  for (int i = 0; i < 1000; ++i) directories += "**/*a/";
  for (int i = 0; i < 1300; ++i) path += "aa/";
  EXPECT_FALSE(matches(directories + "b", path + "c"));
  EXPECT_TRUE(matches(directories + "c", path + "c"));
}

TEST(Glob, TellsHowDeepAMatchCanBe) {
  EXPECT_EQ(Glob::compile("a/*/b", Syntax::tool)->most_slashes(), 2u);
  EXPECT_EQ(Glob::compile("a/**/b", Syntax::tool)->most_slashes(), size_t(-1));
}

TEST(Braces, AreWrittenOut) {
  EXPECT_THAT(*expand_braces("a{b,c}d"), ElementsAre("abd", "acd"));
  EXPECT_THAT(*expand_braces("{a,b}{c,d}"), ElementsAre("ac", "ad", "bc", "bd"));
  EXPECT_THAT(*expand_braces("{a,{b,c}x}"), ElementsAre("a", "bx", "cx"));
  EXPECT_THAT(*expand_braces("x{,.c}"), ElementsAre("x", "x.c"));
  EXPECT_THAT(*expand_braces("plain"), ElementsAre("plain"));
}

TEST(Braces, DoNotCountInClassesAndAfterABackslash) {
  EXPECT_THAT(*expand_braces("[{,}]"), ElementsAre("[{,}]"));
  EXPECT_THAT(*expand_braces("{[,],b}"), ElementsAre("[,]", "b"));
  EXPECT_THAT(*expand_braces("\\{a,b\\}"), ElementsAre("\\{a,b\\}"));
}

TEST(Braces, AreClosedAndOpened) {
  EXPECT_THAT(expand_braces("a{b").error().message, HasSubstr("has a { without its }"));
  EXPECT_THAT(expand_braces("a}b").error().message, HasSubstr("closes a brace"));
}

TEST(Braces, AreRefusedWhenTheyStandForTooMuch) {
  std::string product, nested, empty;
  for (int i = 0; i < 100; ++i) product += "{a,b}";
  EXPECT_THAT(expand_braces(product).error().message, HasSubstr("more than 1024 alternatives"));
  for (int i = 0; i < 2500; ++i) nested += "{a,";
  EXPECT_THAT(expand_braces(nested + std::string(2500, '}')).error().message,
              HasSubstr("more than 1024 alternatives"));
  EXPECT_THAT(*expand_braces(std::string(5000, '{') + "a" + std::string(5000, '}')),
              ElementsAre("a"));
}

}  // namespace
}  // namespace helve::search

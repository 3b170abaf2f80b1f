#include "search/glob_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::search {
namespace {

using testing::HasSubstr;

Verdict decide(const GlobSet& set, std::string_view path) {
  const bool is_directory = path.ends_with('/');
  if (is_directory) path.remove_suffix(1);
  return set.decide(Candidate(path, path.substr(path.rfind('/') + 1), is_directory));
}
Verdict ignored(std::string_view file, std::string_view path) {
  return decide(GlobSet::from_ignore_file(file), path);
}
Verdict typed(const std::vector<std::string>& patterns, std::string_view path) {
  const Result<GlobSet> set = GlobSet::from_patterns(patterns);
  EXPECT_TRUE(set);
  return set ? decide(*set, path) : Verdict::none;
}

constexpr Verdict kNone = Verdict::none, kMatched = Verdict::matched, kNegated = Verdict::negated;

TEST(IgnoreFile, ARuleWithoutASlashHoldsAtAnyDepth) {
  EXPECT_EQ(ignored("foo", "foo"), kMatched);
  EXPECT_EQ(ignored("foo", "a/b/foo"), kMatched);
  EXPECT_EQ(ignored("*.o", "a/b.o"), kMatched);
  EXPECT_EQ(ignored("*.o", "a/b.oo"), kNone);
}

TEST(IgnoreFile, ARuleWithASlashHoldsFromTheStart) {
  EXPECT_EQ(ignored("/foo", "foo"), kMatched);
  EXPECT_EQ(ignored("/foo", "a/foo"), kNone);
  EXPECT_EQ(ignored("a/foo", "a/foo"), kMatched);
  EXPECT_EQ(ignored("a/foo", "x/a/foo"), kNone);
  EXPECT_EQ(ignored("**/a/foo", "x/a/foo"), kMatched);
}

TEST(IgnoreFile, ASlashAtTheEndAsksForADirectory) {
  EXPECT_EQ(ignored("foo/", "foo"), kNone);
  EXPECT_EQ(ignored("foo/", "a/foo/"), kMatched);
}

TEST(IgnoreFile, TheLastRuleThatMatchesDecides) {
  EXPECT_EQ(ignored("*.o\n!a.o", "a.o"), kNegated);
  EXPECT_EQ(ignored("!a.o\n*.o", "a.o"), kMatched);
  EXPECT_EQ(ignored("a*\n!*.o\na.o", "a.o"), kMatched);
  EXPECT_EQ(ignored("a.o\n!a*", "a.o"), kNegated);
}

TEST(IgnoreFile, LinesAreReadAsGitReadsThem) {
  EXPECT_EQ(ignored("# foo\n\nfoo", "foo"), kMatched);
  EXPECT_EQ(ignored("\\#foo", "#foo"), kMatched);
  EXPECT_EQ(ignored("\\!foo", "!foo"), kMatched);
  EXPECT_EQ(ignored("foo  ", "foo"), kMatched);
  EXPECT_EQ(ignored("foo\\ ", "foo "), kMatched);
  EXPECT_EQ(ignored("foo\\ \\  ", "foo  "), kMatched);
  EXPECT_EQ(ignored("foo\t", "foo"), kNone);
  EXPECT_EQ(ignored("foo\r\nbar\r\n", "foo"), kMatched);
  EXPECT_EQ(ignored("\xEF\xBB\xBF"
                    "foo",
                    "foo"),
            kMatched);
  EXPECT_EQ(ignored("{a,b}", "a"), kNone);
  EXPECT_EQ(ignored("{a,b}", "{a,b}"), kMatched);
}

TEST(IgnoreFile, ALineThatIsWrongMatchesNothing) {
  EXPECT_EQ(ignored("[x\nfoo", "foo"), kMatched);
  EXPECT_EQ(ignored("[x", "[x"), kNone);
  EXPECT_EQ(ignored("/\n//\n!\n", "a"), kNone);
}

TEST(IgnoreFile, BeginsWhereItIsSaidTo) {
  const GlobSet set = GlobSet::from_ignore_file("/b/c");
  EXPECT_EQ(set.decide(Candidate("a/b/c", "c", false), 2), kMatched);
  EXPECT_EQ(set.decide(Candidate("a/b/c", "c", false), 0), kNone);
}

TEST(Patterns, AnExcludeTurnsAnIncludeAround) {
  EXPECT_EQ(typed({"*.c", "!test.c"}, "src/test.c"), kNegated);
  EXPECT_EQ(typed({"*.c", "!test.c"}, "src/main.c"), kMatched);
  EXPECT_EQ(typed({"!*.c"}, "main.h"), kNone);
  EXPECT_FALSE(GlobSet::from_patterns(std::vector<std::string>{"!*.c"})->has_includes());
}

TEST(Patterns, BracesAreAlternativesOfOneRule) {
  EXPECT_EQ(typed({"*.{ts,tsx}"}, "a/b.tsx"), kMatched);
  EXPECT_EQ(typed({"{src,test}/**/*.{c,h}"}, "test/a/b.h"), kMatched);
  EXPECT_EQ(typed({"{src,test}/**/*.{c,h}"}, "doc/a/b.h"), kNone);
}

TEST(Patterns, ADotAndASlashMeanTheStart) {
  EXPECT_EQ(typed({"./*.c"}, "a.c"), kMatched);
  EXPECT_EQ(typed({"./*.c"}, "src/a.c"), kNone);
}

TEST(Patterns, WrongOnesAreNamed) {
  const auto wrong = GlobSet::from_patterns(std::vector<std::string>{"*.c", "a[b"});
  EXPECT_THAT(wrong.error().message, HasSubstr("'a[b'"));
  EXPECT_FALSE(GlobSet::from_patterns(std::vector<std::string>{""}));
  EXPECT_FALSE(GlobSet::from_patterns(std::vector<std::string>(2000, "a")));
}

TEST(Patterns, TellWhichDirectoriesNeedNotBeEntered) {
  const auto below = [](const std::string& pattern, std::string_view directory) {
    return GlobSet::from_patterns(std::vector{pattern})->may_match_below(directory);
  };
  EXPECT_TRUE(below("*.c", "any"));
  EXPECT_TRUE(below("src/lib/*.c", "src"));
  EXPECT_TRUE(below("src/**/*.c", "src/lib"));
  EXPECT_FALSE(below("src/**/*.c", "doc"));
  EXPECT_FALSE(below("src/*.c", "src/lib"));
  EXPECT_FALSE(below("/*.c", "src"));
  EXPECT_FALSE(below("src/**", "srcs"));
  EXPECT_TRUE(below("!src/**", "doc"));
}

TEST(Patterns, ShowTheFilesThatAWalkWouldShow) {
  const auto shows = [](const std::vector<std::string>& patterns, std::string_view path) {
    return GlobSet::from_patterns(patterns)->shows(path);
  };
  EXPECT_TRUE(shows({"*.c"}, "src/a.c"));
  EXPECT_FALSE(shows({"*.c"}, "src/a.h"));
  EXPECT_TRUE(shows({"**/Kconfig"}, "a/Kconfig"));
  EXPECT_FALSE(shows({"**/Kconfig"}, "a/Makefile"));
  EXPECT_FALSE(shows({"**/Kconfig"}, "a/xKconfig"));
  EXPECT_TRUE(shows({"*.{c,h}"}, "src/a.h"));
  EXPECT_TRUE(shows({"*.c", "a*"}, "src/a.h"));
  EXPECT_TRUE(shows({"a"}, "a"));
  EXPECT_FALSE(shows({"b"}, "a"));
  EXPECT_TRUE(shows({"a.c"}, "a.c"));
  EXPECT_FALSE(shows({"x/a.c"}, "a.c"));
  EXPECT_FALSE(shows({"*.c", "!src"}, "src/a.c"));
  EXPECT_FALSE(shows({"*.c", "!*.h"}, "src/a.h"));
  EXPECT_FALSE(shows({"!*.h"}, "src/a.h"));
  EXPECT_TRUE(shows({"!*.h"}, "src/a.c"));
  EXPECT_TRUE(shows({"*.{a,b,c,d,e,f,g,h,i,j,k}"}, "src/a.k"));
  EXPECT_FALSE(shows({"*.{a,b,c,d,e,f,g,h,i,j,k}"}, "src/a.z"));
}

TEST(Patterns, TenKilobytesAreAnsweredAtOnce) {
  std::string pattern;
  while (pattern.size() < kMaxGlob - 10) pattern += "**/*a";
  EXPECT_EQ(typed({pattern}, std::string(4000, 'a')), kNone);
}

}  // namespace
}  // namespace helve::search

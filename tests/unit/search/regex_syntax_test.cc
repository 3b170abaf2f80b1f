#include "search/regex_syntax.h"

#include <gtest/gtest.h>

namespace helve::search {
namespace {

Regex parsed(std::string_view pattern, RegexOptions options = {}) {
  Result<Regex> regex = parse_regex(pattern, options);
  EXPECT_TRUE(regex.has_value()) << pattern << ": " << (regex ? "" : regex.error().message);
  return regex ? std::move(*regex) : Regex{};
}

std::string refusal(std::string_view pattern, RegexOptions options = {}) {
  const Result<Regex> regex = parse_regex(pattern, options);
  return regex ? "accepted" : regex.error().message;
}

TEST(RegexSyntax, KnowsWhichPatternsNeedBacktracking) {
  for (const char* pattern : {"a(?=b)", "(?<!a)b", R"((a)\1)", R"((?<x>a)\k<x>)", "(?>a+)b",
                              R"((a)\g{1})", R"((a)(b)\g{-1})", "(?P<y>a)(?P=y)"})
    EXPECT_TRUE(parsed(pattern).needs_backtracking) << pattern;
  for (const char* pattern :
       {"a(?:b|c)*", R"(\bfoo\b)", "(?i)x(?-i:y)", R"([\w&&[^_]]+)", "a{2,5}?"})
    EXPECT_FALSE(parsed(pattern).needs_backtracking) << pattern;
}

TEST(RegexSyntax, TakesABraceThatBeginsNoRepetitionAsText) {
  for (const char* pattern : {"struct {", "a{", "a{,3}", "{}", "a{x}", "}", "]"})
    EXPECT_EQ(refusal(pattern), "accepted") << pattern;
}

TEST(RegexSyntax, SaysWhereAPatternIsWrong) {
  EXPECT_EQ(refusal("foo(bar"),
            "the pattern is wrong at offset 3: this group is not closed: \"(bar\"");
  EXPECT_NE(refusal("foo)").find("offset 3: this ) closes nothing"), std::string::npos);
  EXPECT_NE(refusal("[a").find("offset 0: this set is not closed"), std::string::npos);
  EXPECT_NE(refusal("*a").find("offset 0: there is nothing to repeat"), std::string::npos);
  EXPECT_NE(refusal("[z-a]").find("ends before it begins"), std::string::npos);
  EXPECT_NE(refusal("a{5,2}").find("ends before it begins"), std::string::npos);
  EXPECT_NE(refusal(R"(\q)").find("no such escape"), std::string::npos);
  EXPECT_NE(refusal(R"(a\)").find("nothing follows"), std::string::npos);
  EXPECT_NE(refusal(R"((a)\2)").find("there is no group 2"), std::string::npos);
  EXPECT_NE(refusal(R"(\p{Klingon})").find("no Unicode property 'Klingon'"), std::string::npos);
  EXPECT_NE(refusal("(?y)a").find("no such flag"), std::string::npos);
  EXPECT_NE(refusal("\xff").find("not UTF-8"), std::string::npos);
}

TEST(RegexSyntax, HintsAtParametersThatWhoeverAsksHas) {
  for (const char* pattern : {"foo(", R"(\q)"}) {
    const Result<Regex> regex = parse_regex(pattern, {.advice = Advice::parameters});
    ASSERT_FALSE(regex.has_value());
    EXPECT_NE(regex.error().hint.find("literal=true"), std::string::npos);
    EXPECT_EQ(regex.error().type, "invalid_pattern");
    EXPECT_EQ(parse_regex(pattern).error().hint.find("literal"), std::string::npos);
  }
  EXPECT_NE(parse_regex(R"(a\n)", {.advice = Advice::parameters}).error().hint.find("multiline"),
            std::string::npos);
  EXPECT_EQ(parse_regex(R"(a\n)").error().hint, "search for each of the lines");
}

TEST(RegexSyntax, BoundsDepthSizeAndCounts) {
  EXPECT_NE(refusal(std::string(5000, '(')).find("within each other"), std::string::npos);
  EXPECT_NE(refusal(std::string(5000, '[')).find("within each other"), std::string::npos);
  EXPECT_NE(refusal("a" + std::string(5000, '*')).find("too many"), std::string::npos);
  EXPECT_NE(refusal("a{1001}").find("over 1000 times"), std::string::npos);
  EXPECT_NE(refusal("((a{900}){900}){900}").find("over 100000 parts"), std::string::npos);
  EXPECT_NE(refusal(std::string(kMaxPattern + 1, 'a')).find("the limit is"), std::string::npos);
}

TEST(RegexSyntax, LeavesNoWayToMatchANewlineUnlessAsked) {
  EXPECT_NE(refusal(R"(a\nb)").find("a newline"), std::string::npos);
  EXPECT_NE(refusal("a\nb", {.kind = PatternKind::literal}).find("a newline"), std::string::npos);
  EXPECT_EQ(refusal(R"(a\nb)", {.newlines = Newlines::matched}), "accepted");
  for (const char* pattern : {R"(\s)", "[^x]", "(?s).", R"([\n])", R"(\W)", R"([\s\S])"}) {
    EXPECT_FALSE(parsed(pattern).root.set->bytes['\n']) << pattern;
  }
  EXPECT_TRUE(parsed(R"(\s)", {.newlines = Newlines::matched}).root.set->bytes['\n']);
}

TEST(RegexSyntax, SmartCaseLooksAtLettersThatAreWritten) {
  const RegexOptions smart{.case_mode = CaseMode::smart};
  EXPECT_TRUE(parsed("foo", smart).ignore_case);
  EXPECT_TRUE(parsed(R"(foo\W\pL)", smart).ignore_case);
  EXPECT_FALSE(parsed("Foo", smart).ignore_case);
  EXPECT_FALSE(parsed("[A]x", smart).ignore_case);
  EXPECT_FALSE(parsed(R"(\w)", smart).ignore_case);
}

TEST(RegexSyntax, KnowsExactlyWhichAsciiCharactersASetHas) {
  const auto members = [](std::string_view pattern) {
    std::string out;
    const Regex regex = parsed(pattern);
    for (int c = 0x20; c < 0x7f; ++c) {
      if (regex.root.set->bytes[c]) out += static_cast<char>(c);
    }
    return out;
  };
  EXPECT_EQ(members("[a-e--c]"), "abde");
  EXPECT_EQ(members("[a-e&&[^bd]]"), "ace");
  EXPECT_EQ(members("[a-c~~b-d]"), "ad");
  EXPECT_EQ(members("[]a]"), "]a");
  EXPECT_EQ(members("[-a]"), "-a");
  EXPECT_EQ(members("[a-]"), "-a");
  EXPECT_EQ(members("(?i)[a-c]"), "ABCabc");
  EXPECT_EQ(members("[[:xdigit:]]"), "0123456789ABCDEFabcdef");
  EXPECT_EQ(members(R"([\d_])"), "0123456789_");
  EXPECT_EQ(members(R"(\p{Sm})"), "+<=>|~");
  EXPECT_EQ(members(R"([[:^print:]x])"), "x");
  EXPECT_EQ(members(R"([\x41\u0042\x{43}])"), "ABC");
}

TEST(RegexSyntax, KnowsWhetherASetReachesBeyondAscii) {
  for (const char* pattern : {".", R"(\w)", "[^a]", "[é]", "(?i)[k]", R"(\pL)"})
    EXPECT_TRUE(parsed(pattern).root.set->beyond_ascii) << pattern;
  for (const char* pattern :
       {"[a-z]", "[[:alpha:]]", R"((?-u)\w)", "(?i)[a]", R"([^\x80-\x{10ffff}a])"}) {
    const Regex regex = parsed(pattern);
    EXPECT_FALSE(regex.root.set->beyond_ascii) << pattern;
  }
}

TEST(RegexSyntax, FlagsHoldUntilTheirGroupEnds) {
  const Regex regex = parsed("a(?i:b)(c(?i)d)e");
  ASSERT_EQ(regex.root.children.size(), 4u);
  EXPECT_FALSE(regex.root.children[0].ignore_case);
  EXPECT_TRUE(regex.root.children[1].children[0].ignore_case);
  EXPECT_FALSE(regex.root.children[2].children[0].children[0].ignore_case);
  EXPECT_TRUE(regex.root.children[2].children[0].children[1].ignore_case);
  EXPECT_FALSE(regex.root.children[3].ignore_case);
}

TEST(RegexSyntax, VerboseModeLeavesOutBlanksAndComments) {
  const Regex regex = parsed("(?x) a b # comment\n c");
  EXPECT_EQ(regex.root.children.size(), 3u);
}

}  // namespace
}  // namespace helve::search

#include "search/required.h"

#include <gtest/gtest.h>

namespace helve::search {
namespace {

std::string required(std::string_view pattern, RegexOptions options = {}) {
  const Result<Regex> regex = parse_regex(pattern, options);
  return regex ? describe(required_text(*regex)) : regex.error().message;
}

TEST(Required, ALiteralIsRequiredWhole) {
  EXPECT_EQ(required("hello"), R"("hello")");
  EXPECT_EQ(required("a.b*", {.kind = PatternKind::literal}), R"("a.b*")");
}

TEST(Required, LiteralsAroundSomethingElseAreAllRequired) {
  EXPECT_EQ(required("foo.*bar"), R"((AND "foo" "bar"))");
  EXPECT_EQ(required(R"(foo\s+bar\w)"), R"((AND "foo" "bar"))");
  EXPECT_EQ(required("a+hello"), R"("ahello")");
}

TEST(Required, AlternativesAreOneOf) {
  EXPECT_EQ(required("foo|bar"), R"((OR "bar" "foo"))");
  EXPECT_EQ(required("x(foo|bar)y"), R"((OR "xbary" "xfooy"))");
  EXPECT_EQ(required("foo|.*"), "*");
  EXPECT_EQ(required("(foo.*1|bar.*2)"), R"((OR (AND "foo" "1") (AND "bar" "2")))");
}

TEST(Required, WhatMayBeLeftOutIsNotRequired) {
  EXPECT_EQ(required("(foo)?bar"), R"("bar")");
  EXPECT_EQ(required("(foo)*"), "*");
  EXPECT_EQ(required("colou?r"), R"((OR "color" "colour"))");
  EXPECT_EQ(required("(ab){3}c"), R"("abababc")");
  EXPECT_EQ(required(""), "*");
}

TEST(Required, SmallSetsAreWrittenOut) {
  EXPECT_EQ(required("x[ab]y"), R"((OR "xay" "xby"))");
  EXPECT_EQ(required("x[a-z]y"), R"((AND "x" "y"))");
}

TEST(Required, IgnoringCaseKnowsTheLettersBeyondAsciiThatFold) {
  EXPECT_EQ(required("HELLO", {.case_mode = CaseMode::insensitive}), R"(i"hello")");
  EXPECT_EQ(required("(?i)key"),
            "(OR i\"key\" i\"\xe2\x84\xaa"
            "ey\")");
  EXPECT_EQ(required("(?i)é"), "*");
}

TEST(Required, AssertionsTakeUpNothing) {
  EXPECT_EQ(required(R"(\bfoo\b$)"), R"("foo")");
  EXPECT_EQ(required("foo(?!bar)baz"), R"("foobaz")");
  EXPECT_EQ(required("foo", {.word = true}), R"("foo")");
}

TEST(Required, TheRarestChoiceIsTheLongestText) {
  const Result<Regex> regex = parse_regex("ab.*longer.*(x|y)");
  ASSERT_TRUE(regex.has_value());
  const std::vector<RequiredText> choice = rarest_choice(required_text(*regex));
  ASSERT_EQ(choice.size(), 1u);
  EXPECT_EQ(choice[0].text, "longer");
}

TEST(Required, AFileWithoutTheTextIsRuledOut) {
  const Result<Regex> regex = parse_regex("(?i)foo.*bar|baz");
  ASSERT_TRUE(regex.has_value());
  const Required needed = required_text(*regex);
  EXPECT_TRUE(satisfies("xx FOO yy\nbAr", needed));
  EXPECT_TRUE(satisfies("BAZ", needed));
  EXPECT_FALSE(satisfies("foo ba z", needed));
}

}  // namespace
}  // namespace helve::search

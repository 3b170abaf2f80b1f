#include "schema/pattern.h"

#include <gtest/gtest.h>

namespace helve::schema {
namespace {

bool matches(std::string_view expression, std::string_view text) {
  Result<Pattern> pattern = Pattern::compile(expression);
  EXPECT_TRUE(pattern.has_value()) << expression;
  return pattern && pattern->matches(text);
}

TEST(Pattern, LooksAnywhereInTheText) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b", "abc"));
  EXPECT_TRUE(matches("", ""));
}

TEST(Pattern, ReadsAsEcmaScriptDoes) {
  EXPECT_FALSE(matches("^a$", "a\n"));
  EXPECT_TRUE(matches("^\\u0041\\u{1F600}$", "A\xF0\x9F\x98\x80"));
  EXPECT_TRUE(matches("^.$", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(matches("^.$", "\r"));
  EXPECT_FALSE(matches("^\\d$", "\xD9\xA9"));  // an Arabic digit
  EXPECT_TRUE(matches("^\\p{L}+$", "h\xC3\xA9"));
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^(?=.*b)(?!c)", "ab"));
}

TEST(Pattern, SaysWhereAnExpressionIsWrong) {
  const Error error = Pattern::compile("a(b").error();
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.message, "invalid pattern 'a(b': missing closing parenthesis at byte 3");
}

TEST(Pattern, RefusesExpressionsThatAreTooLong) {
  EXPECT_TRUE(Pattern::compile(std::string(Pattern::kMaxLength, 'a')).has_value());
  EXPECT_FALSE(Pattern::compile(std::string(Pattern::kMaxLength + 1, 'a')).has_value());
}

TEST(Pattern, GivesUpInsteadOfGoingOnForEver) {
  std::string text(100'000, 'a');
  text += 'b';
  for (std::string_view expression :
       {"(a+)+$", "(a|a)*[cd]", "(.{0,100}){3}[cd]", "a*a*a*[cd]", "\\p{L}+1?$c?d", "a*[cd]"}) {
    Result<Pattern> pattern = Pattern::compile(expression);
    ASSERT_TRUE(pattern) << expression;
    std::uint64_t steps = Pattern::kMaxSteps;
    EXPECT_NE(pattern->match(text, steps), Pattern::Match::yes) << expression;
  }
}

TEST(Pattern, CountsItsSteps) {
  Result<Pattern> pattern = Pattern::compile("^(a+)+$");
  std::uint64_t steps = 1'000;
  EXPECT_EQ(pattern->match("aaaaaa", steps), Pattern::Match::yes);
  EXPECT_LT(steps, 1'000u);
  EXPECT_GT(steps, 0u);
  EXPECT_EQ(pattern->match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", steps),
            Pattern::Match::gave_up);
  EXPECT_EQ(steps, 0u);
}

TEST(Pattern, ReadsLongTextsWithSimplePatterns) {
  EXPECT_TRUE(matches("^[a-z]*$", std::string(4 << 20, 'a')));
}

TEST(Pattern, SurvivesInvalidUtf8) { EXPECT_FALSE(matches("^.$", "\xff")); }

}  // namespace
}  // namespace helve::schema

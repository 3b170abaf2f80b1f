#include "search/matcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace helve::search {
namespace {

// The lines that match, or the words of the error.
std::vector<std::string> lines(std::string_view pattern, std::string_view text,
                               RegexOptions options = {}) {
  const auto matcher = Matcher::make(pattern, options);
  if (!matcher) return {matcher.error().message};
  Matcher::Scratch scratch;
  const Result<void> searched = (*matcher)->find(text, Matcher::Want::all, scratch);
  if (!searched) return {searched.error().type};
  std::vector<std::string> out;
  for (const MatchedLines& line : scratch.found())
    out.emplace_back(text.substr(line.begin, line.end - line.begin));
  return out;
}
using Lines = std::vector<std::string>;

std::string many(char c, std::string_view end) {
  std::string out(100'000, c);
  out.append(end);
  return out;
}

TEST(Matcher, FindsTheLinesOfALiteral) {
  EXPECT_EQ(lines("foo", "a foo\nbar\nfoo foo\n"), (Lines{"a foo", "foo foo"}));
  EXPECT_EQ(lines("foo", "x\nfoo"), Lines{"foo"});
  EXPECT_EQ(lines("foo", ""), Lines{});
  EXPECT_EQ(lines("a.b", "axb\na.b\n", {.kind = PatternKind::literal}), Lines{"a.b"});
}

TEST(Matcher, AWordHasNoWordCharacterBeside) {
  const RegexOptions word{.word = true};
  EXPECT_EQ(lines("foo", "foo\nfoobar\nx foo.\n_foo\n", word), (Lines{"foo", "x foo."}));
  EXPECT_EQ(lines(R"(\bfoo\b)", "foobar foo\nfoo1\n"), Lines{"foobar foo"});
  EXPECT_EQ(lines("foo", "éfoo\n—foo\nfooé\n", word), Lines{"—foo"});
  EXPECT_EQ(lines("fo+", "éfoo\n—foo\nfoo\n", word), (Lines{"—foo", "foo"}));
}

TEST(Matcher, IgnoringCaseFoldsBeyondAscii) {
  const RegexOptions any_case{.case_mode = CaseMode::insensitive};
  EXPECT_EQ(lines("disk", "DISK\ndi\xc5\xbf\xe2\x84\xaa\ndish\n", any_case),
            (Lines{"DISK", "di\xc5\xbf\xe2\x84\xaa"}));
  EXPECT_EQ(lines("ÉT", "ét\nEt\n", any_case), Lines{"ét"});
  EXPECT_EQ(lines("k", "K\n\xe2\x84\xaa\nx\n", any_case), (Lines{"K", "\xe2\x84\xaa"}));
}

// Roman numerals and letters in circles are no letters by their category.
TEST(Matcher, PropertiesAreThoseOfUnicodeNotTheCategoriesOfTheirNames) {
  const std::string text = "Ⅷ\nⓐ\nA\na\n1\n";
  EXPECT_EQ(lines(R"(\p{Alphabetic})", text), (Lines{"Ⅷ", "ⓐ", "A", "a"}));
  EXPECT_EQ(lines(R"(\p{Uppercase})", text), (Lines{"Ⅷ", "A"}));
  EXPECT_EQ(lines(R"(\p{Lowercase})", text), (Lines{"ⓐ", "a"}));
  EXPECT_EQ(lines(R"((?i)\p{Uppercase})", text), (Lines{"Ⅷ", "ⓐ", "A", "a"}));
  EXPECT_EQ(lines(R"((?i)\P{Lowercase})", text), Lines{"1"});
  EXPECT_EQ(lines(R"(\p{Lu})", text), Lines{"A"});
}

TEST(Matcher, NothingMatchesANewlineUnlessAsked) {
  EXPECT_EQ(lines(R"(a\s*b)", "a\nb\na b\n"), Lines{"a b"});
  EXPECT_EQ(lines("a[^x]b", "a\nb\n"), Lines{});
  EXPECT_EQ(lines(R"(a\s*b)", "a\nb\na b\n", {.newlines = Newlines::matched}),
            (Lines{"a\nb", "a b"}));
  EXPECT_EQ(lines("(?s)a.*?c", "x\na\nb\nc\nd\n", {.newlines = Newlines::matched}),
            Lines{"a\nb\nc"});
}

TEST(Matcher, EmptyMatchesAreOnLinesOnly) {
  EXPECT_EQ(lines("x*", "a\n\nb\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines("^$", "a\n\nb\n"), Lines{""});
  EXPECT_EQ(lines("$", "a\n"), Lines{"a"});
}

TEST(Matcher, BytesThatAreNoCharacterMatchNothing) {
  EXPECT_EQ(lines("a.b",
                  "a\xff"
                  "b\na\xc3\xa9"
                  "b\n"),
            Lines{"a\xc3\xa9"
                  "b"});
  EXPECT_EQ(lines("foo",
                  "\xff"
                  "foo\xff\n"),
            Lines{"\xff"
                  "foo\xff"});
  EXPECT_EQ(lines(R"((?-u:\xff)b)",
                  "a\xff"
                  "b\n"),
            Lines{"a\xff"
                  "b"});
}

TEST(Matcher, LookAroundAndReferencesWork) {
  EXPECT_EQ(lines("foo(?!bar)", "foobar\nfoobaz\n"), Lines{"foobaz"});
  EXPECT_EQ(lines("(?<=a)b", "ab\ncb\n"), Lines{"ab"});
  EXPECT_EQ(lines(R"((\w)\1)", "abc\nabb\n"), Lines{"abb"});
  EXPECT_EQ(lines(R"((?<q>['"])x\k<q>)", "'x'\n'x\"\n"), Lines{"'x'"});
}

TEST(Matcher, RepetitionsOfRepetitionsTakeLinearTime) {
  const std::string line = many('a', "b"), beyond_ascii = many('a', "bé");
  EXPECT_EQ(lines("(a+)+$", line), Lines{});
  EXPECT_EQ(lines("(a+)+$", beyond_ascii), Lines{});
  EXPECT_EQ(lines("(a*)*c|x", beyond_ascii), Lines{});
  EXPECT_EQ(lines(R"(.{2,}x*[é-ü]\d)", beyond_ascii).size(), 0u);
  EXPECT_EQ(lines("(a+)+$", line, {.newlines = Newlines::matched}), Lines{});
}

std::string repeated(std::string_view part, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += part;
  return out;
}

// To look at a line of some megabytes anew for each of its rejected matches would take hours.
TEST(Matcher, ALongLineIsLookedAtOnceHoweverOftenItsLiteralIsRejected) {
  constexpr size_t kTimes = 2'000'000;
  const RegexOptions word{.word = true}, any_case{.case_mode = CaseMode::insensitive};
  EXPECT_EQ(lines("foo", repeated("xfoo", kTimes) + "\nfoo\n", word), Lines{"foo"});
  EXPECT_EQ(lines("foo", repeated("éfoo", kTimes / 10) + "\nfoo\n", word), Lines{"foo"});
  EXPECT_EQ(lines("task", "é" + repeated("ta-", kTimes / 10) + "\nTASK\n", any_case),
            Lines{"TASK"});
  EXPECT_EQ(lines("task", repeated("ta-", kTimes) + "\nTASK\n", any_case), Lines{"TASK"});
  EXPECT_EQ(lines("foo", repeated("xfoo", kTimes / 10) + " foo", word).size(), 1u);
  EXPECT_EQ(lines("foo", repeated("éfoo", kTimes / 10) + " foo", word).size(), 1u);
}

TEST(Matcher, ManyMatchesAcrossLinesOfALongLineTakeLinearTime) {
  EXPECT_EQ(lines(R"(a|\n)", repeated("a", 2'000'000), {.newlines = Newlines::matched}).size(), 1u);
}

TEST(Matcher, MatchesAcrossLinesThatTouchAreShownTogether) {
  EXPECT_EQ(lines(R"(a\nb|b c)", "x\na\nb c\ny\nb c b c\n", {.newlines = Newlines::matched}),
            (Lines{"a\nb c", "b c b c"}));
  EXPECT_EQ(lines(R"(a\n|b)", "a\nb\nb\n", {.newlines = Newlines::matched}),
            (Lines{"a", "b", "b"}));
}

// Without the interruption these would take days.
TEST(Matcher, AStopRequestEndsASearchWithinOneText) {
  std::stop_source source;
  source.request_stop();
  const std::string text = repeated("a", 3'000'000);
  for (const char* pattern : {"(?s)a.*z|a", "(?s)(?=a)a.*z|a"}) {
    const auto matcher = Matcher::make(pattern, {.newlines = Newlines::matched});
    ASSERT_TRUE(matcher.has_value());
    Matcher::Scratch scratch(Interrupt(source.get_token(), std::nullopt));
    EXPECT_TRUE((*matcher)->find(text, Matcher::Want::all, scratch).has_value()) << pattern;
    EXPECT_TRUE(scratch.was_interrupted()) << pattern;
  }
}

TEST(Matcher, ADeadlineEndsASearchWithinOneText) {
  const auto matcher = Matcher::make("(?s)a.*z|a", {.newlines = Newlines::matched});
  Matcher::Scratch scratch(Interrupt({}, std::chrono::steady_clock::now()));
  ASSERT_TRUE((*matcher)->find(repeated("a", 3'000'000), Matcher::Want::all, scratch).has_value());
  EXPECT_TRUE(scratch.was_interrupted());
}

TEST(Matcher, CountsMatchesAcrossLinesThatItDoesNotKeep) {
  const auto matcher = Matcher::make(R"(a\n)", {.newlines = Newlines::matched});
  Matcher::Scratch scratch;
  scratch.keep_at_most(2);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE((*matcher)->find("a\nx\na\nx\na\nx\na\na\nx\n", Matcher::Want::all, scratch));
    EXPECT_EQ(scratch.found().size(), 2u);
    EXPECT_EQ(scratch.more(), 3u);
  }
}

TEST(Matcher, LetsTheDotMatchNewlinesWhereTheyAreMatched) {
  EXPECT_EQ(lines("a.b", "a\nb\n", {.newlines = Newlines::matched}), Lines{});
  EXPECT_EQ(lines("a.b", "a\nb\n", {.newlines = Newlines::matched, .dot_all = true}),
            Lines{"a\nb"});
  EXPECT_EQ(lines("a.b", "a\nb\n", {.dot_all = true}), Lines{});
  EXPECT_EQ(lines("a(?-s:.)b", "a\nb\n", {.newlines = Newlines::matched, .dot_all = true}),
            Lines{});
}

TEST(Matcher, APatternThatOnlyBacktrackingDecidesEndsWithAnError) {
  EXPECT_EQ(lines(R"((?=(a+)+$)a\1)", many('a', "b")), Lines{"pattern_too_complex"});
}

TEST(Matcher, ALookBehindWithoutAKnownLengthIsRefused) {
  EXPECT_NE(lines("(?<=a+)b", "ab")[0].find("lookbehind assertion is not fixed length"),
            std::string::npos);
}

TEST(Matcher, MatchesAreThoseThatThePatternPrefers) {
  const auto span = [](std::string_view pattern, std::string_view text) {
    NfaEngine::Scratch scratch;
    const Result<Regex> regex = parse_regex(pattern, {.newlines = Newlines::matched});
    Interrupt never;
    const auto found = NfaEngine(*regex).find(text, 0, scratch, never);
    return found ? std::string(text.substr(found->begin, found->end - found->begin)) : "none";
  };
  EXPECT_EQ(span("a+?", "xaaa"), "a");
  EXPECT_EQ(span("a+", "xaaa"), "aaa");
  EXPECT_EQ(span("a|ab", "ab"), "a");
  EXPECT_EQ(span("(ab|a)(c|bcd)", "abcd"), "abc");
  EXPECT_EQ(span("a{2,3}?b", "aaab"), "aaab");
  EXPECT_EQ(span("b|a.*", "xab"), "ab");
}

// Whatever has a match has the required text, and every engine says the same.
TEST(Matcher, TheRequiredTextIsInEveryMatch) {
  std::mt19937 random(11);
  const std::vector<std::string> parts = {"a",  "b",  "k",     "ab",  "[ab]", ".",       "(a|bk)",
                                          "a?", "b+", "(?i)k", "\\b", "é",    "(ab){2}", "x*"};
  const std::vector<std::string> words = {"a", "b", "k", "K", "ab", "é", "x", " ", "\xe2\x84\xaa",
                                          "\n"};
  for (int round = 0; round < 3000; ++round) {
    std::string pattern, text;
    for (size_t i = 1 + random() % 4; i > 0; --i) pattern += parts[random() % parts.size()];
    if (random() % 4 == 0) pattern += "|" + parts[random() % parts.size()];
    for (size_t i = random() % 12; i > 0; --i) text += words[random() % words.size()];
    const auto matcher = Matcher::make(pattern, {});
    ASSERT_TRUE(matcher.has_value()) << pattern;
    Matcher::Scratch scratch;
    ASSERT_TRUE((*matcher)->find(text, Matcher::Want::all, scratch).has_value());
    const bool found = !scratch.found().empty();
    ASSERT_TRUE(!found || satisfies(text, (*matcher)->required())) << pattern << " in " << text;
    NfaEngine::Scratch exact;
    Interrupt never;
    const bool matches = NfaEngine((*matcher)->regex()).find(text, 0, exact, never).has_value();
    const bool only_after_the_last_line = matches && (text.empty() || text.back() == '\n');
    ASSERT_TRUE(only_after_the_last_line || matches == found) << pattern << " in \"" << text << '"';
  }
}

}  // namespace
}  // namespace helve::search

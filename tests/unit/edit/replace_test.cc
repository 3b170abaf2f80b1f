#include "edit/replace.h"

#include <gtest/gtest.h>

#include <random>

namespace helve::edit {
namespace {

constexpr Names kNames{"a.txt", "old_text"};

Result<Replaced> replaced(std::string_view content, std::string_view old_text,
                          std::string_view new_text, Count count = Count::one) {
  const Replacement replacement{old_text, new_text, count};
  return replace(content, {&replacement, 1}, kNames);
}

// The content afterwards and the stage, or the type of the error.
std::string outcome(std::string_view content, std::string_view old_text, std::string_view new_text,
                    Count count = Count::one) {
  const Result<Replaced> result = replaced(content, old_text, new_text, count);
  if (!result) return std::string(result.error().type_name());
  return std::string(name_of(result->steps[0].stage)) + ": " + result->content;
}

TEST(Replace, TakesWhatIsThereExactly) {
  EXPECT_EQ(outcome("one two\n", "two", "2"), "exact: one 2\n");
  EXPECT_EQ(outcome("a\nb\nc\n", "a\nb", "x"), "exact: x\nc\n");
  EXPECT_EQ(outcome("a", "a", ""), "exact: ");
}

TEST(Replace, RefusesATextThatOccursTwice) {
  const Result<Replaced> result = replaced("x\ny\nx\n", "x", "z");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().type, "not_unique");
  EXPECT_EQ(result.error().message, "old_text occurs 2 times in a.txt: on lines 1, 3");
}

TEST(Replace, SeesPlacesThatOverlap) {
  EXPECT_EQ(outcome("aaa", "aa", "b"), "not_unique");
  EXPECT_EQ(outcome("aaa", "aa", "b", Count::all), "exact: ba");
}

TEST(Replace, ChangesEachWhenAskedTo) {
  EXPECT_EQ(outcome("x y x\nx\n", "x", "xx", Count::all), "exact: xx y xx\nxx\n");
}

TEST(Replace, RefusesNothing) {
  EXPECT_EQ(outcome("a", "", "b"), "empty_text");
  EXPECT_EQ(outcome("a", "a", "a"), "no_change");
}

TEST(Replace, KeepsCarriageReturns) {
  EXPECT_EQ(outcome("a\r\nb\r\n", "b", "c\nd"), "exact: a\r\nc\r\nd\r\n");
  EXPECT_EQ(outcome("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n"),
            "line_endings: a\r\nx\r\ny\r\nc\r\n");
  EXPECT_EQ(outcome("a\nb\n", "a\r\nb", "a\r\nc"), "line_endings: a\nc\n");
}

TEST(Replace, TakesACarriageReturnWithTheNewlineThatATextBeginsWith) {
  EXPECT_EQ(outcome("a\r\nb\r\n", "\nb", "\nX\nb"), "exact: a\r\nX\r\nb\r\n");
  EXPECT_EQ(outcome("a\r\nb\r\n", "\nb", "b"), "exact: ab\r\n");
  EXPECT_EQ(outcome("\r\n\r\n", "\n", "\n-\n", Count::all), "exact: \r\n-\r\n\r\n-\r\n");
  EXPECT_EQ(outcome("a\r\nb\r\n", "\nb\r\n", "\nc\r\n"), "exact: a\r\nc\r\n");
}

TEST(Replace, ChangesEndingsThatAreNamed) {
  EXPECT_EQ(outcome("a\r\nb\r\n", "a\r\n", "a\n"), "exact: a\nb\r\n");
  EXPECT_EQ(outcome("a\nb\n", "a\n", "a\r\n"), "exact: a\r\nb\n");
}

TEST(Replace, KeepsMixedEndingsWhereNothingChanged) {
  EXPECT_EQ(outcome("a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nB\nc\n"),
            "line_endings: a\r\nB\r\nc\r\nd\n");
}

TEST(Replace, KeepsLoneCarriageReturns) {
  EXPECT_EQ(outcome("a\rb\rc", "a\nb", "a\nx\ny"), "line_endings: a\rx\ry\rc");
  EXPECT_EQ(outcome("a\rb\rc", "a\rb", "z"), "exact: z\rc");
}

TEST(Replace, KeepsTheByteOrderMark) {
  EXPECT_EQ(outcome("\xEF\xBB\xBF"
                    "a\n",
                    "a", "b"),
            "exact: \xEF\xBB\xBF"
            "b\n");
  EXPECT_EQ(outcome("\xEF\xBB\xBF  a\n", "    a", "    b"), "indentation: \xEF\xBB\xBF  b\n");
}

TEST(Replace, KeepsBytesThatAreNotText) {
  const std::string content("\xff\0\xc3 x \x80\n", 8);
  const std::string expected("exact: \xff\0\xc3 y \x80\n", 15);
  EXPECT_EQ(outcome(content, "x", "y"), expected);
}

TEST(Replace, IgnoresTrailingWhitespace) {
  EXPECT_EQ(outcome("a  \nb\nc\n", "a\nb\n", "a\nx\n"), "trailing_whitespace: a  \nx\nc\n");
  EXPECT_EQ(outcome("a\nb\nc\n", "a \nb", "a \nx"), "trailing_whitespace: a\nx\nc\n");
  EXPECT_EQ(outcome("a\nb", "b ", "c"), "trailing_whitespace: a\nc");
}

TEST(Replace, EndsAtALineWhereItIgnoredWhitespaceThere) {
  EXPECT_EQ(outcome("foobar\n", "foo ", "x"), "text_not_found");
  EXPECT_EQ(outcome("foo\nfoobar\n", "foo ", "x"), "trailing_whitespace: x\nfoobar\n");
}

TEST(Replace, ShiftsIndentation) {
  EXPECT_EQ(
      outcome("class A {\n    int f() {\n        return 1;\n    }\n};\n",
              "int f() {\n    return 1;\n}\n", "int f() {\n    if (x)\n        return 2;\n}\n"),
      "indentation: class A {\n    int f() {\n        if (x)\n            return 2;\n    }\n};\n");
  EXPECT_EQ(outcome("if a:\n  b\n", "    if a:\n      b\n", "    if a:\n      c\n      d\n"),
            "indentation: if a:\n  c\n  d\n");
}

TEST(Replace, PutsTabsWhereTheFileHasThem) {
  EXPECT_EQ(outcome("f {\n\tif x {\n\t\ty\n\t}\n}\n", "    if x {\n        y\n    }\n",
                    "    if x {\n        y\n        z\n    }\n"),
            "indentation: f {\n\tif x {\n\t\ty\n\t\tz\n\t}\n}\n");
  EXPECT_EQ(outcome("f {\n  a\n    b\n}\n", "\ta\n\t\tb\n", "\ta\n\t\tc\n"),
            "indentation: f {\n  a\n    c\n}\n");
}

TEST(Replace, RefusesIndentationThatIsNotShiftedEvenly) {
  EXPECT_EQ(outcome("if a:\n    b\nc\n", "if a:\nb\nc\n", "x\n"), "text_not_found");
}

TEST(Replace, IgnoresTypographicPunctuation) {
  EXPECT_EQ(outcome("say “hi” – now\nlater…\n", "say \"hi\" - now\nlater...\n",
                    "say \"hi\" - now\nnever\n"),
            "punctuation: say “hi” – now\nnever\n");
  EXPECT_EQ(outcome("x = ‘a’;  y\n", "'a';", "'b';"), "punctuation: x = 'b';  y\n");
}

TEST(Replace, MatchesNoPartOfACharacter) {
  EXPECT_EQ(outcome("wait…", "wait.", "x"), "text_not_found");
  EXPECT_EQ(outcome("wait… now", ". now", "x"), "text_not_found");
  EXPECT_EQ(outcome("a\nwait… now", "a\nwait.", "x"), "text_not_found");
  EXPECT_EQ(outcome("wait… now", "wait...", "x"), "punctuation: x now");
  EXPECT_EQ(outcome("wait… “now”", "... \"now\"", "x"), "punctuation: waitx");
  // The place is looked for further down.
  EXPECT_EQ(outcome("wait… now’s. now’s", ". now's", "x"), "punctuation: wait… now’sx");
}

TEST(Replace, LooksThroughOneLongLine) {
  std::string line = "x";
  for (int i = 0; i < 80'000; ++i) line += "a" + std::string(99, 'b');
  EXPECT_EQ(outcome(line, "  a", "x").substr(0, 20), "text_not_found");
  EXPECT_EQ(outcome(line + "a’", "  a'", "x").substr(0, 20), "text_not_found");
  std::string dots;
  for (int i = 0; i < 90'000; ++i) dots += "… ";
  EXPECT_EQ(outcome(dots, ". ", "x").substr(0, 20), "text_not_found");
  EXPECT_TRUE(outcome(dots + "’.", "'.", "x") == "punctuation: " + dots + "x");
}

TEST(Replace, CountsPlacesWithoutKeepingThem) {
  const Result<Replaced> result = replaced(std::string(1'000'001, 'a'), "aa", "b");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "old_text occurs 1000000 times in a.txt, overlapping: on lines 1, 1, 1, 1, 1, 1, 1, 1, "
            "1, 1 and "
            "999990 more");
}

TEST(Replace, ChangesManyPlacesOfOneLine) {
  const std::string line(2'000'000, 'a');
  EXPECT_TRUE(outcome(line, "a", "b", Count::all) == "exact: " + std::string(line.size(), 'b'));
  const Result<Replaced> split = replaced("x\r\n" + line, "a", "\n", Count::all);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->content.size(), 3 + 2 * line.size());
  EXPECT_TRUE(split->content.ends_with("\r\n"));
  EXPECT_EQ(outcome(std::string(4'000'001, 'a'), "a", "b", Count::all), "too_many_places");
}

TEST(Replace, EndsWhenItIsToldTo) {
  std::stop_source stop;
  stop.request_stop();
  const Replacement replacement{"a", "b"};
  const Result<Replaced> result = replace("a", {&replacement, 1}, kNames, stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::cancelled);
}

TEST(Replace, RefusesAnInexactTextThatOccursTwice) {
  EXPECT_EQ(outcome("a \nb\na  \nb\n", "a\nb", "x"), "not_unique");
  EXPECT_EQ(outcome("a \nb\na  \nb\n", "a\nb", "x", Count::all), "not_unique");
}

TEST(Replace, MatchesNoWhitespaceForNone) {
  EXPECT_EQ(outcome("a\n\n\nb\n", "   ", "x"), "text_not_found");
  EXPECT_EQ(outcome("a\n\n\nb\n", " \n ", "x"), "text_not_found");
}

TEST(Replace, MakesSeveralChangesInOrderOrNone) {
  const Replacement both[] = {{"a", "b"}, {"b\n", "c\n"}};
  EXPECT_EQ(replace("a\n", both, kNames)->content, "c\n");
  const Replacement second_wrong[] = {{"a", "b"}, {"nowhere at all", "c"}};
  const Result<Replaced> result = replace("a\n", second_wrong, kNames);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.starts_with("edit 2 of 2: old_text is not in a.txt"));
}

TEST(Replace, LeavesEverythingElseAsItWas) {
  std::mt19937 random(5);
  constexpr std::string_view kPieces[] = {"a", "b", " ", "\t", "\n", "\r\n", "\r", "“", "\xff", ""};
  for (int i = 0; i < 3000; ++i) {
    const auto some = [&](size_t most) {
      std::string text;
      for (size_t n = random() % most; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
      return text;
    };
    const std::string before = some(12);
    const std::string after = some(12);
    const std::string content = before + "<NEEDLE>" + after;
    ASSERT_EQ(outcome(content, "<NEEDLE>", "<x>"), "exact: " + before + "<x>" + after);
  }
}

TEST(Nearest, SaysHowALineDiffers) {
  const Result<Replaced> result = replaced("int main() {\n\tint x = 1;\n  return x;\n}\n",
                                           "int main() {\n    int x = 1;\n    return x;\n}\n", "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "old_text is not in a.txt; nearest are lines 1–4, where line 2 begins with a tab where "
            "old_text has 4 spaces:\n1 | int main() {\n2 | →int x = 1;\n3 | ··return x;\n4 | }");
}

TEST(Nearest, FindsTheRightLinesAmongMany) {
  std::string content;
  for (int i = 0; i < 500; ++i) content += "value_" + std::to_string(i * 7919) + " = compute();\n";
  content += "def handler(request):\n    return respond(request)\n";
  const Result<Replaced> result =
      replaced(content, "def handler(req):\n    return respond(req)\n", "");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("nearest are lines 501–502, where line 501 has "
                                        "'request):' where old_text has 'req):'"),
            std::string::npos)
      << result.error().message;
}

TEST(Nearest, FindsShortTextsToo) {
  const auto message = [](std::string_view content, std::string_view text) {
    return replaced(content, text, "new").error().message;
  };
  EXPECT_EQ(message("int y;\n\tx = 2\n", "x = 7"),
            "old_text is not in a.txt; nearest is line 2, where line 2 has '2' where old_text has "
            "'7':\n2 | →x = 2");
  EXPECT_EQ(message("int y;\nx\n", "z"), "old_text is not in a.txt, nor anything like it");
}

TEST(Nearest, FindsATextThatIsAPartOfALine) {
  const Result<Replaced> result = replaced(
      "int y;\n\tconst int result = compute(alpha, beta) + something_else(gamma, delta);\n",
      "compute(alpha, betta)", "x");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("nearest is line 2"), std::string::npos)
      << result.error().message;
}

TEST(Nearest, SaysWhenNothingIsAlike) {
  const Result<Replaced> result = replaced("alpha\nbeta\n", "zzzzqqqq()", "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "old_text is not in a.txt, nor anything like it");
}

}  // namespace
}  // namespace helve::edit

#include "base/diff.h"

#include <gtest/gtest.h>

#include <random>

namespace helve {
namespace {

using Changes = std::vector<LineChange>;

// What the changes make of the old text, with nothing taken from the new one but changed lines.
std::string applied(std::string_view old_text, std::string_view new_text, const Changes& changes) {
  const std::vector<std::string_view> old_lines = split_lines(old_text);
  const std::vector<std::string_view> new_lines = split_lines(new_text);
  std::string result;
  size_t line = 0;
  for (const LineChange& change : changes) {
    while (line < change.old_line) result += old_lines.at(line++);
    for (size_t i = 0; i < change.new_count; ++i) result += new_lines.at(change.new_line + i);
    line += change.old_count;
  }
  while (line < old_lines.size()) result += old_lines.at(line++);
  return result;
}

std::string some_lines(std::mt19937& random, size_t most, unsigned alphabet) {
  static constexpr std::string_view kEndings[] = {"\n", "\n", "\n", "\r\n", "\r"};
  std::string text;
  for (size_t count = random() % (most + 1); count > 0; --count) {
    text.append(random() % 3, static_cast<char>('a' + random() % alphabet));
    text += kEndings[random() % std::size(kEndings)];
  }
  if (random() % 3 == 0 && !text.empty()) text.pop_back();
  return text;
}

TEST(Diff, IsBoundedInLinesBytesAndTime) {
  std::string old_text = "same\n", new_text = "same\n";
  for (int i = 0; i < 5000; ++i) {
    old_text += "old " + std::to_string(i) + "\n";
    new_text += "new " + std::to_string(i) + "\n";
  }
  const UnifiedNames names{"a", "b"};
  const Patch whole = *bounded_patch(names, old_text, new_text, {.lines = 10'010});
  EXPECT_EQ(whole.text, unified_diff(names, old_text, new_text));
  EXPECT_EQ(whole.counts.added, 5000u);
  EXPECT_EQ(whole.counts.removed, 5000u);
  const Patch cut = *bounded_patch(names, old_text, new_text, {.bytes = 1000});
  EXPECT_EQ(cut.text.substr(0, 1000), whole.text.substr(0, 1000));
  EXPECT_LT(cut.text.size(), 1100u);
  EXPECT_EQ(cut.counts.added, 5000u);
  EXPECT_EQ(bounded_patch(names, old_text, new_text, {.lines = 9'999}).error().code,
            Code::too_large);
  size_t asked = 0;
  const auto is_over = [&] { return ++asked > 3; };
  EXPECT_EQ(bounded_patch(names, old_text, new_text, {.is_over = is_over}).error().code,
            Code::cancelled);
  EXPECT_EQ(asked, 4u);
}

TEST(Diff, SplitsLinesWithTheirEndings) {
  EXPECT_EQ(split_lines(""), std::vector<std::string_view>{});
  EXPECT_EQ(split_lines("a\r\nb\n\nc"), (std::vector<std::string_view>{"a\r\n", "b\n", "\n", "c"}));
  EXPECT_EQ(count_lines(""), 0u);
  EXPECT_EQ(count_lines("a\n"), 1u);
  EXPECT_EQ(count_lines("a\nb"), 2u);
}

TEST(Diff, CountsNewlinesWhereverTheyStand) {
  std::string text;
  for (size_t i = 0; i < 100; ++i) {
    const auto expected = std::count(text.begin(), text.end(), '\n');
    ASSERT_EQ(count_newlines(text), static_cast<size_t>(expected));
    text += i % 3 == 0 ? '\n' : static_cast<char>(i * 7 + 0x8a);
  }
}

TEST(Diff, FindsNothingInTheSameText) {
  EXPECT_EQ(diff_lines("", ""), Changes{});
  EXPECT_EQ(diff_lines("a\nb", "a\nb"), Changes{});
}

TEST(Diff, NamesWhatWasReplacedAddedAndRemoved) {
  EXPECT_EQ(diff_lines("a\nb\nc\n", "a\nB\nc\n"), (Changes{{1, 1, 1, 1}}));
  EXPECT_EQ(diff_lines("a\nc\n", "a\nb\nc\n"), (Changes{{1, 0, 1, 1}}));
  EXPECT_EQ(diff_lines("a\nb\nc\n", "a\nc\n"), (Changes{{1, 1, 1, 0}}));
  EXPECT_EQ(diff_lines("", "a\n"), (Changes{{0, 0, 0, 1}}));
  EXPECT_EQ(diff_lines("a\n", ""), (Changes{{0, 1, 0, 0}}));
  EXPECT_EQ(diff_lines("a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\n"),
            (Changes{{0, 1, 0, 1}, {4, 1, 4, 1}}));
}

TEST(Diff, SeesAChangedEnding) {
  EXPECT_EQ(diff_lines("a\nb\n", "a\nb"), (Changes{{1, 1, 1, 1}}));
  EXPECT_EQ(diff_lines("a\r\nb\r\n", "a\nb\r\n"), (Changes{{0, 1, 0, 1}}));
}

TEST(Diff, FindsAShortestDifference) {
  // The classic example: five changed lines are the least.
  const LineCounts counts =
      count_changes(diff_lines("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"));
  EXPECT_EQ(counts.added + counts.removed, 5u);
}

TEST(Diff, IsRightForRandomTexts) {
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    const std::string old_text = some_lines(random, 30, 1 + i % 4);
    const std::string new_text = some_lines(random, 30, 1 + i % 4);
    const Changes changes = diff_lines(old_text, new_text);
    ASSERT_EQ(applied(old_text, new_text, changes), new_text) << old_text;
    for (size_t c = 0; c < changes.size(); ++c) {
      ASSERT_GT(changes[c].old_count + changes[c].new_count, 0u);
      if (c > 0) {
        ASSERT_GT(changes[c].old_line, changes[c - 1].old_line + changes[c - 1].old_count);
        ASSERT_GT(changes[c].new_line, changes[c - 1].new_line + changes[c - 1].new_count);
      }
    }
  }
}

TEST(Diff, StaysRightWhereItStopsSearchingForTheShortest) {
  std::mt19937 random(3);
  std::string old_text;
  std::string new_text;
  for (int i = 0; i < 20000; ++i) {
    old_text += std::to_string(random() % 50) + "\n";
    new_text += std::to_string(random() % 50) + "\n";
  }
  EXPECT_EQ(applied(old_text, new_text, diff_lines(old_text, new_text)), new_text);
}

TEST(Diff, WritesAPatch) {
  EXPECT_EQ(
      unified_diff({"a/x", "b/x"}, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nV\n6\n7\n8\n9\n"),
      "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+V\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff({"a/x", "b/x"}, "same\n", "same\n"), "");
}

TEST(Diff, KeepsContextBehindAChangeInARunOfEqualLines) {
  EXPECT_EQ(unified_diff({"a/x", "b/x"}, "a\nx\nx\nx\nx\nz\ny\n", "a\nP\nx\nx\nx\nz\ny\n"),
            "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n a\n-x\n+P\n x\n x\n x\n");
}

// A hunk without context behind it says that the file ends there.
TEST(Diff, EndsAHunkWithContextUnlessTheFileEnds) {
  std::mt19937 random(8);
  for (int i = 0; i < 4000; ++i) {
    const std::string old_text = some_lines(random, 12, 1 + i % 3);
    std::string new_text = old_text;
    const size_t at = old_text.empty() ? 0 : old_text.rfind('\n', random() % old_text.size());
    new_text.insert(at == old_text.npos ? 0 : at, i % 2 ? "\nnew" : "more");
    const std::string patch = unified_diff({"a/x", "b/x"}, old_text, new_text);
    const std::vector<std::string_view> lines = split_lines(patch);
    size_t context = 0, old_lines = 0;
    for (const std::string_view line : lines) {
      context = line.starts_with(' ') ? context + 1 : 0;
      if (line.starts_with("@@")) old_lines = std::stoul(std::string(line.substr(4))) - 1;
      if (line.starts_with(' ') || (line.starts_with('-') && !line.starts_with("---"))) ++old_lines;
    }
    ASSERT_TRUE(context >= 3 || old_lines >= split_lines(old_text).size()) << patch;
  }
}

TEST(Diff, WritesNewAndRemovedFilesAsPatches) {
  EXPECT_EQ(unified_diff({"/dev/null", "b/x"}, "", "1\n"),
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n");
  EXPECT_EQ(unified_diff({"a/x", "/dev/null"}, "1\n2\n", ""),
            "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n");
}

TEST(Diff, MarksAMissingNewlineInAPatch) {
  EXPECT_EQ(unified_diff({"a/x", "b/x"}, "1\n2", "1\n2\n"),
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n");
}

TEST(Diff, JoinsHunksThatTouchAndPartsThoseThatDoNot) {
  EXPECT_EQ(unified_diff({"x", "x"}, "1\n2\n3\n4\n5\n", "1\nB\n3\nD\n5\n", 1),
            "--- x\n+++ x\n@@ -1,5 +1,5 @@\n 1\n-2\n+B\n 3\n-4\n+D\n 5\n");
  EXPECT_EQ(unified_diff({"x", "x"}, "1\n2\n3\n4\n5\n", "A\n2\n3\n4\nE\n", 1),
            "--- x\n+++ x\n@@ -1,2 +1,2 @@\n-1\n+A\n 2\n@@ -4,2 +4,2 @@\n 4\n-5\n+E\n");
}

TEST(Diff, QuotesNamesThatWouldEndEarly) {
  EXPECT_TRUE(unified_diff({"a/t\tx", "b/q\""}, "1\n", "2\n")
                  .starts_with("--- \"a/t\\011x\"\n+++ \"b/q\\\"\"\n"));
  EXPECT_TRUE(
      unified_diff({"a/x y", "b/x y"}, "1\n", "2\n").starts_with("--- a/x y\t\n+++ b/x y\t\n"));
}

TEST(Diff, ShowsLinesWithTheirNumbers) {
  EXPECT_EQ(
      short_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nV\nw\n6\n7\n8\nIX\n", {.context = 1}),
      " 4   4\n 5 - 5\n 5 + V\n 6 + w\n 7   6\n …\n 9   8\n 9 - 9\n10 + IX\n");
}

TEST(Diff, ShowsEndingsOnlyWhereTheyTellLinesApart) {
  EXPECT_EQ(short_diff("a\r\n", "b\r\n"), "1 - a\n1 + b\n");
  EXPECT_EQ(short_diff("a\r\n", "a\n"), "1 - a\\r\n1 + a\n");
  EXPECT_EQ(short_diff("a\n", "a"), "1 - a\n1 + a  (no newline at the end)\n");
}

TEST(Diff, CountsWhatItDoesNotShow) {
  EXPECT_EQ(short_diff("", "1\n2\n3\n4\n", {.max_lines = 2}), "1 + 1\n2 + 2\n… 2 more lines\n");
  EXPECT_EQ(short_diff("", "abcdef\n", {.max_chars = 3}), "1 + abc…\n");
}

TEST(Diff, ShowsNothingThatCouldDeceive) {
  EXPECT_EQ(short_diff("", "\x1b[2J\t\xff\n"), "1 + \\x1b[2J\t\\xff\n");
}

}  // namespace
}  // namespace helve

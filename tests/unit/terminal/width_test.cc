#include "terminal/width.h"

#include <gtest/gtest.h>

namespace helve::terminal {
namespace {

struct Measured {
  std::string_view text;
  size_t columns;
};

TEST(Width, CountsColumnsAsATerminalDoes) {
  const Measured cases[] = {
      {"", 0},
      {"abc", 3},
      {"日本語", 6},
      {"é", 1},
      {"e\u0301", 1},  // a letter and an accent
      {"👍", 2},
      {"👍🏽", 2},            // with a skin
      {"👨‍👩‍👧", 2},  // a family, joined
      {"🇩🇪", 2},
      {"⚠️", 2},  // text that is to be shown as an emoji
      {"한", 2},
      {"\u1112\u1161\u11ab", 2},  // the same syllable in letters
      {"\x1b[1;31mred\x1b[0m", 3},
      {"\x1b]8;;http://x/\x1b\\a\x1b]8;;\x1b\\", 1},
      {"\xff", 1},
      {"…●", 2},
  };
  for (const auto& [text, columns] : cases) EXPECT_EQ(columns_of(text), columns) << text;
}

TEST(Width, StepsOverWholeClusters) {
  const std::string text = "a👨‍👩‍👧e\u0301b";
  size_t at = 0;
  std::vector<size_t> stops;
  while (at < text.size()) stops.push_back(at = glyph_after(text, at));
  ASSERT_EQ(stops.size(), 4u);
  for (size_t i = stops.size(); i > 1; --i) {
    at = glyph_before(text, at);
    EXPECT_EQ(at, stops[i - 2]);
  }
  EXPECT_EQ(glyph_before(text, at), 0u);
  EXPECT_EQ(glyph_before("a\n", 2), 1u);
}

TEST(Width, BoundsTheMarksOfOneGlyph) {
  std::string zalgo = "a";
  for (int i = 0; i < 1000; ++i) zalgo += "\u0301";
  EXPECT_LT(first_glyph(zalgo).bytes, 50u);
}

TEST(Width, CutsToColumns) {
  EXPECT_EQ(fitted("hello", 5), "hello");
  EXPECT_EQ(fitted("hello", 4), "hel…");
  EXPECT_EQ(fitted("日本語", 4), "日…");
  EXPECT_EQ(fitted("hello", 0), "");
  EXPECT_EQ(fitted("\x1b[1mhello\x1b[0m", 3), "\x1b[1mhe…\x1b[0m");
  EXPECT_EQ(padded("日", 4), "日  ");
}

TEST(Width, ShowsWhatWouldHideOrActAndKeepsEmojiWhole) {
  EXPECT_EQ(shown("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(shown("a\u202Eb"), "a\\u{202e}b");
  EXPECT_EQ(shown("a\u200Db"), "a\\u{200d}b");
  EXPECT_EQ(shown("\u200D"), "\\u{200d}");
  EXPECT_EQ(shown("\xff"), "\\xff");
  EXPECT_EQ(shown("⚠️ 👨‍👩‍👧"), "⚠️ 👨‍👩‍👧");
  EXPECT_EQ(shown("a\nb"), "a\\nb");
  EXPECT_EQ(shown_lines("a\n\tb\x07"), "a\n\tb\\x07");
}

}  // namespace
}  // namespace helve::terminal

#include "base/text.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(cut_utf8("aé", 2), "a");
  EXPECT_EQ(cut_utf8("aé", 3), "aé");
  EXPECT_EQ(first_chars("aéb", 2), "aé");
  EXPECT_EQ(preview("aéb", 2), "aé…");
  EXPECT_EQ(count_chars("aéb"), 3u);
}

TEST(Text, ShowsEscapeCodesAndDeceptionPlainly) {
  EXPECT_EQ(escape_for_display("a\x1b[2J\nb"), "a\\x1b[2J\\nb");
  EXPECT_EQ(escape_for_display("x\u202Ey\U000E0041z"), "x\\u{202e}y\\u{e0041}z");
  EXPECT_EQ(escape_lines_for_display("a\tb\n\x07"), "a\tb\n\\x07");
  EXPECT_EQ(escape_invalid_utf8("a\xFF""b"), "a\\xffb");
}

TEST(Text, MatchesWildcardsWithoutBlowingUp) {
  EXPECT_TRUE(matches_wildcard("memory_*", "memory_get"));
  EXPECT_FALSE(matches_wildcard("memory_*", "kb_get"));
  EXPECT_TRUE(matches_wildcard("*", ""));
  EXPECT_FALSE(matches_wildcard("*a*a*a*a*a*a*a*b", std::string(10'000, 'a')));
}

TEST(Text, FindsTheWordThatWasMeant) {
  const std::string_view words[] = {"path", "offset", "limit", "old_text"};
  EXPECT_EQ(nearest("pth", words), "path");
  EXPECT_EQ(nearest("ofset", words), "offset");
  EXPECT_EQ(nearest("file_path", words), "path");
  EXPECT_EQ(nearest("old", words), "old_text");
  EXPECT_EQ(nearest("colour", words), "");
}

TEST(Text, SizesForPeople) {
  EXPECT_EQ(human_size(1), "1 byte");
  EXPECT_EQ(human_size(312), "312 bytes");
  EXPECT_EQ(human_size(1536), "1.5 KB");
  EXPECT_EQ(human_size(10ull << 30), "10.0 GB");
}

}  // namespace
}  // namespace helve

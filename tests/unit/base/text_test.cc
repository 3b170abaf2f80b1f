#include "base/text.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(cut_utf8("aé", 2), "a");
  EXPECT_EQ(cut_utf8("aé", 3), "aé");
  EXPECT_EQ(first_chars("aéb", 2), "aé");
  EXPECT_EQ(last_chars("aéb", 2), "éb");
  EXPECT_EQ(last_chars("aé", 0), "");
  EXPECT_EQ(last_chars("aé", 9), "aé");
  EXPECT_EQ(preview("aéb", 2), "aé…");
  EXPECT_EQ(count_chars("aéb"), 3u);
  EXPECT_EQ(count_chars("Ångström, 日本語 и ещё 🙂 in one line"), 33u);
  EXPECT_EQ(count_chars("日本\xFF語 and bytes\x80 that are none"), 29u);
}

TEST(Text, ShowsEscapeCodesAndDeceptionPlainly) {
  EXPECT_EQ(escape_for_display("a\x1b[2J\nb"), "a\\x1b[2J\\nb");
  EXPECT_EQ(escape_for_display("x\u202Ey\U000E0041z"), "x\\u{202e}y\\u{e0041}z");
  for (const char* hidden :
       {"\u034F",     "\u061C",     "\u115F",     "\u1160",    "\u17B4", "\u17B5",
        "\u180B",     "\u180E",     "\u200B",     "\u2028",    "\u2060", "\u2800",
        "\u3164",     "\uFE00",     "\uFE0F",     "\uFEFF",    "\uFFA0", "\uFFF0",
        "\U0001BCA0", "\U0001D173", "\U000E0100", "\U000E01EF"})
    EXPECT_TRUE(escape_for_display(hidden).starts_with("\\u{")) << hidden;
  for (const char* shown : {"ü", "\u0350", "\u1161", "\u2801", "\u3165", "\uFE10", "\uFFFD", "😀"})
    EXPECT_EQ(escape_for_display(shown), shown);
  EXPECT_EQ(escape_lines_for_display("a\tb\n\x07"), "a\tb\n\\x07");
  EXPECT_EQ(escape_invalid_utf8("a\xFF"
                                "b"),
            "a\\xffb");
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

TEST(Text, EscapesBytesWithoutLosingAny) {
  EXPECT_EQ(escape_invalid_utf8("a\\xff\xFF"), "a\\\\xff\\xff");
  EXPECT_EQ(escape_invalid_utf8("a\\xff"), "a\\xff") << "nothing to escape";
  EXPECT_EQ(escape_bytes("\\n\n"), "\\\\n\n");
  EXPECT_EQ(escape_bytes(std::string_view("\0\xFF\xC3\xA4", 4)), "\\x00\\xff\xC3\xA4");
}

TEST(Text, QuotesForAShell) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("/a b/$(id)`id`\\"), "'/a b/$(id)`id`\\'");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_quoted("a\x1b[2J'\\\n"), R"($'a\x1b[2J\'\\\n')");
  EXPECT_EQ(shell_quoted("\xFF\u202e"), R"($'\xff\xe2\x80\xae')");
}

}  // namespace
}  // namespace helve

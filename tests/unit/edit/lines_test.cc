// Tests of edit/lines.h.
#include "edit/lines.h"

#include <gtest/gtest.h>

#include <random>

namespace helve::edit {
namespace {

TEST(LineIndex, FindsEveryLineWhereverItEnds) {
  // Also the byte after a newline, which arithmetic on eight at once could take for one.
  const std::string text = "a\n\x0b\n\n\x8a\x0a" + std::string(20, 'x') + "\nlast";
  const LineIndex index(text);
  ASSERT_EQ(index.size(), 6u);
  EXPECT_EQ(index.line(1), "\x0b");
  EXPECT_EQ(index.line(2), "");
  EXPECT_EQ(index.line(3), "\x8a");
  EXPECT_EQ(index.line(5), "last");
  EXPECT_EQ(LineIndex("").size(), 0u);
}

std::string replaced_naively(std::string_view text, const std::vector<ByteSplice>& parts) {
  std::string out;
  size_t at = 0;
  for (const ByteSplice& part : parts) {
    out.append(text.substr(at, part.begin - at)).append(part.text);
    at = part.end;
  }
  return out.append(text.substr(at));
}

TEST(ReplaceParts, MovesWhatStaysInEitherDirection) {
  std::mt19937 random(1);
  const auto up_to = [&](size_t most) {
    return std::uniform_int_distribution<size_t>(0, most)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t i = up_to(60); i > 0; --i) text += static_cast<char>('a' + up_to(25));
    std::vector<ByteSplice> parts;
    for (size_t at = 0; at < text.size() && parts.size() < 8;) {
      const size_t begin = at + up_to(std::min<size_t>(12, text.size() - at));
      const size_t end = begin + up_to(std::min<size_t>(9, text.size() - begin));
      parts.push_back({begin, end, std::string(up_to(9), '*')});
      at = end + 1;
    }
    const std::string expected = replaced_naively(text, parts);
    replace_parts(text, parts);
    ASSERT_EQ(text, expected) << "round " << round;
  }
}

TEST(ReplaceParts, JoinsLinesAfterALastOneWithoutAnEnding) {
  const std::string text = "a\nb";
  const LineIndex index(text);
  const std::vector<Splice> splices{{1, 2, {{.text = "B"}}}, {2, 2, {{.text = "c"}}}};
  const std::vector<ByteSplice> parts = byte_splices_of(index, splices);
  std::string changed = text;
  replace_parts(changed, parts);
  EXPECT_EQ(changed, "a\nB\nc\n");
}

}  // namespace
}  // namespace helve::edit

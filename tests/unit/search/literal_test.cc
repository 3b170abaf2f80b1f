#include "search/literal.h"

#include <gtest/gtest.h>

#include <random>

namespace helve::search {
namespace {

using Case = LiteralFinder::Case;

size_t slowly(std::string_view text, std::string literal, size_t from, Case letters) {
  std::string lowered(text);
  if (letters == Case::ignored) {
    for (std::string* s : {&lowered, &literal})
      for (char& c : *s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return lowered.find(literal, from);
}

TEST(LiteralFinder, FindsWhatAPlainSearchFindsAtEveryLengthAndPlace) {
  std::mt19937 random(7);
  const std::string_view letters = "abAB_ \n";
  for (int round = 0; round < 20'000; ++round) {
    std::string text, literal;
    for (size_t i = random() % 300; i > 0; --i) text += letters[random() % letters.size()];
    for (size_t i = 1 + random() % 6; i > 0; --i) literal += letters[random() % letters.size()];
    const size_t from = random() % (text.size() + 1);
    for (const Case letter_case : {Case::exact, Case::ignored}) {
      const LiteralFinder finder(literal, letter_case);
      ASSERT_EQ(finder.find(text, from), slowly(text, literal, from, letter_case))
          << '"' << literal << "\" in \"" << text << "\" from " << from;
    }
  }
}

TEST(LiteralFinder, FindsALiteralAtBothEndsOfAnExactBuffer) {
  for (size_t size = 3; size < 200; ++size) {
    const std::unique_ptr<char[]> exact(new char[size]);
    std::fill_n(exact.get(), size, 'x');
    std::copy_n("key", 3, exact.get() + size - 3);
    EXPECT_EQ(LiteralFinder("key", Case::exact).find({exact.get(), size}), size - 3);
    EXPECT_EQ(LiteralFinder("KEY", Case::ignored).find({exact.get(), size}), size - 3);
    EXPECT_EQ(LiteralFinder("keys", Case::exact).find({exact.get(), size}), kNowhere);
  }
}

TEST(LiteralFinder, FoldsLettersOnly) {
  // '[' and '{', '@' and '`' differ in the same bit as letters do.
  std::string text(100, ' ');
  text += "A{`";
  EXPECT_EQ(LiteralFinder("a[@", Case::ignored).find(text), kNowhere);
  text += "A[@";
  EXPECT_EQ(LiteralFinder("a[@", Case::ignored).find(text), 103u);
}

TEST(Lines, CountsNewlinesAsAPlainCountDoes) {
  std::mt19937 random(3);
  for (size_t size : {0u, 1u, 31u, 32u, 33u, 1000u, 20'000u}) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += random() % 3 == 0 ? '\n' : 'x';
    EXPECT_EQ(count_newlines(text), static_cast<size_t>(std::ranges::count(text, '\n')));
  }
}

TEST(Lines, TellsAsciiFromTheRest) {
  for (size_t size : {1u, 7u, 32u, 33u, 100u}) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      EXPECT_TRUE(is_ascii(text));
      text[at] = '\x80';
      EXPECT_FALSE(is_ascii(text));
    }
  }
}

}  // namespace
}  // namespace helve::search

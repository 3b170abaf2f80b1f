#include "search/gram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace helve::search {
namespace {

std::set<Gram> plainly(std::string_view text) {
  std::set<Gram> grams;
  for (size_t i = 0; i + 3 <= text.size(); ++i) {
    if (text.substr(i, 3).find('\n') == text.npos) grams.insert(gram_at(text.data() + i));
  }
  return grams;
}

TEST(Gram, IgnoresTheCaseOfAsciiLetters) {
  EXPECT_EQ(gram_at("AbC"), gram_at("aBc"));
  EXPECT_NE(gram_at("\xc3\x84x"), gram_at("\xc3\xa4x"));
}

TEST(Gram, ShortWordsHaveNone) {
  EXPECT_TRUE(grams_of_word("").empty());
  EXPECT_TRUE(grams_of_word("ab").empty());
  EXPECT_EQ(grams_of_word("abc").size(), 1u);
}

TEST(Gram, AWordHasEachOnceAndNoneAcrossLines) {
  EXPECT_EQ(grams_of_word("aaaaaa").size(), 1u);
  EXPECT_EQ(grams_of_word("abc\nxyz"), (std::vector<Gram>{gram_at("abc"), gram_at("xyz")}));
}

TEST(GramSet, FindsWhatThePlainWayFinds) {
  std::mt19937 random(1);
  GramSet set;
  for (int round = 0; round < 200; ++round) {
    const int highest = round % 2 ? 255 : 127;
    std::string text(random() % 3000, ' ');
    for (char& c : text)
      c = static_cast<char>(random() % 7 == 0 ? '\n' : static_cast<int>(random()) % (highest + 1));
    const auto found = set.of(text);
    EXPECT_EQ(std::set<Gram>(found.begin(), found.end()), plainly(text));
    EXPECT_EQ(found.size(), plainly(text).size()) << "each once";
  }
}

}  // namespace
}  // namespace helve::search

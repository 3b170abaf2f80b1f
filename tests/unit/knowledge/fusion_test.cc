#include "knowledge/fusion.h"

#include <gtest/gtest.h>

namespace helve::knowledge {
namespace {

TEST(Fusion, TrustsWordsMoreWhenTheyAreFound) {
  EXPECT_GT(meaning_share(0.1), meaning_share(0.45));
  EXPECT_GT(meaning_share(0.45), meaning_share(0.9));
  EXPECT_EQ(meaning_share(0), meaning_share(0.2));
  EXPECT_EQ(meaning_share(0.7), meaning_share(1));
}

TEST(Fusion, GivesScoresFromZeroToOne) {
  for (const double share : {0.0, 0.4, 1.0}) {
    EXPECT_EQ(relevance(0, 0, share), 0);
    EXPECT_EQ(relevance(1, 1, share), 1);
    EXPECT_EQ(relevance(-1, -1, share), 0);
    EXPECT_EQ(relevance(2, 2, share), 1);
    EXPECT_LT(relevance(0.3, 0.3, share), relevance(0.4, 0.4, share));
  }
  EXPECT_EQ(relevance(0.5, 0.9, 0), relevance(0.5, 0.1, 0));
  EXPECT_EQ(relevance(0.9, 0.5, 1), relevance(0.1, 0.5, 1));
}

}  // namespace
}  // namespace helve::knowledge

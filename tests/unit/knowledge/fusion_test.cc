#include "knowledge/fusion.h"

#include <gtest/gtest.h>

namespace helve::knowledge {
namespace {

TEST(Fusion, GivesScoresFromZeroToOne) {
  for (const auto score : {words_relevance, meaning_relevance}) {
    EXPECT_EQ(score(0), 0);
    EXPECT_EQ(score(1), 1);
    EXPECT_EQ(score(-1), 0);
    EXPECT_EQ(score(2), 1);
    EXPECT_LT(score(0.3), score(0.4));
  }
  EXPECT_EQ(relevance(0, 0), 0);
  EXPECT_EQ(relevance(1, 1), 1);
  EXPECT_EQ(relevance(-1, -1), 0);
  EXPECT_EQ(relevance(2, 2), 1);
  EXPECT_LT(relevance(0.3, 0.3), relevance(0.3, 0.4));
  EXPECT_LT(relevance(0.3, 0.3), relevance(0.4, 0.3));
}

// What bench/retrieval saw: the weakest tenth of right answers, and the best wrong ones.
TEST(Fusion, PutsTheUsualThresholdBetweenRightAndUnrelated) {
  constexpr double kThreshold = 0.35;
  EXPECT_GT(words_relevance(0.106), kThreshold);
  EXPECT_LT(words_relevance(0.08), kThreshold);
  EXPECT_GT(meaning_relevance(0.333), kThreshold);
  EXPECT_LT(meaning_relevance(0.28), kThreshold);
  EXPECT_GT(relevance(0.106, 0.333), kThreshold);
  EXPECT_LT(relevance(0.04, 0.28), kThreshold);
  EXPECT_GT(relevance(0.45, 0.5), 0.7);
}

}  // namespace
}  // namespace helve::knowledge

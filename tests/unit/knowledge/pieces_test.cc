#include "knowledge/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::knowledge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PiecesTest : public ::testing::Test {
 protected:
  // Numbers begin at 1: 0 is what is unknown.
  void know(std::initializer_list<std::pair<const char*, double>> pieces) {
    std::vector<PieceText> texts;
    scores_ = {0};
    for (const auto& [text, score] : pieces) {
      texts.push_back({text, static_cast<Piece>(scores_.size())});
      scores_.push_back(score);
    }
    tree_ = make_piece_tree(texts);
  }
  std::vector<Piece> cut(std::string_view text) const {
    return cut_into_pieces({tree_, scores_}, text);
  }

  std::vector<PieceNode> tree_;
  std::vector<double> scores_;
};

TEST_F(PiecesTest, TheLikeliestWayIsTaken) {
  know({{"▁", -5},
        {"l", -4},
        {"o", -4},
        {"w", -4},
        {"▁lo", -6},
        {"low", -6},
        {"er", -3},
        {"e", -4},
        {"r", -4}});
  EXPECT_THAT(cut("low"), ElementsAre(5, 4)) << "▁lo w: -10, ▁ low: -11";
  EXPECT_THAT(cut("lower"), ElementsAre(5, 4, 7));
  EXPECT_THAT(cut("ro l"), ElementsAre(1, 9, 3, 1, 2));
}

TEST_F(PiecesTest, OfEqualWaysTheOneWithTheShorterLastPiece) {
  know({{"▁", -1}, {"a", -1}, {"ab", -2}, {"b", -1}});
  EXPECT_THAT(cut("ab"), ElementsAre(1, 2, 4));
}

TEST_F(PiecesTest, ARowOfUnknownCharactersIsOne) {
  know({{"▁", -1}, {"a", -1}});
  EXPECT_THAT(cut("a漢字x a"), ElementsAre(1, 2, 0, 1, 2));
  EXPECT_THAT(cut("漢"), ElementsAre(1, 0));
}

TEST_F(PiecesTest, NothingHasNoPieces) {
  know({{"▁", -1}});
  EXPECT_THAT(cut(""), IsEmpty());
  EXPECT_THAT(cut_into_pieces({}, "a"), IsEmpty());
}

TEST_F(PiecesTest, OfTwoPiecesWithTheSameTextTheLastCounts) {
  know({{"▁", -1}, {"a", -1}, {"a", -2}});
  EXPECT_THAT(cut("a"), ElementsAre(1, 3));
}

TEST_F(PiecesTest, ADamagedTreeIsNotLeft) {
  know({{"▁", -1}, {"a", -1}, {"ab", -2}, {"é", -1}});
  const std::vector<PieceNode> whole = tree_;
  for (size_t i = 0; i < whole.size() * sizeof(PieceNode); ++i) {
    for (const int bit : {0, 4, 7}) {
      tree_ = whole;
      reinterpret_cast<unsigned char*>(tree_.data())[i] ^= static_cast<unsigned char>(1 << bit);
      for (const Piece piece : cut("ab éa x")) EXPECT_LT(piece, scores_.size());
    }
  }
  tree_ = whole;
  scores_ = {0, std::nan("")};
  for (const Piece piece : cut("ab")) EXPECT_LT(piece, scores_.size());
}

TEST(Normalized, WhiteSpaceIsOneSpaceAndNoneAtTheEnds) {
  EXPECT_EQ(normalized("  a\n\tb \r\n c  "), "a b c");
  EXPECT_EQ(normalized(" \n"), "");
  EXPECT_EQ(normalized("a\u00a0\u3000b"), "a b");
}

TEST(Normalized, CharactersThatMeanTheSameAreTheSame) {
  EXPECT_EQ(normalized("ﬁne ＡＢ ½ … ™ ①"), "fine AB 1⁄2 ... TM 1");
  EXPECT_EQ(normalized("e\u0301"), "é");
}

TEST(Normalized, WhatIsNoUtf8IsAnUnknownCharacter) {
  EXPECT_EQ(normalized("a\xff\xfe z"), "a\ufffd\ufffd z");
  EXPECT_EQ(normalized("\xe2\x82"), "\ufffd\ufffd");
}

}  // namespace
}  // namespace helve::knowledge

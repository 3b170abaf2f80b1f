#include "knowledge/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "knowledge/stem.h"

namespace helve::knowledge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> out;
  Tokens reader(text);
  while (const std::string* token = reader.next()) out.push_back(*token);
  return out;
}

std::string stemmed(std::string word) {
  stem(word);
  return word;
}

TEST(Tokens, AreWordsInLowerCase) {
  EXPECT_THAT(tokens("The Cat, the (dog)!"), ElementsAre("the", "cat", "the", "dog"));
  EXPECT_THAT(tokens(""), IsEmpty());
  EXPECT_THAT(tokens(" -- ... \n"), IsEmpty());
}

TEST(Tokens, FoldCaseAndAccentsOfManyScripts) {
  EXPECT_THAT(tokens("Café NAÏVE Łódź"), ElementsAre("cafe", "naiv", "lodz"));
  EXPECT_THAT(tokens("cafe\u0301"), ElementsAre("cafe"));
  EXPECT_EQ(tokens("ΑΘΗΝΑ МОСКВА Æther Œuvre"), tokens("αθηνα москва æther œuvre"));
  EXPECT_THAT(tokens("straße—platz"), ElementsAre("straße", "platz"));
}

TEST(Tokens, SplitIdentifiersAndKeepTheWhole) {
  EXPECT_THAT(tokens("maxResults"), ElementsAre("max", "result", "maxresult"));
  EXPECT_EQ(tokens("max_results"), tokens("maxResults"));
  EXPECT_EQ(tokens("max-results"), tokens("maxResults"));
  EXPECT_THAT(tokens("HTTPServer"), ElementsAre("http", "server", "httpserver"));
  EXPECT_THAT(tokens("utf8"), ElementsAre("utf", "8", "utf8"));
  EXPECT_THAT(tokens("URLs"), ElementsAre("url"));
  EXPECT_THAT(tokens("_x_ -y-"), ElementsAre("x", "y"));
}

TEST(Tokens, KeepNumbersWithPointsAndDatesWhole) {
  EXPECT_THAT(tokens("10.0.3.17"), ElementsAre("10", "0", "3", "17", "10.0.3.17"));
  EXPECT_THAT(tokens("2026-03-09"), ElementsAre("2026", "03", "09", "20260309"));
  EXPECT_THAT(tokens("end. 5"), ElementsAre("end", "5"));
}

TEST(Tokens, DropWhatFollowsAnApostrophe) {
  EXPECT_THAT(tokens("server's don't we\u2019re"), ElementsAre("server", "don", "we"));
  EXPECT_THAT(tokens("l'avion 'quoted'"), ElementsAre("l", "avion", "quot"));
}

TEST(Tokens, AreCharactersAndPairsWhereNoSpacesAre) {
  EXPECT_THAT(tokens("東京都"), ElementsAre("東", "京", "東京", "都", "京都"));
  EXPECT_THAT(tokens("ab東"), ElementsAre("ab", "東"));
}

TEST(Tokens, AreBounded) {
  std::string text(100'000, 'a');
  text[50'000] = '1';
  for (const std::string& token : tokens(text)) EXPECT_LE(token.size(), kMaxTokenBytes);
}

TEST(Tokens, ReadAnyBytes) {
  EXPECT_THAT(tokens(std::string_view("a\xff\0b", 4)), ElementsAre("a", "b"));
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = static_cast<char>(random());
    for (const std::string& token : tokens(text)) {
      EXPECT_FALSE(token.empty());
      EXPECT_TRUE(is_utf8(token));
    }
  }
}

// Words and stems of Porter's own paper.
TEST(Stem, FollowsPorter) {
  const std::pair<std::string, std::string> words[] = {{"caresses", "caress"},
                                                       {"ponies", "poni"},
                                                       {"cats", "cat"},
                                                       {"feed", "feed"},
                                                       {"agreed", "agre"},
                                                       {"plastered", "plaster"},
                                                       {"motoring", "motor"},
                                                       {"sing", "sing"},
                                                       {"conflated", "conflat"},
                                                       {"troubling", "troubl"},
                                                       {"sized", "size"},
                                                       {"hopping", "hop"},
                                                       {"falling", "fall"},
                                                       {"hissing", "hiss"},
                                                       {"failing", "fail"},
                                                       {"filing", "file"},
                                                       {"happy", "happi"},
                                                       {"deployment", "deploy"},
                                                       {"deploys", "deploy"},
                                                       {"sky", "sky"},
                                                       {"relational", "relat"},
                                                       {"conditional", "condit"},
                                                       {"rational", "ration"},
                                                       {"digitizer", "digit"},
                                                       {"radically", "radic"},
                                                       {"differently", "differ"},
                                                       {"operator", "oper"},
                                                       {"feudalism", "feudal"},
                                                       {"hopefulness", "hope"},
                                                       {"sensibiliti", "sensibl"},
                                                       {"triplicate", "triplic"},
                                                       {"formative", "form"},
                                                       {"electrical", "electr"},
                                                       {"goodness", "good"},
                                                       {"revival", "reviv"},
                                                       {"adjustable", "adjust"},
                                                       {"replacement", "replac"},
                                                       {"adoption", "adopt"},
                                                       {"probate", "probat"},
                                                       {"rate", "rate"},
                                                       {"cease", "ceas"},
                                                       {"controlling", "control"},
                                                       {"roll", "roll"},
                                                       {"generalizations", "gener"},
                                                       {"is", "is"},
                                                       {"as", "as"},
                                                       {"connections", "connect"}};
  for (const auto& [word, expected] : words) EXPECT_EQ(stemmed(word), expected) << word;
}

TEST(Stem, LeavesOtherWordsAlone) {
  EXPECT_EQ(stemmed("größen"), "größen");
  EXPECT_EQ(stemmed("utf8s"), "utf8s");
  EXPECT_EQ(stemmed(""), "");
}

}  // namespace
}  // namespace helve::knowledge

#include "knowledge/passage_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::knowledge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Document document(std::string key, std::vector<std::string> texts, std::int64_t date_ms = 0) {
  Document out{.key = std::move(key), .date_ms = date_ms};
  for (std::string& text : texts) out.passages.push_back({.text = std::move(text)});
  return out;
}

std::vector<std::string> shown(const std::vector<Hit>& hits) {
  std::vector<std::string> out;
  for (const Hit& hit : hits) out.push_back(hit.document->key + ":" + std::to_string(hit.passage));
  return out;
}

std::vector<std::string> found(const PassageIndex& index, const Question& question) {
  return shown(index.search(question));
}

TEST(PassageIndex, FindsPassagesByWords) {
  PassageIndex index;
  index.put(document("a", {"apples", "pears and plums"}));
  index.put(document("b", {"plums"}));
  EXPECT_EQ(index.passages(), 3u);
  EXPECT_THAT(found(index, {.text = "plum"}), ElementsAre("b:0", "a:1"));
  EXPECT_THAT(found(index, {.text = "plum", .limit = 1}), ElementsAre("b:0"));
  EXPECT_THAT(found(index, {.text = "plum", .prefix = "a"}), ElementsAre("a:1"));
  EXPECT_THAT(found(index, {.text = "cherries"}), IsEmpty());
  EXPECT_THAT(found(index, {.text = ""}), IsEmpty());
  EXPECT_THAT(found(PassageIndex(), {.text = "plum"}), IsEmpty());
}

TEST(PassageIndex, ReplacesAndRemovesDocuments) {
  PassageIndex index;
  index.put(document("a", {"apples"}));
  index.put(document("b", {"apples"}));
  index.put(document("a", {"pears", "apples"}));
  EXPECT_THAT(found(index, {.text = "apples"}), ElementsAre("b:0", "a:1"));
  index.remove("b");
  index.remove("no such document");
  EXPECT_THAT(found(index, {.text = "apples"}), ElementsAre("a:1"));
  EXPECT_EQ(index.passages(), 2u);
  EXPECT_EQ(index.find("b"), nullptr);
  EXPECT_EQ(index.find("a")->passages.size(), 2u);
}

TEST(PassageIndex, HasNothingOfADocumentThatWasStopped) {
  PassageIndex index;
  index.put(document("a", {"apples"}));
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(index.put(document("a", {"pears", "plums"}), source.get_token()));
  EXPECT_EQ(index.find("a"), nullptr);
  EXPECT_EQ(index.passages(), 0u);
  EXPECT_TRUE(index.put(document("a", {"pears"})));
  EXPECT_THAT(found(index, {.text = "pears apples"}), ElementsAre("a:0"));
}

// What was there before must not show.
TEST(PassageIndex, ScoresTheSameHoweverItCameToBe) {
  PassageIndex changed;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3000; ++i)
      changed.put(document("doc" + std::to_string(i), {"noise about pears", "and apples"}));
  }
  for (int i = 2; i < 3000; ++i) changed.remove("doc" + std::to_string(i));
  changed.put(document("last", {"pears"}));
  PassageIndex fresh;
  for (int i = 0; i < 2; ++i)
    fresh.put(document("doc" + std::to_string(i), {"noise about pears", "and apples"}));
  fresh.put(document("last", {"pears"}));
  const auto expected = fresh.search({.text = "pears apples"});
  const auto hits = changed.search({.text = "pears apples"});
  EXPECT_EQ(hits.size(), 5u);
  EXPECT_EQ(shown(hits), shown(expected));
  for (size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i].score, expected[i].score);
}

TEST(PassageIndex, FindsPassagesByMeaning) {
  PassageIndex index;
  index.put(document("a", {"apples", "pears"}));
  index.put(document("b", {"plums"}));
  EXPECT_THAT(shown(index.without_vector(10)), UnorderedElementsAre("a:0", "a:1", "b:0"));
  EXPECT_EQ(index.without_vector(2).size(), 2u);
  index.set_vector("a", 1, {0.6f, 0.8f});
  index.set_vector("b", 0, {0, 1});
  index.set_vector("b", 7, {0, 1});
  index.set_vector("c", 0, {0, 1});
  EXPECT_EQ(index.vectors(), 2u);
  EXPECT_THAT(shown(index.without_vector(10)), ElementsAre("a:0"));
  const Vector meaning = {0, 1};
  EXPECT_THAT(found(index, {.text = "cherries", .mode = Mode::semantic, .meaning = &meaning}),
              ElementsAre("b:0", "a:1"));
  // Without a vector of the question, words have to do.
  EXPECT_THAT(found(index, {.text = "apples", .mode = Mode::semantic}), ElementsAre("a:0"));
  index.put(document("b", {"plums"}));
  EXPECT_EQ(index.vectors(), 1u);
}

TEST(PassageIndex, FindsPassagesByBoth) {
  PassageIndex index;
  index.put(document("words", {"restart the gateway"}));
  index.put(document("both", {"restart the gateway"}));
  index.put(document("meaning", {"reboot that box"}));
  index.put(document("neither", {"lunch"}));
  const Vector meaning = {0, 1};
  index.set_vector("words", 0, {1, 0});
  index.set_vector("both", 0, {0, 1});
  index.set_vector("meaning", 0, {0.1f, 0.99f});
  index.set_vector("neither", 0, {1, 0});
  const auto hits = index.search({.text = "restart gateway", .meaning = &meaning, .limit = 3});
  ASSERT_EQ(hits.size(), 3u);
  EXPECT_EQ(shown(hits)[0], "both:0");
  EXPECT_THAT(shown(hits), UnorderedElementsAre("both:0", "words:0", "meaning:0"));
}

TEST(PassageIndex, GivesScoresThatMeanSomething) {
  PassageIndex index;
  index.put(document("hit", {"The spare key of the allotment hut hangs behind the rain barrel."}));
  for (int i = 0; i < 50; ++i)
    index.put(document("other" + std::to_string(i),
                       {"The meeting of group " + std::to_string(i) + " is on Monday at nine."}));
  const auto best = index.search({.text = "where is the spare key of the allotment hut"});
  ASSERT_FALSE(best.empty());
  EXPECT_GT(best[0].score, 0.6);
  EXPECT_LE(best[0].score, 1.0);
  for (const Hit& hit : index.search({.text = "is the boiler broken again, or was it on purpose"}))
    EXPECT_LT(hit.score, 0.35);
  EXPECT_THAT(index.search({.text = "who is it that they did that for", .min_score = 0.35}),
              IsEmpty());
  EXPECT_THAT(index.search({.text = "is the boiler broken", .min_score = 0.35}), IsEmpty());
}

TEST(PassageIndex, MayPreferWhatIsNew) {
  constexpr std::int64_t kDay = 86'400'000;
  PassageIndex index;
  index.put(document("old", {"the door code"}, kDay));
  index.put(document("new", {"the door code changed since"}, 100 * kDay));
  index.put(document("undated", {"the door code changed since"}));
  EXPECT_EQ(found(index, {.text = "door code", .limit = 1})[0], "old:0");
  EXPECT_THAT(found(index, {.text = "door code", .limit = 3, .recency = 0.5, .now_ms = 100 * kDay}),
              ElementsAre("new:0", "old:0", "undated:0"));
  // Nothing is lost for being old.
  EXPECT_NEAR(index.search({.text = "door code", .recency = 1, .now_ms = 9000 * kDay})[2].score,
              index.search({.text = "door code"})[2].score, 1e-9);
}

TEST(PassageIndex, EmbedsTheTextBelowItsHeading) {
  EXPECT_EQ(PassageIndex::embedded_text({.heading = "A > B", .text = "goes on"}), "B\ngoes on");
  EXPECT_EQ(PassageIndex::embedded_text({.heading = "A > B", .text = "## B\ntext"}), "## B\ntext");
  EXPECT_EQ(PassageIndex::embedded_text({.text = "text"}), "text");
}

TEST(PassageIndex, FindsByWordsWhatHasNoVectorYetAndOnlyThat) {
  PassageIndex index;
  index.put(document("a", {"the zebra crossing is closed"}));
  index.put(document("b", {"the zebra crossing, too"}));
  index.put(document("c", {"lunch"}));
  const Vector meaning = {0, 1};
  index.set_vector("b", 0, {1, 0});
  index.set_vector("c", 0, {0.6f, 0.8f});
  const Question question{.text = "zebra crossing", .mode = Mode::semantic, .meaning = &meaning};
  const auto hits = index.search(question);
  EXPECT_THAT(shown(hits), ElementsAre("a:0", "c:0", "b:0"));
  EXPECT_FALSE(hits[0].by_meaning);
  EXPECT_EQ(hits[0].score, index.search({.text = "zebra crossing", .prefix = "a"})[0].score);
  EXPECT_EQ(hits[2].score, 0);  // its words do not count
  index.set_vector("a", 0, {1, 0});
  EXPECT_THAT(found(index, question), ElementsAre("c:0", "a:0", "b:0"));
}

TEST(PassageIndex, FindsAmongWordsWhatHasNoVectorYet) {
  PassageIndex index;
  index.put(document("a", {"the spare key of the hut"}));
  index.put(document("b", {"lunch"}));
  const Vector meaning = {0, 1};
  const double by_words = index.search({.text = "spare key"})[0].score;
  index.set_vector("b", 0, {1, 0});
  EXPECT_EQ(index.search({.text = "spare key", .meaning = &meaning})[0].score, by_words);
}

}  // namespace
}  // namespace helve::knowledge

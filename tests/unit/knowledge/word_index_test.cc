#include "knowledge/word_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "knowledge/tokens.h"

namespace helve::knowledge {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

bool anything(Slot) { return true; }

struct Text {
  std::string title, heading, body;
  WordIndex::Fields fields() const { return {title, heading, body}; }
};

std::vector<Slot> found(const WordIndex& index, std::string_view question, size_t limit = 10) {
  std::vector<Slot> out;
  for (const Ranked& each : index.best(index.query(question), limit, anything))
    out.push_back(each.slot);
  return out;
}

WordIndex index_of(const std::vector<Text>& texts) {
  WordIndex index;
  for (size_t i = 0; i < texts.size(); ++i) index.add(static_cast<Slot>(i), texts[i].fields());
  return index;
}

// BM25F written down again, over all passages.
class Reference {
 public:
  void put(Slot slot, const Text& text) { texts_[slot] = words_of(text); }
  void remove(Slot slot) { texts_.erase(slot); }

  std::vector<Ranked> best(std::string_view question, size_t limit) const {
    std::set<std::string> words;
    Tokens tokens(question);
    while (const std::string* token = tokens.next()) words.insert(*token);
    std::map<std::string, std::uint64_t> weights;
    for (const std::string& word : words) weights[word] = weight(word);
    std::vector<Ranked> all;
    for (const auto& [slot, text] : texts_) {
      std::uint64_t score = 0;
      for (const auto& [word, rarity] : weights) score += rarity * impact(text, word);
      if (score > 0) all.push_back({slot, score});
    }
    std::ranges::stable_sort(all, std::greater(), &Ranked::score);
    if (all.size() > limit) all.resize(limit);
    return all;
  }

 private:
  using Words = std::array<std::map<std::string, int>, kFields>;

  static Words words_of(const Text& text) {
    Words out;
    const std::string* const fields[kFields] = {&text.title, &text.heading, &text.body};
    for (size_t i = 0; i < kFields; ++i) {
      Tokens tokens(*fields[i]);
      while (const std::string* token = tokens.next()) ++out[i][*token];
    }
    return out;
  }
  std::uint64_t weight(const std::string& word) const {
    double with = 0;
    for (const auto& [slot, text] : texts_) with += impact(text, word) > 0 ? 1 : 0;
    const double without = static_cast<double>(texts_.size()) + kOtherPassages - with;
    const double rarity = std::log(1 + (without + 0.5) / (with + 0.5));
    return static_cast<std::uint64_t>(std::max(1.0, std::round(rarity * kRarityUnit)));
  }
  static std::uint64_t impact(const Words& text, const std::string& word) {
    double sum = 0;
    for (size_t i = 0; i < kFields; ++i) {
      const FieldWeight& field = kFieldWeights[i];
      const auto count = text[i].find(word);
      if (count == text[i].end()) continue;
      int length = 0;
      for (const auto& [each, times] : text[i]) length += times;
      sum +=
          field.weight * count->second / (1 - field.penalty + field.penalty * length / field.pivot);
    }
    if (sum == 0) return 0;
    return static_cast<std::uint64_t>(
        std::max(1.0, std::round(sum / (kSaturation + sum) * WordIndex::kFullImpact)));
  }

  std::map<Slot, Words> texts_;
};

TEST(WordIndex, PrefersRareWordsOftenInShortPassages) {
  const WordIndex index = index_of({{"", "", "the common word"},
                                    {"", "", "the rare gizmo"},
                                    {"", "", "the common thing"},
                                    {"", "", "the rare gizmo with the common word and many more"}});
  EXPECT_THAT(found(index, "common gizmo"), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(found(index, "gizmo"), ElementsAre(1, 3));
  EXPECT_THAT(found(index, "gizmo", 1), ElementsAre(1));
}

TEST(WordIndex, CountsHeadingsAndTitles) {
  const WordIndex index =
      index_of({{"", "", "deploy"}, {"", "Deploy", "deploy"}, {"Deploy", "Deploy", "deploy"}});
  EXPECT_THAT(found(index, "deploying"), ElementsAre(2, 1, 0));
}

TEST(WordIndex, FindsNothingForNothing) {
  const WordIndex index = index_of({{"", "", "word"}});
  EXPECT_THAT(found(index, ""), IsEmpty());
  EXPECT_THAT(found(index, "other"), IsEmpty());
  EXPECT_THAT(found(index, "word", 0), IsEmpty());
  EXPECT_THAT(found(WordIndex(), "word"), IsEmpty());
}

TEST(WordIndex, SaysHowMuchOfAQuestionAPassageHas) {
  const WordIndex index = index_of({{"", "", "alpha"}, {"", "", "alpha beta"}, {"", "", "gamma"}});
  const auto score = [&](std::string_view question, Slot slot) {
    return WordIndex::relative_score(index.query(question), slot);
  };
  EXPECT_GT(score("alpha beta", 1), score("alpha beta", 0));
  EXPECT_GT(score("alpha beta", 0), 0);
  EXPECT_LT(score("alpha beta", 1), 1);
  EXPECT_EQ(score("alpha beta", 2), 0);
  // A word that occurs nowhere is missing, too.
  EXPECT_LT(score("beta unknown", 1), score("beta", 1));
}

// In a note alone every word is in every note.
TEST(WordIndex, JudgesASingleNoteAsOneOfMany) {
  const WordIndex alone = index_of({{"", "Database", "We use one file, no server."}});
  EXPECT_GT(WordIndex::relative_score(alone.query("which database did we choose"), 0), 0.15);
  EXPECT_LT(WordIndex::relative_score(alone.query("which boiler did we choose"), 0), 0.05);
}

TEST(WordIndex, TakesTheRarestOfTooManyWords) {
  std::vector<Text> texts(100, {"", "", "common"});
  std::string question = "needle";
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string word =
        std::string(1, static_cast<char>('a' + i % 26)) + static_cast<char>('a' + i / 26);
    question += " " + word;
    texts[i].body += " " + word;
    texts[(i + 1) % texts.size()].body += " " + word;
  }
  texts.push_back({"", "", "needle"});
  const WordIndex index = index_of(texts);
  EXPECT_LE(index.query(question).terms.size(), WordIndex::kMaxTerms);
  EXPECT_THAT(found(index, question, 1000), Contains(100));
}

// On random corpora, with passages that go, and with new numbers for those that stay.
TEST(WordIndex, FindsWhatAFullScanFinds) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const size_t vocabulary = 5 + random() % 300;
    // Words of very different frequency, as in any language.
    std::vector<double> weights;
    for (size_t i = 0; i < vocabulary; ++i) weights.push_back(1.0 / static_cast<double>(i + 1));
    std::discrete_distribution<size_t> word(weights.begin(), weights.end());
    auto words = [&](size_t most) {
      std::string out;
      for (size_t count = random() % (most + 1); count > 0; --count)
        out += "w" + std::string(1, static_cast<char>('a' + word(random) % 26)) +
               std::string(word(random) / 26 + 1, 'q') + " ";
      return out;
    };
    WordIndex index;
    Reference reference;
    std::vector<Text> texts;
    const size_t count = random() % 400;
    for (size_t i = 0; i < count; ++i) {
      texts.push_back({words(3), words(4), words(60)});
      index.add(static_cast<Slot>(i), texts.back().fields());
      reference.put(static_cast<Slot>(i), texts.back());
    }
    std::set<Slot> gone;
    for (Slot slot = 0; slot < count; ++slot) {
      if (random() % 4 != 0) continue;
      gone.insert(slot);
      index.forget(texts[slot].fields());
      reference.remove(slot);
    }
    for (int question = 0; question < 10; ++question) {
      const std::string text = words(8);
      const size_t limit = 1 + random() % 20;
      EXPECT_EQ(
          index.best(index.query(text), limit, [&](Slot slot) { return !gone.contains(slot); }),
          reference.best(text, limit))
          << text;
    }
    std::vector<Slot> slots;
    Reference renumbered;
    Slot next = 0;
    for (Slot slot = 0; slot < count; ++slot) {
      slots.push_back(gone.contains(slot) ? kGone : next);
      if (!gone.contains(slot)) renumbered.put(next++, texts[slot]);
    }
    index.renumber(slots);
    const std::string text = words(8);
    EXPECT_EQ(index.best(index.query(text), 10, anything), renumbered.best(text, 10)) << text;
  }
}

}  // namespace
}  // namespace helve::knowledge

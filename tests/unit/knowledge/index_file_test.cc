// An index that is kept in a file: the same as the one in memory, and never trusted.
#include "knowledge/index_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/quick_hash.h"
#include "knowledge/passage_index.h"
#include "sys/file.h"

namespace helve::knowledge {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class IndexFileTest : public testing::Test {
 protected:
  IndexFileTest() {
    std::string pattern = testing::TempDir() + "index_XXXXXX";
    place_ = {.directory = std::string(mkdtemp(pattern.data())) + "/kept", .name = "notes.bin"};
  }
  ~IndexFileTest() override { fs::remove_all(fs::path(place_.directory).parent_path()); }

  static Document document(std::string key, std::string text, std::string heading = "") {
    Passage passage{.heading = std::move(heading), .text = text.substr(4)};
    passage.begin = 4;
    passage.first_line = passage.last_line = 2;
    return {.key = std::move(key),
            .title = "Title",
            .date_ms = 7,
            .stamp = "stamp",
            .content = std::move(text),
            .passages = {std::move(passage)}};
  }
  static PassageIndex fruits() {
    PassageIndex index;
    index.put(document("a", "one\napples", "A > B"));
    index.put(document("b", "two\npears and apples"));
    index.put({.key = "nothing", .title = ""});
    index.use_embedder("fruit");
    index.set_vector("b", 0, {0, 1});
    index.set_note("of the owner");
    return index;
  }
  std::string path() const { return place_.directory + "/" + place_.name; }
  std::string bytes() const {
    std::ostringstream out;
    out << std::ifstream(path(), std::ios::binary).rdbuf();
    return out.str();
  }
  void write(std::string_view content) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << content;
  }
  bool opens() const { return PassageIndex().open(place_); }

  PassageIndex::Place place_;
};

std::vector<std::string> found(const PassageIndex& index, const Question& question) {
  std::vector<std::string> out;
  for (const Hit& hit : index.search(question))
    out.push_back(hit.document->key + ":" + std::to_string(hit.passage) + " " +
                  std::to_string(hit.score));
  return out;
}

TEST_F(IndexFileTest, HoldsAllThatTheIndexKnew) {
  PassageIndex saved = fruits();
  ASSERT_TRUE(saved.save(place_));
  PassageIndex opened;
  opened.put({.key = "of before", .title = "", .passages = {{.text = "apples"}}});
  ASSERT_TRUE(opened.open(place_));
  EXPECT_EQ(opened.find("of before"), nullptr);
  EXPECT_EQ(opened.note(), "of the owner");
  const IndexedDocument& a = *opened.find("a");
  EXPECT_EQ(a.title, "Title");
  EXPECT_EQ(a.date_ms, 7);
  EXPECT_EQ(a.stamp, "stamp");
  EXPECT_EQ(a.content, "one\napples");
  EXPECT_EQ(a.passages[0].heading, "A > B");
  EXPECT_EQ(a.passages[0].text, "apples");
  EXPECT_EQ(a.passages[0].first_line, 2u);
  EXPECT_NE(opened.find("nothing"), nullptr);
  EXPECT_EQ(opened.passages(), 2u);
  EXPECT_EQ(opened.vectors(), 1u);
  const Vector meaning = {0, 1};
  for (const PassageIndex* index : {&saved, &opened}) {
    EXPECT_EQ(found(*index, {.text = "apple"}), found(fruits(), {.text = "apple"}));
    EXPECT_EQ(found(*index, {.text = "apple", .meaning = &meaning}),
              found(fruits(), {.text = "apple", .meaning = &meaning}));
  }
}

TEST_F(IndexFileTest, GoesOnWhenItsFileIsCutShort) {
  ASSERT_TRUE(fruits().save(place_));
  PassageIndex opened;
  ASSERT_TRUE(opened.open(place_));
  fs::resize_file(path(), 0);
  EXPECT_EQ(found(opened, {.text = "apple"}), found(fruits(), {.text = "apple"}));
}

// Whatever was kept, and whatever was done since, it answers as one that was made anew.
TEST_F(IndexFileTest, AnswersLikeAnIndexMadeAnew) {
  std::mt19937 random(5);
  const auto text = [&] {
    std::string out = "xxx\n";
    for (int i = 0; i < 12; ++i) out += "word" + std::string(1 + random() % 30, 'q') + " ";
    return out;
  };
  const auto vector = [](std::string_view seed) {
    const std::uint64_t hash = quick_hash(seed);
    return Vector{static_cast<float>(hash % 7), static_cast<float>(hash % 5), 1};
  };
  std::map<std::string, std::string> truth;
  PassageIndex index;
  for (int round = 0; round < 30; ++round) {
    for (int change = 0; change < 20; ++change) {
      const std::string key = "doc" + std::to_string(random() % 60);
      if (random() % 4 == 0) {
        index.remove(key);
        truth.erase(key);
      } else {
        truth[key] = text();
        index.put(document(key, truth[key]));
        if (random() % 2 == 0) index.set_vector(key, 0, vector(key));
      }
    }
    if (round % 5 == 4) {
      ASSERT_TRUE(index.save(place_));
    }
    if (round % 7 == 6) {  // what was not saved is gone
      ASSERT_TRUE(index.open(place_));
      truth.clear();
      for (const IndexedDocument* each : index.documents()) truth[each->key] = each->content;
    }
    PassageIndex fresh;
    for (const auto& [key, content] : truth) fresh.put(document(key, content));
    EXPECT_EQ(index.passages(), fresh.passages());
    for (int i = 1; i < 30; i += 4) {
      const std::string question =
          "word" + std::string(i, 'q') + " word" + std::string(30 - i, 'q');
      std::vector<double> scores, expected;
      for (const Hit& hit : index.search({.text = question})) scores.push_back(hit.score);
      for (const Hit& hit : fresh.search({.text = question})) expected.push_back(hit.score);
      EXPECT_EQ(scores, expected) << round << question;
    }
  }
}

TEST_F(IndexFileTest, IsNoneUnlessItIsWhole) {
  EXPECT_FALSE(opens());
  PassageIndex index = fruits();
  ASSERT_TRUE(index.save(place_));
  ASSERT_TRUE(opens());
  const std::string whole = bytes();
  for (size_t size = 0; size < whole.size(); size += size % 64 < 3 ? 1 : 13) {
    write(whole.substr(0, size));
    ASSERT_FALSE(opens()) << "cut to " << size;
  }
  for (size_t at = 0; at < whole.size(); at += 5) {
    std::string garbled = whole;
    garbled[at] = static_cast<char>(garbled[at] ^ 0x40);
    write(garbled);
    ASSERT_FALSE(opens()) << "garbled at " << at;
  }
  write(whole + "x");
  EXPECT_FALSE(opens());
  write(whole);
  EXPECT_TRUE(opens());
}

TEST_F(IndexFileTest, IsNotReadThroughALink) {
  PassageIndex index = fruits();
  ASSERT_TRUE(index.save(place_));
  fs::rename(path(), path() + ".real");
  fs::create_symlink(path() + ".real", path());
  EXPECT_FALSE(opens());
  fs::remove(path());
  fs::create_directory(path());
  EXPECT_FALSE(opens());
}

TEST_F(IndexFileTest, IsWrittenByOneProcessAtATime) {
  PassageIndex index = fruits();
  ASSERT_TRUE(index.save(place_));
  const std::string before = bytes();
  {
    const Result<sys::Fd> other = sys::lock_file(path() + ".lock", std::chrono::milliseconds(0));
    ASSERT_TRUE(other);
    index.put(document("c", "four plums"));
    const Result<void> saved = index.save(place_);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().type, "busy");
    EXPECT_EQ(bytes(), before);
  }
  EXPECT_THAT(found(index, {.text = "plums"}), testing::SizeIs(1));
  // What a killed process left behind is in nobody's way.
  std::ofstream(path() + ".new") << "half an index";
  EXPECT_TRUE(index.save(place_));
  EXPECT_NE(bytes(), before);
  EXPECT_FALSE(fs::exists(path() + ".new"));
}

// Another process replaces the file while this one uses it.
TEST_F(IndexFileTest, StaysWhatItWasForWhoHasOpenedIt) {
  PassageIndex ours = fruits();
  ASSERT_TRUE(ours.save(place_));
  PassageIndex theirs;
  ASSERT_TRUE(theirs.open(place_));
  theirs.remove("b");
  theirs.put(document("d", "one\nmelons"));
  ASSERT_TRUE(theirs.save(place_));
  EXPECT_EQ(found(ours, {.text = "apple"}), found(fruits(), {.text = "apple"}));
  EXPECT_THAT(found(ours, {.text = "melons"}), IsEmpty());
  ASSERT_TRUE(ours.open(place_));
  EXPECT_THAT(found(ours, {.text = "melons"}), testing::SizeIs(1));
}

TEST_F(IndexFileTest, HasNoVectorsOfAnotherEmbedder) {
  PassageIndex index = fruits();
  ASSERT_TRUE(index.save(place_));
  ASSERT_TRUE(index.open(place_));
  index.use_embedder("fruit");
  EXPECT_EQ(index.vectors(), 1u);
  index.use_embedder("vegetables");
  EXPECT_EQ(index.vectors(), 0u);
}

TEST_F(IndexFileTest, IsWorthItsTimeOnlyAfterManyChanges) {
  PassageIndex index = fruits();
  EXPECT_FALSE(index.is_worth_saving());
  for (int i = 0; i < 100; ++i) index.put(document(std::to_string(i), "one\nplums"));
  EXPECT_TRUE(index.is_worth_saving());
  ASSERT_TRUE(index.save(place_));
  EXPECT_FALSE(index.is_worth_saving());
  ASSERT_TRUE(index.open(place_));
  EXPECT_FALSE(index.is_worth_saving());
}

// Fails when texts are cut into words, or words weighed, in another way than before: then files of
// before must not be used, so raise kVersion in index_file.cc, and put the new number here.
TEST_F(IndexFileTest, HasANewVersionWhenItsContentMeansSomethingElse) {
  PassageIndex index;
  const std::string text =
      "# The HTTPServer's max_results\n\nDeploying v1.12 naïvely to 日本語 hosts isn't easy:\n\n"
      "- running migrations\n- `ORA-00942`\n";
  index.put({.key = "a",
             .title = "Notes",
             .content = text,
             .passages = split_passages(text, TextKind::markdown)});
  ASSERT_TRUE(index.save(place_));
  EXPECT_EQ(quick_hash(bytes()), 17963079525639549336u);
}

}  // namespace
}  // namespace helve::knowledge

// The index against the truth: a document that has what is required is always among those it names.
#include "search/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "search/index_query.h"
#include "search/path_order.h"
#include "unit/workspace/temp_tree.h"

namespace helve::search {
namespace {

class IndexTest : public ::testing::Test {
 protected:
  IndexTest()
      : index_(tree_.path("state"), tree_.path("root")),
        // Long after whatever the test writes, so that no file counts as just changed.
        clock_(std::numeric_limits<std::int32_t>::max() * std::int64_t{1000}) {
    tree_.directory("root");
  }

  void file(const std::string& path, std::string_view content) {
    tree_.file("root/" + path, content);
    paths_.push_back(path);
    std::ranges::sort(paths_, path_less);
  }
  sys::Fd root() const { return std::move(*sys::open_directory(tree_.path("root"))); }
  BuildOptions options(unsigned threads = 1) const {
    return {.threads = threads, .clock = &clock_};
  }
  void build(unsigned threads = 1) {
    const Result<Built> built = index_.build(root(), paths_, options(threads));
    ASSERT_TRUE(built) << built.error().message;
  }
  FileStamp stamp(const std::string& path) const { return stamp_of(*sys::status_at(root(), path)); }
  // Files that may have a match of the pattern, by the index.
  std::set<std::string> candidates(std::string_view pattern, RegexOptions how = {}) {
    const Regex regex = *parse_regex(pattern, how);
    const auto together =
        how.newlines == Newlines::excluded ? Together::in_a_line : Together::in_a_file;
    const auto segments = index_.segments();
    std::set<std::string> files;
    for (size_t i = 0; i < segments->size(); ++i) {
      const Segment& segment = (*segments)[i];
      const auto docs = docs_that_may_satisfy(segment, required_text(regex), together);
      EXPECT_TRUE(docs);
      if (!*docs)
        for (std::uint32_t f = 0; f < segment.file_count(); ++f) files.emplace(segment.path(f));
      else
        for (const Doc doc : **docs) files.emplace(segment.path(segment.file_of(doc)));
    }
    return files;
  }

  TempTree tree_;
  Index index_;
  sys::ManualClock clock_;
  std::vector<std::string> paths_;
};

using Names = std::set<std::string>;

TEST_F(IndexTest, NamesTheFilesThatHoldAWord) {
  file("a.txt", "the quick brown fox\n");
  file("b/c.txt", "jumps over\n");
  file("b.txt", "the lazy dog\n");
  build();
  EXPECT_EQ(candidates("quick"), Names{"a.txt"});
  EXPECT_EQ(candidates("the"), (Names{"a.txt", "b.txt"}));
  EXPECT_EQ(candidates("QUICK"), Names{"a.txt"}) << "case is not told apart: a bound from above";
  EXPECT_EQ(candidates("elephant"), Names{});
  EXPECT_EQ(candidates("quick|lazy"), (Names{"a.txt", "b.txt"}));
  EXPECT_EQ(candidates("jumps.*over"), Names{"b/c.txt"});
  EXPECT_EQ(candidates("th"), (Names{"a.txt", "b.txt", "b/c.txt"})) << "too short to tell";
}

TEST_F(IndexTest, PartsOfALineMustBeInOneDocumentButPartsOfAFileNeedNot) {
  std::string long_text = "first\n";
  while (long_text.size() < 3 * kDocumentBytes) long_text += "filler line\n";
  file("long.txt", long_text + "second\n");
  build();
  EXPECT_EQ(candidates("first.*second"), Names{});
  EXPECT_EQ(candidates("first(?s:.*)second", {.newlines = Newlines::matched}), Names{"long.txt"});
  EXPECT_EQ(candidates("filler"), Names{"long.txt"});
  EXPECT_EQ(candidates("second"), Names{"long.txt"});
}

TEST_F(IndexTest, CutsLargeFilesAtLineEnds) {
  std::string text;
  for (int i = 0; text.size() < 5 * kDocumentBytes; ++i) text += "line " + std::to_string(i) + "\n";
  text += std::string(2 * kDocumentBytes, 'x');  // a line without an end
  file("long.txt", text);
  build();
  const Segment& segment = (*index_.segments())[0];
  ASSERT_GT(segment.doc_count(), 4u);
  std::uint64_t lines = 0;
  for (Doc doc = 0; doc < segment.doc_count(); ++doc) {
    const std::uint64_t offset = segment.doc(doc).offset;
    EXPECT_TRUE(offset == 0 || text[offset - 1] == '\n');
    EXPECT_EQ(lines, static_cast<std::uint64_t>(
                         std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n')));
    lines += segment.doc(doc).lines;
  }
  EXPECT_EQ(segment.file_of(segment.doc_count() - 1), 0u);
}

TEST_F(IndexTest, KnowsAFileUntilItChanges) {
  file("a.txt", "one\n");
  build();
  const FileStamp before = stamp("a.txt");
  EXPECT_TRUE(index_.segments()->find("a.txt", before));
  EXPECT_FALSE(index_.segments()->find("b.txt", before));
  tree_.file("root/a.txt", "two and more\n");
  EXPECT_FALSE(index_.segments()->find("a.txt", stamp("a.txt")));
}

TEST_F(IndexTest, DoesNotTrustAFileThatChangedAMomentBeforeItWasRead) {
  file("a.txt", "one\n");
  const sys::ManualClock moment(stamp("a.txt").changed_ns / 1'000'000);
  const Result<Built> built = index_.build(root(), paths_, {.clock = &moment});
  ASSERT_TRUE(built);
  EXPECT_FALSE(index_.segments()->find("a.txt", stamp("a.txt")));
}

TEST_F(IndexTest, ALaterSegmentKnowsBetter) {
  file("a.txt", "one\n");
  file("b.txt", "one\n");
  build();
  const FileStamp old = stamp("a.txt");
  tree_.file("root/a.txt", "two and more\n");
  ASSERT_TRUE(index_.update(root(), std::vector<std::string>{"a.txt"}, options()));
  EXPECT_EQ(index_.segments()->size(), 2u);
  EXPECT_EQ(index_.segments()->find("a.txt", stamp("a.txt")), (FileRef{1, 0}));
  EXPECT_EQ(index_.segments()->find("b.txt", stamp("b.txt")), (FileRef{0, 1}));
  EXPECT_FALSE(index_.segments()->find("a.txt", old));
}

TEST_F(IndexTest, IsThereInTheNextProcess) {
  file("a.txt", "one two three\n");
  build();
  Index other(tree_.path("state"), tree_.path("root"));
  EXPECT_TRUE(other.segments()->empty());
  EXPECT_EQ(other.open()->size(), 1u);
  ASSERT_TRUE(other.drop());
  EXPECT_TRUE(Index(tree_.path("state"), tree_.path("root")).open()->empty());
}

TEST_F(IndexTest, LeavesOutWhatCannotBeRead) {
  file("a.txt", "one\n");
  paths_.push_back("missing.txt");
  tree_.link("root/link.txt", "a.txt");
  paths_.push_back("link.txt");
  std::ranges::sort(paths_, path_less);
  build();
  EXPECT_EQ((*index_.segments())[0].file_count(), 1u);
}

TEST_F(IndexTest, IsNotBelievedWhenItIsDamaged) {
  std::string all;
  for (int i = 0; i < 20; ++i) {
    const std::string text = "some text " + std::to_string(i * 7919) + "\n";
    file(std::to_string(i), text);
    all += text;
  }
  build();
  const std::string name = "state/1.segment";
  const std::string whole = tree_.content(name);
  std::mt19937 random(2);
  int refused = 0;
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = whole;
    if (round % 3 == 0)
      damaged.resize(random() % damaged.size());
    else
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    tree_.file(name, damaged);
    // It is refused when it is opened, or when the list that is damaged is read.
    const auto segments = index_.open();
    bool is_whole = !segments->empty();
    for (const Gram gram : grams_of_word(all)) {
      if (!is_whole) break;
      const auto list = (*segments)[0].list(gram);
      is_whole = list && (*segments)[0].postings(*list);
    }
    refused += !is_whole;
  }
  // Only the padding between two sections is nobody's business.
  EXPECT_GE(refused, kRounds - 5);
}

// Random files and patterns: every file with a match is a candidate, with one thread and with more.
TEST_F(IndexTest, NeverMissesAFile) {
  std::mt19937 random(3);
  const std::vector<std::string> words = {"alpha", "beta", "GAMMA", "delta_7", "éclair", "x", "::"};
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (unsigned k = random() % 60; k > 0; --k) {
      text += words[random() % words.size()];
      text += random() % 4 == 0 ? "\n" : " ";
    }
    files.emplace_back("d" + std::to_string(i % 7) + "/f" + std::to_string(i), text);
    file(files.back().first, text);
  }
  build(3);
  for (int round = 0; round < 300; ++round) {
    const std::string& one = words[random() % words.size()];
    const std::string& other = words[random() % words.size()];
    const std::vector<std::string> patterns = {one, one + " " + other, one + "|" + other,
                                               one + ".*" + other};
    const std::string& pattern = patterns[random() % patterns.size()];
    const Required required = required_text(*parse_regex(pattern));
    const Names found = candidates(pattern);
    for (const auto& [path, text] : files) {
      bool has = false;
      for (size_t at = 0; at < text.size() && !has;) {
        const size_t end = std::min(text.find('\n', at), text.size());
        has = satisfies(text.substr(at, end - at), required);
        at = end + 1;
      }
      EXPECT_TRUE(!has || found.contains(path)) << pattern << " in " << path;
    }
  }
}

}  // namespace
}  // namespace helve::search

#include "knowledge/embedding_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include "knowledge/cached_embedder.h"
#include "unit/workspace/temp_tree.h"

namespace helve::knowledge {
namespace {

Vector random_vector(unsigned seed, size_t size = 64) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Vector vector(size);
  float squares = 0;
  for (float& each : vector) each = normal(random), squares += each * each;
  for (float& each : vector) each /= std::sqrt(squares);
  return vector;
}

float dot(const Vector& a, const Vector& b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Hash128 hash(unsigned number) { return EmbeddingCache::hash_of(std::to_string(number)); }

class EmbeddingCacheTest : public ::testing::Test {
 protected:
  static constexpr size_t kHeader = 40, kRecord = 16 + 8 + 64;

  EmbeddingCache cache(std::string_view id = "test", std::uint64_t max_bytes = 1u << 30) const {
    return EmbeddingCache(tree_.path("state/embeddings"), id, max_bytes);
  }
  static void add(EmbeddingCache& cache, unsigned first, unsigned end) {
    std::vector<EmbeddingCache::Entry> entries;
    for (unsigned i = first; i < end; ++i) entries.push_back({hash(i), random_vector(i)});
    const Result<void> added = cache.add(entries);
    ASSERT_TRUE(added) << describe(added.error());
  }
  static bool has(EmbeddingCache& cache, unsigned number) {
    const std::optional<Vector> found = cache.find(hash(number));
    if (!found) return false;
    EXPECT_NEAR(dot(*found, *found), 1, 1e-5);
    EXPECT_GT(dot(*found, random_vector(number)), 0.9995);
    return true;
  }
  std::string content() const {
    std::ifstream file(cache().path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(std::string_view content) const {
    std::ofstream(cache().path(), std::ios::binary | std::ios::trunc) << content;
  }

  TempTree tree_;
};

TEST_F(EmbeddingCacheTest, FindsWhatWasAdded) {
  EmbeddingCache first = cache();
  EXPECT_FALSE(has(first, 0));
  add(first, 0, 10);
  EmbeddingCache second = cache();
  for (unsigned i = 0; i < 10; ++i) EXPECT_TRUE(has(first, i) && has(second, i));
  EXPECT_FALSE(has(second, 10));
  EXPECT_EQ(content().size(), kHeader + 10 * kRecord);
}

TEST_F(EmbeddingCacheTest, WhatIsThereIsNotAddedAgain) {
  EmbeddingCache first = cache(), second = cache();
  add(first, 0, 4);
  add(second, 2, 6);
  add(first, 0, 6);
  EXPECT_EQ(content().size(), kHeader + 6 * kRecord);
  EXPECT_TRUE(has(first, 5)) << "what another process added is read with the next add";
}

TEST_F(EmbeddingCacheTest, EachEmbedderHasItsOwn) {
  EmbeddingCache one = cache("a/b"), other = cache("a_b");
  add(one, 0, 1);
  EXPECT_FALSE(has(other, 0));
  EXPECT_NE(one.path(), other.path());
}

TEST_F(EmbeddingCacheTest, AFileOfAnotherEmbedderIsNotBelieved) {
  EmbeddingCache one = cache("one"), other = cache("other");
  add(one, 0, 1);
  std::filesystem::rename(one.path(), other.path());
  EXPECT_FALSE(has(other, 0));
  add(other, 1, 2);
  EXPECT_TRUE(has(other, 1));
}

TEST_F(EmbeddingCacheTest, AnotherSizeBeginsAnew) {
  EmbeddingCache first = cache();
  add(first, 0, 3);
  const EmbeddingCache::Entry entry{hash(7), random_vector(7, 32)};
  ASSERT_TRUE(first.add({&entry, 1}));
  EXPECT_EQ(first.find(hash(7))->size(), 32u);
  EXPECT_FALSE(first.find(hash(0)));
  const EmbeddingCache::Entry mixed[] = {{hash(8), random_vector(8, 32)}, {hash(9), {}}};
  EXPECT_FALSE(first.add(mixed));
}

TEST_F(EmbeddingCacheTest, AFileCutShortKeepsItsWholeRecords) {
  EmbeddingCache whole = cache();
  add(whole, 0, 3);
  const std::string before = content();
  for (size_t size = 0; size < before.size(); size += 5) {
    write(before.substr(0, size));
    const size_t records = size < kHeader ? 0 : (size - kHeader) / kRecord;
    EmbeddingCache cut = cache();
    for (unsigned i = 0; i < 3; ++i) ASSERT_EQ(has(cut, i), i < records) << size;
    add(cut, 9, 10);
    EmbeddingCache mended = cache();
    ASSERT_TRUE(has(mended, 9)) << size;
    ASSERT_EQ(content().size(), kHeader + (records + 1) * kRecord) << size;
  }
}

TEST_F(EmbeddingCacheTest, AFlippedByteCostsOneRecordOrAll) {
  EmbeddingCache whole = cache();
  add(whole, 0, 3);
  const std::string before = content();
  for (size_t at = 0; at < before.size(); at += 3) {
    std::string flipped = before;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write(flipped);
    EmbeddingCache read = cache();
    for (unsigned i = 0; i < 3; ++i) {
      const bool is_hit = at < kHeader || (at - kHeader) / kRecord == i;
      ASSERT_EQ(has(read, i), !is_hit) << at;
    }
    add(read, 9, 10);
    EXPECT_EQ(content().size(), kHeader + (at < kHeader ? 1 : 3) * kRecord) << "removed";
  }
}

TEST_F(EmbeddingCacheTest, GarbageInTheMiddleIsRemoved) {
  EmbeddingCache whole = cache();
  add(whole, 0, 3);
  write(content().insert(kHeader + kRecord, "garbage"));
  EmbeddingCache read = cache();
  EXPECT_TRUE(has(read, 0));
  EXPECT_FALSE(has(read, 1));
  add(read, 0, 3);
  for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(has(read, i));
  EXPECT_EQ(content().size(), kHeader + 3 * kRecord);
}

TEST_F(EmbeddingCacheTest, AFullFileKeepsItsNewerHalf) {
  EmbeddingCache small = cache("test", kHeader + 10 * kRecord), other = cache();
  add(small, 0, 4);
  add(small, 4, 10);
  EXPECT_TRUE(has(other, 0));
  add(small, 10, 11);
  EXPECT_FALSE(has(small, 0));
  for (unsigned i = 6; i < 11; ++i) EXPECT_TRUE(has(small, i)) << i;
  EXPECT_LE(content().size(), kHeader + 10 * kRecord);
  EXPECT_TRUE(has(other, 0)) << "whoever reads the old file goes on";
  add(other, 11, 12);
  EmbeddingCache again = cache();
  EXPECT_TRUE(has(again, 11)) << "and adds to the new one";
}

TEST_F(EmbeddingCacheTest, ManyAddAtOnce) {
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      EmbeddingCache mine = cache();
      for (unsigned i = 0; i < 20; ++i) add(mine, t * 100 + i, t * 100 + i + 2);
    });
  }
  threads.clear();
  EmbeddingCache all = cache();
  EXPECT_EQ(all.size(), 4u * 21);
  EXPECT_EQ(content().size(), kHeader + 4 * 21 * kRecord);
}

TEST_F(EmbeddingCacheTest, ALinkIsNotFollowed) {
  EmbeddingCache linked = cache();
  tree_.directory("state/embeddings");
  tree_.file("elsewhere", "precious");
  tree_.link(linked.path().substr(tree_.path().size() + 1), tree_.path("elsewhere"));
  add(linked, 0, 1);
  EXPECT_TRUE(has(linked, 0));
  EXPECT_EQ(tree_.content("elsewhere"), "precious");
}

// Counts what it is asked for.
class Counting final : public Embedder {
 public:
  explicit Counting(size_t& made) : made_(made) {}
  std::string_view id() const override { return "counting"; }
  size_t step_bytes() const override { return 2; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token stop) override {
    if (stop.stop_requested()) return Error{Code::cancelled, "stopped"};
    std::vector<Vector> vectors;
    for (const std::string_view text : texts) {
      if (text == "bad") return Error{Code::internal, "bad"};
      vectors.push_back(random_vector(static_cast<unsigned>(quick_hash(text))));
      ++made_;
    }
    return vectors;
  }

 private:
  size_t& made_;
};

class CachedEmbedderTest : public ::testing::Test {
 protected:
  CachedEmbedder embedder(const std::string& directory = "cache") {
    return CachedEmbedder(std::make_unique<Counting>(made_), tree_.path(directory));
  }
  TempTree tree_;
  size_t made_ = 0;
};

TEST_F(CachedEmbedderTest, MakesOnlyWhatIsMissingAndGivesTheSame) {
  CachedEmbedder first = embedder();
  const std::string_view some[] = {"a", "b"}, more[] = {"c", "b", "a"};
  const auto before = first.embed(some, {});
  ASSERT_TRUE(before);
  CachedEmbedder second = embedder();
  const auto after = second.embed(more, {});
  ASSERT_TRUE(after);
  EXPECT_EQ(made_, 3u);
  EXPECT_EQ((*after)[2], (*before)[0]);
  EXPECT_EQ((*after)[1], (*before)[1]);
  EXPECT_EQ(second.find("c"), (*after)[0]);
  EXPECT_FALSE(second.find("d"));
}

TEST_F(CachedEmbedderTest, KeepsWhatWasMadeBeforeAnError) {
  const std::string_view texts[] = {"0", "1", "bad"};
  CachedEmbedder both = embedder();
  EXPECT_FALSE(both.embed(texts, {}));
  EXPECT_TRUE(both.find("0"));
  EXPECT_EQ(made_, 2u);
}

TEST_F(CachedEmbedderTest, WorksWhereNothingCanBeKept) {
  tree_.file("no", "a file, not a directory");
  CachedEmbedder kept = embedder("no");
  const std::string_view text = "a";
  EXPECT_TRUE(kept.embed({&text, 1}, {}));
  EXPECT_TRUE(kept.embed({&text, 1}, {}));
  EXPECT_EQ(made_, 2u);
}

}  // namespace
}  // namespace helve::knowledge

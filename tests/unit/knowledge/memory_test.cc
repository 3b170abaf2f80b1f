#include "knowledge/memory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "knowledge/cached_embedder.h"
#include "knowledge/front_matter.h"
#include "knowledge/keyword_count.h"
#include "knowledge/snippet.h"
#include "knowledge/step_size.h"
#include "sys/local_time.h"
#include "unit/time_zone.h"

namespace helve::knowledge {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Texts about pears are near each other, and all others too.
class FruitEmbedder final : public Embedder {
 public:
  std::string_view id() const override { return "fruit"; }
  size_t step_bytes() const override { return 1; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token) override {
    if (fails) return Error{Code::unavailable, "the embedder sleeps"};
    std::vector<Vector> out;
    if (embedded + texts.size() > most) return Error{Code::unavailable, "the embedder is tired"};
    for (const std::string_view text : texts) {
      const bool is_pear = text.find("pear") != text.npos || text.find("Birne") != text.npos;
      out.push_back(is_pear ? Vector{0, 1} : Vector{1, 0});
      embedded += 1;
    }
    return out;
  }

  std::atomic<bool> fails = false;
  std::atomic<size_t> embedded = 0;
  std::atomic<size_t> most = SIZE_MAX;
};

// What was written now was written long ago, so that nothing can have changed unseen since.
struct LaterClock final : sys::Clock {
  std::int64_t unix_ms() const override { return sys::RealClock().unix_ms() + 60'000; }
  Steady steady() const override { return sys::RealClock().steady(); }
};

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "memory_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    base_ = fs::canonical(pattern);
    root_ = base_ / "root";
    fs::create_directory(root_);
  }
  void TearDown() override { fs::remove_all(base_); }

  void write(const std::string& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  std::unique_ptr<Memory> memory(Memory::FindEmbedder find_embedder = {}) {
    return std::make_unique<Memory>(*sys::open_directory(root_.string()), clock_,
                                    std::move(find_embedder));
  }
  Memory::FindEmbedder fruit() {
    return [this] { return Result<std::shared_ptr<Embedder>>(embedder_); };
  }
  static std::vector<std::string> found(Memory& memory, std::string text,
                                        Mode mode = Mode::hybrid) {
    const auto answer = memory.search({.text = std::move(text), .mode = mode}, {});
    std::vector<std::string> out;
    if (!answer) return {describe(answer.error())};
    for (const MemoryHit& hit : answer->hits) out.push_back(hit.path);
    return out;
  }

  fs::path base_, root_;
  sys::RealClock clock_;
  std::shared_ptr<FruitEmbedder> embedder_ = std::make_shared<FruitEmbedder>();
};

TEST_F(MemoryTest, SeesEveryChangeOnDisk) {
  const auto memory = this->memory();
  EXPECT_THAT(found(*memory, "apples"), IsEmpty());
  write("memory/a.md", "apples\n");
  EXPECT_THAT(found(*memory, "apples"), ElementsAre("memory/a.md"));
  write("memory/a.md", "plums!\n");  // of the same size, perhaps in the same moment
  EXPECT_THAT(found(*memory, "apples"), IsEmpty());
  EXPECT_THAT(found(*memory, "plums"), ElementsAre("memory/a.md"));
  fs::rename(root_ / "memory/a.md", root_ / "memory/b.md");
  EXPECT_THAT(found(*memory, "plums"), ElementsAre("memory/b.md"));
  write("memory/new.md", "apples\n");
  fs::rename(root_ / "memory/new.md", root_ / "memory/b.md");
  EXPECT_THAT(found(*memory, "apples"), ElementsAre("memory/b.md"));
  fs::remove_all(root_ / "memory");
  EXPECT_THAT(found(*memory, "apples"), IsEmpty());
}

TEST_F(MemoryTest, ReadsOnlyWhatHasChanged) {
  for (int i = 0; i < 20; ++i) write("memory/" + std::to_string(i) + ".md", "apples\n");
  LaterClock clock;
  Memory memory(*sys::open_directory(root_.string()), clock, {});
  found(memory, "apples");
  EXPECT_EQ(memory.reads(), 20u);
  found(memory, "apples");
  EXPECT_EQ(memory.reads(), 20u);
  write("memory/7.md", "more apples\n");
  found(memory, "apples");
  EXPECT_EQ(memory.reads(), 21u);
}

// Each Memory is a process of its own.
TEST_F(MemoryTest, ReadsOnlyWhatChangedSinceAnotherProcess) {
  constexpr size_t kNotes = 60;
  for (size_t i = 0; i < kNotes; ++i)
    write("memory/" + std::to_string(i) + ".md", "# Note\n\napples " + std::to_string(i) + "\n");
  LaterClock clock;
  const PassageIndex::Place place{.directory = base_ / "kept", .name = "notes.bin"};
  const auto process = [&] {
    return std::make_unique<Memory>(*sys::open_directory(root_.string()), clock, fruit(), place);
  };
  const auto first = process();
  const auto expected = first->search({.text = "apples", .min_score = 0}, {});
  EXPECT_EQ(first->reads(), kNotes);
  ASSERT_TRUE(fs::exists(base_ / "kept/notes.bin"));
  const size_t embedded = embedder_->embedded;

  const auto second = process();
  const auto answer = second->search({.text = "apples", .min_score = 0}, {});
  EXPECT_EQ(second->reads(), 0u);
  EXPECT_EQ(embedder_->embedded, embedded + 1);  // the question
  ASSERT_EQ(answer->hits.size(), expected->hits.size());
  EXPECT_EQ(answer->files, kNotes);
  EXPECT_EQ(answer->bytes, expected->bytes);
  for (size_t i = 0; i < answer->hits.size(); ++i) {
    EXPECT_EQ(answer->hits[i].path, expected->hits[i].path);
    EXPECT_EQ(answer->hits[i].score, expected->hits[i].score);
    EXPECT_EQ(answer->hits[i].snippet, expected->hits[i].snippet);
  }
  EXPECT_EQ(found(*second, "apples", Mode::keyword).size(), 6u);

  write("memory/7.md", "pears\n");
  fs::remove(root_ / "memory/8.md");
  const auto third = process();
  EXPECT_THAT(found(*third, "pears", Mode::keyword), ElementsAre("memory/7.md"));
  EXPECT_EQ(third->reads(), 1u);
  EXPECT_EQ(third->search({.text = "apples"}, {})->files, kNotes - 1);

  fs::resize_file(base_ / "kept/notes.bin", 1000);
  const auto fourth = process();
  EXPECT_THAT(found(*fourth, "pears", Mode::keyword), ElementsAre("memory/7.md"));
  EXPECT_EQ(fourth->reads(), kNotes - 1);
}

// Two writes within one step of the file system's clock look alike.
TEST_F(MemoryTest, ReadsAgainWhatMayHaveChangedUnseen) {
  for (int i = 0; i < 60; ++i) write("memory/" + std::to_string(i) + ".md", "apples\n");
  const PassageIndex::Place place{.directory = base_ / "kept", .name = "notes.bin"};
  Memory first(*sys::open_directory(root_.string()), clock_, {}, place);
  found(first, "apples");
  LaterClock clock;
  Memory second(*sys::open_directory(root_.string()), clock, {}, place);
  EXPECT_THAT(found(second, "apples"), testing::SizeIs(6));
  EXPECT_GT(second.reads(), 0u);
}

TEST_F(MemoryTest, StaysBelowItsRoot) {
  fs::create_directories(base_ / "root_evil/memory");
  std::ofstream(base_ / "root_evil/memory/secret.md") << "swordfish\n";
  std::ofstream(base_ / "secret.md") << "swordfish\n";
  fs::create_directory(root_ / "memory");
  fs::create_symlink(base_ / "root_evil/memory", root_ / "memory/link");
  fs::create_symlink("../../secret.md", root_ / "memory/secret.md");
  const auto memory = this->memory();
  EXPECT_THAT(found(*memory, "swordfish"), IsEmpty());
  for (const std::string path :
       {"memory/link/secret.md", "memory/secret.md", "../secret.md", "memory/../../secret.md"})
    EXPECT_FALSE(memory->read(path).has_value()) << path;
  fs::remove_all(root_ / "memory");
  fs::create_symlink(base_ / "root_evil/memory", root_ / "memory");
  const auto answer = memory->search({.text = "swordfish"}, {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(answer->hits, IsEmpty());
  EXPECT_THAT(answer->notes, Contains(HasSubstr("memory/ is left out")));
}

TEST_F(MemoryTest, LeavesOutWhatNobodyCouldName) {
  write("memory/caf\xe9.md", "apples\n");
  const auto answer = memory()->search({.text = "apples"}, {});
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->hits, IsEmpty());
  EXPECT_THAT(answer->notes,
              ElementsAre(HasSubstr("caf\\xe9.md is left out: its name is not UTF-8")));
}

TEST_F(MemoryTest, SaysWhyItReadsNoNote) {
  fs::create_directory(root_ / "memory");
  ASSERT_EQ(mkfifo((root_ / "memory/pipe.md").c_str(), 0600), 0);
  write("memory/big.md", "");
  fs::resize_file(root_ / "memory/big.md", kMaxMemoryFileBytes + 1);
  EXPECT_THAT(memory()->read("memory/pipe.md").error().message, HasSubstr("is no file"));
  EXPECT_THAT(memory()->read("memory/big.md").error().message, HasSubstr("may have 8"));
}

TEST_F(MemoryTest, SaysWhatItLeavesOut) {
  write("memory/a.md", "apples\n");
  write("memory/large.md", "");
  fs::resize_file(root_ / "memory/large.md", kMaxMemoryFileBytes + 1);
  std::string deep = "memory";
  for (int i = 0; i <= kMaxMemoryDepth; ++i) deep += "/d";
  write(deep + "/lost.md", "apples\n");
  const auto answer = memory()->search({.text = "apples"}, {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->files, 1u);
  EXPECT_THAT(answer->notes, Contains(HasSubstr("memory/large.md is left out: it has 8.0 MB")));
  EXPECT_THAT(answer->notes, Contains(HasSubstr("more than 16 deep")));
}

// Other files do not take the place of notes.
TEST_F(MemoryTest, SaysWhenADirectoryHasTooMany) {
  for (int i = 0; i < 9; ++i) write(fmt::format("memory/{}.txt", i), "x");
  for (int i = 0; i < 3; ++i) write(fmt::format("memory/{}.md", i), "x");
  const auto all = [](auto&&...) { return true; };
  const auto sync = [&](size_t most) {
    return MemoryFiles(*sys::open_directory(root_.string()), most).sync(0, all, {});
  };
  EXPECT_THAT(sync(3).problems, IsEmpty());
  EXPECT_THAT(sync(2).problems, ElementsAre(HasSubstr("memory/ is left out: it has more than 2")));
}

TEST_F(MemoryTest, FindsByMeaning) {
  write("memory/a.md", "pears\n");
  write("memory/b.md", "cheese\n");
  const auto memory = this->memory(fruit());
  const auto answer = memory->search({.text = "Birne", .mode = Mode::semantic}, {});
  ASSERT_TRUE(answer.has_value());
  ASSERT_FALSE(answer->hits.empty());
  EXPECT_EQ(answer->hits[0].path, "memory/a.md");
  EXPECT_EQ(answer->hits[0].score_kind, ScoreKind::semantic);
  EXPECT_THAT(answer->notes, IsEmpty());
  EXPECT_EQ(memory->search({.text = "Birne"}, {})->hits.at(0).score_kind, ScoreKind::hybrid);
  // A vector is made once for each passage, and for each question.
  EXPECT_EQ(embedder_->embedded, 4u);
}

// Makes so many vectors and then ends the process, as a short-lived one does in the middle.
class EndingEmbedder final : public Embedder {
 public:
  EndingEmbedder(size_t most, std::stop_source& end, size_t& made)
      : most_(most), end_(end), made_(made) {}
  std::string_view id() const override { return "ending"; }
  size_t step_bytes() const override { return 1; }
  Result<Vector> embed_query(std::string_view, std::stop_token) override { return Vector{0, 1}; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token) override {
    if (texts.size() > most_) {
      end_.request_stop();
      return Error{Code::cancelled, "the process ends"};
    }
    most_ -= texts.size();
    made_ += texts.size();
    return std::vector<Vector>(texts.size(), Vector{0, 1});
  }

 private:
  size_t most_;
  std::stop_source& end_;
  size_t& made_;
};

TEST_F(MemoryTest, ShortProcessesCompleteTheVectorsTogether) {
  constexpr size_t kNotes = 50;
  constexpr size_t kOfAProcess = 10;
  for (size_t i = 0; i < kNotes; ++i)
    write("memory/" + std::to_string(i) + ".md", "pear " + std::to_string(i) + "\n");
  size_t made = 0;
  const auto search_in_a_process = [&] {
    std::stop_source end;
    const auto embedder = std::make_shared<CachedEmbedder>(
        std::make_unique<EndingEmbedder>(kOfAProcess, end, made), (base_ / "cache").string());
    Memory memory(*sys::open_directory(root_.string()), clock_,
                  [&] { return Result<std::shared_ptr<Embedder>>(embedder); });
    return memory.search({.text = "Birne", .mode = Mode::semantic}, end.get_token());
  };
  size_t processes = 1;
  while (!search_in_a_process() && processes < 2 * kNotes) ++processes;
  EXPECT_EQ(processes, kNotes / kOfAProcess);
  EXPECT_EQ(made, kNotes);
  const auto last = search_in_a_process();
  ASSERT_TRUE(last);
  EXPECT_THAT(last->notes, IsEmpty());
}

// A server that takes its time for each text, by a clock that it moves, and a process that has only
// so much of it.
class SlowEmbedder final : public Embedder {
 public:
  SlowEmbedder(sys::ManualClock& clock, std::stop_source& end, std::vector<size_t>& steps)
      : clock_(clock), end_(end), steps_(steps) {}
  std::string_view id() const override { return "slow"; }
  size_t step_bytes() const override { return 1u << 20; }
  size_t step_texts() const override { return step_.texts(); }
  Result<Vector> embed_query(std::string_view, std::stop_token) override { return Vector{0, 1}; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                    std::stop_token stop) override {
    const std::chrono::milliseconds cost = 60ms * texts.size();
    left_ -= cost;
    if (left_ < 0ms) end_.request_stop();
    if (left_ < 0ms || stop.stop_requested()) return Error{Code::cancelled, "the process ends"};
    clock_.advance(cost);
    step_.took(texts.size(), cost);
    steps_.push_back(texts.size());
    return std::vector<Vector>(texts.size(), Vector{0, 1});
  }

 private:
  sys::ManualClock& clock_;
  std::stop_source& end_;
  std::vector<size_t>& steps_;
  StepSize step_;
  std::chrono::milliseconds left_ = VectorMaker::kPatience;
};

TEST_F(MemoryTest, ShortProcessesGetOnWithASlowServer) {
  constexpr size_t kNotes = 150;
  for (size_t i = 0; i < kNotes; ++i) write(fmt::format("memory/{}.md", i), fmt::format("{}\n", i));
  std::vector<size_t> steps;
  bool is_done = false;
  for (size_t processes = 0; !is_done && processes < kNotes / StepSize::kFirst; ++processes) {
    sys::ManualClock clock;
    std::stop_source end;
    const auto embedder = std::make_shared<CachedEmbedder>(
        std::make_unique<SlowEmbedder>(clock, end, steps), (base_ / "cache").string());
    Memory memory(*sys::open_directory(root_.string()), clock,
                  [&] { return Result<std::shared_ptr<Embedder>>(embedder); });
    const auto answer = memory.search({.text = "pears"}, end.get_token());
    is_done = answer && answer->notes.empty();
  }
  EXPECT_TRUE(is_done);
  EXPECT_EQ(std::accumulate(steps.begin(), steps.end(), size_t{0}), kNotes);  // each once
  EXPECT_LE(std::ranges::max(steps), 2 * 8u);  // 8 take almost as long as an answer may
}

// Takes longer than a search has patience for, but for the first vectors it has more.
TEST_F(MemoryTest, WaitsLongerForTheFirstVectors) {
  class Gated final : public Embedder {
   public:
    std::string_view id() const override { return "gated"; }
    Result<Vector> embed_query(std::string_view, std::stop_token) override { return Vector{0, 1}; }
    Result<std::vector<Vector>> embed(std::span<const std::string_view> texts,
                                      std::stop_token stop) override {
      if (embeds++ > 0) return Error{Code::unavailable, "no more"};
      clock.advance(VectorMaker::kPatience + 1s);
      std::unique_lock lock(mutex);
      looked = 0;
      changed.wait(lock, stop, [this] { return looked > 1; });
      if (stop.stop_requested()) return Error{Code::cancelled, "nobody waits"};
      return std::vector<Vector>(texts.size(), Vector{0, 1});
    }
    void look() {
      std::lock_guard lock(mutex);
      ++looked;
      changed.notify_all();
    }

    sys::ManualClock clock;
    std::mutex mutex;
    std::condition_variable_any changed;
    int embeds = 0, looked = 0;
  };
  for (const char* name : {"a", "b"}) write(fmt::format("memory/{}.md", name), "pears\n");
  const auto embedder = std::make_shared<Gated>();
  Memory memory(*sys::open_directory(root_.string()), embedder->clock,
                [&] { return Result<std::shared_ptr<Embedder>>(embedder); });
  const auto answer =
      memory.search({.text = "pears"}, {}, [&](double, double, std::string_view what) {
        if (what == "making vectors") embedder->look();
      });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->hits.at(0).score_kind, ScoreKind::hybrid);
}

TEST_F(MemoryTest, SaysHowManyVectorsAreMissing) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    write(std::string("memory/") + name + ".md", std::string("pears ") + name + "\n");
  embedder_->most = 5;  // one of them for the question
  const auto memory = this->memory(fruit());
  const auto answer = memory->search({.text = "pears", .limit = 10, .min_score = 0}, {});
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->notes, ElementsAre(HasSubstr("4 of 5 passages have one")));
  std::vector<ScoreKind> kinds;
  for (const MemoryHit& hit : answer->hits) kinds.push_back(hit.score_kind);
  EXPECT_EQ(std::ranges::count(kinds, ScoreKind::hybrid), 4);
  EXPECT_EQ(std::ranges::count(kinds, ScoreKind::bm25), 1);
  embedder_->most = 6;
  const auto semantic =
      memory->search({.text = "pears", .mode = Mode::semantic, .limit = 10, .min_score = 0}, {});
  EXPECT_EQ(std::ranges::count(semantic->hits, ScoreKind::bm25, &MemoryHit::score_kind), 1);
  EXPECT_EQ(std::ranges::count(semantic->hits, ScoreKind::semantic, &MemoryHit::score_kind), 4);
  embedder_->most = 100;
  const auto built = memory->build({}, {});
  ASSERT_TRUE(built);
  EXPECT_TRUE(built->is_complete());
  EXPECT_EQ(built->all, 5u);
}

TEST_F(MemoryTest, TellsHowFarReadingIs) {
  for (const char* name : {"a", "b"}) write(std::string("memory/") + name + ".md", "pears\n");
  std::vector<std::string> told;
  ASSERT_TRUE(
      memory()->search({.text = "pears"}, {}, [&](double done, double all, std::string_view what) {
        told.push_back(fmt::format("{}/{} {}", done, all, what));
      }));
  EXPECT_THAT(told, ElementsAre("0/2 memory/a.md", "1/2 memory/b.md"));
}

TEST_F(MemoryTest, DoesWithoutMeaningAndSaysSo) {
  write("memory/a.md", "pears\n");
  embedder_->fails = true;
  const auto memory = this->memory(fruit());
  const auto answer = memory->search({.text = "pears", .mode = Mode::semantic}, {});
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->hits.size(), 1u);
  EXPECT_EQ(answer->hits[0].score_kind, ScoreKind::bm25);
  EXPECT_THAT(answer->notes, ElementsAre(HasSubstr("the embedder sleeps")));
  embedder_->fails = false;
  EXPECT_THAT(memory->search({.text = "pears"}, {})->notes, IsEmpty());
}

TEST_F(MemoryTest, KeywordsNeedNoEmbedder) {
  write("memory/a.md", "pears\n");
  embedder_->fails = true;
  EXPECT_THAT(memory(fruit())->search({.text = "pears", .mode = Mode::keyword}, {})->notes,
              IsEmpty());
}

TEST_F(MemoryTest, PrefersNewNotesWhenAsked) {
  const std::string today = sys::utc(sys::local_ms(clock_.unix_ms())).substr(0, 10);
  write("memory/2020-01-01.md", "pears pears\n");
  write("memory/" + today + ".md", "pears pears\n");
  const auto memory = this->memory();
  const auto plain = memory->search({.text = "pears", .mode = Mode::keyword}, {});
  EXPECT_EQ(plain->hits[0].path, "memory/2020-01-01.md");
  const auto recent = memory->search({.text = "pears", .mode = Mode::keyword, .recency = 1}, {});
  EXPECT_EQ(recent->hits[0].path, "memory/" + today + ".md");
  EXPECT_EQ(recent->hits[0].score, 3);
  EXPECT_EQ(memory->search({.text = "pears", .recency = 0.5}, {})->hits[0].path,
            "memory/" + today + ".md");
}

TEST_F(MemoryTest, TodayIsThatOfTheLocalTime) {
  const TimeZone kiritimati("KIR-14");
  sys::ManualClock clock;  // 2026-01-01 00:00 in London, 14:00 on Kiritimati
  clock.advance(12h);      // and now it is the second
  write("memory/2026-01-02.md", "pears\n");
  Memory memory(*sys::open_directory(root_.string()), clock, {});
  const auto found = memory.search({.text = "pears", .mode = Mode::keyword, .recency = 1}, {});
  EXPECT_EQ(found->hits.at(0).score, 1.5);
  clock.advance(24h);
  const auto next = memory.search({.text = "pears", .mode = Mode::keyword, .recency = 1}, {});
  EXPECT_EQ(next->hits.at(0).score, 1.3);
}

TEST_F(MemoryTest, StopsWhenAsked) {
  write("memory/a.md", "pears\n");
  std::stop_source source;
  source.request_stop();
  const auto answer = memory()->search({.text = "pears"}, source.get_token());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Code::cancelled);
}

// Sections, each of which becomes a passage.
std::string sections(std::string_view word, size_t count = 100) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("# Part {}\n\n{} {}\n\n", i, word, i);
  return text;
}

// However little time there is, each process reads one note at least, and none reads it again.
TEST_F(MemoryTest, KeepsWhatItReadBeforeItWasStopped) {
  constexpr size_t kNotes = 4;
  for (size_t i = 0; i < kNotes; ++i) write(fmt::format("memory/{}.md", i), sections("pears"));
  LaterClock clock;
  const PassageIndex::Place place{.directory = base_ / "kept", .name = "notes.bin"};
  size_t reads = 0, processes = 0;
  for (bool is_done = false; !is_done && processes < 2 * kNotes; ++processes) {
    Memory memory(*sys::open_directory(root_.string()), clock, {}, place);
    std::stop_source deadline;
    const auto answer =
        memory.search({.text = "pears", .mode = Mode::keyword}, deadline.get_token(),
                      [&](double, double, std::string_view) { deadline.request_stop(); });
    is_done = answer.has_value();
    EXPECT_TRUE(is_done || answer.error().code == Code::cancelled);
    reads += memory.reads();
  }
  EXPECT_EQ(reads, kNotes);
  EXPECT_EQ(processes, kNotes + 1);
}

TEST_F(MemoryTest, ForgetsNothingWhenItIsStoppedInTheMiddleOfANote) {
  for (const char* name : {"a", "b"}) write(fmt::format("memory/{}.md", name), sections("pears"));
  const auto memory = this->memory();
  ASSERT_EQ(found(*memory, "pears", Mode::keyword).size(), 6u);
  for (const char* name : {"a", "b"}) write(fmt::format("memory/{}.md", name), sections("plums"));
  std::stop_source deadline;
  ASSERT_FALSE(memory->search({.text = "plums"}, deadline.get_token(),
                              [&](double done, double, std::string_view) {
                                if (done == 1) deadline.request_stop();
                              }));
  for (const char* name : {"a", "b"}) write(fmt::format("memory/{}.md", name), sections("pears"));
  EXPECT_EQ(memory->search({.text = "pears", .mode = Mode::keyword, .limit = 200}, {})->hits.size(),
            200u);
  EXPECT_THAT(found(*memory, "plums", Mode::keyword), IsEmpty());
}

TEST_F(MemoryTest, WaitsForAnotherReaderNoLongerThanItMay) {
  write("memory/a.md", "pears\n");
  const auto memory = this->memory();
  std::stop_source source;
  source.request_stop();
  std::optional<Code> told;
  ASSERT_TRUE(memory->search({.text = "pears"}, {}, [&](double, double, std::string_view) {
    const auto answer = memory->search({.text = "pears"}, source.get_token());
    if (!answer) told = answer.error().code;
  }));
  EXPECT_EQ(told, Code::cancelled);
}

TEST_F(MemoryTest, AnswersManyWhileFilesChange) {
  const auto memory = this->memory(fruit());
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i) EXPECT_TRUE(memory->search({.text = "pears"}, {}).has_value());
    });
  for (int i = 0; i < 30; ++i) write("memory/" + std::to_string(i) + ".md", "pears\n");
  threads.clear();
  EXPECT_EQ(memory->search({.text = "pears"}, {})->files, 30u);
}

TEST(MemoryPath, IsComparedByParts) {
  for (const std::string_view path : {"MEMORY.md", "memory.md", ".helve/MEMORY.md", "memory/a.md",
                                      "memory/a/b.md", "memory/..a.md"})
    EXPECT_TRUE(is_memory_path(path)) << path;
  for (const std::string_view path :
       {"", "memory", "memory/", "Memory.md", "memory_evil/a.md", "memory/../a.md", "memory/./a",
        "/memory/a.md", "./MEMORY.md", "memory//a.md", "a/memory/b.md", "..", "memory/a/.."})
    EXPECT_FALSE(is_memory_path(path)) << path;
  EXPECT_FALSE(is_memory_path(std::string_view("memory/a\0.md", 12)));
}

std::vector<std::string> counted(std::string_view text, std::string_view question) {
  std::vector<std::string> out;
  for (const CountedParagraph& each : count_keywords(text, keywords_of(question)))
    out.push_back(std::to_string(each.first_line) + "-" + std::to_string(each.last_line) + " " +
                  std::to_string(each.count) + " " + std::string(each.text));
  return out;
}

TEST(KeywordCount, CountsOccurrencesInParagraphs) {
  EXPECT_THAT(counted("one two one\n\n\nnothing\n\nTwo\n", "one two"),
              ElementsAre("1-1 3 one two one", "6-6 1 Two\n"));
  EXPECT_THAT(counted("text one\n# one\nmore one\n## one\n", "one"),
              ElementsAre("1-1 1 text one", "2-3 2 # one\nmore one", "4-4 1 ## one\n"));
  EXPECT_THAT(counted("aaaa phone\r\n\r\none\r\n", "aa one"),
              ElementsAre("1-1 3 aaaa phone", "3-3 1 one\r\n"));
  EXPECT_THAT(counted("one", "one ONE"), ElementsAre("1-1 2 one"));
  EXPECT_THAT(counted("\n  \n one\n\n\n#\n", "one"), ElementsAre("2-3 1 \n  \n one"));
  EXPECT_THAT(counted("", "one"), IsEmpty());
  EXPECT_THAT(counted("\n\n#\n", "x"), IsEmpty());
  EXPECT_THAT(keywords_of(" \t\n"), IsEmpty());
}

TEST(KeywordCount, EndsWhenItIsStopped) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(count_keywords("one\n\none\n", keywords_of("one"), source.get_token()), IsEmpty());
}

TEST(NoteHead, TellsTitleTagsAndDate) {
  const NoteHead head = note_head(
      "---\ntitle: \"A: b\"\nother: x\ntags: [one, 'two']\ndate: 2026-03-09 10:00\n---\n");
  EXPECT_EQ(head.title, "A: b");
  EXPECT_THAT(head.tags, ElementsAre("one", "two"));
  EXPECT_EQ(head.date_ms, 1'773'014'400'000);
  EXPECT_THAT(note_head("---\ntags:\n  - one\n  - two\ntitle: x\n---\n").tags,
              ElementsAre("one", "two"));
  EXPECT_EQ(note_head("title: x\n").title, "");
  EXPECT_EQ(date_ms("2026-02-30"), 0);
  EXPECT_EQ(date_ms("2026-2-3"), 0);
  EXPECT_EQ(date_ms("notes"), 0);
}

TEST(Snippet, ShowsTheLinesWithTheWordsOfTheQuestion) {
  EXPECT_EQ(snippet_of("short", "question"), "short");
  std::string passage;
  for (int i = 0; i < 60; ++i) passage += "some filler of a line\n";
  const std::string snippet = snippet_of(passage + "the swordfish\nend", "a swordfish");
  EXPECT_THAT(snippet, HasSubstr("swordfish"));
  EXPECT_TRUE(snippet.starts_with("…\n"));
  EXPECT_LE(snippet.size(), kSnippetChars + 8);
  EXPECT_TRUE(snippet_of(passage, "other").ends_with("…"));
}

TEST(Snippet, ShowsTheWordsWhereverTheyStandInALongLine) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "filler about codes ";
  const std::string early = "the door, " + line;
  const std::string passage = early + "the code of the door is 4711. " + line;
  const std::string snippet = snippet_of(passage, "what is the code of the door");
  EXPECT_THAT(snippet, HasSubstr("the code of the door is 4711"));
  EXPECT_TRUE(snippet.starts_with("…") && snippet.ends_with("…"));
  EXPECT_THAT(
      snippet_of("# Doors\n\n" + line + "and the code of the door is 4711", "code of the door"),
      testing::EndsWith("the code of the door is 4711"));
  std::string chinese;
  for (int i = 0; i < 400; ++i) chinese += "\u4e00";
  EXPECT_THAT(snippet_of(chinese + "\u9580" + chinese, "\u9580"), HasSubstr("\u9580"));
}

}  // namespace
}  // namespace helve::knowledge

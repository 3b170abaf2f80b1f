// The recorder and the stored results as the dispatcher uses them.
#include "store/recorder.h"

#include <filesystem>

#include "store/results.h"
#include "store/sqlite_database.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

namespace fs = std::filesystem;

class RecorderTest : public testing::Test {
 protected:
  TempDir directory_;
  sys::ManualClock clock_{kNow};
  const Opener opener_{directory_.file("helve.db"), {}, clock_};
  // For tests in which another process holds the lock.
  const Opener hasty_{
      directory_.file("helve.db"), {.busy_timeout = std::chrono::milliseconds(30)}, clock_};
  std::mutex mutex_;
  std::vector<std::string> problems_;

  // Writes only when it is told to, when a batch is full, and at the end.
  RecorderOptions patient() {
    return {.flush_delay = std::chrono::hours(1), .on_problem = [this](std::string problem) {
              std::lock_guard lock(mutex_);
              problems_.push_back(std::move(problem));
            }};
  }
  std::vector<CallRecord> written(const CallFilter& filter = {.limit = kMaxListed}) {
    return must(must(opener_.open())->calls(filter));
  }
  // For what another thread does soon.
  template <class Condition>
  bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
};

TEST_F(RecorderTest, OpensNothingBeforeTheFirstRecord) {
  { StoreRecorder recorder(opener_); }
  EXPECT_FALSE(fs::exists(opener_.path()));
}

TEST_F(RecorderTest, WritesTheIntentBeforeBeginReturns) {
  StoreRecorder recorder(opener_, patient());
  must(recorder.begin(sample_call("c_1")));
  ASSERT_EQ(written().size(), 1u);
  EXPECT_EQ(written()[0].outcome, "running");
  EXPECT_EQ(must(must(opener_.open())->session("s_1")).who.agent, "coder");
}

TEST_F(RecorderTest, WritesTheEndOfACallAtOnce) {
  StoreRecorder recorder(opener_, patient());
  CallRecord call = sample_call("c_1");
  must(recorder.begin(call));
  call.outcome = "timeout";
  recorder.finish(call);
  ASSERT_EQ(written().size(), 1u);
  EXPECT_EQ(written()[0].outcome, "timeout");
}

TEST_F(RecorderTest, KeepsNotesInMemoryUntilTheyAreFlushed) {
  StoreRecorder recorder(opener_, patient());
  recorder.note(sample_call("c_1"));
  recorder.note(sample_call("c_2"));
  EXPECT_EQ(written().size(), 0u);
  must(recorder.flush());
  EXPECT_EQ(written().size(), 2u);
  must(recorder.flush());
  EXPECT_EQ(written().size(), 2u);
}

TEST_F(RecorderTest, WritesWhatIsWaitingWhenItEnds) {
  { StoreRecorder(opener_, patient()).note(sample_call("c_1")); }
  EXPECT_EQ(written().size(), 1u);
}

TEST_F(RecorderTest, WritesAFullBatchWithoutBeingTold) {
  StoreRecorder recorder(opener_, patient());
  for (size_t i = 0; i < kBatch; ++i) recorder.note(sample_call("c_" + std::to_string(i)));
  EXPECT_TRUE(eventually([&] { return written().size() == kBatch; }));
}

TEST_F(RecorderTest, WritesASingleNoteAfterItsDelay) {
  RecorderOptions options = patient();
  options.flush_delay = std::chrono::milliseconds(1);
  StoreRecorder recorder(opener_, options);
  recorder.note(sample_call("c_1"));
  EXPECT_TRUE(eventually([&] { return written().size() == 1; }));
}

TEST_F(RecorderTest, TriesAgainByItselfAfterAFailure) {
  must(opener_.open());
  RecorderOptions options = patient();
  options.flush_delay = std::chrono::milliseconds(1);
  Helper holder({"hold", opener_.path()});
  ASSERT_EQ(holder.read_line(), "held");
  StoreRecorder recorder(hasty_, options);
  recorder.note(sample_call("c_1"));
  EXPECT_TRUE(eventually([&] {
    std::lock_guard lock(mutex_);
    return problems_.size() == 1;
  }));
  holder.release();
  EXPECT_TRUE(eventually([&] { return written().size() == 1; }));
}

TEST_F(RecorderTest, GivesAnIdToANoteWithoutOne) {
  StoreRecorder recorder(opener_, patient());
  recorder.note(sample_call(""));
  recorder.note(sample_call(""));
  must(recorder.flush());
  ASSERT_EQ(written().size(), 2u);
  EXPECT_TRUE(written()[0].id.starts_with("c_"));
  EXPECT_NE(written()[0].id, written()[1].id);
}

TEST_F(RecorderTest, TakesNotesFromManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kEach = 500;
  {
    StoreRecorder recorder(opener_, patient());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const std::string id = fmt::format("c_{}_{}", t, i);
          if (i % 100 == 0) {
            must(recorder.begin(sample_call(id)));
            recorder.finish(sample_call(id));
          } else {
            recorder.note(sample_call(id));
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(written().size(), static_cast<size_t>(kThreads * kEach));
  EXPECT_TRUE(problems_.empty()) << problems_[0];
}

TEST_F(RecorderTest, DropsNothingWhenNotesComeFasterThanTheyAreWritten) {
  constexpr int kNotes = 3 * static_cast<int>(kMaxWaiting);
  {
    StoreRecorder recorder(opener_, patient());
    for (int i = 0; i < kNotes; ++i) recorder.note(sample_call(""));
  }
  EXPECT_TRUE(problems_.empty()) << problems_.front();
  const auto database = must(Database::open(opener_.path(), std::chrono::seconds(5)));
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM calls")), kNotes);
}

TEST_F(RecorderTest, DropsTheOldestNotesWhenTooManyWaitAndSaysSo) {
  must(opener_.open());
  Helper holder({"hold", opener_.path()});
  ASSERT_EQ(holder.read_line(), "held");
  constexpr size_t kNotes = kMaxWaiting + 1;
  {
    StoreRecorder recorder(hasty_, patient());
    for (size_t i = 0; i < kNotes; ++i)
      recorder.note(sample_call(fmt::format("c_{:05}", i), kNow + i));
    EXPECT_FALSE(recorder.flush());
    holder.release();
    holder.wait();
    must(recorder.flush());
  }
  const std::vector<CallRecord> marks = written({.tool = std::string(kRecorderTool)});
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].outcome, kDropped);
  EXPECT_TRUE(marks[0].message.starts_with(std::to_string(kBatch) + " records"));
  const std::vector<CallRecord> calls = written({.tool = "read", .limit = kMaxListed});
  EXPECT_EQ(calls.size(), kNotes - kBatch);
  EXPECT_EQ(calls.front().id, fmt::format("c_{:05}", kNotes - 1));
  EXPECT_EQ(calls.back().id, fmt::format("c_{:05}", kBatch));
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_NE(problems_[1].find(std::to_string(kBatch) + " calls were dropped"), std::string::npos)
      << problems_[1];
}

TEST_F(RecorderTest, SaysHowManyRecordsAreLostWhenTheEndCannotBeWritten) {
  must(opener_.open());
  Helper holder({"hold", opener_.path()});
  ASSERT_EQ(holder.read_line(), "held");
  {
    StoreRecorder recorder(hasty_, patient());
    for (int i = 0; i < 3; ++i) recorder.note(sample_call(""));
  }
  ASSERT_FALSE(problems_.empty());
  EXPECT_NE(problems_.back().find("3 calls are lost"), std::string::npos) << problems_.back();
}

TEST_F(RecorderTest, RefusesToBeginWhatItCannotWriteDown) {
  fs::create_directory(opener_.path());
  StoreRecorder recorder(opener_, patient());
  const Result<void> begun = recorder.begin(sample_call("c_1"));
  ASSERT_FALSE(begun);
  EXPECT_NE(begun.error().message.find(opener_.path()), std::string::npos);
  fs::remove(opener_.path());
  must(recorder.begin(sample_call("c_1")));
}

TEST_F(RecorderTest, OpensTheNewFileWhenTheOldOneWasDeleted) {
  StoreRecorder recorder(opener_, patient());
  StoreResults results(opener_);
  must(recorder.begin(sample_call("c_1")));
  must(results.keep("s_1", "exec", Effect::execute, "old"));
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(opener_.path() + ending);
  must(recorder.begin(sample_call("c_2")));
  EXPECT_EQ(must(results.keep("s_1", "exec", Effect::execute, "new")).id, "lr_1");
  ASSERT_EQ(written().size(), 1u);
  EXPECT_EQ(written()[0].id, "c_2");
  EXPECT_EQ(must(results.text("s_1", "lr_1")), "new");
}

// One each, and both: a log without its index, an index without its log, neither.
const std::vector<std::vector<const char*>> kDeletable{{"-wal"}, {"-shm"}, {"-wal", "-shm"}};

TEST_F(RecorderTest, LosesNothingWhenTheLogIsDeletedUnderIt) {
  for (const std::vector<const char*>& endings : kDeletable) {
    TempDir fresh;
    const Opener opener(fresh.file("helve.db"), opener_.options(), clock_);
    {
      StoreRecorder recorder(opener, patient());
      StoreResults results(opener);
      for (const char* round : {"a", "b", "c"}) {
        const std::string name = round;
        must(results.keep("s_1", "exec", Effect::execute, name));
        must(recorder.begin(sample_call("c_" + name)));
        recorder.note(sample_call("n_" + name));
        must(recorder.flush());
        for (const char* ending : endings) fs::remove(opener.path() + ending);
        must(recorder.begin(sample_call("d_" + name)));
        EXPECT_EQ(must(results.text("s_1", "lr_1")), "a");
      }
      // Nobody writes again after this one.
      for (const char* ending : endings) fs::remove(opener.path() + ending);
    }
    const std::unique_ptr<Store> store = must(opener.open());
    EXPECT_EQ(must(store->calls({})).size(), 9u) << endings.front() << endings.size();
    EXPECT_EQ(must(store->results("s_1")).size(), 3u) << endings.front() << endings.size();
  }
}

TEST_F(RecorderTest, HasTheSchemaInTheFileItself) {
  must(opener_.open());
  for (const char* ending : {"-wal", "-shm"}) fs::remove(opener_.path() + ending);
  const auto database = must(Database::open(opener_.path(), std::chrono::seconds(5)));
  EXPECT_GT(must(database->integer("SELECT count(*) FROM sqlite_schema")), 0);
}

TEST_F(RecorderTest, CopiesTheLogIntoTheFileWhenALongUseEnds) {
  {
    const std::unique_ptr<Store> store = must(opener_.open());
    for (int i = 0; i < 100; ++i) must(store->begin_call(sample_call("c_" + std::to_string(i))));
  }
  for (const char* ending : {"-wal", "-shm"}) fs::remove(opener_.path() + ending);
  EXPECT_EQ(written().size(), 100u);
}

TEST_F(RecorderTest, MarksTheCallsOfDeadProcesses) {
  Helper dead({"begin-and-die", opener_.path(), "c_dead"});
  ASSERT_EQ(dead.read_line(), "begun");
  dead.wait();
  { StoreRecorder(opener_, patient()).note(sample_call("c_1")); }
  EXPECT_EQ(written({.tool = "read"}).size(), 2u);
  for (const CallRecord& call : written())
    EXPECT_EQ(call.outcome, call.id == "c_dead" ? "lost" : "ok");
}

TEST_F(RecorderTest, PrunesOncePerPeriod) {
  RecorderOptions options = patient();
  options.retention = {.calls = 2};
  auto note_three = [&](const std::string& name) {
    StoreRecorder recorder(opener_, options);
    for (int i = 0; i < 3; ++i)
      recorder.note(sample_call(name + std::to_string(i), clock_.unix_ms()));
  };
  note_three("a");
  EXPECT_EQ(written().size(), 2u);
  note_three("b");
  EXPECT_EQ(written().size(), 5u);
  clock_.advance(options.prune_period);
  note_three("c");
  EXPECT_EQ(written().size(), 2u);
  EXPECT_EQ(written()[0].id, "c2");
}

TEST_F(RecorderTest, PrunesInTheBackgroundOfALongProcess) {
  RecorderOptions options = patient();
  options.flush_delay = std::chrono::milliseconds(1);
  options.retention = {.calls = 2};
  StoreRecorder recorder(opener_, options);
  must(must(opener_.open())->add_calls(std::vector(1, sample_call("c_old", kNow - 1))));
  for (int i = 0; i < 3; ++i) recorder.note(sample_call("c_" + std::to_string(i)));
  EXPECT_TRUE(eventually([&] { return written().size() == 2; }));
  // And again when it has written more than is kept, however soon.
  for (int i = 3; i < 6; ++i) recorder.note(sample_call("c_" + std::to_string(i), kNow + i));
  EXPECT_TRUE(eventually([&] { return written().size() == 2 && written()[0].id == "c_5"; }));
}

TEST_F(RecorderTest, FindsRoomForANewResultByRemovingTheOldest) {
  const std::unique_ptr<Store> small = must(opener_.with({.result_bytes = 1000}).open());
  for (int i = 0; i < 200; ++i) must(small->keep_result("s_1", "exec", Effect::execute, "12345"));
  EXPECT_EQ(must(small->results("s_1")).size(), 200u);
  must(small->keep_result("s_2", "exec", Effect::execute, std::string(900, 'x')));
  EXPECT_EQ(must(small->results("s_1")).size(), 20u);
  EXPECT_EQ(must(small->results("s_1")).at(0).id, "lr_181");
  must(small->keep_result("s_2", "exec", Effect::execute, std::string(2000, 'y')));
  EXPECT_TRUE(must(small->results("s_1")).empty());
  EXPECT_EQ(must(small->results("s_2")).size(), 1u);
  EXPECT_EQ(must(small->result_text("s_2", "lr_2")), std::string(2000, 'y'));
}

TEST(StoreResultsTest, WaitForALockTogetherNoLongerThanOneOfThem) {
  TempDir directory;
  sys::ManualClock clock(kNow);
  constexpr std::chrono::milliseconds kTimeout{400};
  const Opener opener(directory.file("helve.db"), {.busy_timeout = kTimeout}, clock);
  StoreResults results(opener);
  must(results.keep("s_1", "exec", Effect::execute, "before"));
  Helper holder({"hold", opener.path()});
  ASSERT_EQ(holder.read_line(), "held");
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const Result<Results::Stored> kept = results.keep("s_1", "exec", Effect::execute, "text");
      ASSERT_FALSE(kept);
      EXPECT_EQ(kept.error().type, kBusy);
      EXPECT_NE(kept.error().message.find("within 400 ms"), std::string::npos)
          << kept.error().message;
    });
  }
  for (std::thread& thread : threads) thread.join();
  // One after the other they would take eight times as long.
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5 * kTimeout);
}

TEST(StoreResultsTest, KeepsAndListsResultsForManyThreads) {
  TempDir directory;
  sys::ManualClock clock(kNow);
  StoreResults results(Opener(directory.file("helve.db"), {}, clock));
  EXPECT_FALSE(fs::exists(directory.file("helve.db")));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string text = fmt::format("{} {}", t, i);
        const std::string id = must(results.keep("s_1", "exec", Effect::execute, text)).id;
        EXPECT_EQ(must(results.text("s_1", id)), text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(must(results.list("s_1")).size(), 80u);
  EXPECT_EQ(results.text("s_2", "lr_1").error().type, "unknown_id");
}

}  // namespace
}  // namespace helve::store

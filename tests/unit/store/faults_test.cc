// The store while things go wrong around it: locks, death at every system call, failing and full
// disks.
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "store/recorder.h"
#include "store/sqlite_migrations.h"
#include "unit/store/faults.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

namespace fs = std::filesystem;

class Faults : public testing::Test {
 protected:
  TempDir directory_;
  sys::ManualClock clock_{kNow};
  const std::string path_ = directory_.file("helve.db");
  const Opener opener_{path_, {.busy_timeout = std::chrono::milliseconds(30)}, clock_};
};

TEST_F(Faults, AWriteSaysThatAnotherProcessHoldsTheLock) {
  const std::unique_ptr<Store> store = must(opener_.open());
  must(store->keep_result("s_1", "exec", Effect::execute, "acknowledged"));
  Helper holder({"hold", path_});
  ASSERT_EQ(holder.read_line(), "held");

  const Result<Results::Stored> kept =
      store->keep_result("s_1", "exec", Effect::execute, "refused");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, Code::unavailable);
  EXPECT_EQ(kept.error().type, kBusy);
  EXPECT_NE(kept.error().message.find(path_), std::string::npos);
  EXPECT_NE(kept.error().message.find("another process"), std::string::npos);
  EXPECT_EQ(store->begin_call(sample_call("c_1")).error().type, kBusy);
  EXPECT_EQ(must(store->result_text("s_1", "lr_1")), "acknowledged");

  holder.release();
  holder.wait();
  EXPECT_EQ(must(store->keep_result("s_1", "exec", Effect::execute, "later")).id, "lr_2");
  EXPECT_EQ(must(store->results("s_1")).size(), 2u);
}

TEST_F(Faults, AWriteWaitsForALockThatIsReleasedInTime) {
  const std::unique_ptr<Store> store =
      must(Opener(path_, {.busy_timeout = std::chrono::seconds(20)}, clock_).open());
  Helper holder({"hold", path_});
  ASSERT_EQ(holder.read_line(), "held");
  std::thread writer([&] { must(store->keep_result("s_1", "exec", Effect::execute, "text")); });
  holder.release();
  writer.join();
  EXPECT_EQ(must(store->result_text("s_1", "lr_1")), "text");
}

TEST_F(Faults, TheRecorderKeepsItsNotesWhileAnotherProcessHoldsTheLock) {
  must(opener_.open());
  std::vector<std::string> problems;
  std::mutex mutex;
  StoreRecorder recorder(
      opener_, {.flush_delay = std::chrono::hours(1), .on_problem = [&](std::string problem) {
                  std::lock_guard lock(mutex);
                  problems.push_back(std::move(problem));
                }});
  const CallRecord effect = sample_call("c_effect");
  must(recorder.begin(effect));
  Helper holder({"hold", path_});
  ASSERT_EQ(holder.read_line(), "held");
  for (int i = 0; i < 10; ++i) recorder.note(sample_call("c_" + std::to_string(i)));
  recorder.finish(effect);
  EXPECT_EQ(recorder.flush().error().type, kBusy);
  EXPECT_EQ(recorder.flush().error().type, kBusy);
  EXPECT_EQ(recorder.begin(sample_call("c_other")).error().type, kBusy);
  EXPECT_EQ(problems.size(), 1u) << "a lasting problem is told once";

  holder.release();
  holder.wait();
  must(recorder.flush());
  const std::vector<CallRecord> calls = must(must(opener_.open())->calls({}));
  EXPECT_EQ(calls.size(), 11u);
  for (const CallRecord& call : calls) EXPECT_EQ(call.outcome, "ok") << call.id;
}

TEST_F(Faults, ALastFlushDoesNotWaitForALockWithoutEnd) {
  must(opener_.open());
  const Opener patient(path_, {.busy_timeout = std::chrono::seconds(20)}, clock_);
  StoreRecorder recorder(patient, {.flush_delay = std::chrono::hours(1)});
  Helper holder({"hold", path_});
  ASSERT_EQ(holder.read_line(), "held");
  recorder.note(sample_call("c_1"));
  EXPECT_EQ(recorder.flush_within(std::chrono::milliseconds(1)).error().code, Code::timeout);
  holder.release();
  holder.wait();
  must(recorder.flush_within(std::chrono::minutes(1)));
  EXPECT_EQ(must(must(opener_.open())->calls({})).size(), 1u);
}

// Every acknowledged row is there, once, and the store is sound and goes on working.
void check_acknowledged(const std::string& path, const std::string& acknowledged) {
  sys::ManualClock clock(kNow);
  const std::unique_ptr<Store> store = must(Opener(path, {}, clock).open());
  std::map<std::string, std::string> outcomes;
  for (const CallRecord& call : must(store->calls({.limit = kMaxListed}))) {
    EXPECT_TRUE(outcomes.emplace(call.id, call.outcome).second) << call.id << " is there twice";
  }
  const size_t results = must(store->results("s_1")).size();
  size_t acknowledged_results = 0;
  std::istringstream lines(acknowledged);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "result") {
      std::string id;
      int round = 0;
      words >> id >> round;
      EXPECT_EQ(must(store->result_text("s_1", id)), append_text(round));
      ++acknowledged_results;
    } else if (kind == "begin") {
      std::string id;
      words >> id;
      EXPECT_TRUE(outcomes.contains(id)) << id;
    } else if (kind == "finish" || kind == "batch") {
      for (std::string id; words >> id;) EXPECT_EQ(outcomes[id], "ok") << id;
    } else {
      EXPECT_EQ(kind, "error") << line;
    }
  }
  EXPECT_GE(results, acknowledged_results);
  EXPECT_LE(results, acknowledged_results + 1) << "at most the one in flight";
  must(store->keep_result("s_1", "exec", Effect::execute, "afterwards"));
  check_sound(path);
}

TEST_F(Faults, EveryAcknowledgedRowSurvivesDeathAtAnySystemCall) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  for (const char* call : kChangingCalls) {
    bool killed = true;
    for (int when = 1; killed && when < kMostCalls; when += kStep) {
      SCOPED_TRACE(std::string("killed at ") + call + " number " + std::to_string(when));
      TempDir fresh;
      Helper helper({"append", fresh.file("helve.db")},
                    injecting(call, "signal=SIGKILL", when, fresh));
      const std::string acknowledged = helper.read_all();
      killed = WIFSIGNALED(helper.wait());
      EXPECT_EQ(killed, was_reached(fresh, when));
      check_acknowledged(fresh.file("helve.db"), acknowledged);
      if (HasFailure()) return;
    }
    EXPECT_FALSE(killed);
  }
}

TEST_F(Faults, EveryAcknowledgedRowSurvivesDeathAfterAnyAcknowledgement) {
  for (int lines = 0; lines <= kAppendRounds * 4; ++lines) {
    SCOPED_TRACE(lines);
    TempDir fresh;
    Helper helper({"append", fresh.file("helve.db")});
    std::string acknowledged;
    for (int i = 0; i < lines; ++i) acknowledged += helper.read_line() + "\n";
    ::kill(helper.pid(), SIGKILL);
    helper.wait();
    acknowledged += helper.read_all();
    check_acknowledged(fresh.file("helve.db"), acknowledged);
  }
}

TEST_F(Faults, OnlyAnAnswerThatCannotBeHadAgainWaitsForTheDisk) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  const auto syncs = [&](const char* mode, int count) {
    TempDir fresh;
    Helper helper({mode, fresh.file("helve.db"), "s_1", std::to_string(count)},
                  injecting("fdatasync", "error=EIO", kMostCalls, fresh));
    helper.release();
    EXPECT_TRUE(helper.read_all().ends_with("lr_" + std::to_string(count) + "\n"));
    helper.wait();
    return traced_calls(fresh);
  };
  EXPECT_GE(syncs("keep", 5), syncs("keep", 1) + 4);
  EXPECT_EQ(syncs("keep-read", 5), syncs("keep-read", 1));
}

TEST_F(Faults, ACrashDuringAMigrationLeavesTheOldOrTheNew) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  for (const char* call : {"pwrite64", "fdatasync", "unlink", "ftruncate"}) {
    bool killed = true;
    for (int when = 1; killed && when < kMostCalls; when += kStep) {
      SCOPED_TRACE(std::string("killed at ") + call + " number " + std::to_string(when));
      TempDir fresh;
      const std::string path = fresh.file("helve.db");
      std::ofstream(path).close();
      Helper helper({"migrate", path}, injecting(call, "signal=SIGKILL", when, fresh));
      helper.read_all();
      killed = WIFSIGNALED(helper.wait());
      const std::unique_ptr<Database> database =
          must(Database::open(path, std::chrono::seconds(5)));
      const std::int64_t version = must(database->integer("PRAGMA user_version"));
      EXPECT_EQ(must(database->integer("SELECT count(*) FROM sqlite_schema")),
                version == 0 ? 0 : 1);
      if (version == 1) {
        EXPECT_EQ(must(database->integer("SELECT sum(a) FROM one")), 3);
      }
      must(migrate(*database, kTwoSteps));
      EXPECT_EQ(must(database->integer("SELECT sum(b) FROM two")), 30);
      if (HasFailure()) return;
    }
    EXPECT_FALSE(killed);
  }
}

TEST_F(Faults, AFailingDiskLosesNothingThatWasAcknowledged) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  must(opener_.open());
  constexpr long kWrites = kAppendRounds * 4;
  for (const char* error : {"error=EIO", "error=ENOSPC"}) {
    for (const char* call : {"pwrite64", "fdatasync", "ftruncate"}) {
      bool reached = true;
      for (int when = 1; reached && when < kMostCalls; when += kStep) {
        SCOPED_TRACE(std::string(error) + " at " + call + " number " + std::to_string(when));
        TempDir fresh;
        copy_files(directory_, fresh);
        Helper helper({"append", fresh.file("helve.db")}, injecting(call, error, when, fresh));
        const std::string acknowledged = helper.read_all();
        ASSERT_TRUE(WIFEXITED(helper.wait()));
        const bool opened = !acknowledged.starts_with("error");
        EXPECT_TRUE(!opened ||
                    std::count(acknowledged.begin(), acknowledged.end(), '\n') >= kWrites - 1)
            << "only one write may fail:\n"
            << acknowledged;
        reached = was_reached(fresh, when);
        check_acknowledged(fresh.file("helve.db"), acknowledged);
        if (HasFailure()) return;
      }
      EXPECT_FALSE(reached);
    }
  }
}

TEST_F(Faults, AFailingReadIsNotTakenForDamage) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  must(opener_.open());
  int told = 0;
  for (const bool is_new : {true, false}) {
    for (const char* call : {"pread64", "openat"}) {
      bool reached = true;
      for (int when = 1; reached && when < kMostCalls; when += kStep) {
        SCOPED_TRACE(std::string(is_new ? "new, " : "") + call + " number " + std::to_string(when));
        TempDir fresh;
        const std::string path = fresh.file("helve.db");
        if (!is_new) copy_files(directory_, fresh);
        std::vector<std::string> prefix = injecting(call, "error=EIO", when, fresh);
        // Not what the start of the program reads.
        for (const char* ending : {"", "-wal", "-shm"}) {
          prefix.push_back("-P");
          prefix.push_back(path + ending);
        }
        Helper helper({"append", path}, prefix);
        const std::string acknowledged = helper.read_all();
        ASSERT_TRUE(WIFEXITED(helper.wait()));
        told += acknowledged.starts_with("error");
        EXPECT_EQ(acknowledged.find("damaged"), std::string::npos) << acknowledged;
        reached = was_reached(fresh, when);
        check_acknowledged(path, acknowledged);
        if (HasFailure()) return;
      }
      EXPECT_FALSE(reached);
    }
  }
  EXPECT_GT(told, 0);
}

// A small file system of its own, gone with the process.
bool mount_small_disk(const std::string& where) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0) return false;
  if (user != 0) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", where.c_str(), "tmpfs", 0, "size=1m") == 0;
}

void fill_disk(const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  const std::string block(4096, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

TEST_F(Faults, AFullDiskRefusesWritesServesReadsAndRecovers) {
  const std::string wrong = in_child([&]() -> std::string {
    if (!mount_small_disk(directory_.path())) return "not permitted";
    const std::unique_ptr<Store> store = must(opener_.open());
    std::atomic<int> problems = 0;
    StoreRecorder recorder(opener_, {.flush_delay = std::chrono::hours(1),
                                     .on_problem = [&](const std::string&) { ++problems; }});
    must(store->keep_result("s_1", "exec", Effect::execute, "before"));
    must(recorder.begin(sample_call("c_1")));
    fill_disk(directory_.file("filler"));

    // More than the log has room for from the making of the tables.
    const std::string long_text(200'000, 'x');
    const Result<Results::Stored> refused =
        store->keep_result("s_1", "exec", Effect::execute, long_text);
    if (refused) return "a write to a full disk was acknowledged";
    if (refused.error().code != Code::unavailable || refused.error().type != "no_space") {
      return describe(refused.error());
    }
    if (must(store->result_text("s_1", "lr_1")) != "before") return "the earlier result is gone";
    if (must(store->results("s_1")).size() != 1) return "the refused result is listed";
    for (int i = 0; i < 20; ++i) {
      CallRecord large = sample_call("n_" + std::to_string(i));
      large.arguments.assign(kMaxRecordedArguments, 'x');
      recorder.note(large);
    }
    if (recorder.flush()) return "notes were written to a full disk";
    if (problems != 1) return "the problem was told " + std::to_string(problems) + " times";

    fs::remove(directory_.file("filler"));
    must(recorder.flush());
    if (must(store->keep_result("s_1", "exec", Effect::execute, long_text)).id != "lr_2")
      return "the number of a refused result is lost";
    if (must(store->result_text("s_1", "lr_2")) != long_text) return "the new result is wrong";
    return must(store->calls({})).size() == 21 ? "" : "the notes are not there";
  });
  if (wrong == "not permitted")
    GTEST_SKIP() << "this process may not mount a file system of its own";
  EXPECT_EQ(wrong, "");
}

}  // namespace
}  // namespace helve::store

// What the SQLite engine makes of the file it is told to open.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/call_store.h"
#include "store/sqlite_migrations.h"
#include "unit/store/faults.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

namespace fs = std::filesystem;
constexpr uid_t kNobody = 65534;

class SqliteOpen : public testing::Test {
 protected:
  TempDir directory_;
  sys::ManualClock clock_{kNow};
  const std::string path_ = directory_.file("state/helve.db");
  const Opener opener_{path_, {.busy_timeout = std::chrono::milliseconds(50)}, clock_};

  void make_directory() { fs::create_directory(directory_.file("state")); }
  std::unique_ptr<Database> raw() {
    make_directory();
    std::ofstream(path_, std::ios::app).close();
    return must(Database::open(path_, std::chrono::milliseconds(50)));
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  Error refused() const {
    Result<std::unique_ptr<Store>> store = opener_.open();
    if (store) {
      ADD_FAILURE() << "it was opened";
      return {};
    }
    EXPECT_NE(store.error().message.find(path_), std::string::npos) << store.error().message;
    EXPECT_NE(store.error().hint, "");
    return store.error();
  }
};

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST_F(SqliteOpen, MakesFilesThatOnlyThisUserMayRead) {
  const mode_t before = ::umask(0);
  const std::unique_ptr<Store> store = must(opener_.open());
  must(store->keep_result("s_1", "exec", Effect::execute, "secret"));
  ::umask(before);
  EXPECT_EQ(mode_of(directory_.file("state")), 0700u);
  EXPECT_EQ(mode_of(path_), 0600u);
  EXPECT_EQ(mode_of(path_ + "-wal"), 0600u);
  EXPECT_EQ(mode_of(path_ + "-shm"), 0600u);
}

TEST_F(SqliteOpen, TakesWhatIsItsOwnAwayFromOthers) {
  must(must(opener_.open())->keep_result("s_1", "exec", Effect::execute, "secret"));
  const std::string state = directory_.file("state");
  ASSERT_EQ(::chmod(state.c_str(), 0775), 0);
  for (const char* ending : {"", "-wal", "-shm"})
    ASSERT_EQ(::chmod((path_ + ending).c_str(), 0664), 0);
  must(opener_.open());
  EXPECT_EQ(mode_of(state), 0700u);
  for (const char* ending : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path_ + ending), 0600u);
}

TEST_F(SqliteOpen, RefusesTheFileOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only the administrator can give a file away";
  must(opener_.open());
  for (const std::string& theirs : {path_, path_ + "-wal", directory_.file("state")}) {
    ASSERT_EQ(::chown(theirs.c_str(), kNobody, kNobody), 0);
    const Result<std::unique_ptr<Store>> store = opener_.open();
    ASSERT_FALSE(store) << theirs;
    EXPECT_EQ(store.error().type, "unsafe_file");
    EXPECT_NE(store.error().message.find(theirs), std::string::npos) << store.error().message;
    ASSERT_EQ(::chown(theirs.c_str(), 0, 0), 0);
  }
  must(opener_.open());
}

TEST_F(SqliteOpen, GivesPagesOfAResultThatAnEarlierVersionStored) {
  must(migrate(*raw(), migrations().first(1)));
  must(
      raw()->execute("INSERT INTO sessions VALUES ('s_1', '', '', x'', 1, 1);"
                     "INSERT INTO results VALUES (1, 's_1', 1, 'exec', 5, 1, 5, x'6162636465')"));
  const std::unique_ptr<Store> store = must(opener_.open());
  EXPECT_EQ(must(store->result_text("s_1", "lr_1")), "abcde");
  EXPECT_EQ(must(store->result_page("s_1", "lr_1", 1)).text, "abcde");
}

TEST_F(SqliteOpen, KeepsTheCallsThatAnEarlierVersionRecorded) {
  must(migrate(*raw(), migrations().first(2)));
  must(raw()->execute(
      "INSERT INTO calls VALUES"
      " (1, 'c_1', 's_1', 'a', 'u', x'2F77', 'mcp', 'read', x'7B7D', 'read', 7, 'ok', x'', 9, ''),"
      " (2, 'c_2', 's_1', 'b', 'u', x'2F77', 'cli', 'ls', x'', 'read', 8, 'ok', x'', 9, ''),"
      " (3, 'c_3', 's_1', 'a', 'u', x'2F77', 'cli', 'write', x'', 'write', 0, 'running', x'', 0, "
      "'p')"));
  const std::vector<CallRecord> calls = must(must(opener_.open())->calls({.session = "s_1"}));
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].outcome, "running");
  EXPECT_EQ(calls[1].who, (Identity{"b", "u", "/w", "s_1"}));
  EXPECT_EQ(calls[2].who, (Identity{"a", "u", "/w", "s_1"}));
  EXPECT_EQ(calls[2].arguments, "{}");
  EXPECT_EQ(calls[2].duration_us, 7);
  EXPECT_EQ(calls[2].decided, "");
  EXPECT_EQ(must(raw()->integer("SELECT count(*) FROM identities")), 2);
}

TEST_F(SqliteOpen, DoesNotCountAgainWhatAnEarlierVersionPassedOn) {
  must(migrate(*raw(), migrations().first(8)));
  for (const char* row : {"'s_1', x'', '', x'', '', ''", "'s_2', x'', '', x'', '', 's_1'"})
    must(raw()->execute(
        fmt::format("INSERT INTO conversations VALUES ({}, 1, 1, 0, 30, 15, 0, 0, 7, '', x'')", row)
            .c_str()));
  const std::unique_ptr<Store> store = must(opener_.open());
  must(store->collect_spent("s_1"));
  EXPECT_EQ(must(store->conversation("s_1")).spent.input, 30);
}

TEST_F(SqliteOpen, TreatsAnEmptyFileAsNew) {
  make_directory();
  std::ofstream(path_).close();
  EXPECT_EQ(must(must(opener_.open())->version()), static_cast<int>(migrations().size()));
}

TEST_F(SqliteOpen, RefusesAFileThatIsNoDatabaseAndLeavesItAsItIs) {
  make_directory();
  for (const std::string& text :
       {std::string("x"), std::string("hello, world\n"), std::string(100'000, 'z')}) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    EXPECT_EQ(refused().type, "not_a_database");
    EXPECT_TRUE(content(path_) == text);
  }
}

TEST_F(SqliteOpen, RefusesADatabaseOfAnotherProgramAndLeavesItAsItIs) {
  must(raw()->execute("CREATE TABLE theirs (a)"));
  const std::string before = content(path_);
  const Error error = refused();
  EXPECT_EQ(error.code, Code::unsupported);
  EXPECT_EQ(error.type, "foreign_database");
  EXPECT_TRUE(content(path_) == before);
}

TEST_F(SqliteOpen, RefusesANewerDatabaseNamingBothVersions) {
  must(opener_.open());
  must(raw()->execute("PRAGMA user_version=4711"));
  const Error error = refused();
  EXPECT_EQ(error.code, Code::unsupported);
  EXPECT_EQ(error.type, "newer_database");
  EXPECT_NE(error.message.find("4711"), std::string::npos);
  EXPECT_NE(error.message.find("up to " + std::to_string(migrations().size())), std::string::npos);
  EXPECT_EQ(must(raw()->integer("PRAGMA user_version")), 4711);
}

TEST_F(SqliteOpen, RefusesAVersionThatWasNeverWritten) {
  must(opener_.open());
  must(raw()->execute("PRAGMA user_version=-3"));
  EXPECT_EQ(refused().type, "foreign_database");
}

// The pages that the next process would read of the log: those written since it was last begun
// anew.
size_t pages_in(const std::string& log) {
  constexpr size_t kHeader = 32, kFrame = 24 + 4096;
  if (log.size() < kHeader) return 0;
  const std::string salt = log.substr(16, 8);
  size_t pages = 0;
  while (log.compare(kHeader + pages * kFrame + 8, salt.size(), salt) == 0) {
    ++pages;
    if (kHeader + (pages + 1) * kFrame > log.size()) break;
  }
  return pages;
}

TEST_F(SqliteOpen, LeavesAShortLogToTheNextProcess) {
  size_t most = 0;
  for (int i = 0; i < 200; ++i) {
    must(must(opener_.open())->keep_result("s_1", "exec", Effect::execute, "text"));
    most = std::max(most, pages_in(content(path_ + "-wal")));
  }
  EXPECT_GT(most, 20u);
  EXPECT_LT(most, 200u);
}

TEST_F(SqliteOpen, SaysThatADatabaseIsDamaged) {
  must(opener_.open());
  must(raw()->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file << std::string(4000, '\xee');
  file.close();
  const std::string before = content(path_);
  Result<std::unique_ptr<Store>> store = opener_.open();
  const Error error =
      store ? (*store)->keep_result("s_1", "exec", Effect::execute, "text").error() : store.error();
  EXPECT_EQ(error.type, "corrupt_database");
  EXPECT_NE(error.message.find(path_), std::string::npos);
  EXPECT_TRUE(content(path_) == before);
}

TEST_F(SqliteOpen, RefusesWhatIsNoRegularFile) {
  fs::create_directories(path_);
  EXPECT_EQ(refused().type, "not_a_file");
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refused().type, "not_a_file");
}

TEST_F(SqliteOpen, SaysWhichPartOfThePathIsNoDirectory) {
  std::ofstream(directory_.file("state")) << "a file";
  EXPECT_FALSE(opener_.open());
}

// The administrator may write everything, so these run as somebody else.
std::string as_nobody(const TempDir& directory, const std::function<std::string()>& work) {
  return in_child([&]() -> std::string {
    if (::geteuid() == 0) {
      for (const auto& entry : fs::recursive_directory_iterator(directory.path())) {
        if (::lchown(entry.path().c_str(), kNobody, kNobody) != 0)
          return "cannot give the file away";
      }
      if (::chown(directory.path().c_str(), kNobody, kNobody) != 0)
        return "cannot give the directory away";
      if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return "cannot become another user";
    }
    return work();
  });
}

TEST_F(SqliteOpen, SaysThatAFileCannotBeWritten) {
  must(must(opener_.open())->keep_result("s_1", "exec", Effect::execute, "text"));
  const std::string wrong = as_nobody(directory_, [&]() -> std::string {
    if (::chmod(path_.c_str(), 0400) != 0) return "chmod failed";
    const Error error = refused();
    if (error.code != Code::denied) return describe(error);
    return error.hint.find("belongs to user") == std::string::npos ? error.hint : "";
  });
  EXPECT_EQ(wrong, "");
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  for (const auto& entry : fs::recursive_directory_iterator(directory_.path()))
    ASSERT_EQ(::lchown(entry.path().c_str(), ::geteuid(), ::getegid()), 0);
  EXPECT_EQ(must(must(opener_.open())->result_text("s_1", "lr_1")), "text");
}

TEST_F(SqliteOpen, SaysThatADirectoryCannotBeWritten) {
  must(must(opener_.open())->keep_result("s_1", "exec", Effect::execute, "text"));
  const std::string state = directory_.file("state");
  const std::string wrong = as_nobody(directory_, [&]() -> std::string {
    if (::chmod(state.c_str(), 0500) != 0) return "chmod failed";
    Result<std::unique_ptr<Store>> store = opener_.open();
    if (store) return "it was opened";
    if (store.error().code != Code::denied) return describe(store.error());
    return store.error().message.find(state) == std::string::npos ? store.error().message : "";
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(::chmod(state.c_str(), 0700), 0);
}

TEST_F(SqliteOpen, SaysThatItCannotMakeTheFileInADirectoryThatCannotBeWritten) {
  make_directory();
  const std::string state = directory_.file("state");
  const std::string wrong = as_nobody(directory_, [&]() -> std::string {
    if (::chmod(state.c_str(), 0500) != 0) return "chmod failed";
    Result<std::unique_ptr<Store>> store = opener_.open();
    if (store) return "it was opened";
    return store.error().code == Code::denied ? "" : describe(store.error());
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(::chmod(state.c_str(), 0700), 0);
}

// A process that died leaves its log and shared memory behind.
class SqliteLeftovers : public SqliteOpen {
 protected:
  void SetUp() override {
    must(must(opener_.open())->keep_result("s_1", "exec", Effect::execute, "before"));
    must(raw()->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
    Helper dead({"begin-and-die", path_, "c_1"});
    ASSERT_EQ(dead.read_line(), "begun");
    dead.wait();
    ASSERT_TRUE(fs::exists(path_ + "-wal"));
  }
  void works() const {
    const std::unique_ptr<Store> store = must(opener_.open());
    EXPECT_EQ(must(store->result_text("s_1", "lr_1")), "before");
    EXPECT_EQ(must(store->keep_result("s_1", "exec", Effect::execute, "after")).id, "lr_2");
  }
};

TEST_F(SqliteLeftovers, AreTakenUp) {
  EXPECT_EQ(must(must(opener_.open())->calls({})).size(), 1u);
  works();
}

TEST_F(SqliteLeftovers, AreTakenUpWithoutTheSharedMemory) {
  fs::remove(path_ + "-shm");
  EXPECT_EQ(must(must(opener_.open())->calls({})).size(), 1u);
  works();
}

TEST_F(SqliteLeftovers, MayBeDeleted) {
  fs::remove(path_ + "-shm");
  fs::remove(path_ + "-wal");
  EXPECT_EQ(must(must(opener_.open())->calls({})).size(), 0u);
  works();
}

TEST_F(SqliteLeftovers, OfADeletedDatabaseDoNotHarmANewOne) {
  fs::remove(path_);
  const std::unique_ptr<Store> store = must(opener_.open());
  EXPECT_TRUE(must(store->calls({})).empty());
  EXPECT_EQ(must(store->keep_result("s_1", "exec", Effect::execute, "new")).id, "lr_1");
}

TEST_F(SqliteOpen, DoesNotAcknowledgeWritesToADeletedFile) {
  const std::unique_ptr<Store> store = must(opener_.open());
  fs::remove_all(directory_.file("state"));
  const Result<Results::Stored> kept = store->keep_result("s_1", "exec", Effect::execute, "text");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().type, kMoved);
}

TEST_F(SqliteOpen, BringsAnOlderDatabaseUpToDate) {
  must(migrate(*raw(), std::span(kTwoSteps).first(1)));
  EXPECT_EQ(must(raw()->integer("SELECT sum(a) FROM one")), 3);
  must(migrate(*raw(), kTwoSteps));
  EXPECT_EQ(must(raw()->integer("SELECT sum(b) FROM two")), 30);
  EXPECT_EQ(must(raw()->integer("PRAGMA user_version")), 2);
}

TEST_F(SqliteOpen, LeavesTheOldDatabaseWhenAStepFails) {
  must(migrate(*raw(), std::span(kTwoSteps).first(1)));
  const std::array<const char*, 2> broken{kTwoSteps[0], "DROP TABLE one; CREATE TABLE oops ("};
  EXPECT_FALSE(migrate(*raw(), broken));
  EXPECT_EQ(must(raw()->integer("SELECT sum(a) FROM one")), 3);
  EXPECT_EQ(must(raw()->integer("PRAGMA user_version")), 1);
}

TEST_F(SqliteOpen, CanBeCreatedByManyAtOnce) {
  constexpr int kThreads = 8;
  const Opener patient(path_, {}, clock_);
  std::vector<std::thread> threads;
  std::atomic<int> kept = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Result<std::unique_ptr<Store>> store = patient.open();
      if (!store)
        ADD_FAILURE() << describe(store.error());
      else
        kept += (*store)->keep_result("s_1", "exec", Effect::execute, "text").has_value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept, kThreads);
  EXPECT_EQ(must(must(opener_.open())->results("s_1")).size(), static_cast<size_t>(kThreads));
}

TEST_F(SqliteOpen, OpensNothingForACallThatDoesNotUseTheStore) {
  { CallStore unused(opener_); }
  EXPECT_FALSE(fs::exists(directory_.file("state")));
}

TEST_F(SqliteOpen, GivesACallOneConnectionAndMoreOnRequest) {
  CallStore call(opener_);
  Store* store = must(call.get());
  must(store->keep_result("s_1", "exec", Effect::execute, "text"));
  EXPECT_EQ(must(call.get()), store);
  EXPECT_EQ(must(must(call.opener().open())->result_text("s_1", "lr_1")), "text");
}

}  // namespace
}  // namespace helve::store

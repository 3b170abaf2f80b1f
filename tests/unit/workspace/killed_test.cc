// What a process that was killed while it wrote leaves behind, and for how long.
#include <sys/wait.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class Killed : public WorkspaceTest {
 protected:
  // Lets another process write in/file and kills it at its call number `when` of that kind; whether
  // it got so far.
  bool write_and_kill(const std::string& call, int when) const {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string inject = "inject=" + call + ":signal=SIGKILL:when=" + std::to_string(when);
    const pid_t child = ::fork();
    if (child == 0) {
      ::execlp("strace", "strace", "-f", "-o", "/dev/null", "-e", inject.c_str(), program.c_str(),
               "--write", tree.path("in").c_str(), "new", nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
    return WIFSIGNALED(status);
  }
};

bool can_trace() { return std::system("strace -o /dev/null true >/dev/null 2>&1") == 0; }

constexpr int kMostCalls = 200;  // of one kind: a writing process makes far fewer

TEST_F(Killed, WritersLeaveTheOldOrTheNewContentAndNothingAfterTheNextWrite) {
  if (!can_trace()) GTEST_SKIP() << "strace is missing or not permitted here";
  for (const char* call :
       {"openat2", "write", "fchmod", "fdatasync", "fsync", "renameat2", "unlinkat", "close"}) {
    bool killed = true;
    for (int when = 1; killed && when < kMostCalls; ++when) {
      SCOPED_TRACE(std::string("killed at ") + call + " number " + std::to_string(when));
      tree.file("in/file", "old");
      killed = write_and_kill(call, when);
      const std::string content = tree.content("in/file");
      EXPECT_TRUE(content == "new" || (killed && content == "old")) << content;
      ASSERT_TRUE(write_file(*open(), "file", "next", OnConflict::overwrite));
      EXPECT_EQ(tree.names("in"), std::vector<std::string>{"file"});
      if (HasFailure()) return;
    }
    EXPECT_FALSE(killed);
  }
}

TEST_F(Killed, WritersOfAnotherMachineAreGivenADay) {
  const std::string name = ".helve-tmp-00000000-0000-0000-0000-000000000000_1_2_3.0123456789abcdef";
  tree.file("in/" + name);
  ASSERT_TRUE(write_file(*open(), "file", "x", OnConflict::overwrite));
  EXPECT_TRUE(tree.exists("in/" + name));
  std::filesystem::last_write_time(
      tree.path("in/" + name),
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(write_file(*open(), "file", "x", OnConflict::overwrite));
  EXPECT_FALSE(tree.exists("in/" + name));
}

TEST_F(Killed, NothingIsRemovedThatOnlyLooksSimilar) {
  const std::vector<std::string> names = {".helve-kept-0123456789abcdef", ".helve-tmp-",
                                          ".helve-tmp-0123456789abcdef", ".helve-tmp-a_b_c_d",
                                          ".helve-tmp-a_b_c_d.e"};
  for (const std::string& name : names) {
    tree.file("in/" + name);
  }
  ASSERT_TRUE(write_file(*open(), "file", "x", OnConflict::overwrite));
  for (const std::string& name : names) EXPECT_TRUE(tree.exists("in/" + name)) << name;
}

}  // namespace
}  // namespace helve::workspace

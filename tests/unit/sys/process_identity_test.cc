#include "sys/process_identity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace helve::sys {
namespace {

TEST(ProcessIdentity, IsAliveForThisProcessAndStaysTheSame) {
  const std::string identity = process_identity();
  ASSERT_NE(identity, "");
  EXPECT_EQ(process_identity(), identity);
  EXPECT_EQ(liveness_of(identity), Liveness::alive);
}

class OfAnotherProcess : public testing::Test {
 protected:
  void SetUp() override {
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const std::string identity = process_identity();
      if (::write(out[1], identity.data(), identity.size()) < 0) ::_exit(1);
      while (true) ::pause();
    }
    char buffer[256];
    const ssize_t count = ::read(out[0], buffer, sizeof buffer);
    ASSERT_GT(count, 0);
    identity_.assign(buffer, static_cast<size_t>(count));
    ::close(out[0]);
    ::close(out[1]);
  }
  void TearDown() override {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid_ = -1;
  std::string identity_;
};

TEST_F(OfAnotherProcess, DiffersFromOursAndIsAlive) {
  EXPECT_NE(identity_, process_identity());
  EXPECT_EQ(liveness_of(identity_), Liveness::alive);
}

TEST_F(OfAnotherProcess, IsGoneWhenItDiedEvenBeforeItIsWaitedFor) {
  ::kill(pid_, SIGKILL);
  siginfo_t ended;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(liveness_of(identity_), Liveness::gone);
  ASSERT_EQ(::waitpid(pid_, nullptr, 0), pid_);
  EXPECT_EQ(liveness_of(identity_), Liveness::gone);
}

TEST(ProcessIdentity, IsGoneWhenTheNumberBelongsToAnotherProcessNow) {
  std::string identity = process_identity();
  identity.back() = identity.back() == '1' ? '2' : '1';  // another start time
  EXPECT_EQ(liveness_of(identity), Liveness::gone);
}

TEST(ProcessIdentity, IsGoneAfterAReboot) {
  std::string identity = process_identity();
  identity[0] = identity[0] == '0' ? '1' : '0';
  EXPECT_EQ(liveness_of(identity), Liveness::gone);
}

TEST(ProcessIdentity, IsGoneAfterARebootOfThisMachineOnly) {
  std::string identity = process_identity();
  identity[0] = identity[0] == '0' ? '1' : '0';
  ASSERT_NE(machine_identity(), "");
  EXPECT_EQ(liveness_of(identity, machine_identity()), Liveness::gone);
  EXPECT_EQ(liveness_of(identity, "another"), Liveness::unknown);
}

TEST(ProcessIdentity, IsKnownOnThisKernelWhateverTheMachineIsCalled) {
  EXPECT_EQ(liveness_of(process_identity(), "another"), Liveness::alive);
}

TEST(ProcessIdentity, IsUnknownInAnotherNamespace) {
  std::string identity = process_identity();
  identity.insert(identity.find(']'), "9");
  EXPECT_EQ(liveness_of(identity), Liveness::unknown);
}

TEST(ProcessIdentity, IsUnknownForWhatIsNone) {
  for (const char* text : {"", "x", "a b c", "a b c d e"}) {
    EXPECT_EQ(liveness_of(text), Liveness::unknown) << text;
  }
}

}  // namespace
}  // namespace helve::sys

// Commands on a terminal that somebody sits at: the other end of it is here.
#include "process/attached.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "process/descendants.h"

namespace helve::process {
namespace {

constexpr std::chrono::milliseconds kGrace{100};

class AttachedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    int master, slave;
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    person_ = sys::Fd(master);
    terminal_ = sys::Fd(slave);
    fcntl(master, F_SETFL, O_NONBLOCK);
  }

  // The person sees what comes, and types `keys` over and over once it says "ready".
  Result<Ended> run(const std::string& script, std::string_view keys = {}) {
    const std::jthread person([&](std::stop_token stop) {
      char buffer[4096];
      pollfd event{person_.get(), POLLIN, 0};
      while (true) {
        const ssize_t count = poll(&event, 1, 1) > 0 ? read(event.fd, buffer, sizeof buffer) : 0;
        if (count > 0) seen_.append(buffer, static_cast<size_t>(count));
        if (count <= 0 && stop.stop_requested()) return;
        if (!keys.empty() && seen_.find("ready") != seen_.npos)
          (void)!write(event.fd, keys.data(), keys.size());
      }
    });
    Supervisor supervisor(spawn_program(), clock_, nullptr);
    Plan plan{
        .launch = {.argv = {"/bin/sh", "-c", script}, .env = {"PATH=/usr/bin:/bin"}, .cwd = "/"},
        .streams = std::array{terminal_.get(), terminal_.get(), terminal_.get()}};
    return run_attached(supervisor, {.level = sandbox::Level::full}, std::move(plan), kGrace, {});
  }
  bool has_seen(std::string_view text) const { return seen_.find(text) != seen_.npos; }

  const sys::RealClock clock_;
  sys::Fd person_, terminal_;
  std::string seen_;
};

TEST_F(AttachedTest, ReturnsWhenTheCommandHasEnded) {
  const Result<Ended> ended = run("test -t 0 && echo hello; exit 3");
  ASSERT_TRUE(ended) << describe(ended.error());
  EXPECT_EQ(ended->exit_code, 3);
  EXPECT_TRUE(has_seen("hello")) << seen_;
}

TEST_F(AttachedTest, TakesKeys) {
  const Result<Ended> ended = run("echo ready; read line; echo \"got $line\"", "word\r");
  ASSERT_TRUE(ended) << describe(ended.error());
  EXPECT_TRUE(has_seen("got word")) << seen_;
}

TEST_F(AttachedTest, KeysThatNobodyReadsHoldNothingUp) {
  const Result<Ended> ended =
      run("stty raw -echo; echo ready; head -c 3000000 /dev/zero | tr '\\0' x; exit 5",
          std::string(8000, 'k'));
  ASSERT_TRUE(ended) << describe(ended.error());
  EXPECT_EQ(ended->exit_code, 5);
  EXPECT_GE(seen_.size(), 3'000'000u);
}

TEST_F(AttachedTest, ACommandMayLeaveItsTerminalAndComeBack) {
  const Result<Ended> ended =
      run("exec </dev/null >/dev/null 2>&1; sleep 0.3; echo back >/dev/tty; exit 6");
  ASSERT_TRUE(ended) << describe(ended.error());
  EXPECT_EQ(ended->exit_code, 6);
  EXPECT_TRUE(has_seen("back")) << seen_;
}

}  // namespace
}  // namespace helve::process

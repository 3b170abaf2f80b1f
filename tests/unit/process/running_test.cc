#include "process/running.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "process/descendants.h"
#include "sys/id.h"
#include "sys/stream.h"
#include "unit/process/helpers.h"

namespace helve::process {
namespace {

using std::chrono::seconds;

// Empty: it is gone.
std::string words_of(const std::filesystem::path& process) {
  std::ifstream file(process / "cmdline");
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// Whether any process of this machine has `word` among its arguments. A command sees itself under
// another number than we do.
bool is_running(const std::string& word) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const bool is_process = std::isdigit(entry.path().filename().c_str()[0]);
    if (is_process && words_of(entry.path()).find(word) != std::string::npos) return true;
  }
  return false;
}

std::string unique_seconds() {
  return std::to_string(100'000'000 + sys::random_number() % 800'000'000);
}

Time soon() { return std::chrono::steady_clock::now() + seconds(20); }

// Real commands, without a sandbox: that one has tests of its own.
class RunningTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    auto started = Spawner::start(spawn_program(), {.level = sandbox::Level::full});
    ASSERT_TRUE(started) << describe(started.error());
    spawner_ = std::move(*started);
  }
  void TearDown() override {
    running_.reset();
    spawner_.reset();
    EXPECT_TRUE(descendants_of(getpid()).empty());
  }

  static Plan plan(const std::string& script) {
    return {
        .launch = {.argv = {"/bin/sh", "-c", script}, .env = {"PATH=/usr/bin:/bin"}, .cwd = "/"},
        .limits = {.directory = "/tmp"}};
  }
  Running& start(Plan plan) {
    auto started = Running::start(*spawner_, std::move(plan));
    EXPECT_TRUE(started) << describe(started.error());
    running_ = std::move(*started);
    return *running_;
  }
  Running& start(const std::string& script) { return start(plan(script)); }
  const Ended& finish() {
    const Time end = soon();
    while (!running_->attend(end, -1) && std::chrono::steady_clock::now() < end) {
    }
    EXPECT_TRUE(running_->has_ended());
    return running_->ended();
  }
  std::string text() const { return running_->out().shown(1'000'000).text; }

  std::unique_ptr<Spawner> spawner_;
  std::unique_ptr<Running> running_;
};

TEST_F(RunningTest, TellsOutputAndExitCode) {
  start("echo one; echo two >&2; exit 3");
  EXPECT_EQ(finish().exit_code, 3);
  EXPECT_EQ(text(), "one\ntwo\n");
}

TEST_F(RunningTest, NamesTheSignalThatEndedACommand) {
  start("kill -SEGV $$");
  EXPECT_EQ(finish().signal, "SIGSEGV");
  EXPECT_EQ(describe(running_->ended()), "killed by SIGSEGV");
}

TEST_F(RunningTest, KeepsErrorsApartWhenAsked) {
  Plan wanted = plan("echo out; echo err >&2");
  wanted.separate_errors = true;
  start(std::move(wanted));
  finish();
  EXPECT_EQ(text(), "out\n");
  EXPECT_EQ(running_->err().shown(100).text, "err\n");
}

TEST_F(RunningTest, ACommandThatReadsItsInputFindsItsEnd) {
  start("cat; echo done");
  finish();
  EXPECT_EQ(text(), "done\n");
}

TEST_F(RunningTest, ATextCanBeItsInput) {
  Plan wanted = plan("cat");
  wanted.input = Plan::Input::text;
  wanted.input_text = "hello";
  start(std::move(wanted));
  finish();
  EXPECT_EQ(text(), "hello");
}

TEST_F(RunningTest, InputCanBeWrittenWhileItRuns) {
  Plan wanted = plan("read line; echo \"got $line\"");
  wanted.input = Plan::Input::open;
  start(std::move(wanted));
  EXPECT_EQ(running_->write_input("hello\n").value_or(0), 6u);
  finish();
  EXPECT_EQ(text(), "got hello\n");
}

TEST_F(RunningTest, ReturnsWhenTheShellEndsThoughAChildHoldsThePipe) {
  start("sleep 1000 & echo started");
  EXPECT_EQ(finish().exit_code, 0);
  EXPECT_TRUE(running_->ended().left_others);
  EXPECT_EQ(text(), "started\n");
}

TEST_F(RunningTest, EndsAProcessThatLeftItsSession) {
  const std::string word = unique_seconds();
  start("setsid sh -c 'echo ready; exec sleep " + word + "' & sleep 1000");
  while (running_->out().size() == 0) running_->attend(soon(), -1);
  ASSERT_TRUE(is_running(word));
  running_.reset();
  spawner_.reset();  // waits for the keeper
  EXPECT_FALSE(is_running(word));
}

TEST_F(RunningTest, SignalsReachEveryProcess) {
  start(
      "trap 'wait; echo parent; exit 7' TERM; "
      "(trap 'echo child; exit' TERM; echo ready; while :; do sleep 0.01; done) & wait");
  while (text() != "ready\n") running_->attend(soon(), -1);
  running_->signal_all(SIGTERM);
  EXPECT_EQ(finish().exit_code, 7);
  EXPECT_NE(text().find("child"), std::string::npos) << text();
}

TEST_F(RunningTest, EndsACommandThatStoppedItself) {
  start("echo $$; kill -STOP $$");
  while (running_->out().size() == 0) running_->attend(soon(), -1);
  running_->signal_all(SIGTERM);
  running_->signal_all(SIGCONT);
  EXPECT_EQ(finish().signal, "SIGTERM");
}

TEST_F(RunningTest, ATerminalHasItsSizeAndIsOne) {
  Plan wanted = plan("tty; stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal");
  wanted.launch.has_terminal = true;
  wanted.launch.terminal = {33, 111};
  start(std::move(wanted));
  finish();
  EXPECT_NE(text().find("33 111"), std::string::npos) << text();
  EXPECT_NE(text().find("/dev/pts/"), std::string::npos) << text();
  EXPECT_NE(text().find("terminal"), std::string::npos) << text();
}

TEST_F(RunningTest, ATerminalTakesKeys) {
  Plan wanted =
      plan("trap 'echo interrupted; exit 4' INT; echo ready; while :; do sleep 0.01; done");
  wanted.launch.has_terminal = true;
  start(std::move(wanted));
  while (text().find("ready") == std::string::npos) running_->attend(soon(), -1);
  ASSERT_TRUE(running_->write_input("\x03"));
  EXPECT_EQ(finish().exit_code, 4);
}

TEST_F(RunningTest, ATextCanBeTypedAtATerminal) {
  for (const std::string line : {"hello\n", "hello"}) {
    Plan wanted = plan("stty -echo; cat; echo \"[$?]\"");
    wanted.launch.has_terminal = true;
    wanted.input = Plan::Input::text;
    wanted.input_text = line;
    start(std::move(wanted));
    EXPECT_EQ(finish().exit_code, 0);
    EXPECT_NE(text().find("hello"), std::string::npos) << text();
    EXPECT_TRUE(text().ends_with("[0]\r\n")) << text();
  }
}

TEST_F(RunningTest, MoreCanBeTypedThanATerminalHolds) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += std::to_string(i) + "\n";
  Plan wanted = plan("stty -echo; cat | tail -n 1");
  wanted.launch.has_terminal = true;
  wanted.input = Plan::Input::text;
  wanted.input_text = lines;
  start(std::move(wanted));
  finish();
  EXPECT_TRUE(text().ends_with("9999\r\n")) << running_->out().end(100);
}

TEST_F(RunningTest, ATerminalThatNobodySitsAtHasAnEnd) {
  Plan wanted = plan("cat; echo done");
  wanted.launch.has_terminal = true;
  start(std::move(wanted));
  finish();
  EXPECT_EQ(text(), "done\r\n");
}

TEST_F(RunningTest, ATerminalThatIsWrittenToForEverHoldsNoEndUp) {
  Plan wanted = plan("trap '' HUP; (while :; do echo x; sleep 0.01; done) & echo begun");
  wanted.launch.has_terminal = true;
  start(std::move(wanted));
  EXPECT_EQ(finish().exit_code, 0);
  EXPECT_NE(text().find("begun"), std::string::npos) << text();
}

TEST_F(RunningTest, AFloodOnATerminalCanBeEnded) {
  Plan wanted = plan("trap '' TERM HUP INT; while :; do echo x; done");
  wanted.launch.has_terminal = true;
  start(std::move(wanted));
  while (text().empty()) running_->attend(soon(), -1);
  running_->end_now();
  EXPECT_EQ(running_->ended().signal, "SIGKILL");
}

TEST_F(RunningTest, NothingRunsAnyMoreWhenItCountsAsEnded) {
  for (const bool is_ended : {true, false}) {
    const std::string word = unique_seconds();
    start("for i in 1 2 3 4 5 6 7 8; do (trap '' TERM; exec sleep " + word +
          ") & done; echo ready; [ " + (is_ended ? "1" : "") + " ] && sleep 1000");
    while (running_->out().size() == 0) running_->attend(soon(), -1);
    if (is_ended) running_->end_now();
    finish();
    EXPECT_FALSE(is_running(word));
  }
}

TEST_F(RunningTest, TheCommandInheritsNothingElse) {
  start("ls /proc/self/fd | wc -l; env | grep -v '^_=' | sort");
  finish();
  EXPECT_EQ(text(), "4\nPATH=/usr/bin:/bin\nPWD=/\n");  // the fourth is the listed directory
}

TEST_F(RunningTest, AFloodIsDrainedAndCounted) {
  start("head -c 50000000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(finish().exit_code, 0);
  EXPECT_EQ(running_->out().size(), 50'000'000u);
}

TEST_F(RunningTest, SaysWhatIsWrongWithTheDirectory) {
  if (kForks) GTEST_SKIP() << kNoVfork;
  Plan wanted = plan("true");
  wanted.launch.cwd = "/nonexistent";
  auto started = Running::start(*spawner_, std::move(wanted));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::not_found);
  EXPECT_NE(started.error().message.find("/nonexistent"), std::string::npos);
}

TEST_F(RunningTest, SaysWhatIsWrongWithTheProgram) {
  if (kForks) GTEST_SKIP() << kNoVfork;
  for (const auto& [program, code] :
       {std::pair("/nonexistent", Code::not_found), {"/etc/passwd", Code::denied}}) {
    Plan wanted = plan("true");
    wanted.launch.argv = {program};
    auto started = Running::start(*spawner_, std::move(wanted));
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, code) << describe(started.error());
    EXPECT_NE(started.error().message.find(program), std::string::npos);
  }
}

TEST_F(RunningTest, RefusesACommandThatIsTooLong) {
  if (kForks) GTEST_SKIP() << kNoVfork;
  auto started = Running::start(*spawner_, plan(std::string(2 << 20, 'x')));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::too_large);
}

// Of what is below us: those that nobody has waited for.
size_t zombies() {
  size_t count = 0;
  for (const pid_t pid : descendants_of(getpid())) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    count += line.find(") Z ") != line.npos;
  }
  return count;
}

TEST_F(RunningTest, ManyCommandsLeaveNoZombies) {
  for (int i = 0; i < 200; ++i) {
    start("true");
    EXPECT_EQ(finish().exit_code, 0);
  }
  running_.reset();
  constexpr size_t kThatStay = 2;  // the helper, and what it has ready for the next command
  const auto are_left = [] { return zombies() > 0 || descendants_of(getpid()).size() > kThatStay; };
  const Time end = soon();
  while (are_left() && std::chrono::steady_clock::now() < end) {  // they go, but after us
  }
  EXPECT_EQ(zombies(), 0u);
  EXPECT_LE(descendants_of(getpid()).size(), kThatStay);
}

TEST_F(RunningTest, ACommandCanStillBeEndedWhenTheHelperWasKilled) {
  const std::string word = unique_seconds();
  start("setsid sleep " + word + " & trap 'echo asked; exit 4' TERM; echo ready; wait");
  while (running_->out().size() == 0) running_->attend(soon(), -1);
  const std::vector<pid_t> helpers = children_of(getpid());
  ASSERT_EQ(helpers.size(), 1u);
  kill(helpers.front(), SIGKILL);
  Result<std::unique_ptr<Running>> again = Running::start(*spawner_, plan("true"));
  while (again) again = Running::start(*spawner_, plan("true"));  // it is not gone at once
  EXPECT_EQ(again.error().type, Spawner::kGone);
  EXPECT_TRUE(is_running(word));
  running_->signal_all(SIGTERM);
  EXPECT_EQ(finish().exit_code, 4);
  EXPECT_FALSE(is_running(word));
}

TEST_F(RunningTest, AKeeperThatDoesNotAnswerHoldsNobodyUp) {
  const pid_t keeper = idle_keeper();
  kill(keeper, SIGSTOP);
  const std::filesystem::path made = "/tmp/helve-" + unique_seconds();
  const auto late = Running::start(*spawner_, plan("touch " + made.string()),
                                   {.longest = std::chrono::milliseconds(20)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().type, Spawner::kStuck);
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled = Running::start(*spawner_, plan("true"), {.stop = stop.get_token()});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::cancelled);
  kill(keeper, SIGCONT);
  start("true");
  EXPECT_EQ(finish().exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(made));  // who gave up was told that it does not run
}

TEST(Spawner, SaysThatTheProgramIsMissing) {
  if (kForks) GTEST_SKIP() << kNoVfork;
  auto started = Spawner::start("/nonexistent/helve-spawn", {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().type, "no_spawn_helper");
}

TEST(Spawner, DoesNotWaitForEverForAProgramThatHangs) {
  const std::filesystem::path program = "/tmp/helve-" + unique_seconds();
  std::ofstream(program) << "#!/bin/sh\nexec sleep 1000\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  auto started = Spawner::start(program.string(), {}, {.longest = std::chrono::milliseconds(20)});
  std::filesystem::remove(program);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().type, Spawner::kStuck);
  EXPECT_TRUE(descendants_of(getpid()).empty());
}

}  // namespace
}  // namespace helve::process

#include "sys/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "sys/limits.h"

namespace helve::sys {
namespace {

using namespace std::chrono_literals;

class Process : public ::testing::Test {
 protected:
  Process() {
    std::string pattern = ::testing::TempDir() + "process_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~Process() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name, const std::string& content, mode_t mode) const {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path) << content;
    chmod(path.c_str(), mode);
    return path;
  }

  std::string directory_;
};

Command shell(std::string script) {
  Command command;
  command.argv = {"/bin/sh", "-c", std::move(script)};
  command.env = {"PATH=/usr/bin:/bin"};
  return command;
}

Finished finished(const Command& command) {
  Result<Finished> result = run(command);
  EXPECT_TRUE(result) << (result ? "" : describe(result.error()));
  return result.value_or(Finished{});
}

std::chrono::steady_clock::duration time_of(const Command& command) {
  const auto start = std::chrono::steady_clock::now();
  (void)run(command);
  return std::chrono::steady_clock::now() - start;
}

bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

TEST_F(Process, GivesOutputErrorsAndExitCodeApart) {
  const Finished done = finished(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(done.out, "out\n");
  EXPECT_EQ(done.err, "err\n");
  EXPECT_EQ(done.exit_code, 7);
  EXPECT_EQ(done.signal, "");
  EXPECT_FALSE(done.timed_out);
}

TEST_F(Process, PassesExactlyTheGivenEnvironment) {
  setenv("HELVE_TEST_SECRET", "canary", 1);
  Command command;
  command.argv = {"env"};
  command.env = {"PATH=/usr/bin:/bin", "QUOTED=a \"b\"\nc"};
  EXPECT_EQ(finished(command).out, "PATH=/usr/bin:/bin\nQUOTED=a \"b\"\nc\n");
  unsetenv("HELVE_TEST_SECRET");
}

TEST_F(Process, FeedsMoreInputThanAPipeHoldsWhileOutputComesBack) {
  Command command = shell("cat");
  command.stdin_text.assign(3u << 20, 'x');
  command.stdout_limit = 8u << 20;
  EXPECT_EQ(finished(command).out.size(), 3u << 20);
}

TEST_F(Process, LetsAScriptOpenItsInputByName) {
  Command command = shell("cat /dev/stdin");
  command.stdin_text = "hello";
  EXPECT_EQ(finished(command).out, "hello");
}

TEST_F(Process, IsNotDisturbedWhenTheProgramNeverReadsItsInput) {
  Command command = shell("exec 0<&-; exit 3");
  command.stdin_text.assign(1u << 20, 'x');
  EXPECT_EQ(finished(command).exit_code, 3);
}

TEST_F(Process, DrainsButDoesNotKeepOutputOverTheLimit) {
  Command command = shell("head -c 5000000 /dev/zero; head -c 100000 /dev/zero >&2; exit 4");
  command.stdout_limit = 1000;
  command.stderr_limit = 10;
  const Finished done = finished(command);
  EXPECT_EQ(done.exit_code, 4);
  EXPECT_EQ(done.out.size(), 1000u);
  EXPECT_EQ(done.err.size(), 10u);
  EXPECT_TRUE(done.out_truncated);
  EXPECT_TRUE(done.err_truncated);
}

TEST_F(Process, DoesNotCallOutputTruncatedThatJustFits) {
  Command command = shell("printf 12345");
  command.stdout_limit = 5;
  const Finished done = finished(command);
  EXPECT_EQ(done.out, "12345");
  EXPECT_FALSE(done.out_truncated);
}

TEST_F(Process, NamesTheSignalThatEndedTheProgram) {
  const Finished done = finished(shell("kill -SEGV $$"));
  EXPECT_EQ(done.signal, "SIGSEGV");
  EXPECT_EQ(done.exit_code, -1);
}

TEST_F(Process, EndsAProgramWhoseTimeIsUp) {
  Command command = shell("echo begun; exec sleep 1000");
  command.timeout = 50ms;
  const Finished done = finished(command);
  EXPECT_TRUE(done.timed_out);
  EXPECT_EQ(done.signal, "SIGTERM");
}

TEST_F(Process, KillsAProgramThatIgnoresTheRequestToEnd) {
  Command command = shell("trap '' TERM; while :; do :; done");
  command.timeout = 50ms;
  command.kill_grace = 20ms;
  const Finished done = finished(command);
  EXPECT_TRUE(done.timed_out);
  EXPECT_EQ(done.signal, "SIGKILL");
}

TEST_F(Process, EndsAProgramThatStoppedItself) {
  Command command = shell("kill -STOP $$");
  command.timeout = 50ms;
  command.kill_grace = 20ms;
  EXPECT_TRUE(finished(command).timed_out);
}

TEST_F(Process, LeavesNoProcessOfTheGroupBehindWhenTimeIsUp) {
  Command command = shell("(trap '' TERM; while :; do :; done) & echo $!; wait");
  command.timeout = 50ms;
  const Finished done = finished(command);
  ASSERT_TRUE(done.timed_out);
  const pid_t grandchild = std::stoi(done.out);
  // It was killed; its new parent reaps it in its own time, so a zombie counts as gone.
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < end && !is_gone(grandchild)) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name, state;
    if (stat >> pid >> name >> state && state == "Z") return;
    std::this_thread::yield();
  }
  EXPECT_TRUE(is_gone(grandchild));
}

TEST_F(Process, ReturnsWhenTheProgramEndsThoughAGrandchildHoldsItsOutput) {
  Command command = shell("sleep 1000 & echo $!; exit 5");
  command.timeout = 60s;
  const Finished done = finished(command);
  EXPECT_EQ(done.exit_code, 5);
  EXPECT_FALSE(done.timed_out);
  kill(std::stoi(done.out), SIGKILL);
}

TEST_F(Process, ReturnsThoughAGrandchildWritesForever) {
  Command command = shell("yes & echo $! >&2; exit 0");
  command.stdout_limit = 100;
  const Finished done = finished(command);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_FALSE(done.timed_out);
  kill(std::stoi(done.err), SIGKILL);
}

TEST_F(Process, EndsSoonAfterAStopRequest) {
  std::stop_source source;
  const std::string begun = directory_ + "/begun";
  mkfifo(begun.c_str(), 0600);
  Command command = shell("echo > " + begun + "; exec sleep 1000");
  command.timeout = 1h;
  std::ifstream until_it_runs;  // open to the end: the shell must not die of a broken pipe
  std::jthread stopper([&] {
    until_it_runs.open(begun);
    source.request_stop();
  });
  const Result<Finished> result = run(command, source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::cancelled);
}

TEST_F(Process, DoesNotStartWhenAlreadyStopped) {
  std::stop_source source;
  source.request_stop();
  const std::string mark = directory_ + "/mark";
  const Result<Finished> result = run(shell("touch " + mark), source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::cancelled);
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(Process, InheritsNoDescriptorBesidesTheStandardStreams) {
  const int open_one = open("/dev/null", O_RDONLY);  // on purpose not close-on-exec
  const Finished done = finished(shell("ls /proc/$$/fd"));
  close(open_one);
  EXPECT_EQ(done.out, "0\n1\n2\n");
}

TEST_F(Process, InheritsNoLimitThatWeRaised) {
  constexpr rlim_t kFirst = 100;
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur != kFirst) {  // again in a process that begins with it
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const Finished again = finished(shell("ulimit -S -n 100; exec '" + self +
                                          "' --gtest_filter=Process.InheritsNoLimitThatWeRaised"));
    EXPECT_EQ(again.exit_code, 0) << again.out;
    return;
  }
  allow_many_open_files();
  const std::string hard = std::to_string(limit.rlim_max);
  EXPECT_EQ(finished(shell("ulimit -S -n; ulimit -H -n")).out, "100\n" + hard + "\n");
}

TEST_F(Process, RunsInASessionOfItsOwn) {
  const Finished done = finished(shell("cut -d' ' -f5,6 /proc/$$/stat; echo $$"));
  int group = 0, session = 0, self = 0;
  ASSERT_EQ(sscanf(done.out.c_str(), "%d %d\n%d", &group, &session, &self), 3);
  EXPECT_EQ(group, self);
  EXPECT_EQ(session, self);
}

TEST_F(Process, ResetsSignalsThatWeIgnore) {
  signal(SIGPIPE, SIG_IGN);
  const Finished done = finished(shell("kill -PIPE $$"));
  signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(done.signal, "SIGPIPE");
}

TEST_F(Process, RunsInTheGivenDirectory) {
  Command command = shell("pwd -P");
  command.cwd = directory_;
  EXPECT_EQ(finished(command).out, std::filesystem::canonical(directory_).string() + "\n");
}

TEST_F(Process, LeavesNoZombies) {
  for (int i = 0; i < 20; ++i) finished(shell("exit 0"));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Process, LooksForAProgramInTheGivenPathOnly) {
  file("greet", "#!/bin/sh\necho hi\n", 0755);
  Command command;
  command.argv = {"greet"};
  command.env = {"PATH=relative::" + directory_};
  EXPECT_EQ(finished(command).out, "hi\n");
  command.env = {"PATH=/nowhere"};
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::not_found);
  EXPECT_EQ(result.error().message, "no program 'greet' in PATH");
}

TEST_F(Process, NamesAMissingProgram) {
  Command command;
  command.argv = {directory_ + "/nothing"};
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::not_found);
  EXPECT_EQ(result.error().message, "no program '" + directory_ + "/nothing'");
}

TEST_F(Process, TellsHowToMakeAFileExecutable) {
  Command command;
  command.argv = {file("plain", "#!/bin/sh\n", 0644)};
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::denied);
  EXPECT_EQ(result.error().hint, "chmod +x '" + command.argv[0] + "'");
}

TEST_F(Process, SaysThatADirectoryIsNoProgram) {
  Command command;
  command.argv = {directory_};
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "'" + directory_ + "' is a directory, not a program");
}

TEST_F(Process, SaysThatTheInterpreterIsMissing) {
  Command command;
  command.argv = {file("script", "#!/no/such/interpreter\n", 0755)};
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::not_found);
  EXPECT_NE(result.error().message.find("interpreter"), std::string::npos);
}

TEST_F(Process, SaysThatAFileIsNoProgram) {
  Command command;
  command.argv = {file("text", "echo hi\n", 0755)};
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().type, "not_a_program");
}

TEST_F(Process, NamesAMissingDirectory) {
  Command command = shell("true");
  command.cwd = directory_ + "/gone";
  const Result<Finished> result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::not_found);
  EXPECT_NE(result.error().message.find(command.cwd), std::string::npos);
}

TEST_F(Process, RefusesNulBytesAndNoProgramAtAll) {
  EXPECT_EQ(run(Command{}).error().code, Code::invalid_argument);
  EXPECT_EQ(run(shell(std::string("a\0b", 3))).error().code, Code::invalid_argument);
}

TEST_F(Process, SaysThatTheArgumentsAreTooLong) {
  const Result<Finished> result = run(shell(std::string(4u << 20, 'x')));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::too_large);
}

TEST_F(Process, TakesAnyTimeoutWithoutOverflow) {
  Command command = shell("exit 0");
  command.timeout = std::chrono::milliseconds::max();
  EXPECT_EQ(finished(command).exit_code, 0);
  command = shell("exec sleep 1000");
  command.timeout = -1ms;
  EXPECT_TRUE(finished(command).timed_out);
}

TEST_F(Process, RunsOnManyThreadsAtOnce) {
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Command command = shell("cat");
      command.stdin_text = std::to_string(i);
      const auto result = run(command);
      if (result && result->out == command.stdin_text) ++right;
    });
  }
  threads.clear();
  EXPECT_EQ(right, 8);
}

TEST_F(Process, IsKilledWithTheProcessThatRunsIt) {
  const std::string fifo = directory_ + "/pid";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    (void)run(shell("echo $$ >" + fifo + "; exec sleep 1000"));
    _exit(0);
  }
  pid_t program = 0;
  std::ifstream(fifo) >> program;
  ASSERT_GT(program, 0);
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, program, 0)), POLLIN, 0};
  ASSERT_GE(ended.fd, 0);
  EXPECT_EQ(poll(&ended, 1, 0), 0) << "it runs";
  kill(runner, SIGKILL);
  EXPECT_EQ(waitpid(runner, nullptr, 0), runner);
  EXPECT_EQ(poll(&ended, 1, 10'000), 1);
  if (!is_gone(program)) kill(program, SIGKILL);
  close(ended.fd);
}

TEST_F(Process, DoesNotWaitForTheTimeoutOfAQuickProgram) {
  Command command = shell("exit 0");
  command.timeout = 1h;
  EXPECT_LT(time_of(command), 30s);
}

}  // namespace
}  // namespace helve::sys

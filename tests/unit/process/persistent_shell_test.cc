#include "process/persistent_shell.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "process/commands.h"
#include "process/descendants.h"
#include "process/numbers.h"

namespace helve::process {
namespace {

using Before = ShellAnswer::Before;
using End = ShellAnswer::End;

Time much_later() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }

std::string words_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// In a real sandbox: only there is the shell out of its children's reach.
class PersistentShellTest : public ::testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    root_ = (std::filesystem::temp_directory_path() / "helve-shell-XXXXXX").string();
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    policy_.roots = {root_};
  }
  void TearDown() override {
    (void)shells().end("s", {});
    std::filesystem::remove_all(root_);
  }

  Shells& shells() { return supervisor_.shells(); }
  Result<ShellAnswer> attempt(ShellCall call, std::stop_token stop = {}) {
    return shells().run(call,
                        {.policy = policy_,
                         .environment = environment_,
                         .limits = limits_,
                         .directory = [this] { return root_; },
                         .open_files = open_files_},
                        std::move(stop));
  }
  static ShellCall call(std::string_view command) {
    return {.session = "s",
            .command = command,
            .deadline = much_later(),
            .grace = std::chrono::seconds(20)};
  }
  ShellAnswer run(std::string_view command) {
    auto answer = attempt(call(command));
    EXPECT_TRUE(answer) << describe(answer.error());
    return answer ? std::move(*answer) : ShellAnswer{.out = Output({}), .err = Output({})};
  }
  std::string output_of(std::string_view command) { return run(command).out.whole(); }
  // Of the shell itself; 0: there is none.
  static pid_t shell_process() {
    for (const pid_t pid : descendants_of(getpid())) {
      if (words_of(pid).find("--norc") != std::string::npos) return pid;
    }
    return 0;
  }
  static void kill_and_wait(pid_t process) {
    kill(process, SIGKILL);
    while (!words_of(process).empty()) std::this_thread::yield();
  }

  std::string root_;
  sandbox::Policy policy_;
  std::vector<std::string> environment_{"PATH=/usr/bin:/bin"};
  OutputLimits limits_{.directory = "/tmp"};
  std::uint64_t open_files_ = 0;
  const sys::RealClock clock_;
  Supervisor supervisor_{spawn_program(), clock_, nullptr};
};

TEST_F(PersistentShellTest, KeepsWhatACommandLeaves) {
  EXPECT_EQ(run("x=5; cd /usr").before, Before::none);
  const ShellAnswer answer = run("echo $x $PWD; false");
  EXPECT_EQ(answer.before, Before::same);
  EXPECT_EQ(answer.out.whole(), "5 /usr\n");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(output_of("echo $?"), "1\n");
  EXPECT_EQ(output_of("echo $?"), "0\n");
}

TEST_F(PersistentShellTest, TheStatusIsTrueWhateverSeparatesWords) {
  EXPECT_EQ(run("IFS=1; false").exit_code, 1);
  EXPECT_EQ(run("(exit 111)").exit_code, 111);
}

TEST_F(PersistentShellTest, OneThatWasKilledBetweenCallsIsReplacedAndThatIsSaid) {
  run("x=5");
  kill_and_wait(shell_process());
  const ShellAnswer answer = run("echo ${x-unset}");
  EXPECT_EQ(answer.before, Before::died);
  EXPECT_EQ(answer.out.whole(), "unset\n");
  EXPECT_EQ(run("true").before, Before::same);
}

TEST_F(PersistentShellTest, OneWhoseHelperProgramWasKilledGoesOn) {
  run("x=5");
  kill(descendants_of(getpid()).front(), SIGKILL);
  const ShellAnswer answer = run("echo ${x-unset}");
  EXPECT_EQ(answer.before, Before::same);
  EXPECT_EQ(answer.out.whole(), "5\n");
}

TEST_F(PersistentShellTest, AnotherPolicyIsAnotherShell) {
  run("x=5");
  policy_.hidden.push_back("/usr/share/doc");
  const ShellAnswer answer = run("echo ${x-unset}");
  EXPECT_EQ(answer.before, Before::other_policy);
  EXPECT_EQ(answer.out.whole(), "unset\n");
}

TEST_F(PersistentShellTest, WhatJobsWriteBetweenCallsIsTaken) {
  const std::uint64_t first =
      run("(for ((i = 0; i < 20000; ++i)); do echo a line of the job; done; : > done) &")
          .out.size();
  while (!std::filesystem::exists(root_ + "/done")) std::this_thread::yield();
  EXPECT_EQ(first + run("true").out.size(), 20'000u * 18);
}

TEST_F(PersistentShellTest, NoChildCanChangeWhatRuns) {
  std::ofstream(root_ + "/hijack") << "while :; do\n"
                                      "  for f in /proc/*/fd/* /dev/fd/*; do\n"
                                      "    case $f in */[012]) continue; esac\n"
                                      "    printf 'echo HIJACK\"\"ED\\n#' 1<>$f\n"
                                      "  done\n"
                                      "  [ -e begun ] || : > begun\n"
                                      "done\n";
  run("h=$(cat hijack)");
  run("bash -c \"$h\" 2>/dev/null & (eval \"$h\") 2>/dev/null &");
  while (!std::filesystem::exists(root_ + "/begun")) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    const std::string said = output_of("echo fine");  // and what the two write to their own
    EXPECT_NE(said.find("fine\n"), std::string::npos) << said;
    EXPECT_EQ(said.find("HIJACKED"), std::string::npos) << said;
  }
}

TEST_F(PersistentShellTest, ItsDescriptorsAndItsMemoryAreOutOfReach) {
  const std::string said = output_of(
      "bash -c 'readlink /proc/'$$'/fd/* && echo seen; : <>/proc/'$$'/mem && echo open' 2>&1");
  EXPECT_EQ(said.find("seen"), std::string::npos) << said;
  EXPECT_EQ(said.find("open"), std::string::npos) << said;
}

TEST_F(PersistentShellTest, OnlyTheShellTellsTheEndAndOnlyWhenItCame) {
  const ShellAnswer answer =
      run("tell() { printf '\\0007 hB\\n' >&199; }; (tell); (tell) & tell;"
          "bash -c \"printf '\\\\0007 hB\\\\n' >&199\"; wait; echo after; (exit 3)");
  EXPECT_EQ(answer.out.whole(), "after\n");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_EQ(output_of("echo next"), "next\n");
}

TEST_F(PersistentShellTest, ACommandThatBreaksTheShellIsNoticedAtOnce) {
  for (const char* command : {"exec 199>&-", "builtin() { :; }", "enable -n printf", "set -n"}) {
    EXPECT_EQ(run(command).end, End::broken) << command;
    const ShellAnswer next = run("echo next");
    EXPECT_EQ(next.before, Before::none) << command;
    EXPECT_EQ(next.out.whole(), "next\n") << command;
  }
}

TEST_F(PersistentShellTest, AShellThatAnEarlierCommandBrokeIsNoticedAtOnce) {
  for (const char* command :
       {"function . { :; }", "exec 197<&-", "exec 198<&-", "set -r", "readonly HELVE_CALL",
        "BASH_ARGV0=other", "enable -n eval", "alias .=echo; shopt -s expand_aliases"}) {
    run(command);
    EXPECT_EQ(run("echo lost").end, End::broken) << command;
    EXPECT_EQ(output_of("echo next"), "next\n") << command;
  }
}

TEST_F(PersistentShellTest, AnAliasStandsForNothingOfOurs) {
  run("alias builtin=echo printf=echo eval=echo set=echo trap=echo; shopt -s expand_aliases");
  const ShellAnswer answer = run("(exit 3)");
  EXPECT_EQ(answer.end, End::done);
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_EQ(output_of("printf hi"), "hi\n");
}

TEST_F(PersistentShellTest, ACommandThatReadsTheOrdersIsNoticedAtOnce) {
  EXPECT_EQ(run("read -u 255; sleep 1000").end, End::broken);
  EXPECT_EQ(output_of("echo next"), "next\n");
}

TEST_F(PersistentShellTest, ClosingEveryDescriptorKeepsItsInput) {
  run("exec 255<&-");
  EXPECT_EQ(output_of("echo next"), "next\n");
}

TEST_F(PersistentShellTest, AProgramThatReplacesTheShellRunsToItsEnd) {
  const ShellAnswer answer = run("exec bash -c 'echo other; exit 3'");
  EXPECT_EQ(answer.end, End::exited);
  EXPECT_EQ(answer.how.exit_code, 3);
  EXPECT_EQ(answer.out.whole(), "other\n");
}

TEST_F(PersistentShellTest, AnInterruptEndsEveryFunctionOfTheCommand) {
  std::stop_source stop;
  ShellCall long_one = call(
      "f() { echo begun; sleep 1000; echo f; }; g() { f; echo g; }; x=7; g; echo after; sleep "
      "1000");
  long_one.on_output = [&](const Output&, std::uint64_t) { stop.request_stop(); };
  auto cancelled = attempt(long_one, stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::cancelled);
  const ShellAnswer next = run("echo $x $?");
  EXPECT_EQ(next.before, Before::same);
  EXPECT_EQ(next.out.whole(), "7 130\n");
}

TEST_F(PersistentShellTest, WhatMissedTheInterruptGetsItAgain) {
  std::stop_source stop;
  ShellCall late = call("x=7; (trap : INT; echo begun; sleep 1000; trap - INT; exec sleep 1000)");
  late.on_output = [&](const Output&, std::uint64_t) { stop.request_stop(); };
  EXPECT_FALSE(attempt(late, stop.get_token()));
  EXPECT_EQ(output_of("echo $x"), "7\n");
}

TEST_F(PersistentShellTest, AnInterruptThatComesTooLateSaysNothing) {
  run("x=5");
  kill(shell_process(), SIGINT);
  const ShellAnswer answer = run("echo $x");
  EXPECT_EQ(answer.out.whole(), "5\n");
  EXPECT_EQ(answer.err.whole(), "");
}

TEST_F(PersistentShellTest, ThatACancelledCallCostTheShellIsSaidByTheNext) {
  std::stop_source stop;
  ShellCall stubborn = call("trap '' INT; echo begun; sleep 1000");
  stubborn.grace = std::chrono::milliseconds(1);
  stubborn.on_output = [&](const Output&, std::uint64_t) { stop.request_stop(); };
  EXPECT_FALSE(attempt(stubborn, stop.get_token()));
  EXPECT_EQ(run("true").before, Before::died);
}

TEST_F(PersistentShellTest, TracingShowsTheCommandAndNotTheFrame) {
  run("PS4='+ '; set -x");
  EXPECT_EQ(run("true").err.whole().find("fd"), std::string::npos);
  const std::string traced = run("echo a; set +x").err.whole();
  EXPECT_NE(traced.find("+ echo a\n"), std::string::npos) << traced;
  EXPECT_EQ(traced.find("builtin"), std::string::npos) << traced;
  run("set -v");
  EXPECT_EQ(run("echo a\necho b").err.whole(), "echo b\n");
  run("set +v");
  EXPECT_EQ(run("trap 'echo \"<$BASH_COMMAND>\"' DEBUG").out.whole(), "");
  EXPECT_EQ(output_of("echo a"), "<echo a>\na\n");
  run("trap - DEBUG");
  EXPECT_EQ(output_of("echo a"), "a\n");
}

TEST_F(PersistentShellTest, ErrorsAreSeenWhileTheCommandRuns) {
  std::stop_source stop;
  std::string seen;
  ShellCall failing = call("echo problem >&2; sleep 1000");
  failing.on_output = [&](const Output& newest, std::uint64_t bytes) {
    seen = newest.whole();
    EXPECT_EQ(bytes, seen.size());
    stop.request_stop();
  };
  (void)attempt(failing, stop.get_token());
  EXPECT_EQ(seen, "problem\n");
}

TEST_F(PersistentShellTest, ABusyShellCanBeEnded) {
  ShellCall long_one = call("echo begun; trap '' INT; sleep 1000");
  std::jthread ending;
  long_one.on_output = [&](const Output&, std::uint64_t) {
    if (!ending.joinable()) ending = std::jthread([this] { EXPECT_TRUE(shells().end("s", {})); });
  };
  auto answer = attempt(long_one);
  ASSERT_TRUE(answer) << describe(answer.error());
  EXPECT_EQ(answer->end, End::restarted);
  ending.join();
  EXPECT_EQ(run("true").before, Before::none);
}

TEST_F(PersistentShellTest, WhoWaitsForABusyShellWaitsNoLongerThanItsTime) {
  ShellCall long_one = call("echo begun; sleep 1000");
  std::stop_source stop;
  std::jthread second;
  long_one.on_output = [&](const Output&, std::uint64_t) {
    if (second.joinable()) return;
    second = std::jthread([&] {
      ShellCall late = call("true");
      late.deadline = std::chrono::steady_clock::now();
      auto answer = attempt(late);
      EXPECT_FALSE(answer);
      EXPECT_EQ(answer ? "" : answer.error().type, "shell_busy");
      stop.request_stop();
    });
  };
  (void)attempt(long_one, stop.get_token());
}

TEST_F(PersistentShellTest, ACallsTurnComesWhenTheOneBeforeIsOver) {
  bool was_over = false;
  std::jthread second;
  ShellCall first = call("echo begun; until [ -e go ]; do :; done; : > over");
  first.on_output = [&](const Output&, std::uint64_t) {
    if (second.joinable()) return;
    second = std::jthread([&] {
      ShellCall late = call("true");
      late.on_turn = [&] { was_over = std::filesystem::exists(root_ + "/over"); };
      std::ofstream(root_ + "/go").flush();
      EXPECT_TRUE(attempt(late));
    });
  };
  EXPECT_TRUE(attempt(first));
  second.join();
  EXPECT_TRUE(was_over);
}

TEST_F(PersistentShellTest, FewOpenFilesAreEnough) {
  open_files_ = 100;
  EXPECT_EQ(output_of("ulimit -n; echo ok"), "100\nok\n");
  EXPECT_EQ(output_of("echo more"), "more\n");
}

TEST_F(PersistentShellTest, RefusesACommandThatIsTooLong) {
  auto answer = attempt(call(std::string(1 << 20, ':')));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::too_large);
  EXPECT_EQ(output_of("echo still"), "still\n");
}

TEST_F(PersistentShellTest, LongCommandsRunAsShortOnesDo) {
  const std::string quotes(50'000, '\'');
  EXPECT_EQ(output_of("echo \"" + quotes + "\""), quotes + "\n");
  EXPECT_EQ(output_of("echo short"), "short\n");
  EXPECT_EQ(run("true\n" + std::string(5000, '\n') + "nonexistent").err.whole(),
            "/dev/fd/195: line 5002: nonexistent: command not found\n");
  EXPECT_EQ(run("nonexistent").err.whole(),
            "/dev/fd/198: line 1: nonexistent: command not found\n");
}

TEST_F(PersistentShellTest, WhatIsNeverFinishedEndsWithTheCommand) {
  EXPECT_EQ(output_of("cat <<END\nabc"), "abc\n");
  EXPECT_EQ(run("echo 'abc").exit_code, 2);
  EXPECT_EQ(run("{ echo abc").exit_code, 2);
  EXPECT_EQ(run("return 4").exit_code, 4);
}

TEST_F(PersistentShellTest, ManyCallsInARowFitThroughTheSmallPipe) {
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(run(":").end, End::done);
}

TEST(Numbers, AreBelowTheLimitOfOpenFiles) {
  EXPECT_EQ(highest_number(1024), 199);
  EXPECT_EQ(highest_number(128), 120);
  EXPECT_EQ(highest_number(1), 63);
}

}  // namespace
}  // namespace helve::process

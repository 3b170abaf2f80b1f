// What real commands change in a workspace, or would change, as exec and bash tell it.
#include <filesystem>

#include "process/commands.h"
#include "search/witness.h"
#include "sys/clock.h"
#include "tool/registry.h"
#include "tools/command_watch.h"
#include "unit/tools/fixture.h"

namespace helve {
namespace {

class ExecChanges : public ToolTest {
 protected:
  ExecChanges() {
    files = std::move(*workspace::Workspace::make({.roots = {{tree.path()}},
                                                   .durability = workspace::Durability::unsynced,
                                                   .journal_directory = state_.path("journal")}));
    witness_.emplace(
        std::vector<search::Witness::Root>{{tree.path(), &files->roots().front().directory}});
    context.files = files.get();
    context.witness = &*witness_;
    context.commands = &commands_;
  }

  process::Settings settings() const {
    process::Settings settings;
    settings.policy.roots = {tree.path()};
    settings.policy.limits = limits_;
    settings.environment = {"PATH=/usr/bin:/bin"};
    settings.output.directory = state_.path();
    settings.trials = state_.path("trials");
    return settings;
  }
  std::vector<std::string> trials() const {
    return state_.exists("trials") ? state_.names("trials") : std::vector<std::string>();
  }

  TempTree state_;
  sandbox::Limits limits_;
  sys::RealClock clock_;
  process::Supervisor supervisor_{process::spawn_program(), clock_, nullptr};
  process::Commands commands_{supervisor_, [this] { return settings(); }};
  std::optional<search::Witness> witness_;
};

TEST_F(ExecChanges, WhatTheSessionHadReadIsBroughtBack) {
  tree.file("a.txt", "one\ntwo\n");
  ASSERT_TRUE(call("read", R"({"path":"a.txt"})").ok);
  const Answer answer = call("exec", R"({"command":"sed -i s/two/three/ a.txt"})");
  EXPECT_EQ(answer.text, "(no output)\nchanged: M a.txt (undo takes it back)");
  EXPECT_EQ(tree.content("a.txt"), "one\nthree\n");
  const Answer undone = call("undo", "{}");
  EXPECT_TRUE(undone.ok) << undone.error.message;
  EXPECT_EQ(tree.content("a.txt"), "one\ntwo\n");
}

TEST_F(ExecChanges, ADialectKeepsItsTextAndTheValueHasTheChanges) {
  context.dialect = &find_dialect("claude")->entries.front();
  const Answer answer = call("exec", R"({"command":"echo x > made; echo done"})");
  EXPECT_EQ(answer.text, "done\n");
  EXPECT_FALSE(answer.lacks("changes"));
}

TEST_F(ExecChanges, ALimitThatEndedACommandIsNamed) {
  limits_.cpu_seconds = 1;
  limits_.file_bytes = 1 << 20;
  const Answer busy = call("exec", R"({"command":"while :; do :; done"})");
  EXPECT_NE(busy.text.find("SIGXCPU"), std::string::npos) << busy.text;
  EXPECT_NE(busy.text.find("sandbox.limits.cpu_seconds"), std::string::npos) << busy.text;
  for (const char* tool : {"exec", "bash"}) {
    const Answer large = call(tool, R"({"command":"head -c 2000000 /dev/zero > large"})");
    EXPECT_NE(large.text.find("sandbox.limits.file_size_mb"), std::string::npos) << large.text;
  }
}

TEST_F(ExecChanges, NothingIsLookedAtForWhatOnlyReads) {
  context.only_reads = true;
  EXPECT_TRUE(call("exec", R"({"command":"echo x > made"})").lacks("changes"));
}

TEST_F(ExecChanges, WhatACancelledCommandChangedCanBeUndone) {
  struct Stopping : Listener {
    void progress(double, std::optional<double>, std::string_view) override { stop.request_stop(); }
    void log(Level, std::string_view) override {}
    std::stop_source stop;
  };
  for (const char* tool : {"exec", "bash"}) {
    Stopping listener;
    context.stop = listener.stop.get_token();
    context.listener = &listener;
    EXPECT_EQ(kind_of(call(tool, R"({"command":"echo x > made; echo begun; sleep 1000"})")),
              "cancelled cancelled");
    ASSERT_TRUE(tree.exists("made"));
    context.stop = {};
    context.listener = nullptr;
    EXPECT_TRUE(call("undo", "{}").ok) << tool;
    EXPECT_FALSE(tree.exists("made")) << tool;
  }
}

// To undo one must not take away what the other made.
TEST_F(ExecChanges, WhatMayBeAnotherCommandsDoingIsNotUndone) {
  tools::CommandWatch one(context, sandbox::Level::workspace_write);
  tree.file("d/mine", "x");
  tree.file("alone", "x");
  tools::CommandWatch other(context, sandbox::Level::workspace_write);
  tree.file("a", "x");
  tree.file("d/b", "x");
  const tools::CommandChanges first = one.end(), second = other.end();
  const std::string note =
      "another command ran at the same time: which of them changed a, d/b is not known, and undo "
      "leaves it";
  EXPECT_EQ(first.notes, std::vector{note});
  EXPECT_EQ(second.notes, std::vector{note});
  EXPECT_TRUE(first.change);
  EXPECT_EQ(first.beyond_undo, (std::vector<std::string>{"a", "d", "d/b"}));
  EXPECT_FALSE(second.change);
  EXPECT_EQ(second.beyond_undo, (std::vector<std::string>{"a", "d/b"}));
  const Answer undone = call("undo", "{}");
  EXPECT_TRUE(undone.ok) << undone.error.message;
  EXPECT_FALSE(tree.exists("alone"));
  EXPECT_FALSE(tree.exists("d/mine"));
  EXPECT_TRUE(tree.exists("a"));
  EXPECT_TRUE(tree.exists("d/b"));
}

TEST_F(ExecChanges, ACancelledTrialLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  context.stop = stop.get_token();
  EXPECT_EQ(kind_of(call("exec", R"({"command":"echo x > made; sleep 1000","dry_run":true})")),
            "cancelled cancelled");
  EXPECT_TRUE(trials().empty());
  EXPECT_FALSE(tree.exists("made"));
}

TEST_F(ExecChanges, ATrialOfTooMuchSaysSoAndKeepsOnlyTheOutput) {
  const Answer answer = call(
      "exec",
      R"({"command":"i=0; while [ $i -lt 4097 ]; do : > $i; i=$((i+1)); done; echo end","dry_run":true})");
  ASSERT_TRUE(answer.ok) << answer.error.message;
  EXPECT_EQ(answer["output"], "end\n");
  EXPECT_TRUE(answer.lacks("trial"));
  EXPECT_TRUE(has(answer.text,
                  "the command changes more than 4096 paths, too much to be shown or "
                  "applied: nothing of it is kept"))
      << answer.text;
  EXPECT_TRUE(trials().empty());
}

TEST_F(ExecChanges, ADemandTellsWhereTheCommandStarts) {
  tree.directory("b");
  const Registry registry = *Registry::load(builtin_tools());
  const auto demand_of = [&](std::string_view tool, std::string_view arguments) {
    return (*registry.find(tool).tool->bind(*parse_json(arguments)))->demand(context);
  };
  const std::string b = files->roots().front().path + "/b";
  EXPECT_EQ(demand_of("exec", R"({"command":"make"})").directory, "");
  EXPECT_EQ(demand_of("exec", R"({"command":"make","workdir":"."})").directory, "");
  EXPECT_EQ(demand_of("exec", R"({"command":"make","workdir":"b"})").directory, b);
  EXPECT_NE(demand_of("exec", R"({"command":"make","workdir":"none"})").directory, "");
  const char* const keeping = R"({"command":"make","keep_directory":true})";
  EXPECT_EQ(demand_of("exec", keeping).directory, "");
  supervisor_.set_directory(context.who.session, b);
  EXPECT_EQ(demand_of("exec", keeping).directory, b);
  EXPECT_TRUE(demand_of("exec", keeping).follows);
  EXPECT_TRUE(demand_of("exec", R"({"command":"make","input":"x"})").is_fed);
  EXPECT_TRUE(demand_of("exec", R"({"command":"make"})").is_confined);
  EXPECT_TRUE(demand_of("bash", R"({"command":"make"})").stays);
}

TEST(ExecSpec, ACommandThatNoSystemTakesIsRefusedBeforeItIsLookedAt) {
  const Registry registry = *Registry::load(builtin_tools());
  for (const char* tool : {"exec", "bash"}) {
    const Json arguments = JsonObject{{"command", std::string(200'000, 'x')}};
    const auto bound = registry.find(tool).tool->bind(arguments);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().code, Code::too_large);
  }
}

TEST(ExecSpec, APermissionNamesTheTrial) {
  const Registry registry = *Registry::load(builtin_tools());
  const std::vector<std::string>& subject = registry.find("exec").tool->spec.subject;
  for (const char* name : {"command", "dry_run", "apply", "discard"})
    EXPECT_NE(std::ranges::find(subject, name), subject.end()) << name;
}

TEST(ExecSpec, ATrialIsToldFromTheCommand) {
  const Registry registry = *Registry::load(builtin_tools());
  const Identity who;
  const auto is_trial = [&](std::string_view arguments) {
    auto bound = registry.find("exec").tool->bind(*parse_json(arguments));
    return (*bound)->demand({.who = who}).is_particular;
  };
  EXPECT_TRUE(is_trial(R"({"command":"make","dry_run":true})"));
  EXPECT_FALSE(is_trial(R"({"command":"make"})"));
}

}  // namespace
}  // namespace helve

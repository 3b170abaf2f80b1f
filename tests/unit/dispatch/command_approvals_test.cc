// Commands under rules: what runs at once, what asks, and what "always" then writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "dispatch/dispatcher.h"
#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

using Answer = Approver::Answer;
using Mode = ApprovalSettings::Mode;
using shell::Verdict;

struct RunInput {
  std::string command;
  bool network = false;
  bool dry_run = false;
  bool full = false;
  bool bash = false;
  bool stays = false;
  bool restart = false;
  bool unconfined = false;
  std::string input;
  std::string directory;
  Demand demand(const Context&) const {
    Demand demand{.command = command,
                  .bash = bash || stays,
                  .is_particular = dry_run || !input.empty(),
                  .is_fed = !input.empty(),
                  .directory = directory,
                  .stays = stays,
                  .restarts = restart,
                  .is_confined = !unconfined};
    if (network) demand.beyond.emplace_back(kBeyondNetwork);
    if (full) demand.beyond.emplace_back(kBeyondFull);
    return demand;
  }
  static constexpr auto schema() {
    return object("Runs a command.", arg<&RunInput::command>("It"),
                  opt<&RunInput::network>("With the network"),
                  opt<&RunInput::dry_run>("Only to see what it would do"),
                  opt<&RunInput::full>("Without a sandbox"), opt<&RunInput::bash>("By bash"),
                  opt<&RunInput::stays>("In a shell that goes on"),
                  opt<&RunInput::restart>("That shell"),
                  opt<&RunInput::unconfined>("Nothing has a sandbox"),
                  opt<&RunInput::input>("To read"), opt<&RunInput::directory>("To start in"));
  }
};
Tool run_tool() {
  return make_tool(
      {.name = "run",
       .group = "other",
       .effect = Effect::execute,
       .subject = {"command", "dry_run", "input", "stays"}},
      +[](const RunInput&, Context&) -> Result<testing::EchoOutput> {
        return testing::EchoOutput{"ran"};
      });
}

struct Answering : Approver {
  Answer answer = Answer::once;
  bool is_silent = false;
  std::vector<Question> questions;
  Result<Answer> ask(const Question& question, std::stop_token) override {
    questions.push_back(question);
    if (is_silent) return Error{Code::cancelled, "nobody answered"};
    return answer;
  }
};

struct Recording : Recorder {
  bool begun = false;
  Result<void> begin(const CallRecord&) override {
    begun = true;
    return {};
  }
  void finish(const CallRecord&) override {}
  void note(CallRecord) override { begun = false; }
};

class CommandApprovals : public ::testing::Test {
 protected:
  static Registry one_tool() {
    std::vector<Tool> tools;
    tools.push_back(run_tool());
    return *Registry::load(std::move(tools));
  }
  static CommandRule rule(std::string pattern, Verdict verdict,
                          std::vector<std::string> beyond = {}, std::string workspace = "") {
    return {{.pattern = std::move(pattern), .verdict = verdict},
            std::move(beyond),
            std::move(workspace)};
  }
  // What became of the command: "ok", "asked", or the type of the error.
  std::string outcome(std::string_view command, bool network = false, bool dry_run = false) {
    return outcome_of({{"command", command}, {"network", network}, {"dry_run", dry_run}});
  }
  std::string outcome_of(JsonObject given) {
    const size_t before = approver.questions.size();
    Result<Approvals> approvals = Approvals::make(registry, settings, grants);
    EXPECT_TRUE(approvals) << approvals.error().message;
    Dispatcher dispatcher(registry, {},
                          {.approvals = &*approvals, .approver = &approver, .recorder = &recorder});
    const Json arguments = std::move(given);
    const Outcome outcome =
        dispatcher.call({.tool = "run", .arguments = &arguments, .who = who, .policy = &policy});
    error = outcome.error.value_or(Error{});
    if (approver.questions.size() > before) return "asked";
    return outcome.ok() ? "ok" : std::string(outcome.error->type_name());
  }
  const Approver::Question& question() const { return approver.questions.back(); }
  std::vector<std::string> offered() const {
    std::vector<std::string> lines;
    for (const RuleLine& line : question().rules) lines.push_back(line.list + ": " + line.yaml);
    return lines;
  }

  Registry registry = one_tool();
  Identity who{"main", "ann", "/w", "s_1"};
  Policy policy = *Policy::make(registry, {});
  Answering approver;
  Recording recorder;
  Grants grants{"config.yaml", [](const std::vector<RuleLine>&) { return Result<void>{}; }};
  ApprovalSettings settings{.mode_from = "the mode"};
  Error error;
};

TEST_F(CommandApprovals, WithoutRulesAndModesCommandsRun) {
  EXPECT_EQ(outcome("anything | at all; $(really)"), "ok");
}

TEST_F(CommandApprovals, OnlyWhatMayDoMoreThanReadIsOnDiskBeforeItRuns) {
  outcome("grep -r x . | sort");
  EXPECT_FALSE(recorder.begun);
  outcome("make; ls");
  EXPECT_TRUE(recorder.begun);
  outcome("ls", true);
  EXPECT_TRUE(recorder.begun);
}

TEST_F(CommandApprovals, ADenyHoldsForEveryPartAndInEveryMode) {
  settings.commands = {rule("rm *", Verdict::deny), rule("rm -rf build", Verdict::allow)};
  settings.commands[0].rule.reason = "use trash";
  for (Mode mode : {Mode::off, Mode::smart, Mode::always}) {
    settings.mode = mode;
    EXPECT_EQ(outcome("ls; rm -rf build"), "forbidden_command");
    EXPECT_EQ(outcome("true && env X=1 rm a"), "forbidden_command");
  }
  EXPECT_EQ(error.code, Code::denied);
  EXPECT_NE(error.message.find("use trash"), std::string::npos) << error.message;
}

TEST_F(CommandApprovals, ARuleThatAsksStandsAboveThoseThatAllow) {
  settings.commands = {rule("git push *", Verdict::ask), rule("git *", Verdict::allow)};
  settings.allow = {{.tool = "run"}};
  EXPECT_EQ(outcome("git push origin"), "asked");
  EXPECT_TRUE(question().rules.empty());
  EXPECT_EQ(question().no_rule, "a rule that asks stands above those that allow");
  EXPECT_EQ(outcome("git status"), "ok");
}

TEST_F(CommandApprovals, WhatCannotBeReadAsksWhereARuleDeniesOrAsks) {
  for (Verdict verdict : {Verdict::deny, Verdict::ask}) {
    settings.commands = {rule("rm *", verdict), rule("npm test", Verdict::allow)};
    EXPECT_EQ(outcome("$PROGRAM now"), "asked");
    EXPECT_EQ(outcome("make"), "ok");
  }
}

TEST_F(CommandApprovals, RulesThatOnlyAllowTakeNothingFromWhatMayRunAnyway) {
  settings.commands = {rule("npm test", Verdict::allow)};
  for (const char* command : {". ./m.sh", "x=ls; $x", "[ $x = 1 ]", "npm test; eval \"$y\""})
    EXPECT_EQ(outcome(command), "ok") << command;
  EXPECT_EQ(outcome(". ./m.sh", true), "asked");
  settings.mode = Mode::smart;
  EXPECT_EQ(outcome(". ./m.sh"), "asked");
  settings.mode = Mode::off;
  policy = *Policy::make(registry, {{.source = "test", .ask = {"run"}}});
  EXPECT_EQ(outcome("x=ls; $x"), "asked");
}

TEST_F(CommandApprovals, WhatIsAllowedForEverMakesNothingElseAsk) {
  policy = *Policy::make(registry, {{.source = "test", .ask = {"run"}}});
  approver.answer = Answer::always;
  EXPECT_EQ(outcome("npm test"), "asked");
  policy = *Policy::make(registry, {});
  EXPECT_EQ(outcome(". ./m.sh"), "ok");
}

TEST_F(CommandApprovals, InAModeThatAsksOnlyWhatRulesAllowRuns) {
  settings.mode = Mode::smart;
  settings.commands = {rule("npm test", Verdict::allow), rule("make *", Verdict::allow)};
  EXPECT_EQ(outcome("npm test && make all"), "ok");
  EXPECT_EQ(outcome("ls | wc -l; npm test"), "ok");
  EXPECT_EQ(outcome("npm test; npm publish"), "asked");
  EXPECT_EQ(question().reason, "the mode; no rule allows 'npm publish'");
  settings.mode = Mode::always;
  EXPECT_EQ(outcome("ls | wc -l; npm test"), "asked");
}

TEST_F(CommandApprovals, SmartLetsACommandPassThatOnlyReads) {
  settings.mode = Mode::smart;
  EXPECT_EQ(outcome("ls -l | head -n 3 && cat a.txt"), "ok");
  EXPECT_EQ(outcome("cat a.txt > b.txt"), "asked");
  EXPECT_EQ(outcome("curl https://example.org"), "asked");
  settings.mode = Mode::always;
  EXPECT_EQ(outcome("ls"), "asked");
}

TEST_F(CommandApprovals, VariablesThatChangeWhatRunsAreNotAllowedWithIt) {
  settings.mode = Mode::smart;
  settings.commands = {rule("npm test", Verdict::allow)};
  EXPECT_EQ(outcome("export LANG=C\nnpm test"), "ok");
  EXPECT_EQ(outcome("export NODE_OPTIONS='--require ./evil.js'\nnpm test"), "asked");
  EXPECT_EQ(outcome("export 'LD_PRELOAD=./evil.so'\nnpm test"), "asked");
}

TEST_F(CommandApprovals, ARuleForTheWholeCallSparesTheQuestionAboutItsParts) {
  settings.mode = Mode::smart;
  settings.allow = {{.tool = "run", .arguments = {{"command", "a $(b)"}}}};
  settings.commands = {rule("rm *", Verdict::deny)};
  EXPECT_EQ(outcome("a $(b)"), "ok");
  EXPECT_EQ(outcome("a $(c)"), "asked");
}

TEST_F(CommandApprovals, ACommandsRuleLiftsAnAskOfThePolicy) {
  policy = *Policy::make(registry, {{.source = "test", .ask = {"run"}}});
  settings.commands = {rule("npm test", Verdict::allow)};
  EXPECT_EQ(outcome("npm test"), "ok");
  EXPECT_EQ(outcome("npm publish"), "asked");
}

TEST_F(CommandApprovals, AlwaysAllowsOnlyThePartsThatAskedEachExactly) {
  settings.mode = Mode::smart;
  settings.commands = {rule("npm test", Verdict::allow)};
  approver.answer = Answer::always;
  EXPECT_EQ(outcome("ls && npm test && npm run build; git commit -m 'a b'"), "asked");
  EXPECT_EQ(offered(),
            (std::vector<std::string>{
                R"(commands: {pattern: "npm run build", verdict: allow, workspace: "/w"})",
                R"(commands: {pattern: "git commit -m 'a b'", verdict: allow, workspace: "/w"})"}));
  EXPECT_EQ(outcome("npm run build"), "ok");
  EXPECT_EQ(outcome("git commit -m 'a b'; npm test"), "ok");
  approver.answer = Answer::deny;
  for (const char* command : {"npm run", "npm run build --force", "npm run build; npm publish",
                              "git commit -m 'a c'", "git push", "npm run build > out"})
    EXPECT_EQ(outcome(command), "asked") << command;
  who.workspace = "/elsewhere";
  EXPECT_EQ(outcome("npm run build"), "asked");
}

TEST_F(CommandApprovals, WhatNoRuleCanNameIsNotOfferedForEver) {
  settings.mode = Mode::smart;
  EXPECT_EQ(outcome("make $TARGET"), "asked");
  EXPECT_TRUE(question().rules.empty());
  EXPECT_FALSE(question().no_rule.empty());
}

TEST_F(CommandApprovals, LeavingTheSandboxNeedsARuleThatSaysSo) {
  settings.commands = {rule("npm install", Verdict::allow)};
  EXPECT_EQ(outcome("npm install"), "ok");
  EXPECT_EQ(outcome("npm install", true), "asked");
  EXPECT_EQ(question().reason, "it leaves the sandbox: the network");
  EXPECT_EQ(offered(),
            (std::vector<std::string>{
                R"(commands: {pattern: "npm install", verdict: allow, beyond: [network], )"
                R"(workspace: "/w"})"}));
  settings.commands = {rule("npm install", Verdict::allow, {"network"})};
  EXPECT_EQ(outcome("npm install", true), "ok");
  EXPECT_EQ(outcome("npm install; curl evil.example", true), "asked");
}

// The scripts of the corpus that our parser is compared with bash by.
std::vector<std::string> corpus() {
  std::ifstream file(HELVE_TEST_DIR "/differential/shell_corpus.txt");
  std::vector<std::string> scripts;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("----"))
      scripts.emplace_back();
    else if (!scripts.empty())
      scripts.back() += line + '\n';
  }
  return scripts;
}

TEST_F(CommandApprovals, WithoutRulesNothingLeavesTheSandboxUnasked) {
  std::vector<std::string> scripts = corpus();
  ASSERT_GT(scripts.size(), 200u);
  for (const char* script :
       {"", "# nothing", "x=1", "export A=b", "z=${x:?$(<secret)}", "< secret", "[[ -e secret ]]",
        "eval '[[ 1 || touch outside ]]'", "timeout 5", "env", "exec < secret", "f() { :; }",
        "for x in *; do :; done", "case $(<secret) in *) ;; esac", "(( 1 ))", "x=(*)", "true"})
    scripts.emplace_back(script);
  for (const Mode mode : {Mode::off, Mode::smart}) {
    settings.mode = mode;
    for (const std::string& script : scripts) {
      for (const bool bash : {false, true}) {
        for (const char* way : {"network", "full"})
          EXPECT_EQ(outcome_of({{"command", script}, {"bash", bash}, {way, true}}), "asked")
              << way << '\n'
              << script;
      }
    }
  }
}

TEST_F(CommandApprovals, WhatLeavesTheSandboxIsNamedInAllItsParts) {
  settings.commands = {rule("npm install", Verdict::allow, {"full"}),
                       rule("cat", Verdict::allow, {"full"}),
                       rule("wc < list", Verdict::allow, {"full"})};
  const auto full = [&](std::string_view command) {
    return outcome_of({{"command", command}, {"bash", true}, {"full", true}});
  };
  for (const char* command : {"npm install", "timeout 5 npm install", "bash -c 'npm install'",
                              "x=1; export CI=1; npm install && cat", "npm install < /dev/null",
                              "wc < list", "cat <<E\ntext\nE"})
    EXPECT_EQ(full(command), "ok") << command;
  for (const char* command :
       {"x=1", "export CI=1", "npm install; x=$y", "npm install; z=${x:?$(<secret)}",
        "npm install; < secret", "cat < secret", "timeout 5 cat < secret", "wc < other",
        "npm install; eval '[[ 1 ]]'", "{ npm install; cat; } < secret", "cat <<< \"$(<secret)\"",
        "for x in *; do npm install; done"})
    EXPECT_EQ(full(command), "asked") << command;
}

TEST_F(CommandApprovals, AlwaysForTheNetworkHoldsForTheNetwork) {
  approver.answer = Answer::always;
  EXPECT_EQ(outcome("npm install", true), "asked");
  EXPECT_EQ(outcome("npm install", true), "ok");
  EXPECT_EQ(outcome("npm update", true), "asked");
}

TEST_F(CommandApprovals, ARuleHoldsOnlyInItsWorkspace) {
  settings.commands = {rule("rm *", Verdict::deny, {}, "/w")};
  EXPECT_EQ(outcome("rm a"), "forbidden_command");
  who.workspace = "/elsewhere";
  EXPECT_EQ(outcome("rm a"), "ok");
}

TEST_F(CommandApprovals, ASessionIsGoodForTheSameCommand) {
  settings.mode = Mode::smart;
  approver.answer = Answer::session;
  EXPECT_EQ(outcome("make $TARGET"), "asked");
  EXPECT_EQ(outcome("make $TARGET"), "ok");
  EXPECT_EQ(outcome("make $OTHER"), "asked");
  EXPECT_EQ(outcome("make $TARGET", true), "asked");
}

TEST(CommandRule, TriesItsExamplesAsTheShellReadsThem) {
  const CommandRule only_bash{
      {.pattern = "ls", .verdict = Verdict::allow, .match = {"[[ a == a ]] && ls"}}};
  EXPECT_FALSE(check(only_bash));
  EXPECT_TRUE(check(only_bash, shell::Reader::bash));
  EXPECT_FALSE(
      check({{.pattern = "ls", .verdict = Verdict::allow, .not_match = {"[[ a == a ]] && ls"}}}))
      << "the tool bash would allow it";
}

TEST(CommandRule, IsCheckedWhenItIsRead) {
  EXPECT_TRUE(check(
      {{.pattern = "npm test", .verdict = Verdict::allow, .match = {"npm test"}}, {"network"}}));
  EXPECT_FALSE(
      check({{.pattern = "npm test", .verdict = Verdict::allow, .match = {"npm publish"}}}));
  EXPECT_EQ(check({{.pattern = "ls", .verdict = Verdict::allow}, {"internet"}}).error().message,
            "'internet' is no way out of the sandbox");
  EXPECT_EQ(check({{.pattern = "ls", .verdict = Verdict::deny}, {"network"}}).error().message,
            "only a rule that allows lets a command out of the sandbox");
}

TEST_F(CommandApprovals, AWayOutThatTheSettingsGrantIsToldButNotAskedAbout) {
  settings.granted = {"network"};
  EXPECT_EQ(outcome("make", true), "ok");
  settings.mode = Mode::always;
  EXPECT_EQ(outcome("make", true), "asked");
  EXPECT_THAT(question().reason, ::testing::HasSubstr("it leaves the sandbox: the network"));
  settings.mode = Mode::off;
  settings.granted = {"host:other"};
  EXPECT_EQ(outcome("make", true), "asked") << "another way is not this one";
}

TEST_F(CommandApprovals, AlwaysForATrialAllowsThatTrialAndNotTheCommand) {
  settings.mode = Mode::always;
  approver.answer = Answer::always;
  EXPECT_EQ(outcome("make x", false, true), "asked");
  ASSERT_EQ(offered().size(), 1u);
  EXPECT_TRUE(offered()[0].starts_with("approvals.allow: ")) << offered()[0];
  EXPECT_NE(offered()[0].find("dry_run: true"), std::string::npos) << offered()[0];
  EXPECT_EQ(outcome("make x", false, true), "ok");
  EXPECT_EQ(outcome("make x"), "asked");
}

TEST_F(CommandApprovals, AlwaysForWhatMayRunItsInputAllowsThatWholeCall) {
  settings.mode = Mode::smart;
  approver.answer = Answer::always;
  for (const char* command :
       {"python3 - <<'E'\nprint(1)\nE", "python3 - <<< 'print(1)'", "echo 'print(1)' | python3 -",
        "{ python3 -; } <<< 'print(1)'", "bash -c 'python3 -' <<< 'print(1)'",
        "exec <<< 'print(1)'; python3 -", "tee out <<< 'text'"}) {
    const JsonObject call{{"command", command}, {"bash", true}};
    EXPECT_EQ(outcome_of(call), "asked") << command;
    ASSERT_EQ(offered().size(), 1u) << command << question().no_rule;
    EXPECT_TRUE(offered()[0].starts_with("approvals.allow: ")) << offered()[0];
    EXPECT_EQ(outcome_of(call), "ok") << command;
  }
  for (const char* command : {"python3 - <<'E'\nprint(2)\nE", "echo 'print(2)' | python3 -",
                              "python3 -", "python3 - < script"})
    EXPECT_EQ(outcome_of({{"command", command}, {"bash", true}}), "asked") << command;
}

TEST_F(CommandApprovals, ACommandThatWasAllowedWithoutInputGetsNone) {
  settings.mode = Mode::smart;
  approver.answer = Answer::always;
  EXPECT_EQ(outcome("python3 -"), "asked");
  EXPECT_EQ(outcome("python3 -"), "ok");
  approver.answer = Answer::deny;
  EXPECT_EQ(outcome("echo x | python3 -"), "asked");
  EXPECT_EQ(outcome("python3 - < script"), "asked");
  EXPECT_EQ(outcome_of({{"command", "python3 -"}, {"input", "evil"}}), "asked");
  approver.answer = Answer::always;
  EXPECT_EQ(outcome_of({{"command", "python3 -"}, {"input", "good"}}), "asked");
  EXPECT_EQ(outcome_of({{"command", "python3 -"}, {"input", "good"}}), "ok");
  EXPECT_EQ(outcome_of({{"command", "python3 -"}, {"input", "evil"}}), "asked");
}

TEST_F(CommandApprovals, AFileThatIsReadIsNamed) {
  settings.mode = Mode::smart;
  approver.answer = Answer::always;
  EXPECT_EQ(outcome("python3 - < script"), "asked");
  EXPECT_THAT(offered()[0], ::testing::HasSubstr(R"(pattern: "python3 - < script")"));
  EXPECT_EQ(outcome("python3 - < script"), "ok");
  EXPECT_EQ(outcome("python3 - < other"), "asked");
}

TEST_F(CommandApprovals, GitMayDoAnythingWhereTheCommandStartsElsewhere) {
  settings.mode = Mode::smart;
  EXPECT_EQ(outcome("git status"), "ok");
  EXPECT_EQ(outcome_of({{"command", "git status"}, {"directory", "/w/evil"}}), "asked");
  EXPECT_EQ(outcome_of({{"command", "git status"}, {"stays", true}}), "asked");
}

TEST_F(CommandApprovals, WhatAShellThatStaysExportsNeedsARule) {
  settings.mode = Mode::smart;
  settings.commands = {rule("gcc *", Verdict::allow), rule("export A=1", Verdict::allow)};
  for (const char* command : {"export GCC_EXEC_PREFIX=/x", "declare -x GCC_EXEC_PREFIX=/x",
                              "command export GCC_EXEC_PREFIX", "typeset -gx X=1", "exec < script"})
    EXPECT_EQ(outcome_of({{"command", command}, {"stays", true}}), "asked") << command;
  for (const char* command : {"export LANG=C", "export A=1", "x=1", "gcc -c x.c"})
    EXPECT_EQ(outcome_of({{"command", command}, {"stays", true}}), "ok") << command;
  EXPECT_EQ(outcome("export X=1"), "ok") << "nothing is left of it";
  EXPECT_EQ(outcome("export X; X=evil; gcc -c x.c"), "asked");
}

TEST_F(CommandApprovals, ASessionIsGoodInTheSameDirectory) {
  settings.mode = Mode::smart;
  approver.answer = Answer::session;
  EXPECT_EQ(outcome_of({{"command", "make"}}), "asked");
  EXPECT_EQ(outcome_of({{"command", "make"}}), "ok");
  EXPECT_EQ(outcome_of({{"command", "make"}, {"directory", "/w/b"}}), "asked");
  EXPECT_EQ(outcome_of({{"command", "make"}, {"directory", "/w/b"}}), "ok");
}

TEST_F(CommandApprovals, ASessionOfAShellIsGoodUntilTheShellGoesElsewhere) {
  settings.mode = Mode::smart;
  approver.answer = Answer::session;
  const auto shell = [&](std::string_view command) {
    return outcome_of({{"command", command}, {"stays", true}});
  };
  EXPECT_EQ(shell("make"), "asked");
  EXPECT_EQ(shell("ls"), "ok");
  EXPECT_EQ(shell("make"), "ok");
  EXPECT_EQ(shell("cd b"), "ok");
  EXPECT_EQ(shell("make"), "asked");
  EXPECT_EQ(outcome_of({{"command", "ls"}, {"stays", true}, {"restart", true}}), "ok");
  EXPECT_EQ(shell("make"), "asked");
  EXPECT_EQ(shell("make"), "ok");
}

TEST_F(CommandApprovals, TimeAllowsNothingThatHasNoSandbox) {
  settings.mode = Mode::always;
  settings.fallback = ApprovalSettings::Fallback::allow;
  approver.is_silent = true;
  outcome("make");
  EXPECT_EQ(error.code, Error{}.code) << error.message;
  outcome_of({{"command", "make"}, {"unconfined", true}});
  EXPECT_EQ(error.type_name(), "approval_timeout");
}

TEST_F(CommandApprovals, NobodyIsAskedAboutWhatTheyCannotBeShown) {
  settings.mode = Mode::always;
  EXPECT_EQ(outcome("true " + std::string(19'000, 'x')), "asked");
  EXPECT_EQ(outcome("true " + std::string(21'000, 'x') + "; rm -r ."), "approval_required");
  EXPECT_THAT(error.message, ::testing::HasSubstr("a person can be shown 20000"));
}

TEST_F(CommandApprovals, MoreThanCanBeComparedAsksWhateverAllowsTheCall) {
  for (int i = 0; i < 900; ++i)
    settings.commands.push_back(rule("rm " + std::to_string(i), Verdict::deny));
  settings.allow = {{.tool = "run"}};
  std::string script;
  for (int i = 0; i < 600; ++i) script += "true\n";
  EXPECT_EQ(outcome(script), "asked");
  EXPECT_EQ(outcome("true\ntrue"), "ok");
}

TEST_F(CommandApprovals, ATrialAllowedForTheSessionIsNotTheCommand) {
  settings.mode = Mode::always;
  approver.answer = Answer::session;
  EXPECT_EQ(outcome("make x", false, true), "asked");
  EXPECT_EQ(outcome("make x", false, true), "ok");
  EXPECT_EQ(outcome("make x"), "asked");
}

}  // namespace
}  // namespace helve::dispatch

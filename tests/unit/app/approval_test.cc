// Rules that ask, and the person at the terminal who answers.
#include <fmt/format.h>

#include <atomic>

#include "app/terminal_approver.h"
#include "base/text.h"
#include "dispatch/question_text.h"
#include "unit/app/fixture.h"
#include "unit/person.h"

namespace helve::app {
namespace {

using Answer = Approver::Answer;

class Approval : public Machine {
 protected:
  Approval() { put("config/config.yaml", "tools:\n  effects: {write: ask}\n"); }
  const std::string rule_ =
      R"({tool: write, arguments: {path: "a.txt"}, workspace: ")" + at("work") + "\"}";
  Approver::Question question_{.who = {"main", "tester", "/", "s_1"},
                               .tool = "tool",
                               .effect = Effect::write,
                               .arguments = "{}",
                               .reason = "a rule",
                               .rules = {{"approvals.allow", "{tool: tool}"}},
                               .file = "config.yaml"};
};

TEST_F(Approval, RunsWhatThePersonAllows) {
  Person person("[y/s/a/N] ", "y\n");
  around_.terminal = person.terminal();
  EXPECT_EQ(run({"fs", "write", "a.txt", "x\x1b[2J"}), 0) << err_;
  EXPECT_TRUE(exists("work/a.txt"));
  EXPECT_NE(person.shown().find("helve: write needs approval (effect: write; reason: "
                                "tools.effects.write of " +
                                at("config/config.yaml")),
            std::string::npos)
      << person.shown();
  EXPECT_NE(person.shown().find("\n  path: \"a.txt\"\r\n"), std::string::npos) << person.shown();
  EXPECT_EQ(person.shown().find('\x1b'), std::string::npos) << person.shown();
}

TEST_F(Approval, ShowsTheEndsOfEveryArgument) {
  Person person("[y/s/a/N] ", "n\n");
  around_.terminal = person.terminal();
  const std::string text = "first\n" + std::string(5000, '.') + "\"last";
  EXPECT_EQ(run({"fs", "write", "a.txt", text}), 5);
  const std::string& shown = person.shown();
  EXPECT_NE(shown.find("  content: \"first\\n..."), std::string::npos) << shown;
  EXPECT_NE(shown.find("...\" (4561 more characters) \"..."), std::string::npos) << shown;
  EXPECT_NE(shown.find("...\\\"last\"\r\n"), std::string::npos) << shown;
}

TEST_F(Approval, ShowsNoMoreLinesThanAScreenHas) {
  Person person("[y/s/a/N] ", "n\n");
  JsonObject arguments;
  for (int i = 0; i < 1000; ++i) arguments["key" + std::to_string(i)] = i;
  question_.arguments = to_text(Json(arguments));
  TerminalApprover approver(person.terminal());
  EXPECT_EQ(*approver.ask(question_, {}), Answer::deny);
  EXPECT_NE(person.shown().find("\n  key19: 19\r\n  (980 more arguments)\r\n"), std::string::npos)
      << person.shown();
}

TEST_F(Approval, NothingInACommandStandsWhereALineOfOursCould) {
  Person person(
      "[y/s/a/N] ", "n\n", [] {}, 80);
  question_.demand.command = "touch zz" + std::string(67, ' ') + "[y] deny this call\n" +
                             std::string(200, 'x') + "[y] deny";
  question_.reason = std::string(200, '.') + "[s] deny";
  TerminalApprover approver(person.terminal());
  EXPECT_EQ(*approver.ask(question_, {}), Answer::deny);
  size_t answers = 0;
  for (std::string_view line : split(person.shown(), '\n')) {
    EXPECT_LE(count_chars(line), 81u) << line;  // with the \r
    answers += line.starts_with("[y]") + line.starts_with("[s]");
  }
  EXPECT_EQ(answers, 2u) << person.shown();
  EXPECT_NE(person.shown().find("zz····"), std::string::npos) << person.shown();
}

TEST_F(Approval, ABlankThatAShellTakesForALetterIsShownAsOne) {
  Person person("[y/s/a/N] ", "n\n");
  question_.demand.command = "rm -rf x\u00a0y";
  question_.reason = "z\u3000z";
  TerminalApprover approver(person.terminal());
  EXPECT_EQ(*approver.ask(question_, {}), Answer::deny);
  EXPECT_NE(person.shown().find("rm -rf x\\u{a0}y"), std::string::npos) << person.shown();
  EXPECT_NE(person.shown().find("z\\u{3000}z"), std::string::npos) << person.shown();
}

TEST_F(Approval, ShowsWhatTheArgumentsOnlyPointAt) {
  put("config/config.yaml", "");
  ASSERT_EQ(run({"fs", "write", "a.txt", "x"}), 0) << err_;
  ASSERT_EQ(run({"exec", "--dry-run", "echo y > b.txt; rm a.txt", "--json"}), 0) << err_;
  const Result<Json> answer = parse_json(out_);
  ASSERT_TRUE(answer) << out_;
  const std::string trial(string_at(*answer, "trial"));
  Person undoing("[y/s/a/N] ", "n\n");
  around_.terminal = undoing.terminal();
  EXPECT_EQ(run({"--approvals", "smart", "undo"}), 5);
  EXPECT_NE(undoing.shown().find("takes back write c_"), std::string::npos) << undoing.shown();
  EXPECT_NE(undoing.shown().find("| a.txt"), std::string::npos) << undoing.shown();
  Person applying("[y/s/N] ", "n\n");
  around_.terminal = applying.terminal();
  EXPECT_EQ(run({"--approvals", "smart", "exec", "--apply", trial}), 5);
  const std::string& shown = applying.shown();
  EXPECT_NE(shown.find("would change: echo y > b.txt; rm a.txt"), std::string::npos) << shown;
  EXPECT_NE(shown.find("| D a.txt"), std::string::npos) << shown;
  EXPECT_NE(shown.find("| A b.txt"), std::string::npos) << shown;
}

TEST(FoldedQuestion, BreaksOurWordsAtBlanksAndACommandAnywhere) {
  EXPECT_EQ(folded_question("why it asks: the mode of the defaults", 30),
            "why it asks: the mode of the\n      defaults");
  EXPECT_EQ(folded_question("why it asks: theverylongword", 20),
            "why it asks: thevery\n      longword");
  const std::string bar(dispatch::kBar);
  EXPECT_EQ(folded_question(bar + "echo aaaa bbbb cccc dddd", bar.size() + 20),
            bar + "echo aaaa bbbb cccc \n" + bar + "dddd");
}

TEST_F(Approval, WhoeverWaitsForTheTerminalCanBeStopped) {
  std::stop_source first, second;
  second.request_stop();
  std::atomic<TerminalApprover*> approver = nullptr;
  Person person("[y/s/a/N] ", "", [&] {
    const Result<Answer> answer = approver.load()->ask(question_, second.get_token());
    EXPECT_EQ(answer.error().code, Code::cancelled);
    first.request_stop();
  });
  TerminalApprover own(person.terminal());
  approver = &own;
  EXPECT_EQ(own.ask(question_, first.get_token()).error().code, Code::cancelled);
}

TEST_F(Approval, ATerminalThatGoesAwayIsNoRefusal) {
  Person person("[y/s/a/N] ", "", [&] { person.leave(); });
  around_.terminal = person.terminal();
  EXPECT_NE(run({"--json", "fs", "write", "a.txt", "x"}), 0);
  EXPECT_EQ(out_.find("approval_refused"), std::string::npos) << out_;
  EXPECT_NE(out_.find("the terminal went away"), std::string::npos) << out_;
}

TEST_F(Approval, RefusesUnlessThePersonSaysYes) {
  for (const char* answer : {"n\n", "\n", "yeah\n", "\x04"}) {
    Person person("[y/s/a/N] ", answer);
    around_.terminal = person.terminal();
    EXPECT_EQ(run({"--json", "fs", "write", "a.txt", "x"}), 5) << answer;
    EXPECT_NE(out_.find("approval_refused"), std::string::npos) << out_;
    EXPECT_FALSE(exists("work/a.txt"));
  }
}

TEST_F(Approval, DoesNotAskForWhatIsAllowed) {
  put("work/a.txt", "x");
  EXPECT_EQ(run({"fs", "read", "a.txt"}), 0) << err_;
}

TEST_F(Approval, RefusesWithoutATerminalAndNamesTheRule) {
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 5);
  EXPECT_NE(err_.find("hint: to allow it, add to approvals.allow in " + at("config/config.yaml") +
                      ": - " + rule_ + "; or run it in the foreground of a terminal"),
            std::string::npos)
      << err_;
  EXPECT_FALSE(exists("work/a.txt"));
}

TEST_F(Approval, TellsWhatEachAnswerAllows) {
  Person person("[y/s/a/N] ", "\n");
  around_.terminal = person.terminal();
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 5);
  const std::string expected =
      "\r\n[y] allow this call\r\n"
      "[s] allow such calls until the end of this session\r\n"
      "[a] always; adds to approvals.allow in " +
      at("config/config.yaml") + ":\r\n    - " + rule_ +
      "\r\n[n] deny, as Enter and no answer within 120 s do\r\nA letter and Enter answer. Allow? "
      "[y/s/a/N] ";
  EXPECT_NE(person.shown().find(expected), std::string::npos) << person.shown();
}

TEST_F(Approval, AlwaysIsWrittenToTheUsersConfigurationAndHolds) {
  put("config/config.yaml", "# mine\ntools:\n  effects: {write: ask}\n");
  {
    Person person("[y/s/a/N] ", "a\n");
    around_.terminal = person.terminal();
    EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 0) << err_;
  }
  EXPECT_NE(err_.find("added to approvals.allow in " + at("config/config.yaml") + ": - " + rule_),
            std::string::npos)
      << err_;
  EXPECT_EQ(content("config/config.yaml"),
            "# mine\ntools:\n  effects: {write: ask}\napprovals:\n  allow:\n    - " + rule_ + "\n");
  around_.terminal.clear();
  EXPECT_EQ(run({"fs", "write", "a.txt", "another text"}), 0) << err_;
  EXPECT_EQ(run({"fs", "write", "b.txt", "x"}), 5);
}

TEST_F(Approval, AlwaysNeverChangesTheConfigurationOfAWorkspace) {
  put("work/.helve/config.yaml", "tools:\n  ask: [write]\n");
  put("config/config.yaml", "");
  Person person("[y/s/a/N] ", "a\n");
  around_.terminal = person.terminal();
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 0) << err_;
  EXPECT_EQ(content("work/.helve/config.yaml"), "tools:\n  ask: [write]\n");
  EXPECT_EQ(content("config/config.yaml"), "approvals:\n  allow:\n    - " + rule_ + "\n");
}

TEST_F(Approval, WithoutAPlaceForRulesAlwaysIsNotOffered) {
  question_.file.clear();
  Person person("[y/s/N] ", "a\n");
  TerminalApprover approver(person.terminal());
  EXPECT_EQ(*approver.ask(question_, {}), Answer::deny);
  EXPECT_NE(person.shown().find("\n    it cannot be allowed for ever: there is no configuration to "
                                "write to\r\n"),
            std::string::npos)
      << person.shown();
}

TEST_F(Approval, ShowsTheWholeCommandAndNothingThatDeceives) {
  question_.demand.command =
      "echo 1\nrm -rf \x1b[2K\u202e " + std::string(5000, 'x') + " \u200bend\r";
  question_.arguments = to_text(JsonObject{{"command", question_.demand.command}, {"timeout", 9}});
  Person person("[y/s/a/N] ", "s\n");
  TerminalApprover approver(person.terminal());
  EXPECT_EQ(*approver.ask(question_, {}), Answer::session);
  EXPECT_NE(person.shown().find("\n  | echo 1\r\n  | rm -rf \\x1b[2K\\u{202e} " +
                                std::string(5000, 'x') + " \\u{200b}end\\r\r\n  timeout: 9\r\n"),
            std::string::npos)
      << person.shown();
}

TEST_F(Approval, TheModeCanBeChosenOnTheCommandLine) {
  put("config/config.yaml", "");
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 0) << err_;
  EXPECT_EQ(run({"--approvals", "smart", "fs", "write", "a.txt", "y"}), 5);
  EXPECT_NE(err_.find("needs approval (--approvals smart)"), std::string::npos) << err_;
  EXPECT_EQ(run({"--approvals", "smart", "fs", "read", "a.txt"}), 0) << err_;
  EXPECT_EQ(run({"--approvals", "always", "fs", "read", "a.txt"}), 5);
}

TEST_F(Approval, AModeOfTheConfigurationNamesItsPlace) {
  put("config/config.yaml", "approvals: {mode: smart}\n");
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 5);
  EXPECT_NE(err_.find("(approvals.mode 'smart' of " + at("config/config.yaml") + ")"),
            std::string::npos)
      << err_;
  EXPECT_EQ(run({"--profile", "bare", "fs", "read", "a.txt"}), 2);
  EXPECT_NE(err_.find("the bare profile has no approvals, and approvals.mode 'smart'"),
            std::string::npos)
      << err_;
}

TEST_F(Approval, AWrongRuleIsNamedWithItsLine) {
  put("config/config.yaml", "approvals:\n  allow:\n    - {tool: write, arguments: {pth: a}}\n");
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 2);
  EXPECT_NE(err_.find(at("config/config.yaml") + ":3: approvals.allow[0].arguments.pth: write has "
                                                 "no argument 'pth' (did you mean 'path'?)"),
            std::string::npos)
      << err_;
}

TEST_F(Approval, NobodyAnswersInTime) {
  put("config/config.yaml", "approvals: {mode: smart, timeout_seconds: 0.01}\n");
  Person person("[y/s/a/N] ", "");
  around_.terminal = person.terminal();
  EXPECT_EQ(run({"--json", "fs", "write", "a.txt", "x"}), 5);
  EXPECT_NE(out_.find("approval_timeout"), std::string::npos) << out_;
  EXPECT_FALSE(exists("work/a.txt"));
}

TEST_F(Approval, TheLogTellsWhoDecided) {
  for (const char* answer : {"y\n", "n\n"}) {
    Person person("[y/s/a/N] ", answer);
    around_.terminal = person.terminal();
    run({"fs", "write", "a.txt", "x"});
  }
  around_.terminal.clear();
  run({"fs", "write", "a.txt", "x"});
  put("config/config.yaml", "approvals: {mode: smart, allow: [{tool: write}]}\n");
  run({"fs", "write", "a.txt", "x"});
  run({"fs", "read", "a.txt"});
  EXPECT_EQ(run({"--json", "log"}), 0);
  const Json calls = *parse_json(out_);
  std::vector<std::string> decided;
  for (const Json& call : calls.as_array())
    decided.push_back(
        fmt::format("{}: {}", string_at(call, "outcome"), string_at(call, "decided")));
  EXPECT_EQ(decided, (std::vector<std::string>{"ok: ", "ok: rule", "approval_required: nobody",
                                               "approval_refused: person", "ok: person"}));
  EXPECT_EQ(run({"log"}), 0);
  EXPECT_NE(out_.find("  ok, person  "), std::string::npos) << out_;
}

TEST_F(Approval, AWrongRuleForCommandsIsNamedWithItsLine) {
  put("config/config.yaml",
      "commands:\n  - {pattern: npm test, verdict: allow, match: [npm publish]}\n");
  EXPECT_EQ(run({"fs", "read", "a.txt"}), 2);
  EXPECT_NE(err_.find(at("config/config.yaml") + ":2: commands[0]: the rule 'npm test' does not "
                                                 "decide its example 'npm publish'"),
            std::string::npos)
      << err_;
}

}  // namespace
}  // namespace helve::app

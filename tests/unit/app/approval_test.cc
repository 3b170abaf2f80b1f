// Rules that ask, and the person at the terminal who answers.
#include "app/terminal_approver.h"
#include "unit/app/fixture.h"
#include "unit/person.h"

namespace helve::app {
namespace {

class Approval : public Machine {
 protected:
  Approval() { put("config/config.yaml", "tools:\n  effects: {write: ask}\n"); }
  const Identity who_{"main", "tester", "/", "s_1"};
};

TEST_F(Approval, RunsWhatThePersonAllows) {
  Person person("[y/N] ", "y\n");
  around_.terminal = person.terminal();
  EXPECT_EQ(run({"fs", "write", "a.txt", "x\x1b[2J"}), 0) << err_;
  EXPECT_TRUE(exists("work/a.txt"));
  EXPECT_NE(person.shown().find("helve: write needs approval (effect: write; rule: "
                                "tools.effects.write of " +
                                at("config/config.yaml")),
            std::string::npos)
      << person.shown();
  EXPECT_NE(person.shown().find("\n  path: \"a.txt\"\r\n"), std::string::npos) << person.shown();
  EXPECT_EQ(person.shown().find('\x1b'), std::string::npos) << person.shown();
}

TEST_F(Approval, ShowsTheEndsOfEveryArgument) {
  Person person("[y/N] ", "n\n");
  around_.terminal = person.terminal();
  const std::string text = "first\n" + std::string(5000, '.') + "\"last";
  EXPECT_EQ(run({"fs", "write", "a.txt", text}), 5);
  const std::string& shown = person.shown();
  EXPECT_NE(shown.find("  content: \"first\\n..."), std::string::npos) << shown;
  EXPECT_NE(shown.find("...\" (4561 more characters) \"..."), std::string::npos) << shown;
  EXPECT_NE(shown.find("...\\\"last\"\r\n"), std::string::npos) << shown;
}

TEST_F(Approval, ShowsNoMoreLinesThanAScreenHas) {
  Person person("[y/N] ", "n\n");
  JsonObject arguments;
  for (int i = 0; i < 1000; ++i) arguments["key" + std::to_string(i)] = i;
  const std::string text = to_text(Json(arguments));
  TerminalApprover approver(person.terminal());
  EXPECT_FALSE(approver.ask({who_, "tool", Effect::write, text, "a rule"}, {}));
  EXPECT_NE(person.shown().find("\n  key19: 19\r\n  (980 more arguments)\r\n"), std::string::npos)
      << person.shown();
}

TEST_F(Approval, WhoeverWaitsForTheTerminalCanBeStopped) {
  std::stop_source first, second;
  second.request_stop();
  TerminalApprover* approver = nullptr;
  Person person("[y/N] ", "", [&] {
    const Result<void> answer =
        approver->ask({who_, "tool", Effect::write, "{}", "a rule"}, second.get_token());
    EXPECT_EQ(answer.error().code, Code::cancelled);
    first.request_stop();
  });
  TerminalApprover own(person.terminal());
  approver = &own;
  EXPECT_EQ(own.ask({who_, "tool", Effect::write, "{}", "a rule"}, first.get_token()).error().code,
            Code::cancelled);
}

TEST_F(Approval, ATerminalThatGoesAwayIsNoRefusal) {
  Person person("[y/N] ", "", [&] { person.leave(); });
  around_.terminal = person.terminal();
  EXPECT_NE(run({"--json", "fs", "write", "a.txt", "x"}), 0);
  EXPECT_EQ(out_.find("approval_refused"), std::string::npos) << out_;
  EXPECT_NE(out_.find("the terminal went away"), std::string::npos) << out_;
}

TEST_F(Approval, RefusesUnlessThePersonSaysYes) {
  for (const char* answer : {"n\n", "\n", "yeah\n", "\x04"}) {
    Person person("[y/N] ", answer);
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
  EXPECT_NE(err_.find("hint: change tools.effects.write of " + at("config/config.yaml") +
                      ", or run it in the foreground of a terminal"),
            std::string::npos)
      << err_;
  EXPECT_FALSE(exists("work/a.txt"));
}

}  // namespace
}  // namespace helve::app

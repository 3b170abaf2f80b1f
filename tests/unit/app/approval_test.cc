// Rules that ask, and the person at the terminal who answers.
#include "unit/app/fixture.h"
#include "unit/person.h"

namespace helve::app {
namespace {

class Approval : public Machine {
 protected:
  Approval() { put("config/config.yaml", "tools:\n  effects: {write: ask}\n"); }
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
  EXPECT_NE(person.shown().find(R"({"path":"a.txt")"), std::string::npos) << person.shown();
  EXPECT_EQ(person.shown().find('\x1b'), std::string::npos) << person.shown();
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

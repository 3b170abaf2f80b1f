#include "cli/shell_words.h"

#include "unit/cli/fixture.h"

namespace helve::cli {
namespace {

class ShellWords : public Cli {
 protected:
  std::string said(std::string_view text, std::string_view tool = "demo_echo") {
    return in_shell_words(registry_, named(*registry_.find(tool).tool), text);
  }
};

TEST_F(ShellWords, AreFlagsForParameters) {
  EXPECT_EQ(said("pass times=3, or `mood`"), "pass --times 3, or `--mood`");
  EXPECT_EQ(said("loud=true is louder, loud=false is not"), "--loud is louder, --no-loud is not");
  EXPECT_EQ(said("give a `text`, or text=hello"), "give a `TEXT`, or --text hello");
}
TEST_F(ShellWords, AreCommandsForTools) {
  EXPECT_EQ(said("kb_read shows it, `read` as well"),
            "helve kb read shows it, `helve fs read` as well");
}
TEST_F(ShellWords, GiveParametersToTheToolThatWasNamedBefore) {
  EXPECT_EQ(said("kb_read with offset=3 shows it"), "helve kb read with --offset 3 shows it");
  EXPECT_EQ(said("offset=3 is nobody's"), "offset=3 is nobody's");
}
TEST_F(ShellWords, AreCommandLinesForCalls) {
  EXPECT_EQ(said(R"(first: demo_echo {"text":"a } b","times":2}; kb_read shows it)"),
            "first: helve demo echo 'a } b' --times 2; helve kb read shows it");
  EXPECT_EQ(said(R"(no_such {"text":"a"} and {"text":"b"})"),
            R"(no_such {"text":"a"} and {"text":"b"})");
}
TEST_F(ShellWords, LeaveWhatIsOnlyAWord) {
  for (const char* text :
       {"read the text", "the file 'kb_read'", "A=B, no_such, `other`", "x=", ""})
    EXPECT_EQ(said(text), text);
}
TEST_F(ShellWords, StandInHintsOfErrorsAndProblems) {
  Error error{Code::invalid_argument, "times=3", "times=4", "invalid_input"};
  error.details = JsonArray{JsonObject{{"path", "times"}, {"hint", "times=5"}}};
  const Error shown = in_shell_words(registry_, named(*registry_.find("demo_echo").tool), error);
  EXPECT_EQ(shown.message, "times=3");
  EXPECT_EQ(shown.hint, "--times 4");
  EXPECT_EQ(string_at(shown.details.at(0), "hint"), "--times 5");
}

}  // namespace
}  // namespace helve::cli

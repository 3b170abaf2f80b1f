// helve log, as people see it.
#include "base/text.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

TEST_F(Machine, ALogWithoutMatchesSaysWhatMayBeWrong) {
  EXPECT_EQ(run({"log"}), 0);
  EXPECT_EQ(err_, "helve: no calls are recorded\n");
  EXPECT_EQ(run({"fs", "ls"}), 0);
  EXPECT_EQ(run({"log", "--tool", "raed"}), 0);
  EXPECT_EQ(err_, "helve: no recorded call matches\n  hint: did you mean 'read'?\n");
  EXPECT_EQ(run({"log", "--session", "nope"}), 0);
  EXPECT_EQ(err_, "helve: no recorded call matches\n");
}

TEST_F(Machine, ALogFindsAToolByAnyName) {
  EXPECT_EQ(run({"fs", "read", "none"}), 3);
  EXPECT_EQ(run({"log", "--tool", "Read"}), 0);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 1) << out_;
}

TEST_F(Machine, ALogFitsTheScreenAndSaysWhyCallsFailed) {
  screen_.out.is_terminal = true;
  EXPECT_EQ(run({"fs", "read", "none"}), 3);
  EXPECT_EQ(run({"fs", "read", std::string(300, 'x')}), 2) << err_;
  EXPECT_EQ(run({"fs", "ls"}), 0);
  for (size_t width : {60u, 80u, 100u}) {
    screen_.width = width;
    EXPECT_EQ(run({"log"}), 0);
    EXPECT_EQ(std::ranges::count(out_, '\n'), 4) << out_;
    for (std::string_view line : split(out_, '\n')) EXPECT_LE(count_chars(line), width) << line;
  }
  EXPECT_TRUE(out_.starts_with("when  ")) << out_;
  EXPECT_NE(out_.find("cannot read 'none'"), std::string::npos) << out_;
  EXPECT_NE(out_.find(" µs  "), std::string::npos) << out_;
}

}  // namespace
}  // namespace helve::app

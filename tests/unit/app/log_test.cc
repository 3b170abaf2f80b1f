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

TEST_F(Machine, ALogIsOfItsWorkspaceUnlessAllAreWanted) {
  EXPECT_EQ(run({"fs", "ls"}), 0);
  std::filesystem::create_directories(base_ / "other");
  around_.current_directory = base_ / "other";
  EXPECT_EQ(run({"log"}), 0);
  EXPECT_EQ(err_,
            "helve: no calls are recorded in this workspace\n"
            "  hint: --all-workspaces shows those of others\n");
  EXPECT_EQ(run({"fs", "tree", "--session", "s_1"}), 0);
  EXPECT_EQ(run({"log"}), 0);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 1) << out_;
  EXPECT_EQ(out_.find("other"), std::string::npos) << out_;
  EXPECT_EQ(run({"log", "--all-workspaces"}), 0);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 2) << out_;
  EXPECT_NE(out_.find("/other  tree"), std::string::npos) << out_;
  around_.current_directory = base_ / "work";
  EXPECT_EQ(run({"log", "--session", "s_1"}), 0);
  EXPECT_NE(out_.find("/other  tree"), std::string::npos) << out_;
}

TEST_F(Machine, ALogHasItsArgumentsBelowEachOther) {
  EXPECT_EQ(run({"fs", "ls", "-d", "2"}), 0);
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 0);
  EXPECT_EQ(run({"log"}), 0);
  const std::vector<std::string_view> lines = split(out_, '\n');
  const auto before_arguments = [](std::string_view line) {
    return count_chars(line.substr(0, line.find("{")));
  };
  EXPECT_EQ(before_arguments(lines.at(0)), before_arguments(lines.at(1))) << out_;
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

// Trials from their beginning to their end. What an overlay would put into a layer is put there by
// hand; the tests of exec run real commands.
#include "workspace/trial.h"

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class TrialsTest : public WorkspaceTest {
 protected:
  // A trial of a command that writes these.
  Trial begun(const std::map<std::string, std::string>& writes, std::int64_t now_ms = 1) {
    auto trial = trials_.begin(*files_, "s", "command", now_ms);
    EXPECT_TRUE(trial) << describe(trial.error());
    for (const auto& [name, content] : writes) {
      const fs::path path = fs::path(trial->layers.at(0).upper) / name;
      fs::create_directories(path.parent_path());
      std::ofstream(path) << content;
    }
    return *trial;
  }
  TrialReport looked(const Trial& trial) {
    auto report = trials_.look(trial, *files_, {});
    EXPECT_TRUE(report) << describe(report.error());
    return report ? *report : TrialReport();
  }
  std::string apply(const Trial& trial, std::string_view session = "s") {
    const auto applied =
        trials_.apply(trial.id, session, *files_, {.tool = "exec", .session = "s"});
    return applied ? "" : kind_of(applied.error());
  }
  Lines kept() const { return tree.exists("trials") ? tree.names("trials") : Lines(); }

  std::unique_ptr<Workspace> files_ = journaled();
  Trials trials_{tree.path("trials")};
};

TEST_F(TrialsTest, MakesRealWhatWasTriedAndForgetsIt) {
  tree.file("in/a", "old\n");
  const Trial trial = begun({{"a", "new\n"}, {"d/b", "made\n"}});
  const TrialReport report = looked(trial);
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_TRUE(has(report.diff, "-old\n+new\n"));
  EXPECT_EQ(tree.content("in/a"), "old\n");
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.content("in/a"), "new\n");
  EXPECT_EQ(tree.content("in/d/b"), "made\n");
  EXPECT_EQ(kept(), Lines{});
  EXPECT_EQ(apply(trial), "not_found unknown_id");
}

TEST_F(TrialsTest, CanBeUndoneOnceItIsReal) {
  tree.file("in/a", "old\n");
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  ASSERT_EQ(apply(trial), "");
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.session = "s"}));
  EXPECT_EQ(tree.content("in/a"), "old\n");
}

TEST_F(TrialsTest, DropsWhatNobodyWants) {
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  ASSERT_TRUE(trials_.discard(trial.id, "s"));
  EXPECT_EQ(kept(), Lines{});
  EXPECT_FALSE(trials_.discard(trial.id, "s"));
}

TEST_F(TrialsTest, LeavesNothingOfOneThatFailed) {
  const Trial trial = begun({{"a", "new\n"}});
  EXPECT_EQ(kept(), Lines{trial.id});
  trials_.drop(trial);
  EXPECT_EQ(kept(), Lines{});
}

TEST_F(TrialsTest, CannotBeAppliedBeforeItsCommandHasEnded) {
  EXPECT_EQ(apply(begun({{"a", "new\n"}})), "not_found unknown_id");
}

TEST_F(TrialsTest, BelongToTheirSessionUnlessAnyIsMeant) {
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  EXPECT_EQ(apply(trial, "other"), "not_found unknown_id");
  EXPECT_EQ(apply(trial, ""), "");
}

TEST_F(TrialsTest, AreKnownToTheNextProcess) {
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  trials_ = Trials(tree.path("trials"));
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.content("in/a"), "new\n");
}

TEST_F(TrialsTest, RefuseWhatWasChangedSince) {
  tree.file("in/a", "old\n");
  const Trial trial = begun({{"a", "new\n"}, {"b", "made\n"}});
  (void)looked(trial);
  tree.file("in/a", "by somebody else\n");
  EXPECT_EQ(apply(trial), "conflict changed_meanwhile");
  EXPECT_EQ(tree.content("in/a"), "by somebody else\n");
  EXPECT_FALSE(tree.exists("in/b"));
}

TEST_F(TrialsTest, RefuseAPathThatSomebodyElseMadeSince) {
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  tree.file("in/a", "by somebody else\n");
  EXPECT_EQ(apply(trial), "conflict changed_meanwhile");
}

TEST_F(TrialsTest, RefuseWhatSomebodyElseChangedWhileTheCommandRan) {
  tree.file("in/a", "old\n");
  Trial trial = begun({{"a", "new\n"}});
  trial.began_ns -= 1'000'000'000;  // so that the next line comes later, however coarse the clock
  tree.file("in/a", "by somebody else\n");
  const TrialReport report = looked(trial);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_TRUE(has(report.notes[0], "somebody else changed 'a' while the command ran"));
  EXPECT_EQ(apply(trial), "conflict changed_meanwhile");
  EXPECT_EQ(tree.content("in/a"), "by somebody else\n");
}

TEST_F(TrialsTest, SayWhenTheyAreTooLarge) {
  const Trial trial = begun({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const auto report = trials_.look(trial, *files_, {.max_changes = 2});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "the command changes more than 2 paths");
  EXPECT_EQ(report.error().type, "too_many_changes");
}

TEST_F(TrialsTest, KeepNothingOfGit) {
  const Trial trial = begun({{".git/hooks/pre-commit", "#!/bin/sh\n"}, {"a", "new\n"}});
  const TrialReport report = looked(trial);
  EXPECT_EQ(report.files.size(), 1u);
  EXPECT_TRUE(has(report.notes.at(0), "inside .git cannot be applied"));
  EXPECT_EQ(apply(trial), "");
  EXPECT_FALSE(tree.exists("in/.git"));
}

TEST_F(TrialsTest, GoWhenTheyAreOld) {
  const Trial trial = begun({});
  trials_.drop_before(0);
  EXPECT_EQ(kept(), Lines{trial.id});
  trials_.drop_before(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(kept(), Lines{});
}

TEST_F(TrialsTest, TakeNoPathForAnId) {
  tree.file("in/precious");
  for (const char* id : {"..", "t_../../in", "", "t_", "../in", "t_\n"})
    EXPECT_FALSE(trials_.discard(id, "")) << id;
  EXPECT_TRUE(tree.exists("in/precious"));
}

}  // namespace
}  // namespace helve::workspace

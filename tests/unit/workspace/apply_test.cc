// Several changes at once: all of them, or none.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;
using What = Changed::What;

Change write(std::string path, std::string content) {
  return {.path = std::move(path), .content = std::move(content)};
}
Change remove(std::string path) { return {.kind = Kind::remove, .path = std::move(path)}; }
Change move(std::string path, std::string to) {
  return {.kind = Kind::move, .path = std::move(path), .to = std::move(to)};
}

class Applying : public WorkspaceTest {
 protected:
  Error error_of(const std::vector<Change>& changes) const {
    const auto applied = open()->apply(changes, {});
    return applied ? Error{Code::internal, "it was applied"} : applied.error();
  }
  // Three old files and a change of each kind.
  std::vector<Change> mixed() const {
    tree.file("in/a", "old a");
    tree.file("in/sub/b", "old b");
    tree.file("in/c", "old c");
    return {write("a", "new a"), write("new/deep/file", "new"), remove("sub/b"), move("c", "d")};
  }
  std::string check_old() const {
    if (tree.content("in/a") != "old a") return "a: " + tree.content("in/a");
    if (tree.content("in/sub/b") != "old b") return "sub/b: " + tree.content("in/sub/b");
    if (tree.content("in/c") != "old c") return "c: " + tree.content("in/c");
    if (tree.names("in") != std::vector<std::string>{"a", "c", "sub"}) return "extra names in in/";
    if (tree.names("in/sub") != std::vector<std::string>{"b"}) return "extra names in in/sub";
    return "";
  }
};

TEST_F(Applying, MakesChangesOfEveryKind) {
  const auto applied = open(Durability::synced)->apply(mixed(), {});
  ASSERT_TRUE(applied) << describe(applied.error());
  std::vector<What> what;
  for (const Changed& file : applied->files) what.push_back(file.what);
  EXPECT_EQ(what, (std::vector<What>{What::replaced, What::created, What::removed, What::moved}));
  EXPECT_EQ(tree.content("in/a"), "new a");
  EXPECT_EQ(tree.content("in/new/deep/file"), "new");
  EXPECT_FALSE(tree.exists("in/sub/b"));
  EXPECT_EQ(tree.content("in/d"), "old c");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "d", "new", "sub"}));
  EXPECT_TRUE(tree.names("in/sub").empty());
}

TEST_F(Applying, ChangesNothingWhenOneOfThemIsRefused) {
  std::vector<Change> changes = mixed();
  changes.push_back(write(".git/config", "x"));
  EXPECT_EQ(kind_of(error_of(changes)), "denied protected_path");
  changes.back() = remove("missing");
  EXPECT_EQ(kind_of(error_of(changes)), "not_found not_found");
  changes.back() = move("a/../a", "new/deep/file");
  EXPECT_FALSE(open()->apply(changes, {}));
  EXPECT_EQ(check_old(), "");
}

TEST_F(Applying, TakesEverythingBackWhenTheLastChangeFails) {
  const std::vector<Change> start = mixed();
  for (const long call : {SYS_write, SYS_fchmod, SYS_fdatasync, SYS_fsync}) {
    EXPECT_CHILD_OK([&]() -> std::string {
      const auto files = open(Durability::synced);
      if (std::string why = make_fail(call, EIO); !why.empty()) return why;
      const auto applied = files->apply(start, {});
      return applied ? "it was applied" : "";
    });
    EXPECT_EQ(check_old(), "") << call;
  }
}

TEST_F(Applying, TakesManyFilesBackWhenTheFileSystemCannotBeSynced) {
  EXPECT_CHILD_OK([&]() -> std::string {
    const auto files = open(Durability::synced);
    if (std::string why = make_fail(SYS_syncfs, EIO); !why.empty()) return why;
    std::vector<Change> changes;
    for (int i = 0; i < 10; ++i) changes.push_back(write(std::to_string(i), "x"));
    return files->apply(changes, {}) ? "it was applied" : "";
  });
  EXPECT_TRUE(tree.names("in").empty());
}

TEST_F(Applying, ChangesNothingWhenTheDiskIsFull) {
  EXPECT_CHILD_OK([&]() -> std::string {
    if (std::string why = mount_tmpfs(tree.path("in"), "size=256k"); !why.empty()) return why;
    std::vector<Change> changes = mixed();
    changes.push_back(write("large", std::string(400'000, 'x')));
    for (const bool journaled : {false, true}) {
      const auto files =
          Workspace::make({.roots = {{tree.path("in")}},
                           .journal_directory = journaled ? tree.path("journal") : std::string()});
      if (!files) return describe(files.error());
      const auto applied = (*files)->apply(changes, {});
      if (applied) return "it was applied";
      if (applied.error().type_name() != "no_space") return describe(applied.error());
      if (std::string wrong = check_old(); !wrong.empty()) return wrong;
    }
    return "";
  });
}

TEST_F(Applying, WhatHasSeveralNamesIsNotDeletedWhereItIsNotRead) {
  tree.directory("in/dir");
  std::filesystem::create_hard_link(tree.path("out/secret"), tree.path("in/dir/name"));
  const auto files = Workspace::make({.roots = {{tree.path("in")}},
                                      .durability = Durability::unsynced,
                                      .hard_links = HardLinks::refuse});
  ASSERT_TRUE(files);
  // A diff or an undo would show what it holds.
  const Change file{.kind = Change::Kind::remove, .path = "dir/name"};
  EXPECT_EQ(kind_of((*files)->apply({&file, 1}, {}).error()), "denied hard_link");
  const Change directory{.kind = Change::Kind::remove, .path = "dir", .tree = true};
  EXPECT_EQ(kind_of((*files)->apply({&directory, 1}, {}).error()), "denied hard_link");
  EXPECT_TRUE(std::filesystem::exists(tree.path("in/dir/name")));
}

TEST_F(Applying, AMoveReplacesNoFileThatMayNotBeWritten) {
  tree.file("in/a", "new");
  tree.file("in/kept", "old");
  ::chmod(tree.path("in/kept").c_str(), 0400);
  for (const char* path : {"", "in"}) ::chmod(tree.path(path).c_str(), 0777);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    Change change = move("a", "kept");
    change.replace = true;
    const std::string kind = kind_of(error_of({change}));
    return kind == "denied permission_denied" ? "" : kind;
  });
  EXPECT_EQ(tree.content("in/kept"), "old");
}

TEST_F(Applying, RefusesTheSameFileTwiceWhateverItIsCalled) {
  tree.file("in/sub/file", "old");
  EXPECT_EQ(kind_of(error_of({write("sub/file", "1"), write("sub/../sub/file", "2")})),
            "invalid_argument changed_twice");
  EXPECT_EQ(kind_of(error_of({write("x", "1"), move("sub/file", "x")})),
            "invalid_argument changed_twice");
  EXPECT_EQ(kind_of(error_of({move("sub/file", "sub/../sub/file")})), "invalid_argument same_file");
  EXPECT_EQ(kind_of(error_of({move("sub", "other"), write("sub/file", "2")})),
            "invalid_argument changed_twice");
  EXPECT_EQ(tree.content("in/sub/file"), "old");
}

TEST_F(Applying, NeverMovesOntoAFile) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  EXPECT_EQ(kind_of(error_of({move("a", "b")})), "conflict path_conflict");
  EXPECT_EQ(tree.content("in/b"), "b");
}

TEST_F(Applying, DemandsTheVersionThatWasRead) {
  tree.file("in/file", "old");
  const auto files = open();
  const auto snapshot = files->read_whole("file");
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->content, "old");
  tree.file("in/file", "theirs");
  Change change = write("file", "ours");
  change.expected = snapshot->version;
  const auto refused = files->apply({&change, 1}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(kind_of(refused.error()), "conflict changed_meanwhile");
  change.expected = files->read_whole("file")->version;
  EXPECT_TRUE(files->apply({&change, 1}, {}));
  EXPECT_EQ(tree.content("in/file"), "ours");
}

TEST_F(Applying, TellsWhichVersionItReplaced) {
  tree.file("in/file", "old");
  const auto files = open();
  const Version old = files->read_whole("file")->version;
  const Change change{.path = "file", .content = "new"};
  const auto applied = files->apply({&change, 1}, {});
  ASSERT_TRUE(applied);
  EXPECT_TRUE(applied->files.at(0).old.is(old));
}

// Its descriptor would still be good for writing, but not where anybody looks.
TEST_F(Applying, ChangesNothingInARootThatWasMovedAway) {
  const auto files = open();
  std::filesystem::rename(tree.path("in"), tree.path("elsewhere"));
  const Change change{.path = "file", .content = "new"};
  for (const char* now : {"nothing", "a link", "another"}) {
    SCOPED_TRACE(now);
    std::filesystem::remove(tree.path("in"));
    if (now == std::string_view("a link")) tree.link("in", "elsewhere");
    if (now == std::string_view("another")) tree.directory("in");
    const auto applied = files->apply({&change, 1}, {});
    ASSERT_FALSE(applied);
    EXPECT_EQ(kind_of(applied.error()), "conflict root_moved");
    EXPECT_EQ(kind_of(files->open_file("file").error()), "conflict root_moved");
    EXPECT_EQ(kind_of(files->open_directory(".").error()), "conflict root_moved");
    EXPECT_EQ(kind_of(files->list(".", {}).error()), "conflict root_moved");
  }
  EXPECT_TRUE(tree.names("elsewhere").empty());
  std::filesystem::remove(tree.path("in"));
  std::filesystem::rename(tree.path("elsewhere"), tree.path("in"));
  EXPECT_TRUE(files->apply({&change, 1}, {}));
}

TEST_F(Applying, ChangesNothingWhenTheLinkThatNamedTheRootLeadsElsewhere) {
  tree.directory("other");
  tree.link("current", "in");
  const auto files = *Workspace::make({.roots = {{tree.path("current")}}});
  std::filesystem::remove(tree.path("current"));
  tree.link("current", "other");
  const Change change{.path = "file", .content = "new"};
  EXPECT_EQ(kind_of(files->apply({&change, 1}, {}).error()), "conflict root_moved");
  EXPECT_EQ(kind_of(files->open_directory(".").error()), "conflict root_moved");
}

TEST_F(Applying, GivesANewFileTheModeOfTheOneItIsLike) {
  tree.file("in/script", "old");
  ::chmod(tree.path("in/script").c_str(), 0751);
  Change created = write("moved/script", "new");
  created.like = "script";
  const std::vector<Change> changes = {created, remove("script")};
  ASSERT_TRUE(open()->apply(changes, {}));
  struct stat s;
  ASSERT_EQ(::stat(tree.path("in/moved/script").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0751u);
  EXPECT_FALSE(tree.exists("in/script"));
}

TEST_F(Applying, RemovesALinkAndNotWhatItLeadsTo) {
  tree.link("in/link", tree.path("out/secret"));
  const Change change = remove("link");
  ASSERT_TRUE(open()->apply({&change, 1}, {}));
  EXPECT_FALSE(tree.exists("in/link"));
  EXPECT_EQ(tree.content("out/secret"), "secret");
}

TEST_F(Applying, RemovesADirectoryOnlyWhenAskedTo) {
  tree.file("in/sub/deep/file");
  tree.link("in/sub/link", tree.path("out"));
  Change change = remove("sub");
  EXPECT_EQ(kind_of(error_of({change})), "invalid_argument is_directory");
  EXPECT_TRUE(tree.exists("in/sub/deep/file"));
  change.tree = true;
  ASSERT_TRUE(open()->apply({&change, 1}, {}));
  EXPECT_TRUE(tree.names("in").empty());
  EXPECT_EQ(tree.names("out"), std::vector<std::string>{"secret"});
}

TEST_F(Applying, RemovesNoDirectoryThatCouldNotBeRestored) {
  tree.file("in/sub/large", "");
  ASSERT_EQ(::truncate(tree.path("in/sub/large").c_str(), kMaxWrite + 1), 0);
  Change change = remove("sub");
  change.tree = true;
  EXPECT_EQ(kind_of(error_of({change})), "too_large too_large");
  EXPECT_TRUE(tree.exists("in/sub/large"));
  const Change elsewhere = move("sub", "other");
  EXPECT_TRUE(open()->apply({&elsewhere, 1}, {})) << "moving needs no copy";
}

TEST_F(Applying, NeitherRemovesNorMovesARepository) {
  tree.file("in/project/.git/config");
  Change change = remove("project");
  change.tree = true;
  EXPECT_EQ(kind_of(error_of({change})), "denied protected_path");
  EXPECT_EQ(kind_of(error_of({move("project", "elsewhere")})), "denied protected_path");
  EXPECT_TRUE(tree.exists("in/project/.git/config"));
}

TEST_F(Applying, MovesADirectoryButNotIntoItself) {
  tree.file("in/sub/file", "x");
  EXPECT_EQ(kind_of(error_of({move("sub", "sub/inner")})), "invalid_argument move_into_itself");
  const Change change = move("sub", "made/for/it");
  ASSERT_TRUE(open()->apply({&change, 1}, {}));
  EXPECT_EQ(tree.content("in/made/for/it/file"), "x");
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"made"});
}

TEST_F(Applying, TwoSetsOfTheSameFilesTakeTurns) {
  tree.file("in/a", "0");
  tree.file("in/b", "0");
  const auto files = open();
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const std::string content = std::to_string(t * 1000 + i);
          std::vector<Change> changes = {write("a", content), write("b", content)};
          if (t % 2) std::swap(changes[0], changes[1]);
          failures += !files->apply(changes, {});
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(tree.content("in/a"), tree.content("in/b"));
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Applying, TwoThatMakeTheSameDirectoryBothSucceed) {
  const auto files = open();
  std::atomic<int> failures = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        const Change change = write("new" + std::to_string(i) + "/deep/file", "x");
        failures += !files->apply({&change, 1}, {});
      });
    }
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace helve::workspace

#include "search/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "search/ignore.h"
#include "unit/workspace/temp_tree.h"

namespace helve::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Found {
  std::multiset<std::string> files;
  std::multiset<std::string> others;
  std::set<std::thread::id> threads;
  WalkReport report;
};

class Collect final : public Visitor {
 public:
  explicit Collect(Next answer = Next::go_on) : answer_(answer) {}
  Next visit(const Item& item) override {
    (item.kind == sys::FileKind::file ? found.files : found.others).emplace(item.path);
    found.threads.insert(std::this_thread::get_id());
    EXPECT_TRUE(sys::status_at(item.directory, item.name)) << item.path;
    return answer_;
  }
  Found found;

 private:
  Next answer_;
};

Found walk_in(const std::string& path, const WalkOptions& options = {}, Next answer = Next::go_on) {
  std::vector<std::unique_ptr<Collect>> visitors;
  const auto directory = sys::open_directory(path);
  EXPECT_TRUE(directory);
  const auto report = walk(*directory, options, [&]() -> Visitor& {
    return *visitors.emplace_back(std::make_unique<Collect>(answer));
  });
  Found all;
  EXPECT_TRUE(report);
  if (report) all.report = *report;
  for (const auto& visitor : visitors) {
    all.files.merge(visitor->found.files);
    all.others.merge(visitor->found.others);
    all.threads.merge(visitor->found.threads);
  }
  return all;
}

GlobSet globs(const std::vector<std::string>& patterns) {
  return GlobSet::from_patterns(patterns).value();
}

TEST(Walk, FindsFilesAndDirectoriesAndSaysWhichIsWhich) {
  TempTree tree;
  tree.file("a");
  tree.file("d/b");
  tree.file("d/e/c");
  tree.directory("empty");
  const Found found = walk_in(tree.path());
  EXPECT_THAT(found.files, ElementsAre("a", "d/b", "d/e/c"));
  EXPECT_THAT(found.others, ElementsAre("d", "d/e", "empty"));
  EXPECT_EQ(found.report.directories, 4u);
  EXPECT_EQ(found.report.end, WalkReport::End::complete);
}

// Removes the walked directory when the thread that reads it visits something.
class Remover final : public Visitor {
 public:
  explicit Remover(const std::string& path, std::thread::id reader)
      : path_(path), reader_(reader) {}
  Next visit(const Item&) override {
    if (std::this_thread::get_id() == reader_) std::filesystem::remove_all(path_);
    return Next::go_on;
  }

 private:
  const std::string& path_;
  std::thread::id reader_;
};

TEST(Walk, ADirectoryThatCannotBeReadToItsEndEndsTheWalkOnAllThreads) {
  TempTree tree;
  tree.directory("walked");
  const std::string long_name = "walked/" + std::string(200, 'n');  // a buffer holds 300 of these
  for (int i = 0; i < 450; ++i) tree.file(long_name + std::to_string(i));
  const std::string path = tree.path() + "/walked";
  const auto directory = sys::open_directory(path);
  const std::thread::id reader = std::this_thread::get_id();
  std::vector<std::unique_ptr<Remover>> visitors;
  const auto report = walk(*directory, {.batch = 16, .threads = 4}, [&]() -> Visitor& {
    return *visitors.emplace_back(std::make_unique<Remover>(path, reader));
  });
  EXPECT_GT(visitors.size(), 1u);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error(), std::errc::no_such_file_or_directory);
}

class Exhausted final : public Visitor {
 public:
  Next visit(const Item& item) override {
    if (item.kind == sys::FileKind::file) throw std::bad_alloc();
    return Next::go_on;
  }
};

TEST(Walk, AThreadWithoutMemoryEndsTheWalkWithAnError) {
  TempTree tree;
  for (int i = 0; i < 300; ++i) tree.file("d" + std::to_string(i % 10) + "/" + std::to_string(i));
  const auto directory = sys::open_directory(tree.path());
  for (const unsigned threads : {1u, 4u}) {
    std::vector<std::unique_ptr<Exhausted>> visitors;
    const auto report = walk(*directory, {.batch = 4, .threads = threads}, [&]() -> Visitor& {
      return *visitors.emplace_back(std::make_unique<Exhausted>());
    });
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error(), std::errc::not_enough_memory);
  }
}

class CountOpenFiles final : public Visitor {
 public:
  Next visit(const Item&) override {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    most = std::max(most, std::distance(begin(open), end(open)));
    return Next::go_on;
  }
  std::ptrdiff_t most = 0;
};

TEST(Walk, FilesThatWaitDoNotKeepAllDirectoriesOpen) {
  TempTree tree;
  std::string path;
  for (int depth = 0; depth < 220; ++depth) {
    for (const char* name : {"a", "b"}) tree.file(path + name);
    path += "n/";
  }
  CountOpenFiles visitor;
  const auto directory = sys::open_directory(tree.path());
  const auto report =
      walk(*directory, {.batch = 1, .threads = 1}, [&]() -> Visitor& { return visitor; });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->directories, 220u);
  EXPECT_LT(visitor.most, 180);
}

TEST(Walk, NeverFollowsALinkNorOpensAFifo) {
  TempTree tree, outside;
  outside.file("secret");
  tree.file("d/a");
  tree.link("out", outside.path());
  tree.link("loop", ".");
  ASSERT_EQ(::mkfifo(tree.path("pipe").c_str(), 0600), 0);
  const Found found = walk_in(tree.path());
  EXPECT_THAT(found.files, ElementsAre("d/a"));
  EXPECT_THAT(found.others, ElementsAre("d", "loop", "out", "pipe"));
}

TEST(Walk, SkipsHiddenNamesUnlessAsked) {
  TempTree tree;
  tree.file(".a");
  tree.file(".d/b");
  tree.file("c");
  tree.file(".git/HEAD");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("c"));
  EXPECT_THAT(
      walk_in(tree.path(), {.hidden = Hidden::show, .git_directory = GitDirectory::enter}).files,
      ElementsAre(".a", ".d/b", ".git/HEAD", "c"));
  const Found without =
      walk_in(tree.path(), {.hidden = Hidden::show, .git_directory = GitDirectory::skip});
  EXPECT_THAT(without.files, ElementsAre(".a", ".d/b", "c"));
  EXPECT_THAT(without.others, ElementsAre(".d", ".git"));
}

TEST(Walk, GitIgnoreCountsOnlyInARepository) {
  TempTree tree;
  tree.file(".gitignore", "*.o\n");
  tree.file("a.o");
  tree.file("a.c");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("a.c", "a.o"));
  tree.directory(".git");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("a.c"));
  EXPECT_THAT(walk_in(tree.path(), {.ignore = IgnoreRules::none}).files, ElementsAre("a.c", "a.o"));
}

TEST(Walk, RulesOfTheDirectoriesAboveHold) {
  TempTree tree;
  tree.directory(".git");
  tree.file(".gitignore", "*.o\n/sub/x\n");
  tree.file("sub/a.o");
  tree.file("sub/a.c");
  tree.file("sub/x");
  tree.file("sub/in/x");
  EXPECT_THAT(walk_in(tree.path("sub")).files, ElementsAre("a.c", "in/x"));
}

TEST(Walk, ANestedRepositoryEndsTheRulesOfTheOuter) {
  TempTree tree;
  tree.directory(".git");
  tree.file(".gitignore", "*.o\n");
  tree.file("inner/.git", "gitdir: nowhere\n");
  tree.file("inner/a.o");
  tree.file("a.o");
  tree.file("deep/a.o");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("inner/a.o"));
}

TEST(Walk, NearerRulesGoFirstAndRgignoreBeforeIgnoreBeforeGitignore) {
  TempTree tree;
  tree.directory(".git");
  tree.file(".gitignore", "*.o\n*.a\n*.b\n");
  tree.file("sub/.gitignore", "!*.o\n");
  tree.file(".ignore", "!*.a\n*.b\n");
  tree.file(".rgignore", "!*.b\n");
  tree.file("x.o");
  tree.file("x.a");
  tree.file("x.b");
  tree.file("sub/x.o");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("sub/x.o", "x.a", "x.b"));
}

TEST(Walk, AnIgnoredDirectoryIsNotEnteredEvenIfAFileInItIsKept) {
  TempTree tree;
  tree.directory(".git");
  tree.file(".gitignore", "build/\n!build/keep\n");
  tree.file("build/keep");
  tree.file("a");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("a"));
}

TEST(Walk, ARuleThatKeepsAHiddenNameShowsIt) {
  TempTree tree;
  tree.file(".ignore", "!.shown\n");
  tree.file(".shown");
  tree.file(".other");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre(".shown"));
}

TEST(Walk, ExcludesOfTheRepositoryCount) {
  TempTree tree;
  tree.file(".git/info/exclude", "/b\n");
  tree.file("b");
  tree.file("a/b");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("a/b"));
}

TEST(Walk, ExcludesOfAWorkTreeAreThoseThatAllShare) {
  TempTree tree;
  tree.file("main/.git/info/exclude", "b\n");
  tree.file("main/.git/worktrees/w/commondir", "../..\n");
  tree.file("w/.git", "gitdir: ../main/.git/worktrees/w\n");
  tree.file("w/b");
  tree.file("w/a");
  EXPECT_THAT(walk_in(tree.path("w")).files, ElementsAre("a"));
}

TEST(Walk, GlobsFilterWhatTheRulesLeave) {
  TempTree tree;
  tree.file(".ignore", "b.c\n");
  tree.file("a.c");
  tree.file("b.c");
  tree.file(".h.c");
  tree.file("src/x.c");
  tree.file("src/x.h");
  const GlobSet set = globs({"*.c", "!x.c"});
  EXPECT_THAT(walk_in(tree.path(), {.globs = &set}).files, ElementsAre("a.c"));
  EXPECT_THAT(walk_in(tree.path(), {.globs = &set}).others, IsEmpty());
  EXPECT_THAT(walk_in(tree.path(), {.globs = &set, .glob_use = GlobUse::overriding}).files,
              ElementsAre(".h.c", "a.c", "b.c"));
}

TEST(Walk, DirectoriesWhereNothingCanMatchAreNotRead) {
  TempTree tree;
  tree.file("src/lib/a.c");
  tree.file("doc/a/b/c");
  tree.file("src/x.c");
  const GlobSet set = globs({"src/*.c"});
  const Found found = walk_in(tree.path(), {.globs = &set});
  EXPECT_THAT(found.files, ElementsAre("src/x.c"));
  EXPECT_EQ(found.report.directories, 2u);
}

TEST(Walk, ExcludedDirectoriesAreNotRead) {
  TempTree tree;
  tree.file("out/a");
  tree.file("in/a");
  const GlobSet set = globs({"!out"});
  EXPECT_THAT(walk_in(tree.path(), {.globs = &set}).files, ElementsAre("in/a"));
}

TEST(Walk, GoesNoDeeperThanAsked) {
  TempTree tree;
  tree.file("a");
  tree.file("d/b");
  tree.file("d/e/c");
  EXPECT_THAT(walk_in(tree.path(), {.max_depth = 1}).files, ElementsAre("a"));
  EXPECT_THAT(walk_in(tree.path(), {.max_depth = 2}).files, ElementsAre("a", "d/b"));
}

TEST(Walk, StaysOnTheCallingThreadWhenThereIsLittleToDo) {
  TempTree tree;
  for (int i = 0; i < 10; ++i) tree.file("d" + std::to_string(i) + "/f");
  EXPECT_THAT(walk_in(tree.path(), {.threads = 4}).threads,
              ElementsAre(std::this_thread::get_id()));
}

TEST(Walk, ManyThreadsFindEachFileOnce) {
  TempTree tree;
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 8; ++j)
      tree.file("d" + std::to_string(i) + "/e" + std::to_string(j) + "/f");
  }
  for (const size_t batch : {0, 1, 3}) {
    const Found found = walk_in(tree.path(), {.batch = batch, .threads = 8});
    EXPECT_EQ(std::set(found.files.begin(), found.files.end()).size(), 480u);
    EXPECT_THAT(found.files, SizeIs(480));
    EXPECT_THAT(found.others, SizeIs(540));
  }
}

TEST(Walk, ADirectoryLargerThanTheBufferIsReadWhole) {
  TempTree tree;
  const std::string long_name(200, 'n');
  for (int i = 0; i < 1000; ++i) tree.file(long_name + std::to_string(i));
  tree.file(".ignore", "*7\n");
  EXPECT_THAT(walk_in(tree.path()).files, SizeIs(900));
  EXPECT_THAT(walk_in(tree.path(), {.batch = 7, .threads = 3}).files, SizeIs(900));
}

TEST(Walk, NamesAreBytes) {
  TempTree tree;
  tree.file("new\nline");
  tree.file("\x1b[31m");
  tree.file("\xff\xfe");
  EXPECT_THAT(walk_in(tree.path()).files, ElementsAre("\x1b[31m", "new\nline", "\xff\xfe"));
}

TEST(Walk, EndsWhenAsked) {
  TempTree tree;
  for (int i = 0; i < 200; ++i) tree.file("f" + std::to_string(i));
  std::stop_source source;
  source.request_stop();
  const Found stopped = walk_in(tree.path(), {.stop = source.get_token()});
  EXPECT_EQ(stopped.report.end, WalkReport::End::cancelled);
  EXPECT_THAT(stopped.files, IsEmpty());
  const Found late = walk_in(tree.path(), {.deadline = std::chrono::steady_clock::now()});
  EXPECT_EQ(late.report.end, WalkReport::End::deadline);
  const Found enough = walk_in(tree.path(), {}, Next::stop);
  EXPECT_EQ(enough.report.end, WalkReport::End::stopped_by_visitor);
  EXPECT_THAT(enough.files, SizeIs(1));
}

TEST(Walk, ADirectoryThatTheVisitorSkipsIsNotEntered) {
  TempTree tree;
  tree.file("d/a");
  EXPECT_THAT(walk_in(tree.path(), {}, Next::skip).files, IsEmpty());
}

TEST(Walk, WhatCannotBeReadIsNamedAndTheRestIsFound) {
  TempTree tree;
  tree.file("a");
  tree.file("sub/.ignore", std::string(kMaxUnreadable, 'x'));
  tree.file("sub/b");
  std::filesystem::resize_file(tree.path("sub/.ignore"), 5u << 20);
  const Found found = walk_in(tree.path());
  EXPECT_THAT(found.files, ElementsAre("a", "sub/b"));
  ASSERT_THAT(found.report.unreadable, SizeIs(1));
  EXPECT_EQ(found.report.unreadable[0].path, "sub/.ignore");
}

TEST(Walk, ADirectoryWithoutPermissionIsNamedAndTheRestIsFound) {
  TempTree tree;
  tree.file("a");
  tree.file("shut/b");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("shut").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const Found found = walk_in(tree.path());
    if (found.files != std::multiset<std::string>{"a"}) return "the rest was not found";
    if (found.report.unreadable_count != 1) return "it is not counted";
    const auto& unreadable = found.report.unreadable[0];
    if (unreadable.path != "shut") return unreadable.path;
    return unreadable.error == std::errc::permission_denied ? "" : "another error";
  });
}

TEST(GitConfig, TheLastExcludesFileCounts) {
  EXPECT_EQ(excludes_file_setting("[core]\n\texcludesFile = /a\n[Core] excludesfile=/b\n"), "/b");
  EXPECT_EQ(excludes_file_setting("[core]\nexcludesfile = \"/with space\" # why\n"), "/with space");
  EXPECT_EQ(excludes_file_setting("[core \"x\"]\nexcludesfile = /a\n[user]\nexcludesfile=/b"), "");
}

}  // namespace
}  // namespace helve::search

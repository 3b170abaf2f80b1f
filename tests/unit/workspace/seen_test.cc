// What a session has seen of a file, and when a change by somebody else is a conflict.
#include <fstream>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class SeenByASession : public WorkspaceTest {
 protected:
  void read(Workspace& files, std::string_view session, const std::string& path) const {
    const auto open = files.open_file(path);
    ASSERT_TRUE(open);
    files.saw(session, *open, tree.content("in/" + path));
  }
  std::string check(Workspace& files, std::string_view session, const std::string& path) const {
    const auto now = files.read_whole(path);
    if (!now) return describe(now.error());
    const auto checked = files.check_seen(session, path, *now);
    return checked ? "" : kind_of(checked.error());
  }
};

TEST_F(SeenByASession, ChangesByOthersAreConflicts) {
  tree.file("in/file", "one");
  const auto files = open();
  read(*files, "s", "file");
  EXPECT_EQ(check(*files, "s", "file"), "");
  tree.file("in/file", "two");
  EXPECT_EQ(check(*files, "s", "file"), "conflict changed_since_read");
  EXPECT_EQ(check(*files, "s", "./file"), "conflict changed_since_read");
  EXPECT_EQ(check(*files, "other", "file"), "");
  read(*files, "s", "file");
  EXPECT_EQ(check(*files, "s", "file"), "");
}

TEST_F(SeenByASession, TheSameContentWithAnotherTimeIsNone) {
  tree.file("in/file", "one");
  const auto files = open();
  read(*files, "s", "file");
  std::filesystem::last_write_time(tree.path("in/file"), {});
  EXPECT_EQ(check(*files, "s", "file"), "");
}

TEST_F(SeenByASession, AChangeThatSetTheTimeBackIsAConflict) {
  tree.file("in/file", "one");
  const auto files = open();
  read(*files, "s", "file");
  const auto time = std::filesystem::last_write_time(tree.path("in/file"));
  std::fstream(tree.path("in/file"), std::ios::in | std::ios::out) << "two";
  std::filesystem::last_write_time(tree.path("in/file"), time);
  const auto checked = files->check_seen("s", "file");
  ASSERT_FALSE(checked);
  EXPECT_EQ(kind_of(checked.error()), "conflict changed_since_read");
}

TEST_F(SeenByASession, WhatItMovesItStillKnows) {
  tree.file("in/d/file", "one");
  const auto files = open();
  read(*files, "s", "d/file");
  const Change change{.kind = Change::Kind::move, .path = "d", .to = "e"};
  ASSERT_TRUE(files->apply({&change, 1}, {.session = "s"}));
  EXPECT_EQ(check(*files, "s", "e/file"), "");
  EXPECT_TRUE(files->check_seen("s", "e/file"));
  tree.file("in/e/file", "two");
  EXPECT_EQ(check(*files, "s", "e/file"), "conflict changed_since_read");
}

TEST_F(SeenByASession, WhatChangesPlacesAtOnceIsKnownAtItsNewPlace) {
  for (const char* name : {"b", "c", "d"}) tree.file(std::string("in/") + name, name);
  const auto files = open();
  for (const char* name : {"b", "c", "d"}) read(*files, "s", name);
  std::vector<Change> changes;
  for (const auto& [from, to] : {std::pair("d", "c"), {"c", "b"}, {"b", "a"}}) {
    changes.push_back({.kind = Change::Kind::move, .path = from, .to = to, .makes_way = true});
  }
  changes.push_back({.path = "d", .content = "new"});
  ASSERT_TRUE(files->apply(changes, {.session = "s"}));
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(check(*files, "s", name), "") << name;
    tree.file(std::string("in/") + name, "changed");
    EXPECT_EQ(check(*files, "s", name), "conflict changed_since_read") << name;
  }
}

TEST_F(SeenByASession, DirectoriesThatChangePlacesTakeAlongWhatWasSeenInThem) {
  tree.file("in/a/x", "one");
  tree.file("in/b/x", "two");
  const auto files = open();
  read(*files, "s", "a/x");
  read(*files, "s", "b/x");
  const std::vector<Change> swap = {
      {.kind = Change::Kind::move, .path = "a", .to = "b", .makes_way = true},
      {.kind = Change::Kind::move, .path = "b", .to = "a", .makes_way = true}};
  ASSERT_TRUE(files->apply(swap, {.session = "s"}));
  for (const char* name : {"a/x", "b/x"}) {
    EXPECT_EQ(check(*files, "s", name), "") << name;
    tree.file(std::string("in/") + name, "changed");
    EXPECT_EQ(check(*files, "s", name), "conflict changed_since_read") << name;
  }
}

TEST_F(SeenByASession, WhatIsMovedOverSomethingDeletedIsWhatItKnew) {
  tree.file("in/src/x", "aaa");
  tree.file("in/new/x", "bbb");
  const auto files = open();
  read(*files, "s", "src/x");
  read(*files, "s", "new/x");
  const Change gone{.kind = Change::Kind::remove, .path = "src", .tree = true};
  ASSERT_TRUE(files->apply({&gone, 1}, {.session = "s"}));
  const Change moved{.kind = Change::Kind::move, .path = "new", .to = "src"};
  ASSERT_TRUE(files->apply({&moved, 1}, {.session = "s"}));
  EXPECT_EQ(check(*files, "s", "src/x"), "");
}

TEST_F(SeenByASession, ADirectoryIsAllThatWasSeenInIt) {
  tree.file("in/d/deep/file", "one");
  const auto files = open();
  read(*files, "s", "d/deep/file");
  EXPECT_TRUE(files->check_seen("s", "d"));
  tree.file("in/d/deep/file", "two");
  const auto checked = files->check_seen("s", "d");
  ASSERT_FALSE(checked);
  EXPECT_EQ(kind_of(checked.error()), "conflict changed_since_read");
}

TEST_F(SeenByASession, ItsOwnWritesAreNone) {
  tree.file("in/file", "one");
  const auto files = open();
  read(*files, "s", "file");
  const Change change{.path = "file", .content = "two"};
  ASSERT_TRUE(files->apply({&change, 1}, {.session = "s"}));
  EXPECT_EQ(check(*files, "s", "file"), "");
  tree.file("in/file", "three");
  EXPECT_EQ(check(*files, "s", "file"), "conflict changed_since_read");
}

TEST_F(SeenByASession, EveryPathToAFileIsTheSameFile) {
  tree.file("in/real/f", "one");
  tree.link("in/link", "real");
  const auto files = open();
  read(*files, "s", "link/f");
  const Change change{.path = "real/f", .content = "two"};
  ASSERT_TRUE(files->apply({&change, 1}, {.session = "s"}));
  EXPECT_EQ(check(*files, "s", "link/f"), "");
  EXPECT_EQ(check(*files, "s", "real/../real/f"), "");
  tree.file("in/real/f", "three");
  EXPECT_EQ(check(*files, "s", "link/f"), "conflict changed_since_read");
}

TEST_F(SeenByASession, EveryRootHasItsFilesUnderTheSameNames) {
  const auto files = Workspace::make({.roots = {{"/"}}, .breadth = Breadth::any});
  ASSERT_TRUE(files);
  const std::string path = tree.path("in/file");
  tree.file("in/file", "one");
  (*files)->saw("s", *(*files)->open_file(path), "one");
  tree.file("in/file", "other");
  const auto checked = (*files)->check_seen("s", path);
  ASSERT_FALSE(checked);
  EXPECT_EQ(kind_of(checked.error()), "conflict changed_since_read");
}

TEST_F(SeenByASession, WhatWasSeenIsKnownAlthoughTheRootWasMovedBehindALink) {
  tree.file("in/file", "one");
  const auto files = open();
  read(*files, "s", "file");
  std::filesystem::rename(tree.path("in"), tree.path("moved"));
  tree.link("in", "moved");
  tree.file("in/file", "other");
  EXPECT_FALSE(files->check_seen("s", "file"));
}

TEST_F(SeenByASession, ATouchOfWhatWasSeenInPartIsNoneAndAChangeIsShown) {
  tree.file("in/file", "one\n");
  const auto files = open();
  files->saw("s", *files->open_file("file"), {});
  std::filesystem::last_write_time(tree.path("in/file"), {});
  EXPECT_EQ(check(*files, "s", "file"), "");
  tree.file("in/file", "two\n");
  const auto checked = files->check_seen("s", "file", *files->read_whole("file"));
  ASSERT_FALSE(checked);
  EXPECT_TRUE(has(checked.error().message, "two")) << checked.error().message;
}

TEST_F(SeenByASession, WhatIsTooLargeToCompareIsAConflictOnceItsTimeChanged) {
  tree.file("in/file", "one");
  std::filesystem::resize_file(tree.path("in/file"), kMaxWrite + 1);
  const auto files = open();
  files->saw("s", *files->open_file("file"), {});
  EXPECT_TRUE(files->check_seen("s", "file"));
  std::filesystem::resize_file(tree.path("in/file"), kMaxWrite + 2);
  EXPECT_FALSE(files->check_seen("s", "file"));
}

TEST_F(SeenByASession, ALinkIsNotWhatItLeadsTo) {
  tree.file("in/file", "one");
  tree.link("in/link", "file");
  const auto files = open();
  read(*files, "s", "link");
  tree.file("in/file", "two");
  const auto checked = files->check_seen("s", "link");
  ASSERT_TRUE(checked);
  EXPECT_FALSE(*checked);
}

TEST_F(SeenByASession, WhatWasOnlySeenInPartIsToldByItsTime) {
  tree.file("in/file", "one");
  const auto files = open();
  files->saw("s", *files->open_file("file"), {});
  EXPECT_EQ(check(*files, "s", "file"), "");
  tree.file("in/file", "longer");
  EXPECT_EQ(check(*files, "s", "file"), "conflict changed_since_read");
}

}  // namespace
}  // namespace helve::workspace

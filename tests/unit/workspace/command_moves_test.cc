// Files that bear another name after a command: undo gives them back their own, and never takes
// away what is left of them.
#include <gtest/gtest.h>

#include "unit/workspace/command_changes.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class CommandMovesTest : public CommandChanges {
 protected:
  void rename(const std::string& from, const std::string& to) const {
    fs::rename(tree.path("in/" + from), tree.path("in/" + to));
  }
  std::string content(const std::string& path) const { return tree.content("in/" + path); }
};

TEST_F(CommandMovesTest, AreTakenBackWhereTheOldNameIsAnothers) {
  tree.file("in/a", "mine\n");
  const CommandNote note = during([&] {
    rename("a", "a.bak");
    tree.file("in/a", "made\n");
  });
  EXPECT_EQ(note.unknown, Lines{});
  auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(content("a"), "mine\n");
  EXPECT_EQ(tree.names("in"), Lines{"a"});
  EXPECT_EQ(undo({.id = undone->applied.id}), Lines{});
  EXPECT_EQ(content("a"), "made\n");
  EXPECT_EQ(content("a.bak"), "mine\n");
}

TEST_F(CommandMovesTest, AreTakenBackInRows) {
  for (const char* name : {"a", "b", "new"}) tree.file("in/" + std::string(name), name);
  const CommandNote note = during([&] {
    rename("b", "c");
    rename("a", "b");
    rename("new", "a");
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(tree.names("in"), (Lines{"a", "b", "new"}));
  for (const char* name : {"a", "b", "new"}) EXPECT_EQ(content(name), name);
}

TEST_F(CommandMovesTest, AreTakenBackWhereTwoFilesChangedPlaces) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  EXPECT_EQ(during([&] {
              rename("a", "c");
              rename("b", "a");
              rename("c", "b");
            }).unknown,
            Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(content("a"), "a");
  EXPECT_EQ(content("b"), "b");
}

TEST_F(CommandMovesTest, AreTakenBackWithWhatTheyReplaced) {
  tree.file("in/a", "mine\n");
  tree.file("in/b", "read\n");
  see("b");
  EXPECT_EQ(during([&] { rename("a", "b"); }).unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(content("a"), "mine\n");
  EXPECT_EQ(content("b"), "read\n");
}

TEST_F(CommandMovesTest, AreLeftWithWhatTheyReplacedWhereThatIsNotKnown) {
  tree.file("in/a", "1");
  tree.file("in/b", "2");
  tree.file("in/c", "3");
  const CommandNote note = during([&] {
    rename("b", "c");
    rename("a", "b");
    tree.file("in/made");
  });
  EXPECT_EQ(note.unknown, (Lines{"a", "b", "c"}));
  EXPECT_EQ(undo().size(), 3u);
  EXPECT_EQ(tree.names("in"), (Lines{"b", "c"}));
  EXPECT_EQ(content("b"), "1");
  EXPECT_EQ(content("c"), "2");
}

TEST_F(CommandMovesTest, LeaveWhatWasWrittenToUnderItsNewName) {
  tree.file("in/unknown", "1");
  tree.file("in/known", "2");
  see("known");
  const CommandNote note = during([&] {
    rename("unknown", "u");
    rename("known", "k");
    std::ofstream(tree.path("in/u"), std::ios::app) << "more";
    std::ofstream(tree.path("in/k"), std::ios::app) << "more";
  });
  EXPECT_EQ(note.unknown, (Lines{"u", "unknown"}));
  EXPECT_EQ(undo().size(), 2u);
  EXPECT_EQ(tree.names("in"), (Lines{"known", "u"}));
  EXPECT_EQ(content("known"), "2");
  EXPECT_EQ(content("u"), "1more");
}

TEST_F(CommandMovesTest, LeaveWhatTookTheNameOfAFileAndCannotGo) {
  tree.file("in/a", "1");
  tree.file("in/b", "2");
  see("b");
  const CommandNote note = during([&] {
    rename("a", "moved");
    ::mkfifo(tree.path("in/a").c_str(), 0600);
    rename("b", "changed");
    std::ofstream(tree.path("in/changed"), std::ios::app) << "more";
    ::mkfifo(tree.path("in/b").c_str(), 0600);
    tree.file("in/made");
  });
  EXPECT_EQ(note.unknown, (Lines{"a", "b", "changed", "moved"}));
  EXPECT_EQ(undo().size(), 4u);
  EXPECT_EQ(content("moved"), "1");
  EXPECT_EQ(content("changed"), "2more");
  EXPECT_FALSE(tree.exists("in/made"));
}

TEST_F(CommandMovesTest, LeaveWhatTookTheNameOfADirectoryAndIsNotKnown) {
  commit({{"d/1", "one\n"}});
  tree.file("in/mine", "mine\n");
  const CommandNote note = during([&] {
    fs::remove_all(tree.path("in/d"));
    rename("mine", "d");
    tree.file("in/made");
  });
  EXPECT_EQ(note.unknown, (Lines{"d", "d/1", "mine"}));
  EXPECT_EQ(undo().size(), 3u);
  EXPECT_EQ(content("d"), "mine\n");
}

// The file goes where the directory was that comes to its place.
TEST_F(CommandMovesTest, IntoADirectoryThatTookTheNameOfAFileAreTakenBack) {
  commit({{"sub/b", "b\n"}, {"deep/x/y/z", "z\n"}});
  const CommandNote note = during([&] {
    rename("sub/b", "deep/x/b");
    rename("deep/x/y", "sub/b");
  });
  EXPECT_EQ(note.unknown, Lines{});
  EXPECT_EQ(undo(), Lines{});
  EXPECT_EQ(content("sub/b"), "b\n");
  EXPECT_EQ(content("deep/x/y/z"), "z\n");
  EXPECT_FALSE(tree.exists("in/deep/x/b"));
}

TEST_F(CommandMovesTest, IntoADirectoryThatTookTheNameOfAFileAreTakenBackWithoutTheDirectory) {
  tree.file("in/sub/b", "b\n");
  tree.file("in/deep/x/y/z", "z\n");
  const CommandNote note = during([&] {
    rename("sub/b", "deep/x/b");
    rename("deep/x/y", "sub/b");
  });
  EXPECT_EQ(note.unknown, (Lines{"deep/x/b", "sub/b"}));
  EXPECT_EQ(undo().size(), 2u);
  EXPECT_EQ(content("deep/x/b"), "b\n");
  EXPECT_EQ(content("deep/x/y/z"), "z\n");
}

TEST_F(CommandMovesTest, IntoItsOwnPlaceStay) {
  tree.file("in/a", "mine\n");
  const CommandNote note = during([&] {
    rename("a", "t");
    tree.directory("in/a");
    rename("t", "a/old");
    tree.file("in/made");
  });
  EXPECT_EQ(note.unknown, (Lines{"a", "a/old"}));
  EXPECT_EQ(undo().size(), 2u);
  EXPECT_EQ(content("a/old"), "mine\n");
}

TEST_F(CommandMovesTest, IntoANewRepositoryAreTakenBackWithoutIt) {
  tree.file("in/mine", "mine\n");
  const CommandNote note = during([&] {
    tree.file("in/r/.git/HEAD", "ref: refs/heads/main\n");
    tree.file("in/r/made");
    rename("mine", "r/mine");
  });
  EXPECT_EQ(note.unknown, Lines{"r/.git"});
  EXPECT_EQ(undo().size(), 1u);
  EXPECT_EQ(content("mine"), "mine\n");
  EXPECT_TRUE(tree.exists("in/r/.git/HEAD"));
  EXPECT_FALSE(tree.exists("in/r/made"));
}

TEST_F(CommandMovesTest, AreNotSeenInAFileThatGotTheInodeOfAnother) {
  tree.file("in/a", "mine\n");
  const CommandNote note = during([&] {
    fs::remove(tree.path("in/a"));
    tree.file("in/made", "longer than that\n");
  });
  EXPECT_EQ(note.unknown, Lines{"a"});
  EXPECT_EQ(undo().size(), 1u);
  EXPECT_FALSE(tree.exists("in/made"));
}

}  // namespace
}  // namespace helve::workspace

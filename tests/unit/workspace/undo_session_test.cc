// Undoing what a session did when others worked on the same files, or when it made room for itself:
// nothing of theirs is lost, and what is refused names the reason.
#include <sys/stat.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;

class UndoingASession : public WorkspaceTest {
 protected:
  void apply(const Change& change, std::string_view session = "s") {
    const auto applied = files_->apply({&change, 1}, {.tool = "test", .session = session});
    if (!applied) ADD_FAILURE() << describe(applied.error());
    last_ = applied ? applied->id : "";
  }
  void write(std::string path, std::string content, std::string_view session = "s") {
    apply({.path = std::move(path), .content = std::move(content)}, session);
  }
  void move(std::string path, std::string to) {
    apply({.kind = Kind::move, .path = std::move(path), .to = std::move(to)});
  }
  void remove(std::string path) { apply({.kind = Kind::remove, .path = std::move(path)}); }
  std::string undo(const Selection& selection = {.session = "s"}) {
    const auto undone = files_->undo(selection, Rehearsal::no, {.tool = "undo", .session = "u"});
    return undone ? "" : kind_of(undone.error()) + ": " + undone.error().message;
  }
  std::string content(const std::string& path) const { return tree.content("in/" + path); }

  unsigned mode(const std::string& path) const {
    struct stat s {};
    EXPECT_EQ(::stat(tree.path("in/" + path).c_str(), &s), 0);
    return s.st_mode & 07777;
  }

  std::unique_ptr<Workspace> files_ = journaled();
  std::string last_;  // id of the newest change
};

TEST_F(UndoingASession, KeepsWhatSomebodyWroteBetweenTwoOfItsChanges) {
  tree.file("in/f", "one");
  write("f", "agent 1");
  const std::string first = last_;
  tree.file("in/f", "agent 1, and the user's");
  write("f", "agent 2, and the user's");
  EXPECT_EQ(undo(), "conflict changed_since: 'f' was changed by others after change " + first +
                        ", and then again");
  EXPECT_EQ(content("f"), "agent 2, and the user's");
  EXPECT_EQ(undo({.id = last_}), "");
  EXPECT_EQ(content("f"), "agent 1, and the user's");
}

TEST_F(UndoingASession, KeepsWhatSomebodyWroteIntoAFileThatItMade) {
  write("f", "agent 1");
  tree.file("in/f", "the user's");
  write("f", "agent 2");
  EXPECT_NE(undo(), "");
  EXPECT_EQ(content("f"), "agent 2");
}

TEST_F(UndoingASession, KeepsWhatAnotherSessionDidInBetween) {
  tree.file("in/f", "one two");
  write("f", "ONE two");
  write("f", "ONE TWO", "other");
  write("f", "1 TWO");
  EXPECT_NE(undo(), "");
  EXPECT_EQ(content("f"), "1 TWO");
}

TEST_F(UndoingASession, TakesBackItsChangesWhenWhatAnotherDidWasUndone) {
  tree.file("in/f", "one two");
  write("f", "ONE two");
  write("f", "ONE TWO", "other");
  EXPECT_EQ(undo({.id = last_}), "");
  write("f", "1 two");
  EXPECT_EQ(undo(), "");
  EXPECT_EQ(content("f"), "one two");
}

TEST_F(UndoingASession, TakesBackItsChangesOfAFileThatGotAnotherTime) {
  tree.file("in/f", "one");
  write("f", "two");
  tree.file("in/f", "two");
  write("f", "three");
  EXPECT_EQ(undo(), "");
  EXPECT_EQ(content("f"), "one");
}

TEST_F(UndoingASession, KeepsWhatSomebodyWroteBeforeItsMove) {
  write("f", "agent");
  tree.file("in/f", "the user's");
  move("f", "g");
  EXPECT_NE(undo(), "");
  EXPECT_EQ(content("g"), "the user's");
}

TEST_F(UndoingASession, TakesBackAFileThatItWroteAndMoved) {
  write("f", "agent");
  tree.file("in/f", "agent");
  move("f", "g");
  EXPECT_EQ(undo(), "");
  EXPECT_FALSE(std::filesystem::exists(tree.path("in/g")));
}

TEST_F(UndoingASession, KeepsWhatSomebodyWroteAfterItsMove) {
  tree.file("in/f", "one");
  move("f", "g");
  tree.file("in/g", "the user's, which is longer");
  write("g", "agent");
  EXPECT_NE(undo(), "");
  EXPECT_EQ(content("g"), "agent");
}

TEST_F(UndoingASession, TellsFilesOfOneArchiveApart) {
  for (const char* name : {"a", "c"}) {
    tree.file("in/" + std::string(name), name);
    std::filesystem::last_write_time(tree.path("in/" + std::string(name)), {});
  }
  move("a", "b");
  apply({.kind = Kind::move, .path = "c", .to = "b", .replace = true}, "other");
  const std::string theirs = last_;
  move("b", "d");
  EXPECT_TRUE(has(undo(), "'b' was changed by others"));
  EXPECT_EQ(content("d"), "c");
  EXPECT_EQ(undo({.own_session = "s"}), "");
  EXPECT_EQ(undo({.id = theirs}), "");
  EXPECT_EQ(undo(), "");
  EXPECT_EQ(content("a"), "a");
  EXPECT_EQ(content("c"), "c");
}

TEST_F(UndoingASession, TellsFilesOfOneArchiveApartWhenOneWasRestored) {
  for (const char* name : {"a", "c"}) {
    tree.file("in/" + std::string(name), name);
    std::filesystem::last_write_time(tree.path("in/" + std::string(name)), {});
  }
  move("a", "b");
  apply({.kind = Kind::remove, .path = "c"}, "other");
  EXPECT_EQ(undo({.id = last_}), "");
  apply({.kind = Kind::move, .path = "c", .to = "b", .replace = true}, "other");
  move("b", "d");
  EXPECT_TRUE(has(undo(), "'b' was changed by others"));
  EXPECT_EQ(content("d"), "c");
}

TEST_F(UndoingASession, KeepsTheModeThatSomebodyGaveAFileInBetween) {
  for (const bool is_moved : {false, true}) {
    tree.file("in/f", "one");
    write("f", "agent");
    ASSERT_EQ(::chmod(tree.path("in/f").c_str(), 0755), 0);
    is_moved ? move("f", "g") : remove("f");
    EXPECT_TRUE(has(undo(), "the mode of 'f' was changed by others")) << is_moved;
    EXPECT_EQ(undo({.own_session = "s"}), "");
    EXPECT_EQ(undo({.own_session = "s"}), "");
    EXPECT_EQ(content("f"), "one");
    EXPECT_EQ(mode("f"), 0755u) << is_moved;
    std::filesystem::remove(tree.path("in/f"));
  }
}

TEST_F(UndoingASession, LeavesTheModeThatSomebodyGaveAFileThatItOnlyWrote) {
  tree.file("in/f", "one");
  write("f", "agent 1");
  ASSERT_EQ(::chmod(tree.path("in/f").c_str(), 0755), 0);
  write("f", "agent 2");
  EXPECT_EQ(undo(), "");
  EXPECT_EQ(content("f"), "one");
  EXPECT_EQ(mode("f"), 0755u);
}

TEST_F(UndoingASession, TakesBackMovesOfADirectoryThatWasDeletedAndRestoredInBetween) {
  tree.file("in/d/x", "x");
  move("d", "e");
  apply({.kind = Kind::remove, .path = "e", .tree = true});
  EXPECT_EQ(undo({.id = last_}), "");
  move("e", "h");
  EXPECT_EQ(undo(), "");
  EXPECT_EQ(content("d/x"), "x");
}

TEST_F(UndoingASession, KeepsWhatCameToWhereItRemovedAFile) {
  tree.file("in/f", "one");
  remove("f");
  tree.file("in/f", "the user's");
  write("f", "agent");
  EXPECT_NE(undo(), "");
  EXPECT_EQ(content("f"), "agent");
}

TEST_F(UndoingASession, TakesBackOtherFilesByPath) {
  tree.file("in/f", "one");
  tree.file("in/g", "one");
  write("f", "agent 1");
  tree.file("in/f", "the user's");
  write("f", "agent 2");
  write("g", "agent");
  EXPECT_NE(undo(), "");
  EXPECT_EQ(undo({.session = "s", .path = "g"}), "");
  EXPECT_EQ(content("g"), "one");
  EXPECT_EQ(content("f"), "agent 2");
}

TEST_F(UndoingASession, SaysThatADirectoryThatItMadeIsInTheWay) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  move("a", "c");
  move("b", "a/b");
  EXPECT_EQ(undo(), "unsupported directory_in_the_way: 'a' is a directory now");
  EXPECT_EQ(undo({.own_session = "s"}), "");
  EXPECT_EQ(undo({.own_session = "s"}), "");
  EXPECT_EQ(content("a"), "a");
  EXPECT_EQ(content("b"), "b");
}

TEST_F(UndoingASession, TakesADirectoryAwayThatItMadeWhereItHadAFile) {
  tree.file("in/b", "b");
  write("a", "a");
  move("a", "c");
  move("b", "a/b");
  EXPECT_EQ(undo(), "");
  EXPECT_EQ(content("b"), "b");
  EXPECT_FALSE(std::filesystem::exists(tree.path("in/a")));
  EXPECT_FALSE(std::filesystem::exists(tree.path("in/c")));
}

}  // namespace
}  // namespace helve::workspace

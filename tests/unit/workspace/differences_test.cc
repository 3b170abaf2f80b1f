// What several changes did together, when directories went elsewhere in between.
#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;

class ShowingDifferences : public WorkspaceTest {
 protected:
  void apply(std::vector<Change> changes, std::string_view session = "s") {
    const auto applied = files_->apply(changes, {.tool = "test", .session = session});
    if (!applied) ADD_FAILURE() << describe(applied.error());
  }
  void write(std::string path, std::string content) {
    apply({{.path = std::move(path), .content = std::move(content)}});
  }
  void move(std::string path, std::string to) {
    apply({{.kind = Kind::move, .path = std::move(path), .to = std::move(to), .replace = true}});
  }
  void remove(std::string path) {
    const bool is_tree = std::filesystem::is_directory(tree.path("in/" + path));
    apply({{.kind = Kind::remove, .path = std::move(path), .tree = is_tree}});
  }

  // One line for each file: "path: before -> after", where "-" is no file.
  std::string shown(const Selection& selection = {.session = "s"}) {
    const auto found = files_->differences(selection);
    if (!found) return describe(found.error());
    std::string out;
    for (const Difference& file : found->files) {
      out += file.path + ": ";
      if (!file.note.empty()) {
        out += "(" + file.note + ")\n";
      } else if (!file.renamed_from.empty() && !file.after) {
        out += "was " + file.renamed_from + "\n";
      } else {
        out += file.before.value_or("-") + " -> " + file.after.value_or("-") + "\n";
      }
    }
    return out;
  }

  std::unique_ptr<Workspace> files_ = journaled();
};

TEST_F(ShowingDifferences, OfAFileMadeInADirectoryThatWasMovedThen) {
  write("new/x", "1");
  move("new", "pkg");
  EXPECT_EQ(shown(), "pkg/x: - -> 1\n");
}

TEST_F(ShowingDifferences, OfADirectoryOfWhichAFileWasChangedBefore) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  write("d/x", "2");
  move("d", "e");
  EXPECT_EQ(shown(), "d/x: 1 -> -\ne/x: - -> 2\ne/y: was d/y\n");
}

TEST_F(ShowingDifferences, OfADirectoryOfWhichAFileWasChangedAfterwards) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  move("d", "e");
  write("e/x", "2");
  write("e/new", "n");
  EXPECT_EQ(shown(), "d/x: 1 -> -\ne/new: - -> n\ne/x: - -> 2\ne/y: was d/y\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatWasMovedTwice) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  write("d/x", "2");
  move("d", "e");
  write("e/x", "3");
  move("e", "f");
  EXPECT_EQ(shown(), "d/x: 1 -> -\nf/x: - -> 3\nf/y: was d/y\n");
}

TEST_F(ShowingDifferences, OfAFileMovedIntoADirectoryAndWithIt) {
  tree.file("in/x", "1");
  tree.file("in/d/y", "y");
  move("x", "d/x");
  move("d", "e");
  EXPECT_EQ(shown(), "e/x: was x\ne/y: was d/y\n");
}

TEST_F(ShowingDifferences, OfAFileMovedOutOfADirectoryThatWasMoved) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  move("d", "e");
  move("e/x", "x");
  EXPECT_EQ(shown(), "e/y: was d/y\nx: was d/x\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatIsGoneAndWasChangedBefore) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  write("d/x", "2");
  write("d/new", "n");
  remove("d");
  EXPECT_EQ(shown(), "d/x: 1 -> -\nd/y: y -> -\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatIsGoneAndWasMovedBefore) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  move("d", "e");
  write("e/x", "2");
  remove("e");
  EXPECT_EQ(shown(), "d/x: 1 -> -\nd/y: y -> -\n");
}

TEST_F(ShowingDifferences, OfAFileMovedIntoADirectoryThatIsGone) {
  tree.file("in/x", "1");
  tree.file("in/d/y", "y");
  move("x", "d/x");
  remove("d");
  EXPECT_EQ(shown(), "d/y: y -> -\nx: 1 -> -\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatIsGoneAndMadeAgain) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "y");
  remove("d");
  write("d/x", "2");
  write("d/new", "n");
  EXPECT_EQ(shown(), "d/new: - -> n\nd/x: 1 -> 2\nd/y: y -> -\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatBecameAFile) {
  tree.file("in/d/x", "1");
  remove("d");
  write("d", "2");
  EXPECT_EQ(shown(), "d: - -> 2\nd/x: 1 -> -\n");
}

TEST_F(ShowingDifferences, NotOfADirectoryThatWasRestored) {
  tree.file("in/d/x", "1");
  write("a", "a");
  remove("d");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"}));
  EXPECT_EQ(shown({.since = past->changes.at(1).id}), "");
}

TEST_F(ShowingDifferences, SaysWhatItDoesNotKnowOfADirectoryThatMadeWay) {
  tree.file("in/d/x", "1");
  move("d", "e");
  write("d/x", "2");
  EXPECT_EQ(shown(),
            "d/x: (not shown: it was in a directory that made way for another)\ne/x: was d/x\n");
}

TEST_F(ShowingDifferences, OfALinkThatBecameAFileByAnotherName) {
  tree.link("in/ln", "a");
  tree.file("in/b", "2");
  move("b", "ln");
  apply({{.path = "new", .content = "3", .like = "ln", .is_rename = true},
         {.kind = Kind::remove, .path = "ln"}});
  EXPECT_EQ(shown(), "b: 2 -> -\nln: a -> -\nnew: - -> 3\n") << "no patch renames a link so";
}

TEST_F(ShowingDifferences, TellsTheModesOfAFileThatWasReplaced) {
  tree.file("in/plain", "p");
  tree.file("in/run", "r");
  std::filesystem::permissions(tree.path("in/run"), std::filesystem::perms(0755));
  move("plain", "run");
  const auto found = files_->differences({.path = "run", .own_session = "s"});
  ASSERT_TRUE(found);
  const auto run = std::ranges::find(found->files, "run", &Difference::path);
  ASSERT_NE(run, found->files.end());
  EXPECT_EQ(run->old_mode, 0100755u);
  EXPECT_EQ(run->new_mode, 0100644u);
}

TEST_F(ShowingDifferences, IsOfferedWhereUndoIsNot) {
  write("new/x", "1");
  move("new", "pkg");
  const auto undone = files_->undo({.session = "s"}, Rehearsal::no, {.session = "s"});
  ASSERT_FALSE(undone);
  EXPECT_EQ(kind_of(undone.error()), "unsupported directory_in_the_way");
  EXPECT_TRUE(has(undone.error().message, "'new' was moved")) << undone.error().message;
}

}  // namespace
}  // namespace helve::workspace

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
  void write(std::string path, std::string content, std::string_view session = "s") {
    apply({{.path = std::move(path), .content = std::move(content)}}, session);
  }
  void move(std::string path, std::string to) {
    apply({{.kind = Kind::move, .path = std::move(path), .to = std::move(to), .replace = true}});
  }
  void remove(std::string path) {
    const bool is_tree = std::filesystem::is_directory(tree.path("in/" + path));
    apply({{.kind = Kind::remove, .path = std::move(path), .tree = is_tree}});
  }

  std::string newest() {
    const auto past = files_->past({});
    return past ? past->changes.at(0).id : describe(past.error());
  }
  std::string undo() {
    const auto undone = files_->undo({.own_session = "s"}, Rehearsal::no, {.session = "s"});
    return undone ? undone->applied.id : describe(undone.error());
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

TEST_F(ShowingDifferences, OfADirectoryThatMadeWayForAnother) {
  tree.file("in/d/x", "1");
  move("d", "e");
  write("d/x", "2");
  EXPECT_EQ(shown(), "d/x: 1 -> 2\ne/x: - -> 1\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatMadeWayForAFile) {
  tree.file("in/d/x", "1");
  tree.file("in/f", "f");
  move("d", "e");
  move("f", "d");
  EXPECT_EQ(shown(), "d: was f\ne/x: was d/x\n");
}

TEST_F(ShowingDifferences, OfAFileThatMadeWayForADirectory) {
  tree.file("in/b", "1");
  move("b", "d/x");
  move("d", "b");
  EXPECT_EQ(shown(), "b/x: was b\n");
}

TEST_F(ShowingDifferences, OfAFileWhereOnlyADirectoryWithAFileWas) {
  tree.file("in/a", "1");
  write("d/x", "2");
  move("d", "e");
  move("a", "d/x/y");
  EXPECT_EQ(shown(), "d/x/y: was a\ne/x: - -> 2\n");
}

TEST_F(ShowingDifferences, OfADirectoryToWhoseOldNameAFileOfItCameLater) {
  tree.file("in/d/x", "1");
  move("d", "e");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  move("e/x", "d/y");
  EXPECT_EQ(shown({.id = past->changes.at(0).id}), "e/x: was d/x\n");
}

TEST_F(ShowingDifferences, OfALinkThatMadeWayForADirectory) {
  tree.link("in/ln", "nowhere");
  tree.file("in/f", "1");
  move("ln", "other");
  move("f", "ln/f");
  EXPECT_EQ(shown(), "ln: nowhere -> -\nln/f: was f\nother: - -> nowhere\n");
}

TEST_F(ShowingDifferences, OfTwoDirectoriesThatChangedPlaces) {
  tree.file("in/d/x", "1");
  tree.file("in/g/y", "2");
  move("d", "t");
  move("g", "d");
  move("t", "g");
  EXPECT_EQ(shown(), "d/y: was g/y\ng/x: was d/x\n");
}

TEST_F(ShowingDifferences, NotOfWhatCameLaterToADirectoryThatWasMoved) {
  tree.file("in/d/x", "1");
  move("d", "e");
  write("e/later", "l", "other");
  write("e/x", "2", "other");
  EXPECT_EQ(shown(), "e/x: was d/x\n");
}

TEST_F(ShowingDifferences, OfAMovedDirectoryWhenAnotherChangeInItWasUndone) {
  tree.file("in/d/x", "1");
  move("d", "e");
  write("e/x", "2");
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"}));
  write("z", "z");
  EXPECT_EQ(shown(), "e/x: was d/x\nz: - -> z\n");
}

TEST_F(ShowingDifferences, OfAMovedDirectoryThatWasDeletedAndRestored) {
  tree.file("in/d/x", "1");
  move("d", "e");
  remove("e");
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"}));
  write("z", "z");
  EXPECT_EQ(shown(), "e/x: was d/x\nz: - -> z\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatWasMovedOnAfterAFileInItWasRestored) {
  tree.file("in/d/x", "1");
  move("d", "e");
  remove("e/x");
  (void)undo();
  // The clock of files may be some milliseconds behind.
  const auto restored = std::filesystem::last_write_time(tree.path("in/e"));
  do {
    tree.file("in/tick", "");
  } while (std::filesystem::last_write_time(tree.path("in/tick")) <
           restored + std::chrono::milliseconds(20));
  move("e", "h");
  EXPECT_EQ(shown(), "h/x: was d/x\n");
}

TEST_F(ShowingDifferences, SaysWhatOfAMovedDirectoryNoChangeExplains) {
  tree.file("in/d/x", "1");
  tree.file("in/d/edited", "1");
  move("d", "e");
  tree.file("in/e/edited", "2");
  // The clock of files may be some milliseconds behind.
  const auto moved = std::filesystem::last_write_time(tree.path("in/e/edited"));
  do {
    std::filesystem::remove(tree.path("in/e/users"));
    tree.file("in/e/users", "u");
  } while (std::filesystem::last_write_time(tree.path("in/e/users")) <
           moved + std::chrono::milliseconds(50));
  EXPECT_EQ(shown(),
            "e/edited: was d/edited\n"
            "e/users: (left out: made or replaced after its directory was moved)\n"
            "e/x: was d/x\n");
}

TEST_F(ShowingDifferences, SaysThatWhatAToolRemovedCameLaterToAMovedDirectory) {
  tree.file("in/d/x", "1");
  tree.file("in/d/y", "1");
  move("d", "e");
  const std::string id = newest();
  const auto moved = std::filesystem::file_time_type::clock::now();
  do {
    std::filesystem::remove(tree.path("in/e/users"));
    tree.file("in/e/users", "u");
  } while (std::filesystem::last_write_time(tree.path("in/e/users")) <
           moved + std::chrono::milliseconds(50));
  remove("e/users");
  remove("e/x");
  move("e/y", "z");
  EXPECT_EQ(shown({.id = id}),
            "e/users: (left out: made or replaced after its directory was moved)\n"
            "e/x: was d/x\n"
            "e/y: was d/y\n");
}

TEST_F(ShowingDifferences, OfAMovedDirectoryWhoseNameAnotherBearsNow) {
  tree.file("in/d/x", "1");
  tree.file("in/g/y", "2");
  move("d", "e");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  move("e", "h");
  move("g", "e");
  EXPECT_EQ(shown({.id = past->changes.at(0).id}), "e/x: was d/x\n");
}

TEST_F(ShowingDifferences, OfAMovedDirectoryThatIsGone) {
  tree.file("in/d/x", "1");
  move("d", "e");
  std::filesystem::remove_all(tree.path("in/e"));
  EXPECT_EQ(shown(), "e: (a directory, moved from d; what it held is not known any more)\n");
}

TEST_F(ShowingDifferences, OfARestoredDirectoryAsItWasRestored) {
  tree.file("in/d/f", "old");
  remove("d");
  const auto undone =
      files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"});
  ASSERT_TRUE(undone);
  write("d/f", "later");
  tree.file("in/d/users", "u");
  EXPECT_EQ(shown({.id = undone->applied.id}), "d/f: - -> old\n");
}

TEST_F(ShowingDifferences, OfDirectoriesThatWereRestoredTogether) {
  for (const char* path : {"in/a/x", "in/b/x"}) {
    tree.file(path, path);
    std::filesystem::last_write_time(tree.path(path), {});
  }
  remove("a");
  move("b", "c");
  remove("c");
  const auto undone = files_->undo({.session = "s"}, Rehearsal::no, {.session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  tree.file("in/a/x", "the user's");
  tree.file("in/b/x", "the user's");
  EXPECT_EQ(shown({.id = undone->applied.id}), "a/x: - -> in/a/x\nb/x: - -> in/b/x\n");
}

TEST_F(ShowingDifferences, OfAFileThatIsNewInADirectoryThatWasRestored) {
  write("z", "1");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  write("d/f", "new");
  remove("d");
  ASSERT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "s"}));
  EXPECT_EQ(shown({.since = past->changes.at(0).id}), "d/f: - -> new\n");
}

TEST_F(ShowingDifferences, NotOfWhatOthersWroteSince) {
  tree.file("in/f", "one");
  write("f", "agent 1");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  const std::string id = past->changes.at(0).id;
  tree.file("in/f", "agent 1, and the user's");
  EXPECT_EQ(shown({.id = id}), "f: (what it became is not kept any more)\n");
  write("f", "agent 2, and the user's");
  EXPECT_EQ(shown({.id = id}), "f: (what it became is not kept any more)\n");
  EXPECT_EQ(shown(), "f: (others changed it after change " + id +
                         ": that is shown, too)\nf: one -> agent 2, and the user's\n");
  const auto counted = files_->past({});
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->changes.at(1).files.at(0).added, std::nullopt);
  EXPECT_EQ(counted->changes.at(0).files.at(0).added, 1u);
}

TEST_F(ShowingDifferences, NotOfWhatOthersPutWhereSomethingWasRemoved) {
  tree.file("in/f", "1");
  tree.file("in/d/x", "1");
  remove("f");
  remove("d");
  tree.file("in/f", "the user's");
  tree.file("in/d/x", "the user's");
  EXPECT_EQ(shown(), "d/x: 1 -> -\nf: 1 -> -\n");
}

TEST_F(ShowingDifferences, NotOfWhatOthersPutThereAndAToolMovedOn) {
  tree.file("in/f", "old");
  remove("f");
  const std::string id = newest();
  tree.file("in/f/x", "the user's");
  move("f/x", "y");
  EXPECT_EQ(shown({.id = id}), "f: old -> -\n");
}

TEST_F(ShowingDifferences, NotOfWhatOthersPutThereAndAToolChanged) {
  tree.file("in/d/x", "1");
  remove("d");
  const std::string id = newest();
  tree.file("in/d/x", "the user's");
  move("d", "e");
  write("e/x", "2");
  EXPECT_EQ(shown({.id = id}), "d/x: 1 -> -\n");
}

TEST_F(ShowingDifferences, OfARestoredDirectoryInWhichOthersWroteBeforeATool) {
  tree.file("in/d/x", "1");
  remove("d");
  const std::string id = undo();
  tree.file("in/d/x", "the user's");
  write("d/x", "2");
  EXPECT_EQ(shown({.id = id}), "d/x: - -> 1\n");
}

TEST_F(ShowingDifferences, NotOfADirectoryThatOthersPutWhereOneWasMoved) {
  const std::string unknown =
      "e: (a directory, moved from d; what it held is not known any more)\n";
  tree.file("in/d/x", "1");
  move("d", "e");
  const std::string id = newest();
  std::filesystem::rename(tree.path("in/e"), tree.path("in/h"));
  tree.file("in/e/z", "the user's");
  move("e/z", "q");
  EXPECT_EQ(shown({.id = id}), unknown);
  remove("e");
  EXPECT_EQ(shown({.id = id}), unknown);
}

TEST_F(ShowingDifferences, OfAMovedDirectoryThatWasRestoredAndDeletedAgain) {
  tree.file("in/d/x", "1");
  move("d", "e");
  const std::string id = newest();
  remove("e");
  (void)undo();
  remove("e");
  EXPECT_EQ(shown({.id = id}), "e/x: was d/x\n");
}

TEST_F(ShowingDifferences, SaysThatWhatWasWrittenIsGone) {
  tree.file("in/d/x", "1");
  move("d", "e");
  write("e/x", "2");
  write("e/new", "n");
  std::filesystem::remove(tree.path("in/e/x"));
  std::filesystem::remove(tree.path("in/e/new"));
  EXPECT_EQ(shown(),
            "d/x: 1 -> -\n"
            "e/new: (what it became is not kept any more)\n"
            "e/x: (what it became is not kept any more)\n");
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

TEST_F(ShowingDifferences, NotOfAModeThatOthersGaveAFile) {
  tree.file("in/f", "1");
  write("f", "2");
  std::filesystem::permissions(tree.path("in/f"), std::filesystem::perms(0755));
  const auto found = files_->differences({.session = "s"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->files.at(0).old_mode, 0100644u);
  EXPECT_EQ(found->files.at(0).new_mode, 0100644u);
}

TEST_F(ShowingDifferences, OfFilesOfOneSizeAndTime) {
  tree.file("in/a", "AAA");
  tree.file("in/b", "BBB");
  tree.file("in/d/f", "old");
  const auto time = std::filesystem::last_write_time(tree.path("in/a"));
  const auto set_time = [&](const char* path) {
    std::filesystem::last_write_time(tree.path(path), time);
  };
  set_time("in/b");
  set_time("in/d/f");
  move("a", "b");
  write("d/f", "new");
  set_time("in/d/f");
  EXPECT_EQ(shown(), "a: AAA -> -\nb: BBB -> AAA\nd/f: old -> new\n");
}

TEST_F(ShowingDifferences, OfAFileOfOneSizeAndTimeInADirectoryThatWasRestored) {
  const auto undo = [&] {
    EXPECT_TRUE(files_->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo"}));
  };
  tree.file("in/d/f", "old");
  const auto time = std::filesystem::last_write_time(tree.path("in/d/f"));
  write("z", "z");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  remove("d");
  undo();
  write("d/f", "new");
  std::filesystem::last_write_time(tree.path("in/d/f"), time);
  remove("d");
  undo();
  EXPECT_EQ(shown({.since = past->changes.at(0).id}), "d/f: old -> new\n");
}

TEST_F(ShowingDifferences, SaysThatALargeDirectoryWasMoved) {
  for (int i = 0; i <= 4096; ++i) tree.file("in/d/sub/" + std::to_string(i), "x");
  tree.file("in/small/x", "x");
  tree.file("in/z", "1");
  write("d/sub/7", "1");
  move("d", "e");
  move("small", "to");
  write("z", "2");
  const std::string d = "d/sub/7: x -> -\n";
  const std::string e =
      "e: (a directory, moved from d, with more files than can be shown)\n"
      "e/sub/7: - -> 1\n";
  EXPECT_EQ(shown(), d + e + "to/x: was small/x\nz: 1 -> 2\n");
  EXPECT_EQ(shown({.session = "s", .path = "d"}), d + e);
  EXPECT_EQ(shown({.session = "s", .path = "z"}), "z: 1 -> 2\n");
}

TEST_F(ShowingDifferences, NotHalfOfAMoveWhenTheOtherHalfIsTooDeep) {
  const auto deep = [](std::string name) {
    for (int i = 0; i < 200; ++i) name += "/d";
    return name;
  };
  for (const char* name : {"a", "b", "c"}) tree.file("in/" + deep(name) + "/x", name);
  move("b", deep("a") + "/b");
  move("c", deep("a") + "/" + deep("b") + "/c");
  EXPECT_EQ(shown(), ".: (not all that changed is shown: name a path to see more of it)\n" +
                         deep("a") + "/" + deep("b") + "/x: was " + deep("b") + "/x\n");
}

TEST_F(ShowingDifferences, OfADirectoryThatIsEmptyNow) {
  tree.directory("in/d");
  move("d", "e");
  const auto past = files_->past({});
  ASSERT_TRUE(past);
  write("e/later", "l");
  EXPECT_EQ(shown({.id = past->changes.at(0).id}), "e: (a directory, moved from d)\n");
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

// Undoing some files of a change, and what is left to undo then.
#include <fmt/core.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;

class Partly : public WorkspaceTest {
 protected:
  Partly() {
    for (const char* name : {"a", "b", "c"}) tree.file(std::string("in/") + name, name);
    auto made = Workspace::make({.roots = {{tree.path("in")}},
                                 .durability = Durability::unsynced,
                                 .journal_directory = tree.path("journal")});
    if (made) files = std::move(*made);
  }
  std::string apply(const std::vector<Change>& changes, std::string_view session = "s") const {
    const auto applied = files->apply(changes, {.tool = "test", .session = session});
    if (applied) return applied->id;
    ADD_FAILURE() << describe(applied.error());
    return "";
  }
  static Change write(std::string path, std::string content) {
    return {.path = std::move(path), .content = std::move(content)};
  }
  static Change move(std::string path, std::string to) {
    return {.kind = Kind::move, .path = std::move(path), .to = std::move(to)};
  }
  Result<Undone> undo(Selection selection) const {
    if (selection.own_session.empty()) selection.own_session = "s";
    return files->undo(selection, Rehearsal::no, {.tool = "undo", .session = "s"});
  }
  // Empty, or why not.
  std::string undo_path(const std::string& path) const {
    const auto undone = undo({.path = path});
    return undone ? "" : describe(undone.error());
  }
  std::string all() const {
    std::string out;
    for (const std::string& name : tree.names("in")) {
      out += name + "=" + tree.content("in/" + name) + " ";
    }
    return out;
  }
  std::string id_of(size_t index) const { return files->past({})->changes.at(index).id; }

  std::unique_ptr<Workspace> files;
};

TEST_F(Partly, APathIsUndoneAlthoughOtherFilesWereChangedLater) {
  apply({write("a", "A")});
  apply({write("b", "B")});
  apply({write("a", "AA")});
  apply({write("b", "BB")});
  EXPECT_EQ(undo_path("a"), "");
  EXPECT_EQ(all(), "a=A b=BB c=c ");
  EXPECT_EQ(undo_path("b"), "");
  EXPECT_EQ(undo_path("a"), "");
  EXPECT_EQ(all(), "a=a b=B c=c ");
  EXPECT_TRUE(has(undo_path("a"), "no change at 'a'"));
}

TEST_F(Partly, EachFileOfAChangeIsUndoneOnce) {
  apply({write("a", "A"), write("b", "B"), write("c", "C")});
  EXPECT_EQ(undo_path("a"), "");
  EXPECT_EQ(all(), "a=a b=B c=C ");
  EXPECT_TRUE(has(undo_path("a"), "not undone yet"));
  EXPECT_EQ(undo_path("b"), "");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=a b=b c=c ");
  EXPECT_FALSE(undo({}));
}

TEST_F(Partly, WhatIsLeftIsUndoneAlthoughAnUndoneFileWasChangedAgain) {
  apply({write("a", "A"), write("b", "B")});
  EXPECT_EQ(undo_path("a"), "");
  tree.file("in/a", "by hand");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=by hand b=b c=c ");
}

TEST_F(Partly, TheListTellsWhatIsUndone) {
  apply({write("a", "A"), write("b", "B")});
  EXPECT_EQ(undo_path("a"), "");
  const auto past = files->past({});
  ASSERT_EQ(past->changes.size(), 2u);
  EXPECT_EQ(past->changes[0].undoes, std::vector<std::string>{past->changes[1].id});
  EXPECT_TRUE(past->changes[1].partly_undone);
  EXPECT_FALSE(past->changes[1].undone);
  EXPECT_TRUE(past->changes[1].files.at(0).undone);
  EXPECT_FALSE(past->changes[1].files.at(1).undone);
  EXPECT_TRUE(undo({}));
  EXPECT_TRUE(files->past({})->changes.at(2).undone);
}

TEST_F(Partly, AnUndoIsUndoneByItsIdAndThenTheChangeIsOpenAgain) {
  apply({write("a", "A"), write("b", "B")});
  EXPECT_EQ(undo_path("a"), "");
  EXPECT_TRUE(undo({.id = id_of(0)}));
  EXPECT_EQ(all(), "a=A b=B c=c ");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=a b=b c=c ");
}

TEST_F(Partly, AnUndoIsUndoneForOnePath) {
  const std::string id = apply({write("a", "A"), move("b", "d")});
  EXPECT_TRUE(undo({}));
  EXPECT_TRUE(undo({.id = id_of(0), .path = "d"}));
  EXPECT_EQ(all(), "a=a c=c d=b ");
  const auto change = files->past({})->changes.at(2);
  EXPECT_EQ(change.id, id);
  EXPECT_TRUE(change.partly_undone);
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=a b=b c=c ");
}

TEST_F(Partly, AChangeThatIsUndoneSaysWhatBringsItBack) {
  const std::string id = apply({write("a", "A")});
  const std::string undo_id = undo({})->applied.id;
  const auto again = undo({.id = id});
  ASSERT_FALSE(again);
  EXPECT_TRUE(has(again.error().message, "undone already"));
  EXPECT_TRUE(has(again.error().hint, undo_id)) << again.error().hint;
}

TEST_F(Partly, AnIdMayBeShortenedWhileItIsTheOnlyOne) {
  const std::string first = apply({write("a", "A")});
  apply({write("b", "B")});
  EXPECT_TRUE(has(undo({.id = "c_"}).error().message, "2 changes begin with"));
  EXPECT_TRUE(undo({.id = first.substr(0, first.size() - 1)}));
  EXPECT_EQ(all(), "a=a b=B c=c ");
}

TEST_F(Partly, AConflictNamesTheLaterChange) {
  const std::string first = apply({write("a", "A")});
  const std::string second = apply({move("a", "d")});
  const auto undone = undo({.id = first});
  ASSERT_FALSE(undone);
  EXPECT_TRUE(has(undone.error().hint, "undo " + second + " first")) << undone.error().hint;
}

TEST_F(Partly, AConflictNamesWhatRemovedADirectoryAtTheSameTime) {
  tree.file("in/d/f", "old");
  const std::string written = apply({write("d/f", "new")});
  const std::string removed = apply({{.kind = Kind::remove, .path = "d", .tree = true}});
  // It took its time before the other, and then its names changed after that one's.
  std::string time;  // of the first
  const std::string journal = tree.path("journal/" + tree.names("journal").at(0)) + "/entries";
  for (const auto& entry : std::filesystem::directory_iterator(journal)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(written)) time = name.substr(0, name.find('.'));
  }
  for (const auto& entry : std::filesystem::directory_iterator(journal)) {
    if (!entry.path().string().ends_with(removed)) continue;
    const auto before = std::stoull(time, nullptr, 16) - 1;
    std::filesystem::rename(entry.path(), fmt::format("{}/{:016x}.{}", journal, before, removed));
    break;
  }
  const auto undone = undo({});
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().hint,
            "undo " + removed + " first, which took away a directory around it");
  EXPECT_TRUE(undo({.id = removed}));
  EXPECT_EQ(tree.content("in/d/f"), "new");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(tree.content("in/d/f"), "old");
}

TEST_F(Partly, WhatIsPassedOverIsUndoneUntilTheUndoIsUndone) {
  const std::string first = apply({write("a", "A")});
  const std::string idle = apply({write("b", "b")});
  const auto undone = undo({});
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->ids, std::vector<std::string>{first});
  EXPECT_EQ(undone->passed_over, std::vector<std::string>{idle});
  EXPECT_TRUE(has(undo({.id = idle}).error().message, "undone already"));
  EXPECT_TRUE(undo({.id = undone->applied.id}));
  EXPECT_TRUE(has(undo({.id = idle}).error().message, "already as it was before"));
  EXPECT_EQ(all(), "a=A b=b c=c ");
}

TEST_F(Partly, AnyNumberOfChangesThatChangedNothingIsPassedOver) {
  const std::string first = apply({write("a", "A")});
  for (int i = 0; i < 150; ++i) apply({write("b", "b")});
  const auto undone = undo({});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(undone->ids, std::vector<std::string>{first});
  EXPECT_EQ(undone->passed_over.size(), 150u);
  EXPECT_EQ(all(), "a=a b=b c=c ");
}

TEST_F(Partly, WhatALaterChangeTookBackIsNotPassedOver) {
  apply({write("c", "C")});
  apply({write("a", "A")});
  const std::string later = apply({write("a", "a")}, "other");
  const auto undone = undo({});
  ASSERT_FALSE(undone);
  EXPECT_EQ(kind_of(undone.error()), "conflict nothing_to_undo");
  EXPECT_TRUE(has(undone.error().hint, "undo " + later + " first")) << undone.error().hint;
  EXPECT_EQ(all(), "a=a b=b c=C ");
}

TEST_F(Partly, WhatALaterChangeTookBackIsLeftToThatChange) {
  apply({write("a", "A"), write("b", "B")});
  const std::string later = apply({write("b", "b")}, "other");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=a b=b c=c ");
  EXPECT_TRUE(undo({.id = later}));
  EXPECT_EQ(all(), "a=a b=B c=c ");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=a b=b c=c ");
}

TEST_F(Partly, NothingIsUndoneBelowLaterChangesOfTheSameFile) {
  apply({write("a", "A")});
  apply({write("a", "X")}, "other");
  const std::string later = apply({write("a", "A")}, "other");
  const auto undone = undo({});
  ASSERT_FALSE(undone);
  EXPECT_EQ(kind_of(undone.error()), "conflict changed_since");
  EXPECT_TRUE(has(undone.error().hint, "undo " + later + " first")) << undone.error().hint;
  EXPECT_EQ(all(), "a=A b=b c=c ");
}

TEST_F(Partly, LaterChangesThatSomebodyTookBackByHandAreUndoneToo) {
  const std::string first = apply({write("a", "A")});
  const std::string second = apply({write("a", "X"), write("c", "C")});
  const std::string third = apply({write("a", "Y")});
  tree.file("in/a", "A");
  apply({write("b", "B")});
  const auto undone = undo({.id = first});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(undone->ids, std::vector<std::string>{first});
  ASSERT_EQ(undone->applied.notes.size(), 1u);
  EXPECT_EQ(undone->applied.notes[0],
            "of later changes of 'a' nothing was left, so that they are undone");
  EXPECT_EQ(all(), "a=a b=B c=C ");
  EXPECT_TRUE(has(undo({.id = third}).error().message, "undone already"));
  EXPECT_TRUE(undo({.id = second}));
  EXPECT_EQ(all(), "a=a b=B c=c ");
  EXPECT_TRUE(undo({}));
  EXPECT_EQ(all(), "a=a b=b c=c ");
}

TEST_F(Partly, ASessionIsUndoneAboveChangesOfOthers) {
  apply({write("b", "B")});
  apply({write("a", "X")}, "other");
  apply({write("a", "A")});
  EXPECT_TRUE(undo({.session = "s"}));
  EXPECT_EQ(all(), "a=X b=b c=c ");
}

TEST_F(Partly, OthersChangesAreNotCalledNone) {
  apply({write("a", "A")}, "other");
  const auto undone = undo({});
  ASSERT_FALSE(undone);
  EXPECT_TRUE(has(undone.error().message, "this session changed nothing"))
      << undone.error().message;
}

TEST_F(Partly, WhatTookThePlaceOfAMovedFileMovesBackToo) {
  tree.file("in/b", "gone");
  std::filesystem::remove(tree.path("in/b"));
  apply({move("a", "b")});
  apply({move("c", "a")});
  EXPECT_TRUE(undo({.session = "s", .path = "b"}));
  EXPECT_EQ(all(), "a=a c=c ");
}

TEST_F(Partly, ADirectoryThatCameBackWithOneAroundItIsKnown) {
  tree.file("in/e/f", "x");
  tree.directory("in/d");
  tree.file("in/d/other", "y");
  apply({move("e", "d/y")});
  apply({{.kind = Kind::remove, .path = "d", .tree = true}});
  EXPECT_TRUE(undo({}));
  const auto undone = undo({});
  EXPECT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(tree.content("in/e/f"), "x");
}

TEST_F(Partly, MoreThanAChangeMayHoldIsRefusedBeforeItIsRead) {
  for (int i = 0; i < 9; ++i) {
    const std::string name = "big" + std::to_string(i);
    tree.file("in/" + name);
    std::filesystem::resize_file(tree.path("in/" + name), kMaxKeptFile);
    apply({{.kind = Kind::remove, .path = name}});
  }
  const auto undone = undo({.session = "s"});
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().code, Code::too_large);
}

}  // namespace
}  // namespace helve::workspace

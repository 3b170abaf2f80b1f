// Undoing whatever was done: every tree is again what it was, with all that its files have.
#include <sys/stat.h>
#include <sys/xattr.h>

#include <map>
#include <random>

#include "unit/workspace/fixture.h"
#include "workspace/journal.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;

class Restoring : public WorkspaceTest {
 protected:
  static Result<Applied> apply(Workspace& files, const Change& change) {
    return files.apply({&change, 1}, {.tool = "test", .session = "s"});
  }
  static void must(Workspace& files, const Change& change) {
    const auto applied = apply(files, change);
    ASSERT_TRUE(applied) << describe(applied.error());
  }
  static std::string undo(Workspace& files, const Selection& selection) {
    const auto undone = files.undo(selection, Rehearsal::no, {.tool = "undo", .session = "undoer"});
    return undone ? "" : describe(undone.error());
  }
  static std::string undo_newest(Workspace& files) { return undo(files, {.own_session = "s"}); }
  static std::string undo_session(Workspace& files) { return undo(files, {.session = "s"}); }

  // Every name below in/ with its kind, mode and content.
  std::map<std::string, std::string> picture() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.path("in"))) {
      const std::string path = entry.path().lexically_relative(tree.path("in")).string();
      struct stat s;
      EXPECT_EQ(::lstat(entry.path().c_str(), &s), 0);
      std::string what = std::to_string(s.st_mode) + ":" + std::to_string(s.st_uid) + ":";
      if (entry.is_symlink()) {
        what += std::filesystem::read_symlink(entry.path()).string();
      } else if (entry.is_regular_file()) {
        what += tree.content("in/" + path);
      }
      all[path] = what;
    }
    return all;
  }
};

Change write(std::string path, std::string content) {
  return {.path = std::move(path), .content = std::move(content)};
}
Change move(std::string path, std::string to) {
  return {.kind = Kind::move, .path = std::move(path), .to = std::move(to)};
}
Change move_over(std::string path, std::string to) {
  return {.kind = Kind::move, .path = std::move(path), .to = std::move(to), .replace = true};
}
Change remove(std::string path) { return {.kind = Kind::remove, .path = std::move(path)}; }
Change remove_tree(std::string path) {
  return {.kind = Kind::remove, .path = std::move(path), .tree = true};
}

TEST_F(Restoring, AFileThatWasDeletedAndWrittenAnewGetsItsAttributesBack) {
  tree.file("in/f", "old");
  if (::setxattr(tree.path("in/f").c_str(), "user.x", "1", 1, 0) != 0) GTEST_SKIP() << "no xattrs";
  const auto files = journaled();
  must(*files, remove("f"));
  must(*files, write("f", "new"));
  EXPECT_EQ(undo_session(*files), "");
  EXPECT_EQ(tree.content("in/f"), "old");
  char value = 0;
  EXPECT_EQ(::getxattr(tree.path("in/f").c_str(), "user.x", &value, 1), 1);
}

TEST_F(Restoring, WhatTheUserDidToTheModeStays) {
  tree.file("in/script", "old");
  const auto files = journaled();
  must(*files, write("script", "new"));
  ASSERT_EQ(::chmod(tree.path("in/script").c_str(), 0755), 0);
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(tree.content("in/script"), "old");
  struct stat s;
  ASSERT_EQ(::stat(tree.path("in/script").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0755u);
}

TEST_F(Restoring, AFileThatNobodyMayReadComesBack) {
  EXPECT_EQ(::chmod(tree.path().c_str(), 0777), 0);
  EXPECT_EQ(::chmod(tree.path("in").c_str(), 0777), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    tree.file("in/f", "secret");
    ::chmod(tree.path("in/f").c_str(), 0);
    const auto files = journaled();
    const auto removed = apply(*files, remove("f"));
    if (!removed) return describe(removed.error());
    if (const std::string why = undo_newest(*files); !why.empty()) return why;
    ::chmod(tree.path("in/f").c_str(), 0600);
    return tree.content("in/f") == "secret" ? "" : tree.content("in/f");
  });
}

TEST_F(Restoring, APipeInADirectoryComesBack) {
  tree.file("in/d/f", "x");
  ASSERT_EQ(::mkfifo(tree.path("in/d/p").c_str(), 0640), 0);
  const auto before = picture();
  const auto files = journaled();
  must(*files, remove_tree("d"));
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(undo(*files, {.id = files->past({})->changes.at(0).id}), "");
  EXPECT_FALSE(tree.exists("in/d"));
}

TEST_F(Restoring, NothingIsLeftOfATreeThatMayNotBeChanged) {
  EXPECT_EQ(::chmod(tree.path().c_str(), 0777), 0);
  EXPECT_EQ(::chmod(tree.path("in").c_str(), 0777), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    tree.file("in/t/ro/f", "x");
    ::chmod(tree.path("in/t/ro").c_str(), 0555);
    const auto files = open();  // without a journal
    const auto removed = apply(*files, remove_tree("t"));
    if (!removed) return describe(removed.error());
    return tree.names("in").empty() ? "" : tree.names("in")[0];
  });
}

TEST_F(Restoring, AFileOfAnySizeThatReplacedAnotherIsMovedBack) {
  tree.file("in/big", "start");
  std::filesystem::resize_file(tree.path("in/big"), kMaxKeptFile + 1);
  tree.file("in/small", "small");
  const auto files = journaled();
  const auto moved = apply(*files, move_over("big", "small"));
  ASSERT_TRUE(moved);
  EXPECT_TRUE(moved->notes.empty()) << moved->notes.at(0);
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(std::filesystem::file_size(tree.path("in/big")), kMaxKeptFile + 1);
  EXPECT_EQ(tree.content("in/small"), "small");
}

TEST_F(Restoring, ADeletedFileHasItsOwnerModeAttributesAndTimeAgain) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has files of others";
  tree.file("in/file", "x");
  const std::string path = tree.path("in/file");
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(path.c_str(), 04755), 0);
  const bool has_attributes = ::setxattr(path.c_str(), "user.color", "red", 3, 0) == 0;
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  struct stat before, after;
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const auto files = journaled();
  must(*files, remove("file"));
  EXPECT_EQ(undo_newest(*files), "");
  ASSERT_EQ(::stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  char value[8] = {};
  if (has_attributes) {
    EXPECT_EQ(::getxattr(path.c_str(), "user.color", value, sizeof value), 3);
  }
}

TEST_F(Restoring, WhatSomebodyElseOwnsGetsNoRightsOfTheOneWhoUndoes) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has files of others";
  tree.file("in/file", "x");
  ASSERT_EQ(::chown(tree.path("in/file").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(tree.path("in/file").c_str(), 04755), 0);
  const auto before = picture();
  {
    const auto files = journaled();
    must(*files, remove("file"));
    const auto real = std::filesystem::canonical(tree.path("in")).string();
    Journal journal(tree.path("journal/" + journal_name(real)), {});
    journal.tidy(Journal::When::now, journal.load(journal.ids().at(0))->time_ms());
    EXPECT_EQ(undo_newest(*files), "") << "after the journal was tidied";
  }
  EXPECT_EQ(picture(), before);
}

TEST_F(Restoring, ADeletedTreeComesBackWhateverItsModesAre) {
  ::chmod(tree.path().c_str(), 0777);
  ::chmod(tree.path("in").c_str(), 0777);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    tree.file("in/t/locked/f", "deep");
    tree.file("in/t/none", "nobody reads this");
    ::chmod(tree.path("in/t/none").c_str(), 0);
    ::chmod(tree.path("in/t/locked").c_str(), 0555);
    const auto files = journaled();
    const auto removed = apply(*files, remove_tree("t"));
    if (!removed) return describe(removed.error());
    if (std::string why = undo_newest(*files); !why.empty()) return why;
    struct stat s;
    if (::stat(tree.path("in/t/none").c_str(), &s) != 0 || (s.st_mode & 07777) != 0) return "none";
    if (s.st_size != 17) return "t/none is not what it was";
    if (::stat(tree.path("in/t/locked").c_str(), &s) != 0) return "t/locked is gone";
    if ((s.st_mode & 07777) != 0555) return "the mode of t/locked";
    return tree.content("in/t/locked/f") == "deep" ? "" : "t/locked/f";
  });
}

TEST_F(Restoring, ARestoredTreeThatChangedSinceIsNotRemovedByUndoingTheUndo) {
  tree.file("in/t/f", "x");
  const auto files = journaled();
  must(*files, remove_tree("t"));
  const auto undone =
      files->undo({.own_session = "s"}, Rehearsal::no, {.tool = "undo", .session = "undoer"});
  ASSERT_TRUE(undone);
  tree.file("in/t/theirs", "new");
  EXPECT_NE(undo(*files, {.id = undone->applied.id}), "");
  EXPECT_EQ(tree.content("in/t/theirs"), "new");
  std::filesystem::remove(tree.path("in/t/theirs"));
  EXPECT_EQ(undo(*files, {.id = undone->applied.id}), "");
  EXPECT_FALSE(tree.exists("in/t"));
}

TEST_F(Restoring, WhatTheJournalHasNoRoomForIsToldAndRestoredFromBeside) {
  const std::string content(3u << 20, 'x');
  tree.file("in/file", content);
  tree.directory("journal");
  EXPECT_CHILD_OK([&]() -> std::string {
    if (std::string why = mount_tmpfs(tree.path("journal"), "size=1m"); !why.empty()) return why;
    const auto files = journaled();
    const auto removed = apply(*files, remove("file"));
    if (!removed) return describe(removed.error());
    if (removed->notes.size() != 1) return "nothing was told";
    if (tree.exists("in/file")) return "it is still there";
    if (std::string why = undo_newest(*files); !why.empty()) return why;
    return tree.content("in/file") == content ? "" : "the content differs";
  });
}

// Each of these once left the session's files where they were, or both old and new.
struct Sequence {
  const char* name;
  std::vector<Change> changes;
};

TEST_F(Restoring, ASessionThatMovesFilesIsTakenBackAsAWhole) {
  const std::vector<Sequence> sequences = {
      {"create, move", {write("new", "x"), move("new", "b2")}},
      {"edit, move", {write("a", "A"), move("a", "moved")}},
      {"move, write anew", {move("a", "moved"), write("a", "again")}},
      {"swap", {move("a", "t"), move("b", "a"), move("t", "b")}},
      {"circle", {move("a", "t"), move("b", "a"), move("c", "b"), move("t", "c")}},
      {"directory becomes a file", {remove_tree("d"), write("d", "file")}},
      {"link over file", {move_over("link", "a")}},
      {"file over link", {move_over("a", "link")}},
      {"there and back", {move("a", "t"), move("t", "a")}},
      {"move, move over, delete", {move("a", "t"), move_over("b", "t"), remove("t")}},
  };
  for (const Sequence& sequence : sequences) {
    SCOPED_TRACE(sequence.name);
    for (const char* name : {"a", "b", "c", "d/x"}) tree.file(std::string("in/") + name, name);
    if (!tree.exists("in/link")) tree.link("in/link", "c");
    const auto before = picture();
    const auto files = journaled();
    for (const Change& change : sequence.changes) must(*files, change);
    const std::string why = undo_session(*files);
    EXPECT_TRUE(why.empty() || has(why, "already as it was")) << why;
    EXPECT_EQ(picture(), before);
    std::filesystem::remove_all(tree.path("in"));
    std::filesystem::remove_all(tree.path("journal"));
    tree.directory("in");
  }
}

TEST_F(Restoring, AnUndoOfASwapCanBeUndone) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  const auto before = picture();
  const auto files = journaled();
  for (const Change& change : {move("a", "t"), move("b", "a"), move("t", "b")})
    must(*files, change);
  const auto swapped = picture();
  const auto undone =
      files->undo({.session = "s"}, Rehearsal::no, {.tool = "undo", .session = "undoer"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(undo(*files, {.id = undone->applied.id}), "");
  EXPECT_EQ(picture(), swapped);
}

// By the clock of another machine, for one.
TEST_F(Restoring, AnUndoComesAfterAChangeThatIsYetToBe) {
  tree.file("in/file", "old");
  must(*journaled(), write("file", "new"));
  const auto directory = std::filesystem::path(tree.path("journal")) / tree.names("journal").at(0);
  Record record = Journal(directory, {}).load(Journal(directory, {}).ids().at(0)).value();
  const std::string name = record.name();
  record.time_ns += std::chrono::nanoseconds(std::chrono::hours(1)).count();
  std::ofstream(directory / "entries" / record.name()) << record.text();
  std::filesystem::remove(directory / "entries" / name);
  ASSERT_EQ(undo_newest(*journaled()), "");
  EXPECT_EQ(Journal(directory, {}).ids().at(1), record.id);
  EXPECT_TRUE(has(undo_newest(*journaled()), "not undone yet"));
}

// In two steps it would bear no name of its own between them.
TEST_F(Restoring, APlainMoveIsTakenBackInOneStep) {
  tree.file("in/source/file");
  const auto files = journaled();
  must(*files, move("source", "target"));
  ASSERT_EQ(undo_newest(*files), "");
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"source"});
  const auto real = std::filesystem::canonical(tree.path("in")).string();
  Journal journal(tree.path("journal/" + journal_name(real)), {});
  const auto record = journal.load(journal.ids().at(0));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->files.at(0).temporary, "");
}

// Half of it would be taken back, and the change be called undone.
TEST_F(Restoring, AChangeIsLeftWhereAPartOfItCannotBeSeen) {
  tree.directory("extra");
  tree.file("in/b", "old");
  const Options with_extra{.roots = {{tree.path("in")}, {tree.path("extra")}},
                           .durability = Durability::unsynced,
                           .journal_directory = tree.path("journal")};
  const std::vector changes{write(tree.path("extra/n"), "new"), write("d/n", "new"),
                            write("b", "new")};
  ASSERT_TRUE((*Workspace::make(with_extra))->apply(changes, {.session = "s"}));
  EXPECT_TRUE(has(undo_newest(*journaled()), "outside the workspace of this start"));
  std::filesystem::rename(tree.path("in/d"), tree.path("in/e"));
  tree.link("in/d", "e");
  EXPECT_TRUE(has(undo_newest(**Workspace::make(with_extra)), "cannot look at"));
  EXPECT_EQ(tree.content("in/b"), "new");
  std::filesystem::remove(tree.path("in/d"));
  std::filesystem::rename(tree.path("in/e"), tree.path("in/d"));
  EXPECT_EQ(undo_newest(**Workspace::make(with_extra)), "");
  EXPECT_EQ(tree.content("in/b"), "old");
  EXPECT_FALSE(std::filesystem::exists(tree.path("extra/n")));
}

TEST_F(Restoring, OneEndOfAMoveBringsTheOtherAlong) {
  tree.file("in/a", "a");
  const auto before = picture();
  const auto files = journaled();
  must(*files, move("a", "b"));
  EXPECT_EQ(undo(*files, {.session = "s", .path = "b"}), "");
  EXPECT_EQ(picture(), before);
}

// What is restored is another directory than the one that was moved.
TEST_F(Restoring, WhatWasDeletedAndRestoredIsMovedBack) {
  char other[] = "/dev/shm/helve-test-XXXXXX";
  const bool has_other = ::mkdtemp(other) != nullptr;
  const std::vector<std::vector<Change>> sequences = {
      {move("d", "e"), remove_tree("e")},
      {move("d", "e"), write("e/x", "new"), remove_tree("e")},
      {move("d", "e"), write("e/new", "new"), remove_tree("e")},
      {move("d", "p/e"), write("p/e/x", "new"), remove_tree("p")},
      {move("d", "p/e"), move("p", "q"), remove_tree("q")},
      {move("d/y", "p/y"), remove_tree("p"), write("p/z", "new")},
      {move("f", "p/f"), write("p/f", "new"), remove_tree("p")},
  };
  for (const std::string& journal : {std::string(), std::string(other)}) {
    if (!journal.empty() && !has_other) continue;
    for (size_t i = 0; i < sequences.size(); ++i) {
      SCOPED_TRACE(journal + " " + std::to_string(i));
      std::filesystem::remove_all(tree.path("in"));
      for (const char* name : {"d/x", "d/y/z", "f", "p/a"})
        tree.file(std::string("in/") + name, name);
      const auto before = picture();
      const auto files = journaled(journal);
      for (const Change& change : sequences[i]) must(*files, change);
      for (size_t j = 0; j < sequences[i].size(); ++j) EXPECT_EQ(undo_newest(*files), "");
      EXPECT_EQ(picture(), before);
    }
  }
  std::filesystem::remove_all(other);
}

TEST_F(Restoring, WhatWasChangedBetweenTwoUndosIsMovedBack) {
  for (const char* name : {"f", "p/a"}) tree.file(std::string("in/") + name, name);
  const auto before = picture();
  const auto files = journaled();
  must(*files, move("f", "p/f"));
  must(*files, remove_tree("p"));
  EXPECT_EQ(undo_newest(*files), "");
  must(*files, write("p/f", "new"));
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(picture(), before);
}

TEST_F(Restoring, ADirectoryThatSomebodyElseMadeIsNotMovedBack) {
  tree.file("in/d/x", "x");
  const auto files = journaled();
  must(*files, move("d", "e"));
  must(*files, remove_tree("e"));
  EXPECT_EQ(undo_newest(*files), "");
  std::filesystem::rename(tree.path("in/e"), tree.path("in/theirs"));
  tree.file("in/e/x", "x");
  EXPECT_TRUE(has(undo_newest(*files), "'e' was changed since"));
}

TEST_F(Restoring, ADirectoryThatGotTheInodeOfTheMovedOneIsNotMovedBack) {
  tree.file("in/d/x", "x");
  const auto files = journaled();
  must(*files, move("d", "e"));
  const auto inode = [&] {
    struct stat s {};
    EXPECT_EQ(::stat(tree.path("in/e").c_str(), &s), 0);
    return s.st_ino;
  };
  const auto moved = inode();
  // The times of files come from a clock that stands still for some milliseconds.
  const auto time_of_files = [&] {
    tree.file("probe");
    return std::filesystem::last_write_time(tree.path("probe"));
  };
  for (const auto then = time_of_files(); time_of_files() <= then;) {
  }
  std::filesystem::remove_all(tree.path("in/e"));
  tree.file("in/e/theirs", "x");
  if (inode() != moved) GTEST_SKIP() << "this file system does not give inodes again at once";
  EXPECT_TRUE(has(undo_newest(*files), "'e' was changed since"));
  EXPECT_EQ(tree.content("in/e/theirs"), "x");
}

TEST_F(Restoring, ADirectoryThatWasRestoredIsKnownOnceTheJournalWasTidied) {
  tree.file("in/d/x", "x");
  tree.file("in/f", "old");
  const auto before = picture();
  const auto files = journaled();
  must(*files, move("d", "e"));
  const std::vector<Change> changes = {write("f", "new"), remove_tree("e")};
  ASSERT_TRUE(files->apply(changes, {.tool = "test", .session = "s"}));
  EXPECT_EQ(undo_newest(*files), "");
  must(*files, write("e/x", "new"));
  Journal journal(tree.path("journal/" + tree.names("journal").at(0)), {});
  journal.tidy(Journal::When::now, journal.load(journal.ids().at(0))->time_ms());
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(undo_newest(*files), "");
  EXPECT_EQ(picture(), before);
}

// Random sequences over a few names, so that they meet often. Seeds are fixed.
class Player {
 public:
  explicit Player(unsigned seed) : random_(seed) {}

  Change next() {
    switch (random_() % 8) {
      case 0:
      case 1:
        return write(file(), "content " + std::to_string(random_() % 1000));
      case 2:
        return remove(file());
      case 3:
        return move(file(), file());
      case 4:
      case 5:
        return move_over(file(), file());
      case 6:
        return remove_tree(directory());
      default:
        return move(directory(), directory());
    }
  }

 private:
  std::string file() {
    static const char* const kNames[] = {"a", "b", "c", "link", "new", "sub/e", "sub/f", "made/g"};
    return kNames[random_() % std::size(kNames)];
  }
  std::string directory() {
    static const char* const kNames[] = {"d1", "d2", "d3"};
    return kNames[random_() % std::size(kNames)];
  }
  std::mt19937 random_;
};

enum class How : bool { one_by_one, session };

class RestoringAnything : public Restoring, public testing::WithParamInterface<How> {};

TEST_P(RestoringAnything, IsExact) {
  constexpr unsigned kSeeds = 150;
  constexpr int kLength = 12;
  size_t made = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::filesystem::remove_all(tree.path("in"));
    std::filesystem::remove_all(tree.path("journal"));
    for (const char* name : {"a", "b", "sub/e", "d1/x", "d1/y/z", "d2/x"}) {
      tree.file(std::string("in/") + name, name);
    }
    tree.link("in/link", "a");
    tree.link("in/d2/link", "../b");
    ::chmod(tree.path("in/a").c_str(), 0751);
    ::chmod(tree.path("in/d1/y").c_str(), 0700);
    const auto before = picture();
    const auto files = journaled();
    Player player(seed);
    std::string done;
    size_t here = 0;
    for (int i = 0; i < kLength; ++i) {
      const Change change = player.next();
      if (!apply(*files, change)) continue;
      ++here;
      done += "\n" + std::to_string(static_cast<int>(change.kind)) + " " + change.path + " " +
              change.to;
    }
    made += here;
    if (here == 0) continue;
    if (GetParam() == How::session) {
      const std::string why = undo_session(*files);
      EXPECT_TRUE(why.empty() || has(why, "already as it was")) << why << done;
    }
    for (size_t i = 0; GetParam() == How::one_by_one && i < here; ++i) {
      EXPECT_EQ(undo_newest(*files), "") << done;
    }
    EXPECT_EQ(picture(), before) << done;
    if (HasFailure()) return;
  }
  EXPECT_GT(made, kSeeds * 2);
}

INSTANTIATE_TEST_SUITE_P(Undo, RestoringAnything, testing::Values(How::one_by_one, How::session),
                         [](const auto& how) {
                           return how.param == How::session ? "Session" : "OneByOne";
                         });

}  // namespace
}  // namespace helve::workspace

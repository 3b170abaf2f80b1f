// Showing and undoing what was changed.
#include <sys/stat.h>

#include "unit/workspace/fixture.h"
#include "workspace/journal.h"

namespace helve::workspace {
namespace {

using Kind = Change::Kind;

class Undoing : public WorkspaceTest {
 protected:
  std::string apply(Workspace& files, std::vector<Change> changes,
                    std::string_view session = "s") const {
    const auto applied = files.apply(changes, {.tool = "test", .session = session});
    if (applied) return applied->id;
    ADD_FAILURE() << describe(applied.error());
    return "";
  }
  Result<Undone> undo(Workspace& files, const Selection& selection) const {
    return files.undo(selection, Rehearsal::no, {.tool = "undo", .session = "s"});
  }
  std::string failure(Workspace& files, const Selection& selection) const {
    const auto undone = undo(files, selection);
    return undone ? "it was undone" : kind_of(undone.error());
  }
  static Change write(std::string path, std::string content) {
    return {.path = std::move(path), .content = std::move(content)};
  }
};

TEST_F(Undoing, WorksInALaterProcess) {
  tree.file("in/file", "old");
  const std::string id = apply(*journaled(), {write("file", "new")});
  ASSERT_TRUE(undo(*journaled(), {.id = id}));
  EXPECT_EQ(tree.content("in/file"), "old");
}

TEST_F(Undoing, TakesAllFilesOfAChangeBackAtOnce) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  tree.file("in/c", "c");
  tree.link("in/link", "a");
  const auto files = journaled();
  const std::string id = apply(*files, {write("a", "A"),
                                        write("new/d", "d"),
                                        {.kind = Kind::remove, .path = "b"},
                                        {.kind = Kind::remove, .path = "link"},
                                        {.kind = Kind::move, .path = "c", .to = "sub/c"}});
  ASSERT_TRUE(undo(*files, {.id = id}));
  EXPECT_EQ(tree.content("in/a"), "a");
  EXPECT_EQ(tree.content("in/b"), "b");
  EXPECT_EQ(tree.content("in/c"), "c");
  EXPECT_EQ(std::filesystem::read_symlink(tree.path("in/link")), "a");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "b", "c", "link"}));
}

TEST_F(Undoing, CanBeUndone) {
  tree.file("in/file", "old");
  const auto files = journaled();
  apply(*files, {write("file", "new")});
  const auto undone = undo(*files, {.own_session = "s"});
  ASSERT_TRUE(undone);
  ASSERT_TRUE(undo(*files, {.id = undone->applied.id}));
  EXPECT_EQ(tree.content("in/file"), "new");
  ASSERT_TRUE(undo(*files, {.own_session = "s"})) << "the change is there again";
  EXPECT_EQ(tree.content("in/file"), "old");
}

TEST_F(Undoing, AWholeSessionIsOneNetChange) {
  tree.file("in/a", "1");
  const auto files = journaled();
  apply(*files, {write("a", "2")});
  apply(*files, {write("other", "x")}, "someone else");
  apply(*files, {write("a", "3"), write("b", "new")});
  apply(*files, {{.kind = Kind::move, .path = "a", .to = "moved"}});
  apply(*files, {write("moved", "4")});
  apply(*files, {{.kind = Kind::remove, .path = "b"}});
  const auto undone = undo(*files, {.session = "s"});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(undone->ids.size(), 5u);
  EXPECT_EQ(tree.content("in/a"), "1");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "other"}));
}

TEST_F(Undoing, AFileThatChangedSinceIsAConflictThatShowsTheDifference) {
  tree.file("in/a", "one\n");
  tree.file("in/b", "one\n");
  const auto files = journaled();
  const std::string id = apply(*files, {write("a", "two\n"), write("b", "two\n")});
  tree.file("in/b", "theirs\n");
  const auto undone = undo(*files, {.id = id});
  ASSERT_FALSE(undone);
  EXPECT_EQ(kind_of(undone.error()), "conflict changed_since");
  EXPECT_TRUE(has(undone.error().message, "theirs")) << undone.error().message;
  EXPECT_EQ(tree.content("in/a"), "two\n");
  EXPECT_EQ(tree.content("in/b"), "theirs\n");
}

TEST_F(Undoing, RestoresTheModeOfAFileThatWasDeleted) {
  tree.file("in/script", "x");
  ::chmod(tree.path("in/script").c_str(), 0750);
  const auto files = journaled();
  const std::string id = apply(*files, {{.kind = Kind::remove, .path = "script"}});
  ASSERT_TRUE(undo(*files, {.id = id}));
  struct stat s;
  ASSERT_EQ(::stat(tree.path("in/script").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0750u);
}

TEST_F(Undoing, RestoresADirectoryWithItsModes) {
  tree.file("in/sub/deep/file", "x");
  tree.directory("in/sub/empty");
  tree.link("in/sub/link", "deep");
  ::chmod(tree.path("in/sub/deep").c_str(), 0700);
  const auto files = journaled();
  const std::string id = apply(*files, {{.kind = Kind::remove, .path = "sub", .tree = true}});
  EXPECT_TRUE(tree.names("in").empty());
  const auto undone = undo(*files, {.id = id});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_EQ(tree.content("in/sub/deep/file"), "x");
  EXPECT_EQ(tree.names("in/sub"), (std::vector<std::string>{"deep", "empty", "link"}));
  struct stat s;
  ASSERT_EQ(::stat(tree.path("in/sub/deep").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0700u);
}

TEST_F(Undoing, TakesTheNewestOfAllOnlyWhenAskedTo) {
  tree.file("in/file", "old");
  const auto files = journaled();
  apply(*files, {write("file", "new")}, "another");
  EXPECT_EQ(failure(*files, {.own_session = "s"}), "not_found nothing_to_undo");
  EXPECT_TRUE(undo(*files, {.own_session = "s", .any = true}));
  EXPECT_EQ(tree.content("in/file"), "old");
}

TEST_F(Undoing, WhatAHookMadeOfAFileBelongsToTheChange) {
  tree.file("in/file", "old\n");
  const auto files = journaled();
  const Change change = write("file", "new\n");
  const auto applied =
      files->apply({&change, 1}, {.tool = "write", .call_id = "c_1", .session = "s"});
  ASSERT_TRUE(applied);
  tree.file("in/file", "new, formatted\n");
  files->look_again("c_1");
  const auto now = files->read_whole("file");
  EXPECT_TRUE(files->check_seen("s", "file", *now));
  EXPECT_TRUE(undo(*files, {.id = applied->id}));
  EXPECT_EQ(tree.content("in/file"), "old\n");
}

TEST_F(Undoing, WorksWithAJournalOnAnotherFileSystem) {
  char other[] = "/dev/shm/helve-test-XXXXXX";
  if (!::mkdtemp(other)) GTEST_SKIP() << "there is no other file system here";
  tree.file("in/a", "a");
  tree.file("in/sub/b", "b");
  {
    const auto files = journaled(other);
    const std::string id = apply(
        *files,
        {write("a", "A"), write("new", "x"), {.kind = Kind::remove, .path = "sub", .tree = true}});
    EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "new"}));
    const auto undone = undo(*files, {.id = id});
    EXPECT_TRUE(undone) << describe(undone.error());
  }
  EXPECT_EQ(tree.content("in/a"), "a");
  EXPECT_EQ(tree.content("in/sub/b"), "b");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "sub"}));
  std::filesystem::remove_all(other);
}

TEST_F(Undoing, ListsChangesWithTheirLines) {
  tree.file("in/file", "one\ntwo\n");
  const auto files = journaled();
  apply(*files, {write("file", "one\n2\n3\n")});
  apply(*files, {write("file", "one\n")});
  const auto past = files->past({});
  ASSERT_TRUE(past);
  ASSERT_EQ(past->changes.size(), 2u);
  EXPECT_EQ(past->changes[0].files.at(0).removed, 2u);
  EXPECT_EQ(past->changes[1].files.at(0).added, 2u);
  EXPECT_EQ(past->changes[1].files.at(0).removed, 1u);
  EXPECT_EQ(past->changes[1].files.at(0).path, "file");
}

TEST_F(Undoing, ShowsWhatASessionDidInAll) {
  tree.file("in/file", "1\n");
  const auto files = journaled();
  apply(*files, {write("file", "2\n")});
  apply(*files, {write("file", "3\n"), write("passing", "x\n")});
  apply(*files, {{.kind = Kind::remove, .path = "passing"}});
  const auto found = files->differences({.session = "s"});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->files.size(), 1u) << "what came and went again is no difference";
  EXPECT_EQ(found->files[0].before, "1\n");
  EXPECT_EQ(found->files[0].after, "3\n");
}

TEST_F(Undoing, FindsAChangeHoweverManyWereMadeSince) {
  tree.file("in/file", "old");
  const std::string id = apply(*journaled(), {write("file", "new")});
  const std::string directory = tree.path("journal/" + tree.names("journal").at(0));
  Record record = Journal(directory, {}).load(id).value();
  record.id = "another";
  record.files[0].path += "-another";
  std::ofstream(tree.path("record")) << record.text();
  for (int i = 0; i < 10'001; ++i) {  // the same one by other names, which are made faster
    ++record.time_ns;
    std::filesystem::create_hard_link(tree.path("record"), directory + "/entries/" + record.name());
  }
  ASSERT_TRUE(undo(*journaled(), {.id = id}));
  EXPECT_EQ(tree.content("in/file"), "old");
}

TEST_F(Undoing, ShowsNoMoreAtOnceThanFitsIntoMemory) {
  std::vector<Change> changes;
  for (const char* name : {"a", "b", "c"}) {
    tree.file(std::string("in/") + name);
    std::filesystem::resize_file(tree.path(std::string("in/") + name), kMaxWrite);
    changes.push_back({.kind = Kind::remove, .path = name});
  }
  const auto files = journaled();
  const std::string id = apply(*files, changes);
  const auto all = files->differences({.id = id});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->files.size(), 3u);
  EXPECT_TRUE(all->files[1].before);
  EXPECT_FALSE(all->files[2].before);
  EXPECT_TRUE(has(all->files[2].note, "128.0 MB")) << all->files[2].note;
  const auto alone = files->differences({.id = id, .path = "c"});
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->files.at(0).before);
}

TEST_F(Undoing, NeedsAJournal) { EXPECT_EQ(failure(*open(), {}), "unsupported no_journal"); }

}  // namespace
}  // namespace helve::workspace

// What becomes of a change whose process was killed in the middle, when others went on working.
#include <sys/resource.h>
#include <sys/stat.h>

#include <fmt/core.h>

#include "base/quick_hash.h"
#include "sys/process_identity.h"
#include "unit/workspace/fixture.h"
#include "workspace/journal.h"
#include "workspace/record.h"

namespace helve::workspace {
namespace {

using What = Changed::What;

class Recovering : public WorkspaceTest {
 protected:
  std::string root() const { return std::filesystem::canonical(tree.path("in")).string(); }
  std::string journal_path() const { return tree.path("journal/" + journal_name(root())); }
  std::string kept(const std::string& name) const { return journal_path() + "/kept/" + name; }

  Record::File old_file(What what, const std::string& path) const {
    struct stat s;
    EXPECT_EQ(::lstat((root() + "/" + path).c_str(), &s), 0);
    Record::File file{.what = what, .path = root() + "/" + path};
    file.old = {.device = s.st_dev,
                .inode = s.st_ino,
                .size = static_cast<std::uint64_t>(s.st_size),
                .modified_ns = s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec};
    return file;
  }
  static Record::File beside(Record::File file, const std::string& temporary) {
    file.beside = true;
    file.temporary = temporary;
    return file;
  }
  Record::File new_file(const std::string& path) const {
    return beside({.what = What::created, .path = root() + "/" + path},
                  ".helve-change-" + leaf(path));
  }
  Record::File moved(const std::string& path, const std::string& to) const {
    Record::File file = old_file(What::moved, path);
    file.to = root() + "/" + to;
    return file;
  }
  static std::string leaf(const std::string& path) {
    return std::filesystem::path(path).filename().string();
  }
  // Where what is staged or was there before lies.
  std::string aside(const Record::File& file) const {
    if (!file.beside) return kept(file.temporary);
    return std::filesystem::path(file.path).parent_path().string() + "/" + file.temporary;
  }

  // What a change does to its files, step by step.
  void stage(Record::File& file) const {
    if (file.what != What::created && file.what != What::replaced) return;
    std::ofstream(aside(file)) << "new";
    struct stat s;
    EXPECT_EQ(::lstat(aside(file).c_str(), &s), 0);
    file.staged = {s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_size),
                   s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec};
  }
  void make_way(const Record::File& file) const { std::filesystem::rename(file.path, aside(file)); }
  void perform(const Record::File& file) const {
    switch (file.what) {
      case What::created:
        return std::filesystem::rename(aside(file), file.path);
      case What::replaced:
        std::filesystem::rename(file.path, file.path + "~");
        std::filesystem::rename(aside(file), file.path);
        return std::filesystem::rename(file.path + "~", aside(file));
      case What::removed:
        return make_way(file);
      case What::moved:
        return std::filesystem::rename(file.temporary.empty() ? file.path : aside(file), file.to);
    }
  }

  // A process that notes a change down, does a part of it and is gone.
  enum class Staged : bool { no, yes };
  void interrupted(std::vector<Record::File> files, const std::function<void(const Record&)>& part,
                   Staged staged = Staged::yes, std::vector<std::string> left = {}) const {
    EXPECT_CHILD_OK([&]() -> std::string {
      Journal journal(journal_path(), {});
      if (auto prepared = journal.prepare(); !prepared) return describe(prepared.error());
      Record record{.tool = "test",
                    .owner = sys::process_identity(),
                    .left = std::move(left),
                    .files = std::move(files)};
      journal.name(record);
      for (size_t i = 0; i < record.files.size(); ++i) {
        Record::File& file = record.files[i];
        if (!file.beside && file.what != What::moved) file.temporary = record.kept_name(i);
      }
      const auto begun = journal.begin(record);
      if (!begun) return describe(begun.error());
      for (Record::File& file : record.files) {
        if (staged == Staged::yes) stage(file);
      }
      if (staged == Staged::yes && !journal.note_staged(record, *begun, Journal::Synced::no)) {
        return "not staged";
      }
      part(record);
      return "";
    });
  }
  void belong_to_nobody() const {
    if (::geteuid() != 0) return;
    EXPECT_EQ(::chown(tree.path().c_str(), 65534, 65534), 0);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.path())) {
      EXPECT_EQ(::lchown(entry.path().c_str(), 65534, 65534), 0);
    }
  }
  std::string pending_path(const std::string& name) const {
    return "journal/" + journal_name(root()) + "/pending/" + name;
  }
  std::vector<std::string> pending() const {
    return tree.names("journal/" + journal_name(root()) + "/pending");
  }
};

TEST_F(Recovering, AChangeThatWasMadeStaysMadeWhateverBecameOfItsNewFile) {
  for (const bool removed : {false, true}) {
    tree.file("in/b", "old");
    interrupted({new_file("a"), old_file(What::replaced, "b")}, [&](const Record& record) {
      for (const Record::File& file : record.files) perform(file);
    });
    if (removed) {
      std::filesystem::remove(tree.path("in/a"));
    } else {
      tree.file("in/a", "new, and somebody went on with it");
    }
    const auto files = journaled();
    EXPECT_EQ(tree.content("in/b"), "new");
    EXPECT_EQ(tree.exists("in/a"), !removed);
    EXPECT_EQ(files->past({})->changes.size(), 1u);
    EXPECT_TRUE(pending().empty());
    std::filesystem::remove_all(tree.path("journal"));
  }
}

TEST_F(Recovering, WhatOthersWroteToTheOldFileMeanwhileIsKept) {
  tree.file("in/log", "line\n");
  tree.file("in/z", "z");
  interrupted({old_file(What::replaced, "log"), old_file(What::replaced, "z")},
              [&](const Record& record) {
                perform(record.files[0]);
                std::ofstream(kept(record.kept_name(0)), std::ios::app) << "appended\n";
              });
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/log"), "line\nappended\n");
  EXPECT_EQ(tree.content("in/z"), "z");
  EXPECT_FALSE(files->notices().empty()) << "it was taken back";
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, WhatCannotBeRestoredYetIsTriedAgain) {
  tree.file("in/d/c", "only copy");
  tree.file("in/b", "b");
  interrupted({new_file("a"), old_file(What::removed, "d/c"), old_file(What::removed, "b")},
              [&](const Record& record) {
                perform(record.files[0]);
                perform(record.files[1]);
              });
  std::filesystem::remove(tree.path("in/d"));
  for (int i = 0; i < 2; ++i) {
    const auto files = journaled();
    ASSERT_EQ(files->notices().size(), 1u);
    EXPECT_TRUE(has(files->notices()[0], "/kept/")) << files->notices()[0];
    EXPECT_EQ(pending().size(), 1u);
  }
  tree.directory("in/d");
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/d/c"), "only copy");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"b", "d"}));
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, ANewFileThatSomebodyChangedIsNotRemoved) {
  tree.file("in/b", "b");
  interrupted({new_file("a"), old_file(What::removed, "b")},
              [&](const Record& record) { perform(record.files[0]); });
  tree.file("in/a", "theirs");
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/a"), "theirs");
  EXPECT_EQ(tree.content("in/b"), "b");
  EXPECT_FALSE(files->notices().empty());
}

TEST_F(Recovering, AFileOfTheSameContentIsNotTakenForTheOneThatWasStaged) {
  interrupted({new_file("a"), new_file("b")},
              [&](const Record& record) { perform(record.files[0]); });
  // Somebody cleans up and writes the same, which may even get the same inode.
  std::filesystem::remove(tree.path("in/.helve-change-b"));
  tree.file("in/b", "new");
  std::filesystem::last_write_time(
      tree.path("in/b"), std::filesystem::file_time_type::clock::now() + std::chrono::seconds(1));
  const auto files = journaled();
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"b"});
  EXPECT_TRUE(files->past({})->changes.empty());
  EXPECT_FALSE(files->notices().empty());
}

TEST_F(Recovering, AFileOfTheSameContentIsNotReplaced) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  interrupted({old_file(What::replaced, "a"), old_file(What::replaced, "b")},
              [&](const Record& record) { perform(record.files[0]); });
  // An editor that saves under another name and renames it.
  tree.file("in/saved", "new");
  std::filesystem::rename(tree.path("in/saved"), tree.path("in/a"));
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/a"), "new");
  const std::vector<std::string> names = tree.names("in");
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(tree.content("in/" + names[0]), "a");
  ASSERT_EQ(files->notices().size(), 1u);
  EXPECT_TRUE(has(files->notices()[0], names[0])) << files->notices()[0];
}

TEST_F(Recovering, WhatWasMovedByAWayComesBack) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  interrupted(
      {beside(moved("a", "b"), ".helve-change-1"), beside(moved("b", "a"), ".helve-change-2")},
      [&](const Record& record) {
        for (const Record::File& file : record.files) make_way(file);
        perform(record.files[0]);
      });
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/a"), "a");
  EXPECT_EQ(tree.content("in/b"), "b");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Recovering, NothingIsTouchedBeforeAllIsStaged) {
  // The undo of a move over a file of the same content.
  tree.file("in/b", "new");
  interrupted(
      {beside(moved("b", "a"), ".helve-change-m"), new_file("b")}, [](const Record&) {},
      Staged::no);
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/b"), "new");
  EXPECT_TRUE(files->notices().empty()) << files->notices()[0];
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, ADeletedFileComesBackFromAJournalThatWasCopied) {
  tree.file("in/a", "only copy");
  tree.file("in/b", "b");
  interrupted({old_file(What::removed, "a"), old_file(What::removed, "b")},
              [&](const Record& record) {
                perform(record.files[0]);
                // A copy of a tree has other inodes.
                const std::string place = kept(record.kept_name(0));
                std::filesystem::copy(place, place + "~");
                std::filesystem::rename(place + "~", place);
              });
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/a"), "only copy");
  EXPECT_EQ(tree.content("in/b"), "b");
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, AnotherFileWhereOneWasMovedToStaysThere) {
  tree.file("in/m", "m");
  tree.file("in/z", "z");
  interrupted({moved("m", "n"), old_file(What::replaced, "z")},
              [&](const Record& record) { perform(record.files[0]); });
  // As if the user's new file had got the same inode.
  std::ofstream(tree.path("in/n")) << "somebody else's";
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/n"), "somebody else's");
  EXPECT_FALSE(tree.exists("in/m"));
  EXPECT_FALSE(files->notices().empty());
}

TEST_F(Recovering, ARecordOfAVersionToComeIsToldAndStays) {
  journaled();
  interrupted(
      {new_file("a")}, [](const Record&) {}, Staged::no);
  const std::string path = "journal/" + journal_name(root()) + "/pending/" + pending().at(0);
  tree.file(path, "helve change 9\nsomething new\n");
  std::filesystem::last_write_time(tree.path(path), {});
  const auto files = journaled();
  ASSERT_EQ(files->notices().size(), 1u);
  EXPECT_TRUE(has(files->notices()[0], "newer version")) << files->notices()[0];
  EXPECT_EQ(pending().size(), 1u);
}

// Two machines share the directories, and the other one's process is in the middle of its change.
TEST_F(Recovering, AChangeOfAnotherMachineIsLeftToIt) {
  tree.file("in/a", "old");
  tree.file("in/b", "old");
  interrupted({old_file(What::removed, "a"), old_file(What::removed, "b")},
              [&](const Record& record) { perform(record.files[0]); });
  const std::string name = pending().at(0);
  auto record = Record::parse(tree.content(pending_path(name)));
  ASSERT_TRUE(record);
  record->owner.front() = record->owner.front() == '0' ? '1' : '0';  // another boot
  record->machine = "another";
  tree.file(pending_path(name), record->text());
  const auto files = journaled();
  ASSERT_EQ(files->notices().size(), 1u);
  EXPECT_TRUE(has(files->notices()[0], "another machine or container")) << files->notices()[0];
  EXPECT_TRUE(has(files->notices()[0], root() + "/a")) << files->notices()[0];
  EXPECT_EQ(tree.content("in/a"), "(none)");
  record->machine = sys::machine_identity();
  tree.file(pending_path(name), record->text());
  EXPECT_EQ(journaled()->notices().size(), 1u);
  EXPECT_EQ(tree.content("in/a"), "old");
}

TEST_F(Recovering, AMoveThatSomebodyMadeHimselfIsLeftToHim) {
  tree.file("in/m", "m");
  interrupted(
      {moved("m", "n"), new_file("b")}, [](const Record&) {}, Staged::no);
  std::filesystem::rename(tree.path("in/m"), tree.path("in/n"));
  const auto files = journaled();
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"n"});
  EXPECT_TRUE(files->notices().empty()) << files->notices()[0];
}

TEST_F(Recovering, WhatWasStagedInPartIsRemoved) {
  tree.file("in/c", "c");
  interrupted(
      {new_file("a"), new_file("b"), old_file(What::replaced, "c")},
      [&](const Record& record) {
        for (Record::File file : {record.files[0], record.files[2]}) stage(file);
        tree.file("in/a", "theirs");
      },
      Staged::no);
  const auto files = journaled();
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(tree.content("in/a"), "theirs");
  EXPECT_EQ(tree.content("in/c"), "c");
  EXPECT_TRUE(files->notices().empty()) << files->notices()[0];
  EXPECT_TRUE(files->past({})->changes.empty());
}

TEST_F(Recovering, AFileWhoseRecordCameTooLateForAPowerFailureKeepsItsPast) {
  tree.file("in/c", "c");
  interrupted(
      {old_file(What::replaced, "c")},
      [&](const Record& record) {
        Record::File file = record.files[0];
        stage(file);
        perform(file);
      },
      Staged::no);
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/c"), "new");
  EXPECT_EQ(files->past({})->changes.size(), 1u);
}

TEST_F(Recovering, AStagedFileThatSomebodyRemovedIsNotTakenForMade) {
  interrupted({new_file("a"), new_file("b")},
              [&](const Record& record) { perform(record.files[0]); });
  std::filesystem::remove(tree.path("in/.helve-change-b"));
  const auto files = journaled();
  EXPECT_TRUE(tree.names("in").empty());
  EXPECT_TRUE(files->past({})->changes.empty());
  EXPECT_EQ(files->notices().size(), 1u);
}

TEST_F(Recovering, WhatAMoveWouldHaveReplacedComesBackAlthoughSomebodySavedItsSource) {
  tree.file("in/m", "m");
  tree.file("in/n", "n");
  interrupted({old_file(What::removed, "n"), moved("m", "n")},
              [&](const Record& record) { perform(record.files[0]); });
  tree.file("in/m2", "saved");
  std::filesystem::rename(tree.path("in/m2"), tree.path("in/m"));
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/n"), "n");
  EXPECT_EQ(tree.content("in/m"), "saved");
  EXPECT_TRUE(files->past({})->changes.empty());
}

TEST_F(Recovering, NothingIsDecidedWhileADirectoryCannotBeLookedAt) {
  tree.file("in/d/x", "only copy");
  tree.file("in/e/old", "old");
  interrupted({beside(old_file(What::removed, "d/x"), ".helve-change-x"),
               old_file(What::replaced, "e/old")},
              [&](const Record& record) { perform(record.files[0]); });
  belong_to_nobody();
  ::chmod(tree.path("in/d").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const auto files = journaled();
    if (files->notices().size() != 1) return "it was not told";
    return pending().size() == 1 ? "" : "the record was dropped";
  });
  ::chmod(tree.path("in/d").c_str(), 0755);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    journaled();
    return tree.content("in/d/x") == "only copy" ? "" : "it was not restored";
  });
}

TEST_F(Recovering, ARecordThatCannotBeReadIsToldAndStays) {
  tree.file("in/b", "b");
  interrupted({old_file(What::removed, "b")}, [](const Record&) {});
  const std::string record = journal_path() + "/pending/" + pending().at(0);
  std::filesystem::last_write_time(
      record, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  belong_to_nobody();
  ::chmod(record.c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const auto files = journaled();
    if (files->notices().size() != 1) return "it was not told";
    return pending().size() == 1 ? "" : "the record was dropped";
  });
}

TEST_F(Recovering, ARecordOfAnotherVersionIsToldAndLeftAlone) {
  tree.file("in/b", "b");
  interrupted({old_file(What::removed, "b")},
              [&](const Record& record) { perform(record.files[0]); });
  const std::string path = "journal/" + journal_name(root()) + "/pending/" + pending().at(0);
  std::string text = tree.content(path);
  text.replace(text.find("change 2"), 8, "change 1");
  text.erase(text.rfind("end "));
  tree.file(path, text + fmt::format("end {:016x}\n", quick_hash(text)));
  for (int i = 0; i < 2; ++i) {
    const auto files = journaled();
    ASSERT_EQ(files->notices().size(), 1u);
    EXPECT_TRUE(has(files->notices()[0], "another version")) << files->notices()[0];
    EXPECT_EQ(pending().size(), 1u);
    EXPECT_FALSE(tree.exists("in/b"));
  }
}

TEST_F(Recovering, ACopyThatWentAwayWithItsDirectoryIsWaitedFor) {
  tree.file("in/d/x", "only copy");
  tree.file("in/e/old", "old");
  interrupted({beside(old_file(What::removed, "d/x"), ".helve-change-x"),
               old_file(What::replaced, "e/old")},
              [&](const Record& record) { perform(record.files[0]); });
  std::filesystem::rename(tree.path("in/d"), tree.path("in/d2"));
  for (int i = 0; i < 2; ++i) {
    const auto files = journaled();
    ASSERT_EQ(files->notices().size(), 1u);
    EXPECT_TRUE(has(files->notices()[0], ".helve-change-x")) << files->notices()[0];
    EXPECT_EQ(pending().size(), 1u);
  }
  std::filesystem::rename(tree.path("in/d2"), tree.path("in/d"));
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/d/x"), "only copy");
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, ADirectoryThatBecameALinkIsTold) {
  tree.file("in/sub/a", "old");
  tree.file("in/b", "old");
  interrupted({old_file(What::removed, "sub/a"), old_file(What::replaced, "b")},
              [&](const Record& record) { perform(record.files[0]); });
  std::filesystem::rename(tree.path("in/sub"), tree.path("out/sub"));
  tree.link("in/sub", tree.path("out/sub"));
  const auto files = journaled();
  ASSERT_EQ(files->notices().size(), 1u);
  EXPECT_TRUE(has(files->notices()[0], "a link now")) << files->notices()[0];
  EXPECT_EQ(tree.content("in/b"), "old");
  std::filesystem::remove(tree.path("in/sub"));
  std::filesystem::rename(tree.path("out/sub"), tree.path("in/sub"));
  journaled();
  EXPECT_EQ(tree.content("in/sub/a"), "old");
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, WhatWasDecidedOnceIsNotDecidedAgain) {
  tree.file("in/d/c", "only copy");
  interrupted({old_file(What::removed, "d/c"), new_file("a")},
              [&](const Record& record) { perform(record.files[0]); });
  std::filesystem::rename(tree.path("in/d"), tree.path("in/d2"));
  EXPECT_EQ(journaled()->notices().size(), 1u);
  // What was staged is gone, as it would be had the change been made.
  std::filesystem::remove(tree.path("in/.helve-change-a"));
  tree.file("in/a", "theirs");
  std::filesystem::rename(tree.path("in/d2"), tree.path("in/d"));
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/d/c"), "only copy");
  EXPECT_EQ(tree.content("in/a"), "theirs");
  EXPECT_TRUE(files->past({})->changes.empty());
}

TEST_F(Recovering, AChangeComesAfterThoseThatWereMadeWhileItWasStaged) {
  for (const What what : {What::removed, What::moved}) {
    tree.file("in/d/f", "old");
    Record::File directory = what == What::moved ? moved("d", "e") : old_file(what, "d");
    directory.kind = sys::FileKind::directory;
    interrupted({directory}, [&](const Record& record) {
      ASSERT_TRUE(write_file(*journaled(), "d/f", "other"));
      // Its record, or its file, gets the new name after that by the clock of the file system,
      // which stands still for some milliseconds.
      const std::string staged = journal_path() + "/pending/" + record.name() + ".staged";
      const std::string again = what == What::moved ? staged : root() + "/d";
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      struct stat s {};
      do {
        std::filesystem::rename(again, again + "~");
        std::filesystem::rename(again + "~", again);
        ASSERT_EQ(::stat(again.c_str(), &s), 0);
      } while (std::chrono::seconds(s.st_ctim.tv_sec) +
                   std::chrono::nanoseconds(s.st_ctim.tv_nsec) <=
               now);
      perform(record.files[0]);
    });
    const auto files = journaled();
    const auto undo = [&] {
      const auto undone = files->undo({.any = true}, Rehearsal::no, {.tool = "undo"});
      return undone ? "" : describe(undone.error());
    };
    EXPECT_EQ(undo(), "");
    EXPECT_EQ(tree.content("in/d/f"), "other");
    EXPECT_EQ(undo(), "");
    EXPECT_EQ(tree.content("in/d/f"), "old");
  }
}

TEST_F(Recovering, DirectoriesThatAChangeLeavesEmptyGoWithIt) {
  tree.file("in/n/deep/x", "x");
  tree.file("in/full/y", "y");
  interrupted({old_file(What::removed, "n/deep/x")},
              [&](const Record& record) { perform(record.files[0]); }, Staged::yes,
              {root() + "/n/deep", root() + "/n", root() + "/full"});
  const auto files = journaled();
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"full"});
  EXPECT_EQ(files->past({})->changes.size(), 1u);
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, ManyFilesNeedFewDescriptors) {
  std::vector<Record::File> all;
  for (int i = 0; i < 300; ++i) {
    tree.directory("in/d" + std::to_string(i));
    all.push_back(new_file("d" + std::to_string(i) + "/f"));
  }
  interrupted(all, [&](const Record& record) {
    for (size_t i = 0; i < 290; ++i) perform(record.files[i]);
  });
  EXPECT_CHILD_OK([&]() -> std::string {
    const rlimit few{32, 32};
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return "skip: no limit";
    const auto files = journaled();
    for (int i = 0; i < 300; ++i) {
      if (!tree.names("in/d" + std::to_string(i)).empty()) return std::to_string(i);
    }
    return pending().empty() ? "" : "it was not taken back";
  });
}

TEST_F(Recovering, NothingIsDecidedWithoutDescriptors) {
  tree.file("in/b", "b");
  interrupted({old_file(What::removed, "b"), new_file("a")},
              [&](const Record& record) { perform(record.files[0]); });
  for (rlim_t most = 6; most < 24; ++most) {
    EXPECT_CHILD_OK([&]() -> std::string {
      const rlimit few{most, most};
      if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return "skip: no limit";
      auto made = Workspace::make({.roots = {{tree.path("in")}},
                                   .durability = Durability::unsynced,
                                   .journal_directory = tree.path("journal")});
      if (!made) return "";  // it did not begin
      return (*made)->notices().empty() && !pending().empty() ? "it was not told" : "";
    });
    EXPECT_TRUE(tree.content("in/b") == "b" || pending().size() == 1) << most;
  }
  const auto files = journaled();
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"b"});
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, ADamagedObjectIsWrittenAnew) {
  tree.file("in/one", "the same content");
  tree.file("in/two", "the same content");
  const auto write = [&](const char* path) {
    const Change change{.path = path, .content = "new"};
    return journaled()->apply({&change, 1}, {})->id;
  };
  Journal journal(journal_path(), {});
  const std::string first = write("one");
  journal.tidy(Journal::When::now, journal.load(first)->time_ms());
  const std::string objects = "journal/" + journal_name(root()) + "/objects/";
  tree.file(objects + tree.names(objects).at(0), "");
  const std::string second = write("two");
  journal.tidy(Journal::When::now, journal.load(second)->time_ms());
  EXPECT_EQ(journal.old_content(*journal.load(second), 0, kMaxKeptFile).value(),
            "the same content");
}

TEST_F(Recovering, NothingIsDroppedWhileARecordCannotBeRead) {
  tree.file("in/one", "old content");
  const Change change{.path = "one", .content = "new"};
  const std::string id = journaled()->apply({&change, 1}, {})->id;
  Journal journal(journal_path(), {});
  const std::int64_t now = journal.load(id)->time_ms();
  journal.tidy(Journal::When::now, now);
  const std::string entries = "journal/" + journal_name(root()) + "/entries/";
  const std::string entry = entries + tree.names(entries).at(0), text = tree.content(entry);
  tree.file(entry, text.substr(0, 20));
  journal.tidy(Journal::When::now, now);
  tree.file(entry, text);
  EXPECT_EQ(journal.old_content(*journal.load(id), 0, kMaxKeptFile).value(), "old content");
}

TEST_F(Recovering, TemporaryFilesOfTheJournalAreSwept) {
  tree.file("in/one", "old");
  const Change change{.path = "one", .content = "new"};
  const std::string id = journaled()->apply({&change, 1}, {})->id;
  const std::string left = "journal/" + journal_name(root()) + "/.helve-tmp-0123456789abcdef";
  tree.file(left);
  Journal journal(journal_path(), {});
  const std::int64_t now = journal.load(id)->time_ms();
  journal.tidy(Journal::When::now, now);
  EXPECT_TRUE(tree.exists(left)) << "somebody may be writing it";
  journal.tidy(Journal::When::now, now + 2 * 60 * 60 * 1000);
  EXPECT_FALSE(tree.exists(left));
}

}  // namespace
}  // namespace helve::workspace

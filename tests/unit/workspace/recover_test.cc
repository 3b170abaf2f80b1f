// What becomes of a change whose process was killed in the middle, when others went on working.
#include <sys/resource.h>
#include <sys/stat.h>

#include "sys/process_identity.h"
#include "unit/workspace/fixture.h"
#include "workspace/journal.h"
#include "workspace/record.h"

namespace helve::workspace {
namespace {

using What = Changed::What;

class Recovering : public WorkspaceTest {
 protected:
  std::unique_ptr<Workspace> journaled() const {
    auto made = Workspace::make({.roots = {{tree.path("in")}},
                                 .durability = Durability::unsynced,
                                 .journal_directory = tree.path("journal")});
    if (!made) ADD_FAILURE() << describe(made.error());
    return made ? std::move(*made) : nullptr;
  }
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
  // A process that notes a change down, does a part of it and is gone.
  enum class Staged : bool { no, yes };
  void interrupted(std::vector<Record::File> files, const std::function<void(const Record&)>& part,
                   Staged staged = Staged::yes) const {
    EXPECT_CHILD_OK([&]() -> std::string {
      Journal journal(journal_path(), {});
      if (auto prepared = journal.prepare(); !prepared) return describe(prepared.error());
      Record record{.tool = "test", .owner = sys::process_identity(), .files = std::move(files)};
      journal.name(record);
      for (size_t i = 0; i < record.files.size(); ++i) {
        Record::File& file = record.files[i];
        if (file.what == What::created) {
          file.beside = true;
          file.temporary = ".helve-change-" + std::to_string(i);
        } else if (file.what != What::moved && !file.beside) {
          file.temporary = record.kept_name(i);
        }
        if (file.what == What::created || file.what == What::replaced) {
          file.new_digest = digest_of("new", journal.seed());
        }
      }
      if (auto begun = journal.begin(record); !begun) return describe(begun.error());
      if (staged == Staged::yes && !journal.note_staged(record)) return "not staged";
      part(record);
      return "";
    });
  }
  std::vector<std::string> pending() const {
    return tree.names("journal/" + journal_name(root()) + "/pending");
  }
};

TEST_F(Recovering, AChangeThatWasMadeStaysMadeWhateverBecameOfItsNewFile) {
  for (const bool removed : {false, true}) {
    tree.file("in/b", "old");
    interrupted({{.what = What::created, .path = root() + "/a"}, old_file(What::removed, "b")},
                [&](const Record& record) {
                  tree.file("in/a", "new");
                  std::filesystem::rename(tree.path("in/b"), kept(record.kept_name(1)));
                });
    if (removed) {
      std::filesystem::remove(tree.path("in/a"));
    } else {
      tree.file("in/a", "new, and somebody went on with it");
    }
    const auto files = journaled();
    EXPECT_FALSE(tree.exists("in/b"));
    EXPECT_EQ(tree.exists("in/a"), !removed);
    EXPECT_TRUE(pending().empty());
    std::filesystem::remove_all(tree.path("journal"));
  }
}

TEST_F(Recovering, WhatOthersWroteToTheOldFileMeanwhileIsKept) {
  tree.file("in/log", "line\n");
  tree.file("in/z", "z");
  interrupted({old_file(What::replaced, "log"), old_file(What::replaced, "z")},
              [&](const Record& record) {
                std::filesystem::rename(tree.path("in/log"), kept(record.kept_name(0)));
                tree.file("in/log", "new");
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
  interrupted({{.what = What::created, .path = root() + "/a"},
               old_file(What::removed, "d/c"),
               old_file(What::removed, "b")},
              [&](const Record& record) {
                tree.file("in/a", "new");
                std::filesystem::rename(tree.path("in/d/c"), kept(record.kept_name(1)));
                std::filesystem::remove(tree.path("in/d"));
              });
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
  interrupted({{.what = What::created, .path = root() + "/a"}, old_file(What::removed, "b")},
              [&](const Record&) { tree.file("in/a", "new"); });
  tree.file("in/a", "theirs");
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/a"), "theirs");
  EXPECT_EQ(tree.content("in/b"), "b");
  EXPECT_FALSE(files->notices().empty());
}

TEST_F(Recovering, WhatWasMovedByAWayComesBack) {
  tree.file("in/a", "a");
  tree.file("in/b", "b");
  Record::File first = old_file(What::moved, "a"), second = old_file(What::moved, "b");
  for (Record::File* file : {&first, &second}) file->beside = true;
  first.to = root() + "/b";
  second.to = root() + "/a";
  first.temporary = ".helve-change-1";
  second.temporary = ".helve-change-2";
  interrupted({first, second}, [&](const Record&) {
    std::filesystem::rename(tree.path("in/a"), tree.path("in/.helve-change-1"));
    std::filesystem::rename(tree.path("in/b"), tree.path("in/.helve-change-2"));
    std::filesystem::rename(tree.path("in/.helve-change-1"), tree.path("in/b"));
  });
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/a"), "a");
  EXPECT_EQ(tree.content("in/b"), "b");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Recovering, NothingIsTouchedBeforeAllIsStaged) {
  // The undo of a move over a file of the same content.
  tree.file("in/b", "new");
  Record::File moved = old_file(What::moved, "b");
  moved.to = root() + "/a";
  moved.beside = true;
  moved.temporary = ".helve-change-m";
  interrupted(
      {moved, {.what = What::created, .path = root() + "/b"}}, [](const Record&) {}, Staged::no);
  const auto files = journaled();
  EXPECT_EQ(tree.content("in/b"), "new");
  EXPECT_TRUE(files->notices().empty()) << files->notices()[0];
  EXPECT_TRUE(pending().empty());
}

TEST_F(Recovering, WhatWasStagedInPartIsRemoved) {
  tree.file("in/c", "c");
  interrupted(
      {{.what = What::created, .path = root() + "/a"},
       {.what = What::created, .path = root() + "/b"},
       old_file(What::replaced, "c")},
      [&](const Record& record) {
        tree.file("in/.helve-change-0", "new");
        std::ofstream(kept(record.kept_name(2))) << "new";
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

TEST_F(Recovering, AStagedFileThatSomebodyRemovedIsNotTakenForMade) {
  interrupted({{.what = What::created, .path = root() + "/a"},
               {.what = What::created, .path = root() + "/b"}},
              [&](const Record&) { tree.file("in/a", "new"); });
  const auto files = journaled();
  EXPECT_TRUE(tree.names("in").empty());
  EXPECT_TRUE(files->past({})->changes.empty());
  EXPECT_EQ(files->notices().size(), 1u);
}

TEST_F(Recovering, WhatAMoveWouldHaveReplacedComesBackAlthoughSomebodySavedItsSource) {
  tree.file("in/m", "m");
  tree.file("in/n", "n");
  Record::File moved = old_file(What::moved, "m");
  moved.to = root() + "/n";
  interrupted({old_file(What::removed, "n"), moved}, [&](const Record& record) {
    std::filesystem::rename(tree.path("in/n"), kept(record.kept_name(0)));
  });
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
  Record::File removed = old_file(What::removed, "d/x");
  removed.beside = true;
  removed.temporary = ".helve-change-x";
  interrupted({removed, old_file(What::replaced, "e/old")}, [&](const Record&) {
    std::filesystem::rename(tree.path("in/d/x"), tree.path("in/d/.helve-change-x"));
  });
  EXPECT_EQ(::chown(tree.path().c_str(), 65534, 65534), ::geteuid() == 0 ? 0 : -1);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.path())) {
    (void)::chown(entry.path().c_str(), 65534, 65534);
  }
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

TEST_F(Recovering, ACopyThatWentAwayWithItsDirectoryIsWaitedFor) {
  tree.file("in/d/x", "only copy");
  tree.file("in/e/old", "old");
  Record::File removed = old_file(What::removed, "d/x");
  removed.beside = true;
  removed.temporary = ".helve-change-x";
  interrupted({removed, old_file(What::replaced, "e/old")}, [&](const Record&) {
    std::filesystem::rename(tree.path("in/d/x"), tree.path("in/d/.helve-change-x"));
  });
  std::filesystem::rename(tree.path("in/d"), tree.path("in/d2"));
  {
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

TEST_F(Recovering, ManyFilesNeedFewDescriptors) {
  std::vector<Record::File> all;
  for (int i = 0; i < 300; ++i) {
    tree.directory("in/d" + std::to_string(i));
    all.push_back({.what = What::created, .path = root() + "/d" + std::to_string(i) + "/f"});
  }
  interrupted(all, [&](const Record& record) {
    for (int i = 0; i < 300; ++i) {
      tree.file("in/d" + std::to_string(i) + "/" + (i < 290 ? "f" : record.files[i].temporary),
                "new");
    }
  });
  EXPECT_CHILD_OK([&]() -> std::string {
    const rlimit few{128, 128};
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return "skip: no limit";
    const auto files = journaled();
    for (int i = 0; i < 300; ++i) {
      if (!tree.names("in/d" + std::to_string(i)).empty()) return std::to_string(i);
    }
    return pending().empty() ? "" : "it was not taken back";
  });
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

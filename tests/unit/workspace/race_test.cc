// Somebody who swaps directories and files for links while we write must not get a single byte
// outside.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class Race : public WorkspaceTest {
 protected:
  // Exchanges two names below in/ for as long as it lives.
  std::jthread swap(const std::string& a, const std::string& b) const {
    return std::jthread(
        [from = tree.path("in/" + a), to = tree.path("in/" + b)](std::stop_token stop) {
          while (!stop.stop_requested()) {
            ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE);
          }
        });
  }
  static constexpr int kWrites = 10'000;
};

TEST_F(Race, ADirectoryThatBecomesALinkLeadsNowhere) {
  tree.directory("in/directory");
  tree.link("in/link", tree.path("out"));
  const auto files = open();
  int written = 0, refused = 0;
  {
    const std::jthread attacker = swap("directory", "link");
    for (int i = 0; i < kWrites; ++i) {
      const auto result = write_file(*files, "directory/file", "inside", OnConflict::overwrite);
      ++(result ? written : refused);
    }
  }
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(tree.names("out"), std::vector<std::string>{"secret"});
  EXPECT_EQ(tree.content("out/secret"), "secret");
}

TEST_F(Race, MadeDirectoriesThatBecomeALinkLeadNowhere) {
  tree.directory("in/directory");
  tree.link("in/link", tree.path("out"));
  const auto files = open();
  {
    const std::jthread attacker = swap("directory", "link");
    for (int i = 0; i < kWrites / 10; ++i) {
      (void)write_file(*files, "directory/" + std::to_string(i) + "/deep/file", "inside",
                       OnConflict::overwrite);
    }
  }
  EXPECT_EQ(tree.names("out"), std::vector<std::string>{"secret"});
}

TEST_F(Race, AFileThatBecomesALinkIsNotWrittenThrough) {
  tree.file("in/file", "inside");
  tree.link("in/link", tree.path("out/secret"));
  const auto files = open();
  int written = 0, refused = 0;
  {
    const std::jthread attacker = swap("file", "link");
    for (int i = 0; i < kWrites; ++i) {
      const auto result = write_file(*files, "file", "inside", OnConflict::overwrite);
      ++(result ? written : refused);
    }
  }
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(tree.content("out/secret"), "secret");
  EXPECT_EQ(tree.names("out"), std::vector<std::string>{"secret"});
}

TEST_F(Race, NothingGetsOutsideByWayOfTheJournal) {
  tree.file("in/file", "inside");
  tree.file("in/other", "inside");
  tree.link("in/link", tree.path("out/secret"));
  const auto files = Workspace::make({.roots = {{tree.path("in")}},
                                      .durability = Durability::unsynced,
                                      .journal_directory = tree.path("journal")});
  ASSERT_TRUE(files);
  int written = 0, refused = 0;
  {
    const std::jthread attacker = swap("file", "link");
    const std::vector<Change> changes = {{.path = "other", .content = "inside"},
                                         {.path = "file", .content = "inside"}};
    for (int i = 0; i < kWrites / 4; ++i) ++((*files)->apply(changes, {}) ? written : refused);
  }
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(tree.content("out/secret"), "secret");
  EXPECT_EQ(tree.names("out"), std::vector<std::string>{"secret"});
}

// While we write, another process replaces the file twice. Ours may come after, but theirs must not
// be undone.
TEST_F(Race, AFileThatIsReplacedMeanwhileStaysReplaced) {
  const auto files = open();
  const std::string file = tree.path("in/file");
  std::atomic<int> round = 0, answered = 0;
  constexpr int kRounds = 500;
  std::jthread other([&] {
    for (int i = 1; i <= kRounds; ++i) {
      round.wait(i - 1);
      for (const char* version : {"first", "second"}) {
        ::rename(tree.path(std::string("out/") + version).c_str(), file.c_str());
      }
      answered = i;
      answered.notify_one();
    }
  });
  int conflicts = 0, undone = 0;
  for (int i = 1; i <= kRounds; ++i) {
    tree.file("in/file", "start");
    tree.file("out/first", "first");
    tree.file("out/second", "second");
    round = i;
    round.notify_one();
    const auto written = write_file(*files, "file", "ours", OnConflict::overwrite);
    if (!written) conflicts += written.error().type == "changed_meanwhile";
    answered.wait(i - 1);
    const std::string content = tree.content("in/file");
    undone += content != "second" && content != "ours";
  }
  EXPECT_GT(conflicts, 0);
  EXPECT_EQ(undone, 0);
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"file"});
}

// A change fails at its last file. What somebody wrote meanwhile into the first, which was
// exchanged already, must not go with it.
TEST_F(Race, WhatWasWrittenIntoANewFileIsNotTakenBack) {
  constexpr int kFiles = 400;
  const auto files = open();
  std::vector<Change> changes;
  for (int i = 0; i < kFiles; ++i) {
    changes.push_back({.path = std::to_string(i), .content = "new"});
  }
  const std::string first = tree.path("in/0"), last = "in/" + std::to_string(kFiles - 1);
  bool was_there = false;
  for (int round = 0; round < 100 && !was_there; ++round) {
    for (const Change& change : changes) tree.file("in/" + change.path, "old");
    std::jthread other([&](const std::stop_token& stop) {
      while (!stop.stop_requested() && tree.content("in/0") != "new") {
      }
      std::ofstream(first, std::ios::app) << " theirs";
      tree.file(last, "theirs, too");
    });
    const auto applied = files->apply(changes, {});
    other.request_stop();
    other.join();
    was_there = !applied;
    if (applied) continue;
    EXPECT_EQ(applied.error().type, "changed_meanwhile");
    std::string all;
    for (const std::string& name : tree.names("in")) all += tree.content("in/" + name) + "\n";
    EXPECT_TRUE(has(all, "new theirs") || has(all, "old theirs")) << applied.error().hint;
    EXPECT_EQ(tree.content(last), "theirs, too");
  }
  EXPECT_TRUE(was_there);
}

// What was saved after the look is not ours to move; and it can only go back while its name is
// free.
TEST_F(Race, WhatSomebodySavedKeepsNoTemporaryName) {
  tree.file("in/other", "other");
  const auto files = journaled();
  int refused = 0;
  {
    const std::jthread somebody([this](std::stop_token stop) {
      while (!stop.stop_requested()) {
        tree.file("in/saved~", "somebody's");
        std::filesystem::rename(tree.path("in/saved~"), tree.path("in/file"));
      }
    });
    const std::vector<Change> changes = {
        {.kind = Change::Kind::move, .path = "file", .to = "other", .makes_way = true},
        {.kind = Change::Kind::move, .path = "other", .to = "file", .makes_way = true}};
    for (int i = 0; i < kWrites / 20; ++i) {
      if (!files->apply(changes, {})) ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  journaled();  // which takes care of what could not be moved back
  for (const std::string& name : tree.names("in")) {
    EXPECT_FALSE(name.starts_with(".helve-change-")) << name;
  }
}

TEST_F(Race, AReaderIsNotLedOutside) {
  tree.file("in/directory/secret", "inside");
  tree.link("in/link", tree.path("out"));
  const auto files = open();
  int read = 0;
  {
    const std::jthread attacker = swap("directory", "link");
    for (int i = 0; i < kWrites; ++i) {
      const auto file = files->open_file("directory/secret");
      if (!file) continue;
      char buffer[6];
      ASSERT_EQ(sys::read_at(file->file, buffer, 0), 6u);
      ASSERT_EQ(std::string_view(buffer, 6), "inside");
      ++read;
    }
  }
  EXPECT_GT(read, 0);
}

TEST_F(Race, AReaderSeesTheOldContentOrTheNew) {
  const std::string old_content(100'000, 'o'), new_content(50'000, 'n');
  tree.file("in/file", old_content);
  const auto files = open();
  std::atomic<bool> wrong = false;
  {
    const std::jthread reader([&](std::stop_token stop) {
      while (!stop.stop_requested()) {
        const std::string seen = tree.content("in/file");
        if (seen != old_content && seen != new_content) wrong = true;
      }
    });
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(
          write_file(*files, "file", i % 2 ? old_content : new_content, OnConflict::overwrite));
    }
  }
  EXPECT_FALSE(wrong);
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace helve::workspace

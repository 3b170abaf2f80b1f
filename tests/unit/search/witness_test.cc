// What a witness tells, against what happened between begin and end.
#include "search/witness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "unit/workspace/temp_tree.h"

namespace helve::search {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
constexpr size_t kAllowance = 1000;

class WitnessTest : public ::testing::Test {
 protected:
  WitnessTest() : root_(std::move(*sys::open_directory(tree_.path()))) {}

  std::string below_root(const std::string& path) const {
    return path.substr(tree_.path().size() + 1);
  }
  // "A a", "M a", "D a", a line each.
  Lines lines(const Testimony& told) const {
    Lines out;
    for (const Sighting& each : told.changes)
      out.push_back((!each.before ? "A " : each.after ? "M " : "D ") + below_root(each.path));
    return out;
  }
  Testimony during(const std::function<void()>& work) {
    const auto watch = witness_.begin();
    work();
    return witness_.end(watch, kAllowance);
  }
  Lines changes(const std::function<void()>& work) { return lines(during(work)); }
  void append(std::string_view name) const {
    std::ofstream(tree_.path(name), std::ios::app) << "more";
  }

  TempTree tree_;
  sys::Fd root_;
  Witness witness_{{{tree_.path(), &root_}}};
};

TEST_F(WitnessTest, TellsWhatAnotherWatchSawToo) {
  const auto shared = [&](const Testimony& told) {
    Lines out;
    for (const Sighting& each : told.changes)
      if (each.is_shared) out.push_back(below_root(each.path));
    return out;
  };
  const auto one = witness_.begin();
  tree_.file("a");
  tree_.file("b");
  const auto other = witness_.begin();
  append("b");
  tree_.file("c");
  const Testimony first = witness_.end(one, kAllowance);
  tree_.file("d");
  const Testimony second = witness_.end(other, kAllowance);
  EXPECT_EQ(lines(first), (Lines{"A a", "A b", "A c"}));
  EXPECT_EQ(shared(first), (Lines{"b", "c"}));
  EXPECT_EQ(lines(second), (Lines{"M b", "A c", "A d"}));
  EXPECT_EQ(shared(second), (Lines{"b", "c"}));
}

TEST_F(WitnessTest, TellsWhatWasCreatedChangedAndRemoved) {
  tree_.file("changed");
  tree_.file("removed");
  tree_.file("as it was");
  EXPECT_EQ(changes([&] {
              append("changed");
              tree_.file("created");
              fs::remove(tree_.path("removed"));
            }),
            (Lines{"M changed", "A created", "D removed"}));
}

TEST_F(WitnessTest, TellsNothingWhenNothingChanged) {
  tree_.file("a/b");
  EXPECT_EQ(changes([] {}), Lines{});
  EXPECT_EQ(changes([&] { (void)tree_.content("a/b"); }), Lines{});
}

TEST_F(WitnessTest, TellsNothingOfWhatCameAndWent) {
  tree_.file("a");
  EXPECT_EQ(changes([&] {
              tree_.file("temporary");
              fs::remove(tree_.path("temporary"));
            }),
            Lines{});
}

TEST_F(WitnessTest, TellsOnlyWhatHappenedBetweenBeginAndEnd) {
  (void)during([] {});
  tree_.file("before");
  EXPECT_EQ(changes([&] { tree_.file("meanwhile"); }), Lines{"A meanwhile"});
}

TEST_F(WitnessTest, KnowsHowAFileWasThatChangedTwice) {
  tree_.file("a", "12345");
  const Testimony told = during([&] {
    append("a");
    append("a");
  });
  ASSERT_EQ(told.changes.size(), 1u);
  EXPECT_EQ(told.changes[0].before->status.size, 5u);
  EXPECT_EQ(told.changes[0].after->status.size, 13u);
}

TEST_F(WitnessTest, SeesWhatIsMadeInNewDirectories) {
  EXPECT_EQ(changes([&] { tree_.file("new/inner/file"); }),
            (Lines{"A new", "A new/inner", "A new/inner/file"}));
  EXPECT_EQ(changes([&] { append("new/inner/file"); }), Lines{"M new/inner/file"});
}

TEST_F(WitnessTest, SeesWhatWentWithADirectory) {
  tree_.file("old/inner/file");
  EXPECT_EQ(changes([&] { fs::remove_all(tree_.path("old")); }),
            (Lines{"D old", "D old/inner", "D old/inner/file"}));
}

TEST_F(WitnessTest, KnowsAFileThatWasMovedByItsInode) {
  tree_.file("from");
  const Testimony told = during([&] { fs::rename(tree_.path("from"), tree_.path("to")); });
  ASSERT_EQ(lines(told), (Lines{"D from", "A to"}));
  EXPECT_TRUE(told.changes[0].before->status.same_file(told.changes[1].after->status));
}

TEST_F(WitnessTest, FollowsADirectoryThatWasMoved) {
  tree_.file("m/inner/file");
  EXPECT_EQ(changes([&] { fs::rename(tree_.path("m"), tree_.path("a")); }),
            (Lines{"A a", "A a/inner", "A a/inner/file", "D m", "D m/inner", "D m/inner/file"}));
  EXPECT_EQ(changes([&] { append("a/inner/file"); }), Lines{"M a/inner/file"});
}

TEST_F(WitnessTest, TellsOfModesAndOfWhereLinksLead) {
  tree_.file("script");
  tree_.link("link", "here");
  EXPECT_EQ(changes([&] {
              ::chmod(tree_.path("script").c_str(), 0755);
              fs::remove(tree_.path("link"));
              tree_.link("link", "there");
            }),
            (Lines{"M link", "M script"}));
}

TEST_F(WitnessTest, TwoThatWatchAtOnceEachKnowTheirOwnTime) {
  tree_.file("a");
  const auto first = witness_.begin();
  append("a");
  const auto second = witness_.begin();
  tree_.file("b");
  EXPECT_EQ(lines(witness_.end(second, 0)), Lines{"A b"});
  append("b");
  EXPECT_EQ(lines(witness_.end(first, 0)), (Lines{"M a", "A b"}));
}

TEST_F(WitnessTest, SumsUpWhatIsIgnored) {
  tree_.directory(".git");
  tree_.file(".gitignore", "target/\n*.o\n");
  tree_.file("target/old");
  fs::last_write_time(tree_.path("target/old"), fs::file_time_type::min());
  (void)during([] {});
  const Testimony told = during([&] {
    tree_.file("target/debug/one");
    tree_.file("target/debug/two");
    tree_.file("src.o");
    tree_.file("src.c");
  });
  EXPECT_EQ(lines(told), Lines{"A src.c"});
  ASSERT_EQ(told.ignored.size(), 2u);
  EXPECT_EQ(below_root(told.ignored[0].path), "src.o");
  EXPECT_FALSE(told.ignored[0].is_directory);
  EXPECT_EQ(below_root(told.ignored[1].path), "target");
  EXPECT_TRUE(told.ignored[1].is_directory);
  EXPECT_GE(told.ignored[1].files, 2u);
}

TEST_F(WitnessTest, LooksAtNoMoreOfWhatIsIgnoredThanItMay) {
  tree_.directory(".git");
  tree_.file(".gitignore", "target/\n");
  tree_.directory("target");
  const auto watch = witness_.begin();
  for (int i = 0; i < 10; ++i) tree_.file("target/" + std::to_string(i));
  const Testimony told = witness_.end(watch, 4);
  ASSERT_EQ(told.ignored.size(), 1u);
  EXPECT_EQ(told.ignored[0].files, 4u);
  EXPECT_TRUE(told.ignored[0].or_more);
}

TEST_F(WitnessTest, WhatBecomesIgnoredIsNotGone) {
  tree_.directory(".git");
  tree_.file(".gitignore", "");
  tree_.file("hidden/file");
  tree_.link("hidden/link", "file");
  EXPECT_EQ(changes([&] { tree_.file(".gitignore", "hidden\n"); }), Lines{"M .gitignore"});
}

TEST_F(WitnessTest, ADirectoryIsNewAlsoWhenTheRulesChange) {
  EXPECT_EQ(changes([&] {
              tree_.directory(".git");
              tree_.file("new/file");
            }),
            (Lines{"A new", "A new/file"}));
}

TEST_F(WitnessTest, OfARepositoryOnlyTellsThatHeadAndIndexChanged) {
  tree_.file(".git/HEAD");
  tree_.file(".git/logs/HEAD");
  tree_.file(".git/index", "old");
  Testimony told = during([&] {
    tree_.file(".git/index.lock", "new");
    fs::rename(tree_.path(".git/index.lock"), tree_.path(".git/index"));
    tree_.file(".git/objects/ab/cd");
  });
  EXPECT_EQ(lines(told), Lines{});
  EXPECT_TRUE(told.index_changed);
  EXPECT_FALSE(told.head_moved);
  ASSERT_EQ(told.repositories.size(), 1u);
  EXPECT_EQ(sys::status(*told.repositories[0].index)->size, 3u);
  told = during([&] { append(".git/logs/HEAD"); });
  EXPECT_TRUE(told.head_moved);
  EXPECT_FALSE(told.index_changed);
}

TEST_F(WitnessTest, TheFirstCommitMovesHead) {
  tree_.file(".git/HEAD");
  EXPECT_TRUE(during([&] { tree_.file(".git/logs/HEAD"); }).head_moved);
}

TEST_F(WitnessTest, LeavesOutHelvesOwnDirectory) {
  EXPECT_EQ(changes([&] { tree_.file(".helve/config.yaml"); }), Lines{});
}

TEST_F(WitnessTest, LeavesOutWhatHelveMakesForAMoment) {
  EXPECT_EQ(changes([&] {
              tree_.file(".helve-0123456789abcdef");
              tree_.file("d/.helve-tmp-0123456789abcdef");
              tree_.file(".helve-notes");
            }),
            (Lines{"A .helve-notes", "A d"}));
}

TEST_F(WitnessTest, OfARepositoryFurtherBelowTellsThatItCame) {
  tree_.file("sub/file");
  tree_.file("known/.git/HEAD");
  EXPECT_EQ(changes([&] {
              tree_.file("sub/.git/HEAD");
              tree_.file("new/.helve/config.yaml");
              tree_.file("known/.git/config");
            }),
            (Lines{"A new", "A new/.helve", "A sub/.git"}));
}

TEST_F(WitnessTest, SeesWhatWasWrittenByAnotherName) {
  tree_.file("a");
  fs::create_hard_link(tree_.path("a"), tree_.path("b"));
  tree_.file("other");
  EXPECT_EQ(changes([&] { append("b"); }), (Lines{"M a", "M b"}));
}

TEST_F(WitnessTest, SeesWhatWasWrittenByANameThatIsNew) {
  tree_.file("a");
  tree_.file("other");
  EXPECT_EQ(changes([&] {
              fs::create_hard_link(tree_.path("a"), tree_.path("new"));
              append("new");
            }),
            (Lines{"M a", "A new"}));
}

TEST_F(WitnessTest, SeesWhatWasWrittenByANameThatIsGoneAgain) {
  tree_.file("deep/a");
  tree_.file("borne by another");
  tree_.file("other");
  const auto write_by = [&](const std::string& name) {
    fs::create_hard_link(tree_.path("deep/a"), tree_.path(name));
    append(name);
    fs::remove(tree_.path(name));
  };
  EXPECT_EQ(changes([&] { write_by("gone"); }), Lines{"M deep/a"});
  EXPECT_EQ(changes([&] {
              tree_.directory("new");
              write_by("new/gone");
            }),
            (Lines{"M deep/a", "A new"}));
  EXPECT_EQ(changes([&] {
              fs::remove(tree_.path("borne by another"));
              write_by("borne by another");
              tree_.file("borne by another");
            }),
            (Lines{"M borne by another", "M deep/a"}));
}

TEST_F(WitnessTest, KnowsTheIndexAsItWasBefore) {
  tree_.file(".git/index", "old");
  const Testimony told = during([&] {
    tree_.file(".git/index.lock", "other");
    fs::rename(tree_.path(".git/index.lock"), tree_.path(".git/index"));
  });
  std::string text(3, '\0');
  ASSERT_TRUE(sys::read_at(*told.repositories.at(0).index, text, 0));
  EXPECT_EQ(text, "old");
  const Testimony next = during([] {});
  EXPECT_EQ(sys::status(*next.repositories.at(0).index)->size, 5u);
}

TEST_F(WitnessTest, GivesUpOnTooManyFilesAndSaysSoOnce) {
  for (int i = 0; i < 10; ++i) tree_.file("d/" + std::to_string(i));
  Witness small({{tree_.path(), &root_}}, 5);
  EXPECT_EQ(small.begin(), nullptr);
  EXPECT_TRUE(small.must_tell_too_many());
  EXPECT_EQ(small.begin(), nullptr);
  EXPECT_FALSE(small.must_tell_too_many());
}

TEST_F(WitnessTest, SeesEveryRoot) {
  TempTree other;
  const sys::Fd second = std::move(*sys::open_directory(other.path()));
  Witness both({{tree_.path(), &root_}, {other.path(), &second}});
  const auto watch = both.begin();
  tree_.file("a");
  other.file("b");
  EXPECT_EQ(both.end(watch, 0).changes.size(), 2u);
}

// Whatever is done to the tree, it tells the same as one that lists everything anew.
TEST_F(WitnessTest, TellsTheSameAsALookAtEverything) {
  std::mt19937 random(7);
  const auto any = [&](const std::string& prefix) {
    return tree_.path(prefix + std::to_string(random() % 5));
  };
  const auto listed = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(tree_.path())) {
      struct stat status;
      ::lstat(entry.path().c_str(), &status);
      all[below_root(entry.path())] = S_ISDIR(status.st_mode)
                                          ? "d" + std::to_string(status.st_ino)
                                          : std::to_string(status.st_ino) + "." +
                                                std::to_string(status.st_size) + "." +
                                                std::to_string(status.st_ctim.tv_sec) + "." +
                                                std::to_string(status.st_ctim.tv_nsec);
    }
    return all;
  };
  std::error_code ignored;
  for (int round = 0; round < 200; ++round) {
    (void)witness_.end(witness_.begin(), 0);
    const auto before = listed();
    const Lines told = changes([&] {
      for (int i = 0; i < 6; ++i) {
        const std::string a = any("d") + "/" + std::to_string(random() % 3);
        const std::string b = any("d") + "/" + std::to_string(random() % 3);
        switch (random() % 6) {
          case 0:
            fs::create_directories(a, ignored);
            break;
          case 1:
            fs::rename(a, b, ignored);
            break;
          case 2:
            fs::remove_all(any("d"), ignored);
            break;
          case 3:
            fs::rename(any("d"), a, ignored);
            break;
          default:
            std::ofstream(a, std::ios::app) << "more";
        }
      }
    });
    const auto after = listed();
    Lines expected;
    for (const auto& [path, stamp] : before) {
      const auto now = after.find(path);
      if (now == after.end())
        expected.push_back("D " + path);
      else if (now->second != stamp)
        expected.push_back("M " + path);
    }
    for (const auto& [path, stamp] : after)
      if (!before.contains(path)) expected.push_back("A " + path);
    std::ranges::sort(expected, {}, [](const std::string& line) { return line.substr(2); });
    ASSERT_EQ(told, expected) << "in round " << round;
  }
}

}  // namespace
}  // namespace helve::search

#include <sys/stat.h>

#include <algorithm>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class Lists : public WorkspaceTest {
 protected:
  Listing list(const std::string& path, const ListOptions& options = {}) const {
    auto listing = open()->list(path, options);
    if (!listing) ADD_FAILURE() << describe(listing.error());
    return listing ? std::move(*listing) : Listing{};
  }
  static std::vector<std::string> paths(const Listing& listing) {
    std::vector<std::string> paths;
    for (const Entry& entry : listing.entries) paths.push_back(entry.path);
    return paths;
  }
  using Paths = std::vector<std::string>;
};

TEST_F(Lists, GivesNamesKindsAndSizesInOrder) {
  tree.file("in/b.txt", "12345");
  tree.directory("in/a");
  tree.link("in/c", "b.txt");
  const Listing listing = list(".");
  ASSERT_EQ(paths(listing), (Paths{"a", "b.txt", "c"}));
  EXPECT_EQ(listing.entries[0].kind, sys::FileKind::directory);
  EXPECT_EQ(listing.entries[1].size, 5u);
  EXPECT_EQ(listing.entries[2].kind, sys::FileKind::symlink);
  EXPECT_EQ(listing.entries[2].target, "b.txt");
  EXPECT_EQ(listing.total, 3u);
  EXPECT_TRUE(listing.complete);
}

TEST_F(Lists, GoesAsDeepAsAsked) {
  tree.file("in/a/b/c/d");
  tree.file("in/a-b");
  EXPECT_EQ(paths(list(".", {.depth = 1})), (Paths{"a", "a-b"}));
  EXPECT_EQ(paths(list(".", {.depth = 3})), (Paths{"a", "a/b", "a/b/c", "a-b"}));
}

TEST_F(Lists, DoesNotEnterLinks) {
  tree.link("in/out", tree.path("out"));
  tree.link("in/self", ".");
  EXPECT_EQ(paths(list(".", {.depth = 5})), (Paths{"out", "self"}));
}

TEST_F(Lists, ShowsHiddenNamesWhenAskedButNeverEntersGit) {
  tree.file("in/.env");
  tree.file("in/.git/config");
  tree.file("in/.github/x");
  EXPECT_TRUE(paths(list(".")).empty());
  EXPECT_EQ(paths(list(".", {.depth = 2, .hidden = Hidden::show})),
            (Paths{".env", ".git", ".github", ".github/x"}));
  EXPECT_EQ(paths(list(".git")), Paths{"config"});
}

TEST_F(Lists, DescribesASingleFile) {
  tree.file("in/sub/file", "12345");
  const Listing listing = list("sub/file");
  ASSERT_EQ(paths(listing), Paths{"file"});
  EXPECT_EQ(listing.entries[0].size, 5u);
}

TEST_F(Lists, KeepsTheFirstNamesOfALargeDirectory) {
  for (int i = 0; i < 300; ++i) tree.file("in/" + std::to_string(1000 + i));
  const Listing listing = list(".", {.limit = 10});
  EXPECT_EQ(listing.entries.size(), 10u);
  EXPECT_EQ(listing.entries.front().path, "1000");
  EXPECT_EQ(listing.entries.back().path, "1009");
  EXPECT_EQ(listing.total, 300u);
  EXPECT_FALSE(listing.complete);
}

TEST_F(Lists, StopsWalkingAtTheLimit) {
  for (int i = 0; i < 10; ++i) tree.file("in/" + std::to_string(i) + "/file");
  const Listing listing = list(".", {.depth = 2, .limit = 5});
  EXPECT_EQ(paths(listing), (Paths{"0", "0/file", "1", "1/file", "2"}));
  EXPECT_FALSE(listing.complete);
}

TEST_F(Lists, IsCompleteWhenItJustFits) {
  tree.file("in/a/b");
  const Listing listing = list(".", {.depth = 2, .limit = 2});
  EXPECT_EQ(listing.entries.size(), 2u);
  EXPECT_TRUE(listing.complete);
}

TEST_F(Lists, NamesWhatCannotBeReadAndGivesTheRest) {
  tree.file("in/closed/file");
  tree.file("in/open/file");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in/closed").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const auto listing = open()->list(".", {.depth = 2});
    if (!listing) return describe(listing.error());
    if (paths(*listing) != Paths{"closed", "open", "open/file"}) return "wrong entries";
    if (listing->unreadable != Paths{"closed"}) return "not reported";
    const auto closed = open()->list("closed");
    return !closed && kind_of(closed.error()) == "denied permission_denied" ? "" : "it was listed";
  });
}

TEST_F(Lists, NamesWhatMayBeListedButNotLookedAt) {
  tree.file("in/names/file");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in/names").c_str(), 0444);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const auto listing = open()->list("names");
    if (!listing) return describe(listing.error());
    return paths(*listing) == Paths{"file"} && listing->total == 1 ? "" : "it seems to be empty";
  });
}

TEST_F(Lists, KeepsOddNamesByteForByte) {
  const std::string odd = "new\nline\x1b[2J\xff";
  tree.file("in/" + odd);
  EXPECT_EQ(paths(list(".")), Paths{odd});
}

TEST_F(Lists, RefusesWhatIsOutsideOrMissing) {
  tree.link("in/link", tree.path("out"));
  EXPECT_EQ(kind_of(open()->list("..").error()), "denied outside_workspace");
  EXPECT_EQ(kind_of(open()->list("link").error()), "denied outside_workspace");
  EXPECT_EQ(open()->list("nowhere").error().code, Code::not_found);
}

TEST_F(Lists, EndsWhenStopped) {
  for (int i = 0; i < 10; ++i) tree.file("in/" + std::to_string(i));
  std::stop_source source;
  source.request_stop();
  EXPECT_TRUE(list(".", {.stop = source.get_token()}).entries.empty());
}

class Walk : public WorkspaceTest {
 protected:
  std::vector<std::string> after(const std::string& cursor, size_t limit) const {
    std::vector<std::string> paths;
    const auto files = open()->files_after(cursor, limit);
    if (!files)
      ADD_FAILURE() << describe(files.error());
    else
      for (const FileInfo& file : *files) paths.push_back(file.path);
    return paths;
  }
  using Paths = std::vector<std::string>;
};

TEST_F(Walk, GivesFilesInTheOrderOfTheirParts) {
  for (const char* name : {"b", "a/z", "a/b/c", "a-b", "c/d", "B"})
    tree.file(std::string("in/") + name);
  EXPECT_EQ(after("", 100), (Paths{"B", "a/b/c", "a/z", "a-b", "b", "c/d"}));
}

TEST_F(Walk, ResumesAfterAnyFile) {
  for (const char* name : {"b", "a/z", "a/b/c", "a-b", "c/d", "B"})
    tree.file(std::string("in/") + name);
  for (size_t page = 1; page <= 7; ++page) {
    Paths all, part;
    while (!(part = after(all.empty() ? "" : all.back(), page)).empty()) {
      all.insert(all.end(), part.begin(), part.end());
    }
    EXPECT_EQ(all, (Paths{"B", "a/b/c", "a/z", "a-b", "b", "c/d"})) << page;
  }
}

TEST_F(Walk, ResumesAfterAFileThatIsGoneOrNeverWas) {
  for (const char* name : {"a/b", "a/d", "c"}) tree.file(std::string("in/") + name);
  EXPECT_EQ(after("a/c", 10), (Paths{"a/d", "c"}));
  EXPECT_EQ(after("a", 10), (Paths{"a/b", "a/d", "c"}));
  EXPECT_EQ(after("c/x", 10), Paths{});
  EXPECT_EQ(after(std::string("\xff\0/../..", 8), 10), Paths{});
}

TEST_F(Walk, LeavesOutHiddenNamesLinksAndWhatIsNoFile) {
  tree.file("in/.git/config");
  tree.file("in/.env");
  tree.file("in/sub/.hidden");
  tree.file("in/file", "12345");
  tree.link("in/link", "file");
  tree.link("in/out", tree.path("out"));
  ASSERT_EQ(::mkfifo(tree.path("in/fifo").c_str(), 0600), 0);
  EXPECT_EQ(after("", 10), Paths{"file"});
  EXPECT_EQ(open()->files_after("", 10)->front().size, 5u);
}

TEST_F(Walk, PassesOverDirectoriesThatCannotBeRead) {
  tree.file("in/closed/file");
  tree.file("in/open");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in/closed").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    return after("", 10) == Paths{"open"} ? "" : "wrong files";
  });
}

TEST_F(Walk, EndsInVeryDeepTrees) {
  std::string path = "in";
  for (int i = 0; i < 100; ++i) path += "/d";
  tree.file(path + "/file");
  tree.file("in/e");
  EXPECT_EQ(after("", 10), Paths{"e"});
}

TEST_F(Walk, CompletesPaths) {
  tree.file("in/src/main.cc");
  tree.file("in/src/make.h");
  tree.file("in/settings");
  tree.file("in/.env");
  const auto files = open();
  EXPECT_EQ(files->complete_path("s", 10), (Paths{"settings", "src/"}));
  EXPECT_EQ(files->complete_path("", 10), (Paths{"settings", "src/"}));
  EXPECT_EQ(files->complete_path("src/ma", 10), (Paths{"src/main.cc", "src/make.h"}));
  EXPECT_EQ(files->complete_path("src/ma", 1), Paths{"src/main.cc"});
  EXPECT_EQ(files->complete_path(".e", 10), Paths{".env"});
  EXPECT_EQ(files->complete_path(tree.path("in/se"), 10), Paths{tree.path("in/settings")});
  EXPECT_EQ(files->complete_path("../", 10), Paths{});
  EXPECT_EQ(files->complete_path("nowhere/x", 10), Paths{});
}

}  // namespace
}  // namespace helve::workspace

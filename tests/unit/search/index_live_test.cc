// A live index against a walk: whatever happened to the tree, both show the same files.
#include "search/index_live.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <limits>
#include <random>

#include "unit/workspace/temp_tree.h"

namespace helve::search {
namespace {

using Paths = std::vector<std::string>;

class LiveIndexTest : public ::testing::Test {
 protected:
  LiveIndexTest()
      : index_(state_.path("index"), tree_.path()),
        root_(std::move(*sys::open_directory(tree_.path()))),
        live_(root_, tree_.path(), index_),
        // Long after whatever the test writes, so that no file counts as just changed.
        clock_(std::numeric_limits<std::int32_t>::max() * std::int64_t{1000}) {}

  BuildOptions options() const { return {.clock = &clock_}; }
  void build() {
    ASSERT_TRUE(index_.build(root_, shown(), options()));
    live_.use_new_segments();
  }
  Paths files(std::string_view pattern, std::string_view directory = "") {
    const Regex regex = *parse_regex(pattern);
    const auto all = live_.files(directory, required_text(regex), Together::in_a_line, {}, {});
    EXPECT_TRUE(all && *all);
    Paths paths;
    for (const ToSearch& file : (*all)->files) paths.push_back(file.path);
    EXPECT_TRUE(std::ranges::is_sorted(paths, path_less));
    return paths;
  }
  // The same, where globs show more than the rules; nothing when they show a directory.
  std::optional<Paths> files_shown_by(const GlobSet& globs) {
    const WalkOptions options{.globs = &globs, .glob_use = GlobUse::overriding};
    const auto all = live_.files("", Required(), Together::in_a_line, {}, options);
    if (!*all) return {};
    Paths paths;
    for (const ToSearch& file : (*all)->files)
      if (globs.shows(file.path)) paths.push_back(file.path);
    return paths;
  }
  // What a walk shows.
  Paths shown(const WalkOptions& options = {}) const {
    struct Collector final : Visitor {
      Next visit(const Item& item) override {
        if (item.kind == sys::FileKind::file) paths.emplace_back(item.path);
        return Next::go_on;
      }
      Paths paths;
    };
    std::deque<Collector> collectors;
    const auto report =
        walk(root_, options, [&]() -> Visitor& { return collectors.emplace_back(); });
    EXPECT_TRUE(report);
    Paths all;
    for (const Collector& each : collectors) std::ranges::copy(each.paths, std::back_inserter(all));
    std::ranges::sort(all, path_less);
    return all;
  }

  TempTree tree_, state_;
  Index index_;
  sys::Fd root_;
  LiveIndex live_;
  sys::ManualClock clock_;
};

TEST_F(LiveIndexTest, WithoutSegmentsEveryFileIsSearched) {
  tree_.file("a.txt", "one");
  tree_.file("d/b.txt", "two");
  EXPECT_EQ(files("one"), (Paths{"a.txt", "d/b.txt"}));
  EXPECT_EQ(files("one", "d"), Paths{"d/b.txt"});
}

TEST_F(LiveIndexTest, NarrowsToFilesThatCanMatch) {
  tree_.file("a.txt", "one");
  tree_.file("d/b.txt", "two");
  tree_.file("d-e/b.txt", "two");
  build();
  EXPECT_EQ(files("one"), Paths{"a.txt"});
  EXPECT_EQ(files("two", "d"), Paths{"d/b.txt"});
  EXPECT_EQ(live_.counts().known, 3u);
}

TEST_F(LiveIndexTest, SearchesWhatChanged) {
  tree_.file("a.txt", "one");
  tree_.file("b.txt", "two");
  build();
  EXPECT_EQ(files("three"), Paths{});
  tree_.file("b.txt", "three");
  EXPECT_EQ(files("three"), Paths{"b.txt"});
  EXPECT_EQ(files("two"), Paths{"b.txt"}) << "changed, so it may hold anything";
  ASSERT_TRUE(index_.update(root_, live_.files_to_update(), options()));
  live_.use_new_segments();
  EXPECT_EQ(files("two"), Paths{});
  EXPECT_EQ(files("three"), Paths{"b.txt"});
}

TEST_F(LiveIndexTest, ForgetsWhatIsGone) {
  tree_.file("a.txt", "one");
  tree_.file("b.txt", "one");
  build();
  EXPECT_EQ(files("one"), (Paths{"a.txt", "b.txt"}));
  std::filesystem::remove(tree_.path("a.txt"));
  EXPECT_EQ(files("one"), Paths{"b.txt"});
  std::filesystem::rename(tree_.path("b.txt"), tree_.path("c.txt"));
  EXPECT_EQ(files("one"), Paths{"c.txt"});
}

TEST_F(LiveIndexTest, FollowsNewDirectories) {
  tree_.file("a.txt", "one");
  build();
  EXPECT_EQ(files("one"), Paths{"a.txt"});
  tree_.file("d/e/f.txt", "one");
  EXPECT_EQ(files("one"), (Paths{"a.txt", "d/e/f.txt"}));
  tree_.file("d/e/g.txt", "one");
  EXPECT_EQ(files("one"), (Paths{"a.txt", "d/e/f.txt", "d/e/g.txt"}));
}

TEST_F(LiveIndexTest, FollowsIgnoreRules) {
  tree_.file("a.txt", "one");
  tree_.file("b.log", "one");
  build();
  EXPECT_EQ(files("one"), (Paths{"a.txt", "b.log"}));
  tree_.file(".ignore", "*.log\n");
  EXPECT_EQ(files("one"), Paths{"a.txt"});
  tree_.file(".ignore", "*.txt\n");
  EXPECT_EQ(files("one"), Paths{"b.log"});
}

TEST_F(LiveIndexTest, FollowsARepositorysOwnExcludes) {
  tree_.file("r/a.txt", "one");
  tree_.file("r/.git/info/exclude", "");
  build();
  EXPECT_EQ(files("one"), Paths{"r/a.txt"});
  tree_.file("r/.git/info/exclude", "a.txt\n");
  EXPECT_EQ(files("one"), Paths{});
}

TEST_F(LiveIndexTest, FollowsRulesBehindALink) {
  tree_.file("d/a.txt", "one");
  tree_.file("d/b.log", "one");
  tree_.file("d/rules", "*.log\nrules\n");
  tree_.link("d/.ignore", "rules");
  build();
  EXPECT_EQ(files("one", "d"), Paths{"d/a.txt"});
  tree_.file("d/rules", "*.txt\nrules\n# longer\n");
  EXPECT_EQ(files("one", "d"), Paths{"d/b.log"});
}

TEST_F(LiveIndexTest, NoticesARepositoryThatBeginsAbove) {
  TempTree outer;
  outer.file("in/a.txt", "one");
  outer.file("in/.gitignore", "a.txt\n");
  Index index(state_.path("other"), outer.path("in"));
  const sys::Fd root = std::move(*sys::open_directory(outer.path("in")));
  LiveIndex live(root, outer.path("in"), index);
  const Required any;
  EXPECT_EQ((*live.files("", any, Together::in_a_line, {}, {}))->files.size(), 1u);
  outer.directory(".git");
  EXPECT_EQ((*live.files("", any, Together::in_a_line, {}, {}))->files.size(), 0u);
}

TEST_F(LiveIndexTest, SaysNothingAboutADirectoryThatAWalkDoesNotEnter) {
  tree_.file("a.txt", "one");
  tree_.file(".github/b.txt", "one");
  tree_.file("out/c.txt", "one");
  tree_.file(".ignore", "out/\n");
  build();
  EXPECT_EQ(files("one"), Paths{"a.txt"});
  for (const char* directory : {".github", "out", "none"}) {
    const auto all = live_.files(directory, Required(), Together::in_a_line, {}, {});
    EXPECT_TRUE(all && !*all) << directory;
  }
}

TEST_F(LiveIndexTest, DoesNotTrustAFileWithAnotherName) {
  tree_.file("a.txt", "one");
  std::filesystem::create_hard_link(tree_.path("a.txt"), state_.path("b.txt"));
  build();
  EXPECT_EQ(files("two"), Paths{"a.txt"}) << "it can be changed without a word";
}

TEST_F(LiveIndexTest, SearchesAFileThatWasWrittenToEvenIfItsTimesAreTheSame) {
  tree_.file("a.txt", "one");
  build();
  EXPECT_EQ(files("two"), Paths{});
  { std::ofstream(tree_.path("a.txt"), std::ios::app); }  // opened for writing, and closed
  EXPECT_EQ(files("two"), Paths{"a.txt"});
}

TEST_F(LiveIndexTest, ReadsOnlyTheLinesOfALargeFileThatMatter) {
  std::string text;
  for (int i = 0; text.size() < 4 * kDocumentBytes; ++i) text += "line " + std::to_string(i) + "\n";
  const size_t middle = text.find('\n', text.size() / 2) + 1;
  text.insert(middle, "needle\n");
  tree_.file("large.txt", text);
  build();
  const Regex regex = *parse_regex("needle");
  const auto all = live_.files("", required_text(regex), Together::in_a_line, {}, {});
  ASSERT_TRUE(all && *all);
  ASSERT_EQ((*all)->files.size(), 1u);
  ASSERT_EQ((*all)->files[0].look, Look::at_parts);
  ASSERT_EQ((*all)->files[0].parts.size(), 1u);
  const Part& part = (*all)->files[0].parts[0];
  EXPECT_NE(text.substr(part.offset, part.size).find("needle"), std::string::npos);
  EXPECT_LT(part.size, 2 * kDocumentBytes);
  EXPECT_EQ(part.lines_before,
            static_cast<std::uint64_t>(
                std::count(text.begin(), text.begin() + static_cast<long>(part.offset), '\n')));
  const auto wider = live_.files("", required_text(regex), Together::in_a_line, {2, 2}, {});
  EXPECT_GT((*wider)->files[0].parts[0].size, part.size);
}

// Anything that can happen to a tree, many times.
TEST_F(LiveIndexTest, AlwaysShowsWhatAWalkShows) {
  std::mt19937 random(7);
  const auto name = [&] {
    const char* directories[] = {"", "d/", "d/e/", "f/"};
    return directories[random() % 4] + std::string(1, static_cast<char>('a' + random() % 5)) +
           (random() % 2 ? ".txt" : ".log");
  };
  const char* words[] = {"alpha", "beta", "gamma"};
  for (const char* directory : {"d/e", "f"}) tree_.directory(directory);
  for (int round = 0; round < 400; ++round) {
    std::error_code ignored;
    switch (random() % 9) {
      case 0:
      case 1:
      case 2:
      case 3:
        tree_.file(name(), words[random() % 3]);
        break;
      case 4:
        std::filesystem::remove(tree_.path(name()), ignored);
        break;
      case 5:
        std::filesystem::rename(tree_.path(name()), tree_.path(name()), ignored);
        break;
      case 6:
        tree_.file(random() % 2 ? ".ignore" : "d/.ignore", random() % 2 ? "*.log\n" : "e/\n");
        break;
      case 7:
        if (random() % 4 == 0) {
          std::filesystem::remove_all(tree_.path("d"), ignored);
          tree_.directory("d/e");
        } else if (random() % 2)
          std::filesystem::rename(tree_.path("d/e"), tree_.path("f/e"), ignored);
        else
          std::filesystem::rename(tree_.path("f/e"), tree_.path("d/e"), ignored);
        break;
      case 8:
        if (random() % 3 == 0)
          build();
        else if (!live_.files_to_update().empty()) {
          ASSERT_TRUE(index_.update(root_, live_.files_to_update(), options()));
          live_.use_new_segments();
        }
        break;
    }
    const Paths all = shown();
    ASSERT_EQ(files(".*"), all) << "round " << round;
    for (const std::string& pattern : {std::string("*.log"), std::string("{.i*,a.*}")}) {
      const GlobSet globs = *GlobSet::from_patterns(std::vector{pattern});
      ASSERT_EQ(files_shown_by(globs), shown({.globs = &globs, .glob_use = GlobUse::overriding}))
          << "round " << round << ": " << pattern;
    }
    const char* word = words[random() % 3];
    const Paths found = files(word);
    for (const std::string& path : all) {
      const bool has = tree_.content(path).find(word) != std::string::npos;
      ASSERT_TRUE(!has || std::ranges::find(found, path) != found.end())
          << "round " << round << ": " << path;
    }
  }
}

TEST_F(LiveIndexTest, ReportsWhatCannotBeReadOnceAsAWalkDoes) {
  tree_.file("sub/.ignore", "x");
  std::filesystem::resize_file(tree_.path("sub/.ignore"), 5u << 20);
  tree_.file("sub/b");
  tree_.file("a");
  const auto nobody = [](std::string_view, std::int64_t) {};
  for (const auto& [directory, path] :
       {std::pair("", "sub/.ignore"), std::pair("sub", ".ignore")}) {
    const auto all = live_.files(directory, Required(), Together::in_a_line, {}, {});
    const auto visited = live_.visit_files(directory, {}, nobody);
    for (const WalkReport& report : {(*all)->report, *visited}) {
      EXPECT_EQ(report.unreadable_count, 1u);
      ASSERT_EQ(report.unreadable.size(), 1u);
      EXPECT_EQ(report.unreadable[0].path, path);
    }
  }
}

TEST_F(LiveIndexTest, VisitsWhatGlobsShowBelowADirectory) {
  for (const char* path : {"a.c", "b.h", "sub/a.c", "sub/deep/a.c", "sub/c", "sub-x/a.c", "sub.c"})
    tree_.file(path);
  build();
  tree_.file("sub/new.c");
  const auto visited = [&](std::string_view directory, const std::string& pattern) {
    const GlobSet globs = *GlobSet::from_patterns(std::vector{pattern});
    std::vector<std::string> paths;
    EXPECT_TRUE(live_.visit_files(directory, {.globs = &globs},
                                  [&](std::string_view path, auto) { paths.emplace_back(path); }));
    return paths;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(visited("", "*.c"),
            (Paths{"a.c", "sub/a.c", "sub/deep/a.c", "sub-x/a.c", "sub.c", "sub/new.c"}));
  EXPECT_EQ(visited("sub", "*.c"), (Paths{"a.c", "deep/a.c", "new.c"}));
  EXPECT_EQ(visited("sub", "c"), Paths{"c"});
  EXPECT_EQ(visited("sub", "/a.c"), Paths{"a.c"});
  EXPECT_EQ(visited("sub/deep", "sub/deep/a.c"), Paths{});
}

TEST_F(LiveIndexTest, CannotTellWhatADirectoryHoldsThatOnlyGlobsShow) {
  tree_.file(".hidden/a");
  tree_.file("b");
  EXPECT_EQ(files_shown_by(*GlobSet::from_patterns(std::vector<std::string>{"b"})), Paths{"b"});
  EXPECT_FALSE(files_shown_by(*GlobSet::from_patterns(std::vector<std::string>{".hidden"})));
}

TEST_F(LiveIndexTest, UpdatesNoFileThatAnUpdateCannotMakeKnown) {
  tree_.file("a");
  tree_.file("b");
  std::filesystem::create_hard_link(tree_.path("b"), tree_.path("c"));
  ASSERT_TRUE(live_.start({}));
  EXPECT_EQ(live_.files_to_update(), Paths{"a"});
  EXPECT_EQ(live_.counts().to_update, 1u);
  build();
  EXPECT_EQ(live_.files_to_update(), Paths{});
  EXPECT_EQ(files("needle"), (Paths{"b", "c"}));
}

TEST_F(LiveIndexTest, KnowsAFileThatClaimsToBeOfTheFuture) {
  tree_.file("a");
  std::filesystem::last_write_time(tree_.path("a"), std::filesystem::file_time_type::clock::now() +
                                                        std::chrono::hours(1'000'000));
  build();
  ASSERT_TRUE(live_.start({}));
  EXPECT_EQ(live_.counts().known, 1u);
}

TEST_F(LiveIndexTest, ReportsADirectoryThatCameAndCannotBeRead) {
  tree_.file("a");
  ::chmod(tree_.path().c_str(), 0777);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    if (!live_.start({})) return "it cannot be watched";
    const auto unreadable = [&] {
      return live_.visit_files("", {}, [](std::string_view, std::int64_t) {})->unreadable_count;
    };
    if (unreadable() != 0) return "something cannot be read from the beginning";
    if (::mkdir(tree_.path("shut").c_str(), 0) != 0) return "the directory was not made";
    if (unreadable() != 1) return "the directory is not reported";
    tree_.file("b");
    if (unreadable() != 1) return "the directory is not reported once";
    ::chmod(tree_.path("shut").c_str(), 0755);
    if (unreadable() != 0) return "the directory is still reported";
    return "";
  });
}

TEST_F(LiveIndexTest, BelievesNothingThatWasReadBeforeAnEvent) {
  tree_.file("a");
  build();
  const auto moment = [&] {
    const auto all = live_.files("", Required(), Together::in_a_line, {}, {});
    EXPECT_TRUE((*all)->contents);
    return (*all)->contents_moment;
  };
  const std::uint64_t before = moment();
  EXPECT_EQ(moment(), before);
  tree_.file("a", "other");
  EXPECT_NE(moment(), before);
}

TEST_F(LiveIndexTest, HeedsRulesThatChangeByAnotherName) {
  tree_.file("sub/a");
  tree_.file("sub/b");
  state_.file("rules", "a\n");
  std::filesystem::create_hard_link(state_.path("rules"), tree_.path("sub/.ignore"));
  EXPECT_EQ(files(".*"), Paths{"sub/b"});
  std::ofstream(state_.path("rules"), std::ios::app) << "b\n";
  EXPECT_EQ(files(".*"), Paths{});
}

TEST_F(LiveIndexTest, KnowsTheTimeOfAFileWithSeveralNames) {
  tree_.file("a");
  std::filesystem::create_hard_link(tree_.path("a"), tree_.path("b"));
  build();
  std::vector<std::int64_t> times;
  ASSERT_TRUE(live_.visit_files(
      "", {}, [&](std::string_view, std::int64_t modified_ns) { times.push_back(modified_ns); }));
  const std::int64_t modified_ns = sys::status_of(tree_.path("a"))->modified_ns;
  EXPECT_EQ(times, (std::vector{modified_ns, modified_ns}));
}

TEST(LiveIndexMounts, ShowsWhatIsMountedAndWhatWasCovered) {
  const TempTree tree, state;
  tree.file("sub/covered.txt");
  tree.directory("private");
  EXPECT_CHILD_OK([&]() -> std::string {
    if (std::string why = mount_tmpfs(tree.path("private"), ""); !why.empty()) return why;
    const sys::Fd root = std::move(*sys::open_directory(tree.path()));
    Index index(state.path("index"), tree.path());
    LiveIndex live(root, tree.path(), index);
    const auto files = [&] {
      std::string all;
      if (!live.visit_files("", {}, [&](std::string_view path, std::int64_t) { all += path; }))
        return std::string("not watched");
      return all;
    };
    const std::string sub = tree.path("sub");
    if (files() != "sub/covered.txt") return "first: " + files();
    if (::mount("tmpfs", sub.c_str(), "tmpfs", 0, "") != 0) return "skip: no second mount here";
    tree.file("sub/new.txt");
    if (files() != "sub/new.txt") return "mounted: " + files();
    if (::umount2(sub.c_str(), MNT_DETACH) != 0) return "skip: no unmount here";
    return files() == "sub/covered.txt" ? "" : "unmounted: " + files();
  });
}

}  // namespace
}  // namespace helve::search

#include "search/grep.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "search/candidates.h"
#include "search/file_types.h"

namespace helve::search {
namespace {

class Grep : public testing::Test {
 protected:
  Grep() {
    char name[] = "/tmp/helve-grep-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~Grep() override { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name) << content;
  }
  static std::string text_longer_than_a_buffer() {
    std::string out(3 * kBuffer, '\n');
    out += "x\n";
    return out;
  }
  sys::Fd directory() const { return std::move(*sys::open_directory(path_)); }

  GrepReport search(std::string_view pattern, GrepOptions options = {}, RegexOptions regex = {}) {
    const auto matcher = Matcher::make(pattern, regex);
    const sys::Fd root = directory();
    Result<GrepReport> report = grep(**matcher, options, walk_of(root), "here");
    EXPECT_TRUE(report.has_value());
    return report ? std::move(*report) : GrepReport{};
  }
  static std::vector<std::string> paths(const GrepReport& report) {
    std::vector<std::string> out;
    for (const FoundFile& file : report.files) out.push_back(file.path);
    return out;
  }

  std::string path_;
};

TEST_F(Grep, FilesComeInTheOrderOfASortedWalk) {
  for (const char* name : {"a.c", "a/z", "a-b", "b", "a/b/c"}) write(name, "x\n");
  EXPECT_EQ(paths(search("x")), (std::vector<std::string>{"a/b/c", "a/z", "a-b", "a.c", "b"}));
}

TEST_F(Grep, TheFirstResultsAreKeptAndTheRestIsCounted) {
  for (int i = 100; i < 400; ++i) write("f" + std::to_string(i), "x\ny\nx\n");
  const GrepReport report = search("x", {.max_results = 5});
  EXPECT_EQ(paths(report), (std::vector<std::string>{"f100", "f101", "f102"}));
  EXPECT_EQ(report.files.back().matches.kept, 1u);
  EXPECT_EQ(report.matches, 600u);
  EXPECT_EQ(report.files_found, 300u);
}

TEST_F(Grep, NoMoreIsKeptThanThereIsMemoryForButAllIsCounted) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "x" + std::string(99, 'y') + "\n";
  for (int i = 100; i < 400; ++i) write("f" + std::to_string(i), lines);
  const size_t of_file = search("x", {.max_results = 100}).files.front().matches.bytes();
  GrepReport report = search("x", {.max_bytes = 2 * of_file + 1});
  EXPECT_EQ(paths(report), (std::vector<std::string>{"f100", "f101", "f102"}));
  EXPECT_EQ(report.matches, 30'000u);
  EXPECT_EQ(report.files_found, 300u);

  report = search("x", {.max_bytes = of_file / 2});
  EXPECT_EQ(paths(report), (std::vector<std::string>{"f100"}));
  EXPECT_EQ(report.files[0].matches.kept, 50u);

  report = search("x", {.max_bytes = of_file, .skip = 250});
  EXPECT_EQ(paths(report), (std::vector<std::string>{"f102", "f103"}));
  EXPECT_EQ(report.files[0].matches.kept, 50u);
  EXPECT_EQ(report.files[0].matches.skipped, 50u);
  EXPECT_EQ(report.matches, 30'000u);
}

TEST_F(Grep, WithoutAnOrderTheSearchEndsWithTheLastResultAskedFor) {
  for (int i = 100; i < 400; ++i) write("f" + std::to_string(i), "x\n");
  const GrepReport report =
      search("x", {.walk = {.threads = 1}, .order = Order::none, .max_results = 5});
  EXPECT_EQ(report.end, WalkReport::End::stopped_by_visitor);
  EXPECT_LT(report.files_searched, 300u);
  EXPECT_EQ(report.files.size(), 5u);
}

TEST_F(Grep, ADeadlineThatHasPassedGivesAPartThatSaysSo) {
  write("a", "x\n");
  GrepOptions options;
  options.walk.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(search("x", options).end, WalkReport::End::deadline);
}

TEST_F(Grep, ADeadlineWithinTheOnlyFileGivesAPartThatSaysSo) {
  write("a", text_longer_than_a_buffer());
  GrepOptions options;
  options.scan.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(search("x", options).end, WalkReport::End::deadline);
  const auto matcher = Matcher::make("x", {});
  const auto report =
      grep_file(**matcher, options,
                *sys::open_beneath(directory(), "a", sys::Open::read, sys::Links::refuse), "a");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->end, WalkReport::End::deadline);
}

TEST_F(Grep, AStopRequestWithinTheOnlyFileIsACancellation) {
  write("a", text_longer_than_a_buffer());
  std::stop_source source;
  source.request_stop();
  GrepOptions options;
  options.scan.stop = source.get_token();
  EXPECT_EQ(search("x", options).end, WalkReport::End::cancelled);
}

TEST_F(Grep, MatchesAcrossLinesAreCountedAsMatchesNotAsLines) {
  write("a", "a\nb\nc\n-\na\nb\nc\n-\na\nb\nc\n");
  const GrepReport report =
      search("a\\nb\\nc", {.max_results = 2}, {.newlines = Newlines::matched});
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.matches, 3u);
  EXPECT_EQ(report.files[0].matches.kept, 2u);
  EXPECT_EQ(report.files[0].matches.lines.size(), 6u);
}

TEST_F(Grep, WhatFollowsTheLastResultIsLeftOutButForItsContext) {
  write("a", "x\n1\n2\nx\n3\n4\nx\n");
  write("b", "x\n");
  const GrepReport report = search("x", {.scan = {.before = 1, .after = 1}, .max_results = 2});
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.files[0].matches.lines.size(), 5u);
  EXPECT_EQ(report.files[0].matches.lines.back().number, 5u);
  EXPECT_EQ(report.files[0].matches.kept, 2u);
}

TEST_F(Grep, ALineThatTakesTooManyStepsConcernsItsFileOnly) {
  write("a", "aab\n");
  write("b", "aa\n" + std::string(50, 'a') + "b\n");
  write("c", "aa\n");
  const GrepReport report = search(R"((?=(a+)+$)a\1)");
  EXPECT_EQ(report.undecided, std::vector<std::string>{"b"});
  EXPECT_EQ(report.undecided_count, 1u);
  EXPECT_EQ(report.problem_count, 0u);
}

TEST_F(Grep, AFileThatBecameALinkOrADirectoryIsAsIfItHadNeverBeenThere) {
  write("dir/a", "x\n");
  std::filesystem::create_symlink("dir/a", path_ + "/link");
  std::filesystem::create_directory_symlink("dir", path_ + "/linked");
  const auto matcher = Matcher::make("x", {});
  const sys::Fd root = directory();
  AllToSearch candidates;
  for (const char* name : {"link", "dir", "linked/a", "dir/a/b", "dir/a"})
    candidates.files.push_back({.path = name});
  const auto report = grep(**matcher, {}, files_of(root, "", candidates), ".");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(paths(*report), std::vector<std::string>{"dir/a"});
  EXPECT_EQ(report->problem_count, 0u);
}

TEST_F(Grep, AFifoAndALinkAreNotSearched) {
  write("a", "x\n");
  ASSERT_EQ(::mkfifo((path_ + "/pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("a", path_ + "/link");
  EXPECT_EQ(paths(search("x")), std::vector<std::string>{"a"});
}

TEST_F(Grep, CandidatesAreSearchedAsAWalkWouldFindThem) {
  for (const char* name : {"src/a.c", "src/b.h", "doc/c.c"}) write(name, "x\n");
  const auto matcher = Matcher::make("x", {});
  const sys::Fd root = directory();
  AllToSearch candidates;
  for (const char* name : {"doc/c.c", "src/a.c", "src/b.h", "src/gone.c"})
    candidates.files.push_back({.path = name});
  const std::string glob[] = {"*.c"};
  const auto globs = GlobSet::from_patterns(glob);
  GrepOptions options;
  options.walk.globs = &*globs;
  const auto report = grep(**matcher, options, files_of(root, "src", candidates), "src");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(paths(*report), std::vector<std::string>{"a.c"});
}

TEST(FileTypes, AreKnownByTheirUsualNames) {
  for (const char* name : {"py", "python", "js", "rust", "cpp", "c++", "go", "yaml"})
    EXPECT_TRUE(globs_of_type(name).has_value()) << name;
  for (const FileType& type : file_types())
    EXPECT_TRUE(globs_of_type(type.names.substr(0, type.names.find(' '))).has_value())
        << type.names;
  const auto unknown = globs_of_type("pyton");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().hint.find("python"), std::string::npos);
}

}  // namespace
}  // namespace helve::search

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
  sys::Fd directory() const { return std::move(*sys::open_directory(path_)); }

  GrepReport search(std::string_view pattern, GrepOptions options = {}) {
    const auto matcher = Matcher::make(pattern, {});
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

#include "search/contents.h"

#include <gtest/gtest.h>

#include "search/candidates.h"
#include "unit/workspace/temp_tree.h"

namespace helve::search {
namespace {

constexpr FileStamp kStamp{.size = 1, .inode = 2, .modified_ns = 3, .changed_ns = 4};
constexpr FileStamp kOther{.size = 1, .inode = 2, .modified_ns = 3, .changed_ns = 5};

TEST(Contents, KnowsAFileWhileItIsTheSame) {
  Contents contents(1000);
  EXPECT_EQ(contents.find("a", kStamp), nullptr);
  contents.keep("a", kStamp, "text", 0);
  ASSERT_NE(contents.find("a", kStamp), nullptr);
  EXPECT_EQ(*contents.find("a", kStamp), "text");
  EXPECT_EQ(contents.find("a", kOther), nullptr);
  EXPECT_EQ(contents.find("b", kStamp), nullptr);
  contents.keep("a", kOther, "new", 0);
  EXPECT_EQ(*contents.find("a", kOther), "new");
}

TEST(Contents, DoesNotBelieveAFileThatJustChanged) {
  Contents contents(1000);
  contents.keep("a", kNeverFresh, "text", 0);
  EXPECT_EQ(contents.find("a", kNeverFresh), nullptr);
}

TEST(Contents, TakesNoMoreMemoryThanItMay) {
  Contents contents(2000);
  for (int i = 0; i < 100; ++i)
    contents.keep("a", {.size = 300, .inode = static_cast<std::uint64_t>(i)}, std::string(300, 'x'),
                  0);
  contents.keep("b", kStamp, "text", 0);
  EXPECT_NE(contents.find("b", kStamp), nullptr);
  EXPECT_NE(contents.find("a", {.size = 300, .inode = 99}), nullptr);
  contents.keep("large", kStamp, std::string(3000, 'x'), 0);
  EXPECT_EQ(contents.find("large", kStamp), nullptr);
  contents.keep("fits alone", kStamp, std::string(1500, 'x'), 0);
  EXPECT_NE(contents.find("fits alone", kStamp), nullptr);
  EXPECT_EQ(contents.find("b", kStamp), nullptr);
}

TEST(Contents, BelievesNothingFromBeforeAnEvent) {
  Contents contents(1000);
  contents.keep("a", kStamp, "text", contents.moment());
  const std::uint64_t before = contents.moment();
  contents.forget("a");
  EXPECT_EQ(contents.find("a", kStamp), nullptr);
  contents.keep("a", kStamp, "text", before);
  EXPECT_EQ(contents.find("a", kStamp), nullptr);
  contents.keep("a", kStamp, "new", contents.moment());
  EXPECT_EQ(*contents.find("a", kStamp), "new");
}

class SearchOfContents : public ::testing::Test {
 protected:
  SearchOfContents() : root_(std::move(*sys::open_directory(tree_.path()))) {}

  // Lines as "path:line:text", searched in these files.
  std::string found(std::string_view pattern, const std::vector<std::string>& paths,
                    GrepOptions options = {}) {
    AllToSearch all{.contents = contents_};
    for (const std::string& path : paths) all.files.push_back({.path = path, .stamp = kStamp});
    const auto matcher = Matcher::make(pattern, {});
    const auto report = grep(**matcher, options, files_of(root_, "", all), ".");
    std::string out;
    for (const FoundFile& file : report->files)
      for (const FileMatches::Line& line : file.matches.lines)
        out += fmt::format("{}:{}:{}\n", file.path, line.number, file.matches.text_of(line));
    return out;
  }
  // As if nobody had touched it for a while: what just changed is not believed.
  void age(const std::string& path) {
    const auto now = sys::status_at(root_, path);
    contents_->keep(path, stamp_of(*now), tree_.content(path), 0);
  }

  TempTree tree_;
  sys::Fd root_;
  std::shared_ptr<Contents> contents_ = std::make_shared<Contents>(1 << 20);
};

TEST_F(SearchOfContents, FindsWhatAFileHolds) {
  tree_.file("a", "\xEF\xBB\xBFone\ntwo\nthree\nfour");
  const std::string read = found("t|four|^one", {"a"}, {.scan = {.before = 1}});
  age("a");
  EXPECT_EQ(found("t|four|^one", {"a"}, {.scan = {.before = 1}}), read);
  EXPECT_EQ(read, "a:1:one\na:2:two\na:3:three\na:4:four\n");
  EXPECT_EQ(found("t|four|^one", {"a"}, {.max_results = 1, .skip = 2}), "a:3:three\n");
}

TEST_F(SearchOfContents, FindsWhatAFileHoldsNow) {
  tree_.file("a", "old\n");
  age("a");
  EXPECT_EQ(found("old|new", {"a"}), "a:1:old\n");
  tree_.file("a", "new\n");
  EXPECT_EQ(found("old|new", {"a"}), "a:1:new\n");
  std::filesystem::remove(tree_.path("a"));
  EXPECT_EQ(found("old|new", {"a"}), "");
}

}  // namespace
}  // namespace helve::search

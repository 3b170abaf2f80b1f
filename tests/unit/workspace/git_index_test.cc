// The index as git writes it, and as nobody should.
#include "workspace/git_index.h"

#include "sys/file.h"
#include "sys/process.h"
#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class GitIndex : public testing::Test {
 protected:
  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), "git");
    const auto done = sys::run({.argv = words,
                                .env = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                        "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
                                .cwd = tree.path()});
    ASSERT_TRUE(done && done->exit_code == 0) << (done ? done->err : describe(done.error()));
  }
  std::string written() const { return *sys::read_file(tree.path(".git/index"), 1u << 20); }
  void add_some() const {
    tree.file("a", "");
    tree.file("directory/file", "content\n");
    tree.file("directory/file2", "x");
    tree.link("link", "a");
    git({"init", "-q"});
    git({"add", "."});
  }
  TempTree tree;
  const std::set<std::string> all_{"a", "directory/file", "directory/file2", "link", "other"};
};

// Of "content\n", as `git hash-object` has it.
constexpr std::string_view kBlob = "d95f3ad14dee633a758d2e331151e950dd13e4ed";

TEST_F(GitIndex, TellsBlobsAndStatusOfFiles) {
  add_some();
  const auto entries = index_entries(written(), all_);
  ASSERT_EQ(entries.size(), 3u);  // a link is not a plain file
  const IndexEntry& entry = entries.at("directory/file");
  EXPECT_EQ(entry.blob, kBlob);
  EXPECT_EQ(entry.size, 8u);
  const auto directory = sys::open_directory(tree.path("directory"));
  const auto status = sys::status_at(*directory, "file");
  EXPECT_TRUE(entry.tells(*status, entry.modified_ns + 1));
  EXPECT_FALSE(entry.tells(*status, entry.modified_ns)) << "it may have been changed since";
}

TEST_F(GitIndex, EveryFormatTellsTheSame) {
  add_some();
  for (const char* version : {"2", "3", "4"}) {
    git({"update-index", "--index-version", version});
    const auto entries = index_entries(written(), all_);
    ASSERT_EQ(entries.size(), 3u) << version;
    EXPECT_EQ(entries.at("directory/file").blob, kBlob) << version;
  }
}

TEST_F(GitIndex, LeavesOutWhatIsOnlyMeantToBeAdded) {
  add_some();
  tree.file("other");
  git({"add", "-N", "other"});
  EXPECT_FALSE(index_entries(written(), all_).contains("other"));
}

TEST_F(GitIndex, TellsOnlyWhatIsAsked) {
  add_some();
  EXPECT_EQ(index_entries(written(), {"a"}).size(), 1u);
  EXPECT_TRUE(index_entries(written(), {}).empty());
}

TEST_F(GitIndex, TellsNothingOfOneThatIsCutOff) {
  add_some();
  const std::string text = written();
  const size_t entries = text.find("link") + 4;
  for (size_t size = 0; size < entries; ++size)
    ASSERT_TRUE(index_entries(std::string_view(text).substr(0, size), all_).empty()) << size;
}

TEST_F(GitIndex, TellsNothingOfOneWithLongerHashes) {
  tree.file("a", "x");
  git({"init", "-q", "--object-format=sha256"});
  git({"add", "."});
  EXPECT_TRUE(index_entries(written(), all_).empty());
}

}  // namespace
}  // namespace helve::workspace

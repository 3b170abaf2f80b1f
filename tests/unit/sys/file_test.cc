#include "sys/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/file_at.h"
#include "unit/workspace/temp_tree.h"

namespace helve::sys {
namespace {

std::uint32_t mode_of(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 ? s.st_mode & 07777 : 0;
}

TEST(ReadFile, GivesTheWholeContent) {
  TempTree tree;
  const std::string content(100'000, 'x');
  tree.file("file", content);
  EXPECT_EQ(read_file(tree.path("file"), 100'000).value(), content);
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  TempTree tree;
  tree.file("file", std::string(101, 'x'));
  const auto content = read_file(tree.path("file"), 100);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, Code::too_large);
}

TEST(ReadFile, ReadsFilesThatDoNotKnowTheirSize) {
  const auto content = read_file("/proc/self/status", 1 << 20);
  ASSERT_TRUE(content);
  EXPECT_NE(content->find("Pid:"), std::string::npos);
}

TEST(ReadFile, NamesAMissingFile) {
  const auto content = read_file("/nowhere/config.yaml", 100);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, Code::not_found);
  EXPECT_NE(content.error().message.find("/nowhere/config.yaml"), std::string::npos);
}

TEST(ReadFile, RefusesADirectoryAndNeverWaitsForAFifo) {
  TempTree tree;
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(tree.path(), 100).error().type, "is_directory");
  EXPECT_EQ(read_file(tree.path("fifo"), 100).error().type, "not_a_file");
}

TEST(ReplaceFile, ReplacesTheContentAndSetsTheMode) {
  TempTree tree;
  tree.file("file", "old");
  ASSERT_TRUE(replace_file(tree.path("file"), "new", 0640));
  EXPECT_EQ(tree.content("file"), "new");
  EXPECT_EQ(mode_of(tree.path("file")), 0640u);
  EXPECT_EQ(tree.names(), std::vector<std::string>{"file"});
}

TEST(ReplaceFile, ReplacesALinkInsteadOfWritingThroughIt) {
  TempTree tree;
  tree.file("target", "kept");
  tree.link("file", "target");
  ASSERT_TRUE(replace_file(tree.path("file"), "new", 0600));
  EXPECT_EQ(tree.content("target"), "kept");
  EXPECT_EQ(tree.content("file"), "new");
}

TEST(ReplaceFile, KeepsTheOldFileAndNoTemporaryOneWhenItFails) {
  TempTree tree;
  tree.file("file", "old");
  for (const long call : {SYS_write, SYS_fsync, SYS_renameat, SYS_fchmod}) {
    EXPECT_CHILD_OK([&]() -> std::string {
      if (std::string why = make_fail(call, EIO); !why.empty()) return why;
      const auto done = replace_file(tree.path("file"), "new", 0600);
      if (done) return "no error";
      return done.error().code == Code::unavailable ? "" : done.error().message;
    });
    EXPECT_EQ(tree.content("file"), "old");
    EXPECT_EQ(tree.names(), std::vector<std::string>{"file"});
  }
}

TEST(OpenToAppend, WritesBehindWhatIsThere) {
  TempTree tree;
  for (const char* line : {"one\n", "two\n"}) {
    const auto file = open_to_append(tree.path("log"));
    ASSERT_TRUE(file) << describe(file.error());
    ASSERT_TRUE(write_all(*file, line));
  }
  EXPECT_EQ(read_file(tree.path("log"), 100).value(), "one\ntwo\n");
  EXPECT_EQ(mode_of(tree.path("log")), 0600u);
}

TEST(OpenToAppend, RefusesWhatIsNoFile) {
  TempTree tree;
  tree.file("target");
  ASSERT_EQ(::symlink(tree.path("target").c_str(), tree.path("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  for (const std::string& path :
       {tree.path("link"), tree.path("fifo"), tree.path("none/file"), std::string("/dev/null")}) {
    const auto file = open_to_append(path);
    ASSERT_FALSE(file) << path;
    EXPECT_NE(file.error().message.find(path), std::string::npos) << describe(file.error());
  }
}

TEST(AppendFile, AddsToTheEndAndFollowsNoLink) {
  TempTree tree;
  ASSERT_TRUE(append_file(tree.path("log"), "one\n"));
  ASSERT_TRUE(append_file(tree.path("log"), "two\n"));
  EXPECT_EQ(read_file(tree.path("log"), 100).value(), "one\ntwo\n");
  EXPECT_EQ(mode_of(tree.path("log")), 0600u);
  ASSERT_EQ(::symlink("log", tree.path("link").c_str()), 0);
  EXPECT_FALSE(append_file(tree.path("link"), "three\n"));
  EXPECT_EQ(read_file(tree.path("log"), 100).value(), "one\ntwo\n");
}

TEST(MakeDirectories, MakesWhatIsMissing) {
  TempTree tree;
  ASSERT_TRUE(make_directories(tree.path("a/b/c"), 0700));
  EXPECT_EQ(mode_of(tree.path("a/b/c")), 0700u);
  EXPECT_TRUE(make_directories(tree.path("a/b/c/"), 0700));
}

TEST(MakeDirectories, NamesTheFileInItsWay) {
  TempTree tree;
  tree.file("a");
  for (const char* name : {"a", "a/b"}) {
    const auto done = make_directories(tree.path(name), 0700);
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().type, "not_directory");
    EXPECT_NE(done.error().message.find(tree.path(name)), std::string::npos);
  }
}

}  // namespace
}  // namespace helve::sys

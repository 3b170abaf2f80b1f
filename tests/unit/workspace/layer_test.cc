#include "workspace/layer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/workspace/temp_tree.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using What = Altered::What;

// Two trees as an overlay leaves them. Marks of removal are devices, which only root can make.
class LayerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(path_), nullptr);
    fs::create_directories(base() / "upper");
    fs::create_directories(base() / "lower");
  }
  void TearDown() override { fs::remove_all(path_); }

  fs::path base() const { return path_; }
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((base() / name).parent_path());
    std::ofstream(base() / name) << text;
  }
  std::vector<Altered> read(size_t most = 100) {
    const auto upper = sys::open_directory((base() / "upper").string());
    const auto lower = sys::open_directory((base() / "lower").string());
    auto found = read_layer(*upper, *lower, {.most = most, .began_ns = began_ns_});
    EXPECT_TRUE(found) << describe(found.error());
    return found ? *found : std::vector<Altered>();
  }
  bool is_as_before(const Altered& altered) {
    return workspace::is_as_before(altered, *sys::open_directory((base() / "lower").string()));
  }

  std::int64_t began_ns_ = std::numeric_limits<std::int64_t>::max();
  char path_[32] = "/tmp/layer_test_XXXXXX";
};

TEST_F(LayerTest, TellsNewFilesAndDirectoriesAsAWhole) {
  put("upper/a", "x");
  put("upper/d/e/f", "x");
  const auto found = read();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "a");
  EXPECT_EQ(found[1].path, "d");
  EXPECT_EQ(found[1].kind, sys::FileKind::directory);
  EXPECT_TRUE(is_as_before(found[0]));
  put("lower/a", "somebody's");
  EXPECT_FALSE(is_as_before(found[0]));
}

TEST_F(LayerTest, TellsChangedContentAndModesButNoMereTouch) {
  for (const char* name : {"same", "content", "mode"}) put(std::string("lower/") + name, "x");
  put("upper/same", "x");
  put("upper/content", "y");
  put("upper/mode", "x");
  chmod((base() / "upper/mode").c_str(), 0755);
  const auto found = read();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "content");
  EXPECT_EQ(found[0].what, What::changed);
  EXPECT_EQ(found[1].path, "mode");
  EXPECT_NE(found[1].mode, found[1].mode_before);
  EXPECT_TRUE(is_as_before(found[0]));
  put("lower/content", "z");
  EXPECT_FALSE(is_as_before(found[0]));
}

TEST_F(LayerTest, LooksIntoDirectoriesThatBothHave) {
  put("lower/d/a", "x");
  put("lower/d/b", "x");
  put("upper/d/b", "y");
  const auto found = read();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "d/b");
}

TEST_F(LayerTest, TellsWhatWasRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make the kernel's mark";
  put("lower/file", "x");
  put("lower/dir/a", "x");
  for (const char* name : {"file", "dir", "never-there"})
    ASSERT_EQ(mknod((base() / "upper" / name).c_str(), S_IFCHR, 0), 0);
  const auto found = read();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "dir");
  EXPECT_EQ(found[0].what, What::removed);
  EXPECT_EQ(found[1].path, "file");
  EXPECT_TRUE(is_as_before(found[0]));
  put("lower/dir/b", "somebody's");
  EXPECT_FALSE(is_as_before(found[0]));
}

TEST_F(LayerTest, ADirectoryThatReplacesAnotherIsOneChange) {
  put("lower/d/a", "x");
  put("upper/d/b", "y");
  const std::string path = (base() / "upper/d").string();
  if (setxattr(path.c_str(), "user.overlay.opaque", "y", 1, 0) != 0)
    GTEST_SKIP() << "this file system has no attributes";
  const auto found = read();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, What::changed);
  EXPECT_TRUE(found[0].is_directory() && found[0].was_directory() && !found[0].only_mode);
  EXPECT_TRUE(is_as_before(found[0]));
  strip_layer(*sys::open_directory((base() / "upper").string()));
  EXPECT_LT(getxattr(path.c_str(), "user.overlay.opaque", nullptr, 0), 0);
  put("lower/d/c", "somebody's");
  EXPECT_FALSE(is_as_before(found[0]));
}

TEST_F(LayerTest, TellsALinkThatLeadsElsewhere) {
  fs::create_symlink("a", base() / "lower/same");
  fs::create_symlink("a", base() / "upper/same");
  fs::create_symlink("a", base() / "lower/other");
  fs::create_symlink("b", base() / "upper/other");
  const auto found = read();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "other");
  EXPECT_EQ(found[0].what, What::changed);
}

TEST_F(LayerTest, KnowsADirectoryAgainByTheFilesInIt) {
  put("lower/d/a", "1");
  put("upper/d", "a file");
  const auto found = read();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(is_as_before(found[0]));
  const auto time = fs::last_write_time(base() / "lower/d/a");
  put("lower/d/a", "2");
  fs::last_write_time(base() / "lower/d/a", time);
  EXPECT_FALSE(is_as_before(found[0]));
}

TEST_F(LayerTest, KnowsTheDirectoryOfANewFileAgain) {
  put("lower/d/a", "x");
  put("upper/d/new", "x");
  const auto found = read();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(is_as_before(found[0]));
  fs::rename(base() / "lower/d", base() / "lower/moved");
  EXPECT_FALSE(is_as_before(found[0]));
  fs::create_directory_symlink("moved", base() / "lower/d");
  EXPECT_FALSE(is_as_before(found[0]));
  fs::remove(base() / "lower/d");
  fs::create_directory(base() / "lower/d");
  EXPECT_FALSE(is_as_before(found[0]));
}

TEST_F(LayerTest, LooksThroughWhatACommandClosed) {
  put("lower/d/a", "x");
  put("lower/b", "x");
  put("upper/d/new", "x");
  put("upper/b", "x");
  for (const char* name : {"upper/d", "upper/b"}) fs::permissions(base() / name, fs::perms::none);
  for (const auto& entry : fs::recursive_directory_iterator(base()))
    ASSERT_EQ(::lchown(entry.path().c_str(), geteuid() == 0 ? 65534 : geteuid(), getegid()), 0);
  fs::permissions(base(), fs::perms::all);
  EXPECT_EQ(in_child([&]() -> std::string {
              if (geteuid() == 0) become_nobody();
              std::string told;
              for (const Altered& each : read())
                told += each.path + (each.only_mode ? " mode " : " ") +
                        std::to_string(each.what == What::created ? 0 : each.mode) + "\n";
              return told == "b mode 0\nd mode 0\nd/new 0\n" ? "" : told;
            }),
            "");
}

TEST_F(LayerTest, RefusesMoreThanItIsToldTo) {
  for (int i = 0; i < 5; ++i) put("upper/f" + std::to_string(i), "x");
  const auto upper = sys::open_directory((base() / "upper").string());
  const auto lower = sys::open_directory((base() / "lower").string());
  const auto found = read_layer(*upper, *lower, {.most = 4});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().type, "too_many_changes");
}

TEST_F(LayerTest, KnowsWhatSomebodyElseChangedMeanwhile) {
  put("lower/a", "old");
  put("upper/a", "new");
  EXPECT_FALSE(read()[0].meanwhile);
  began_ns_ = 0;
  EXPECT_TRUE(read()[0].meanwhile);
}

}  // namespace
}  // namespace helve::workspace

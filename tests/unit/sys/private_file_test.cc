#include "sys/private_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace helve::sys {
namespace {

namespace fs = std::filesystem;

class PrivateFile : public testing::Test {
 protected:
  PrivateFile() {
    if (!::mkdtemp(directory_.data())) std::abort();
  }
  ~PrivateFile() override { fs::remove_all(directory_); }

  std::string directory_ = fs::temp_directory_path() / "helve_private_XXXXXX";
  const std::string& root() const { return directory_; }
};

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST_F(PrivateFile, IsMadeWithItsDirectoriesForThisUserOnly) {
  const mode_t before = ::umask(0);
  const Result<void> made = ensure_private_file(root() + "/a/b/file");
  ::umask(before);
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(mode_of(root() + "/a"), 0700u);
  EXPECT_EQ(mode_of(root() + "/a/b"), 0700u);
  EXPECT_EQ(mode_of(root() + "/a/b/file"), 0600u);
  EXPECT_EQ(fs::file_size(root() + "/a/b/file"), 0u);
}

TEST_F(PrivateFile, KeepsItsContentAndIsTakenAwayFromOthers) {
  const std::string path = root() + "/file";
  std::ofstream(path) << "content";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(ensure_private_file(path));
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(fs::file_size(path), 7u);
}

TEST_F(PrivateFile, IsRefusedWhenSomethingElseBearsItsName) {
  fs::create_directory(root() + "/file");
  EXPECT_EQ(ensure_private_file(root() + "/file").error().type, "not_a_file");
}

TEST_F(PrivateFile, IsRefusedBehindALinkThatLeadsNowhere) {
  fs::create_symlink("nowhere", root() + "/file");
  const Result<void> made = ensure_private_file(root() + "/file");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::not_found);
  EXPECT_FALSE(fs::exists(root() + "/nowhere"));
}

}  // namespace
}  // namespace helve::sys

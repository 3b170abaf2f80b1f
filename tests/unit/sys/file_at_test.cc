#include "sys/file_at.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

#include "unit/workspace/temp_tree.h"

namespace helve::sys {
namespace {

class FileAt : public testing::Test {
 protected:
  Fd root() const { return std::move(*open_directory(tree.path("root"))); }
  void SetUp() override {
    tree.directory("root");
    tree.file("outside/secret", "secret");
  }
  TempTree tree;
};

TEST_F(FileAt, OpensAFileBeneathTheDirectory) {
  tree.file("root/a/b.txt", "content");
  auto file = open_beneath(root(), "a/b.txt", Open::read);
  ASSERT_TRUE(file);
  char buffer[7];
  ASSERT_EQ(read_at(*file, buffer, 0), 7u);
  EXPECT_EQ(std::string_view(buffer, 7), "content");
}

TEST_F(FileAt, DoesNotLeaveTheDirectory) {
  tree.link("root/absolute", tree.path("outside"));
  tree.link("root/relative", "../outside");
  tree.directory("root/sub");
  for (const char* path : {"../outside/secret", "sub/../../outside/secret", "absolute/secret",
                           "relative/secret", "/etc/passwd"}) {
    auto file = open_beneath(root(), path, Open::read);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error(), std::errc::cross_device_link) << path;
  }
}

TEST_F(FileAt, FollowsLinksThatStayBeneathUnlessTheyAreRefused) {
  tree.file("root/real/file", "content");
  tree.link("root/link", "real/../real");
  EXPECT_TRUE(open_beneath(root(), "link/file", Open::read));
  auto refused = open_beneath(root(), "link/file", Open::read, Links::refuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), std::errc::too_many_symbolic_link_levels);
}

TEST_F(FileAt, DoesNotFollowMagicLinks) {
  auto process = open_directory("/proc/self");
  ASSERT_TRUE(process);
  EXPECT_FALSE(open_beneath(*process, "cwd/.", Open::directory));
  EXPECT_FALSE(open_beneath(*process, "exe", Open::read));
}

TEST_F(FileAt, ReportsALoopOfLinks) {
  tree.link("root/a", "b");
  tree.link("root/b", "a");
  auto file = open_beneath(root(), "a", Open::read);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error(), std::errc::too_many_symbolic_link_levels);
}

TEST_F(FileAt, RefusesPathsThatCannotBe) {
  EXPECT_EQ(open_beneath(root(), std::string_view("a\0b", 3), Open::read).error(),
            std::errc::invalid_argument);
  EXPECT_EQ(open_beneath(root(), std::string(5000, 'a'), Open::read).error(),
            std::errc::filename_too_long);
  EXPECT_EQ(open_beneath(root(), std::string(300, 'a'), Open::read).error(),
            std::errc::filename_too_long);
}

TEST_F(FileAt, DoesNotBlockOnAFifo) {
  ASSERT_EQ(::mkfifo(tree.path("root/fifo").c_str(), 0600), 0);
  auto file = open_beneath(root(), "fifo", Open::read);
  ASSERT_TRUE(file);
  EXPECT_EQ(status(*file)->kind, FileKind::fifo);
}

TEST_F(FileAt, LeavesNothingOpenToChildren) {
  tree.file("root/file");
  auto file = open_beneath(root(), "file", Open::read);
  auto made = create_new(root(), "made");
  EXPECT_TRUE(::fcntl(file->get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(made->get(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(FileAt, ReadsAtAnOffsetUntilTheFileEnds) {
  tree.file("root/file", "0123456789");
  auto file = open_beneath(root(), "file", Open::read);
  char buffer[8];
  EXPECT_EQ(read_at(*file, buffer, 5), 5u);
  EXPECT_EQ(std::string_view(buffer, 5), "56789");
  EXPECT_EQ(read_at(*file, buffer, 10), 0u);
  EXPECT_EQ(read_at(*file, buffer, 1'000'000), 0u);
}

TEST_F(FileAt, CreatesOnlyWhatDoesNotExistAndOnlyForTheOwner) {
  tree.link("root/dangling", "../outside/made");
  tree.file("root/there");
  EXPECT_EQ(create_new(root(), "dangling").error(), std::errc::file_exists);
  EXPECT_EQ(create_new(root(), "there").error(), std::errc::file_exists);
  EXPECT_FALSE(tree.exists("outside/made"));
  EXPECT_CHILD_OK([&]() -> std::string {
    ::umask(0);
    auto file = create_new(root(), "new");
    return file && status(*file)->mode == 0600 ? "" : "the mode is not 0600";
  });
}

TEST_F(FileAt, NamesTemporaryFilesUnpredictably) { EXPECT_NE(temporary_name(), temporary_name()); }

TEST_F(FileAt, ExchangesTwoFiles) {
  tree.file("root/a", "was a");
  tree.file("root/b", "was b");
  ASSERT_TRUE(rename_at(root(), "a", "b", Rename::exchange));
  EXPECT_EQ(tree.content("root/a"), "was b");
  EXPECT_EQ(tree.content("root/b"), "was a");
}

TEST_F(FileAt, RenamesWithoutReplacingWhenAsked) {
  tree.file("root/a", "was a");
  tree.file("root/b", "was b");
  EXPECT_EQ(rename_at(root(), "a", "b", Rename::no_replace).error(), std::errc::file_exists);
  EXPECT_EQ(tree.content("root/b"), "was b");
  EXPECT_TRUE(rename_at(root(), "a", "c", Rename::no_replace));
  EXPECT_EQ(tree.content("root/c"), "was a");
}

TEST_F(FileAt, ReportsAnOldKernelAsAFileSystemThatCannotExchange) {
  tree.file("root/a");
  tree.file("root/b");
  EXPECT_CHILD_OK([&]() -> std::string {
    const Fd directory = root();
    if (std::string why = make_fail(SYS_renameat2, ENOSYS); !why.empty()) return why;
    const auto done = rename_at(directory, "a", "b", Rename::exchange);
    return !done && done.error() == std::errc::invalid_argument ? ""
                                                                : "not reported as unsupported";
  });
}

TEST_F(FileAt, TellsTheKindsOfFiles) {
  tree.file("root/file", "12345");
  tree.directory("root/directory");
  tree.link("root/link", "file");
  ASSERT_EQ(::mkfifo(tree.path("root/fifo").c_str(), 0600), 0);
  EXPECT_EQ(status_at(root(), "file")->kind, FileKind::file);
  EXPECT_EQ(status_at(root(), "file")->size, 5u);
  EXPECT_EQ(status_at(root(), "directory")->kind, FileKind::directory);
  EXPECT_EQ(status_at(root(), "link")->kind, FileKind::symlink);
  EXPECT_EQ(status_at(root(), "fifo")->kind, FileKind::fifo);
  EXPECT_EQ(read_link_at(root(), "link"), "file");
}

TEST_F(FileAt, KnowsWhereADescriptorIs) {
  tree.directory("root/sub");
  auto sub = open_beneath(root(), "sub", Open::directory);
  EXPECT_EQ(path_of(*sub), tree.path("root/sub"));
}

TEST_F(FileAt, KnowsWhetherAFileMayBeWritten) {
  tree.file("root/file");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("root/file").c_str(), 0444);
  auto file = open_beneath(root(), "file", Open::identity);
  ASSERT_TRUE(file);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const auto may = may_write(*file, *status(*file));
    return !may && may.error() == std::errc::permission_denied ? ""
                                                               : "a read-only file may be written";
  });
}

TEST_F(FileAt, CopiesModeOwnerAndExtendedAttributes) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  tree.file("root/old");
  const std::string old_path = tree.path("root/old");
  ASSERT_EQ(::chown(old_path.c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chmod(old_path.c_str(), 06751), 0);
  if (::setxattr(old_path.c_str(), "user.note", "kept", 4, 0) != 0)
    GTEST_SKIP() << "no attributes here";
  auto old = open_beneath(root(), "old", Open::identity);
  auto made = create_new(root(), "new");
  ASSERT_TRUE(copy_attributes(*old, *status(*old), *made));
  const FileStatus now = *status(*made);
  EXPECT_EQ(now.mode, 06751u);
  EXPECT_EQ(now.user, 1234u);
  EXPECT_EQ(now.group, 2345u);
  char value[8];
  ASSERT_EQ(::fgetxattr(made->get(), "user.note", value, sizeof value), 4);
  EXPECT_EQ(std::string_view(value, 4), "kept");
}

TEST_F(FileAt, DropsSetuidWhenTheOwnerCannotBeKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a file of somebody else";
  tree.file("root/old");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("root").c_str(), 0777);
  ::chmod(tree.path("root/old").c_str(), 06755);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    auto old = open_beneath(root(), "old", Open::identity);
    auto made = create_new(root(), "new");
    if (!old || !made || !copy_attributes(*old, *status(*old), *made)) return "cannot copy";
    return status(*made)->mode == 0755 ? "" : "setuid was kept for another owner";
  });
}

TEST_F(FileAt, GivesNewFilesTheModeThatTheUmaskLeaves) {
  EXPECT_CHILD_OK([&]() -> std::string {
    ::umask(027);
    auto file = create_new(root(), "new");
    if (!file || !set_default_mode(*file)) return "cannot set the mode";
    return status(*file)->mode == 0640 ? "" : "the mode is not 0640";
  });
}

}  // namespace
}  // namespace helve::sys

// What a write leaves behind when the system fails it: the old file, and nothing else.
#include <sys/stat.h>
#include <sys/syscall.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class WriteFaults : public WorkspaceTest {
 protected:
  // Writes over in/file and to in/new/file, and says what is wrong with the errors or with what
  // remains.
  std::string try_both(Workspace& files, std::string_view expected_kind,
                       std::string_view content = "new") const {
    for (const char* path : {"file", "new/file"}) {
      const auto written = write_file(files, path, content, OnConflict::overwrite);
      if (written) return std::string(path) + " was written";
      if (kind_of(written.error()) != expected_kind) return describe(written.error());
      if (!has(written.error().message, path)) return "no path in: " + written.error().message;
    }
    return check_unchanged();
  }
  std::string check_unchanged() const {
    if (tree.content("in/file") != "old")
      return "the old content is gone: " + tree.content("in/file");
    if (tree.names("in") != std::vector<std::string>{"file"}) return "something was left behind";
    return "";
  }
};

TEST_F(WriteFaults, KeepsTheOldFileWhenASystemCallFails) {
  tree.file("in/file", "old");
  for (const long call : {SYS_write, SYS_fchmod, SYS_fdatasync, SYS_fsync, SYS_renameat2}) {
    EXPECT_CHILD_OK([&]() -> std::string {
      const auto files = open(Durability::synced);
      if (std::string why = make_fail(call, EIO); !why.empty()) return why;
      const std::string wrong = try_both(*files, "unavailable unavailable");
      return wrong.empty() ? "" : std::to_string(call) + ": " + wrong;
    });
    EXPECT_EQ(check_unchanged(), "") << call;
  }
}

TEST_F(WriteFaults, KeepsTheOldFileWhenClosingReportsTheFailure) {
  tree.file("in/file", "old");
  EXPECT_CHILD_OK([&]() -> std::string {
    const auto files = open();
    if (std::string why = make_fail(SYS_close, EIO); !why.empty()) return why;
    return try_both(*files, "unavailable unavailable");
  });
  EXPECT_EQ(check_unchanged(), "");
}

TEST_F(WriteFaults, ReplacesPlainlyWhereFilesCannotBeExchanged) {
  tree.file("in/file", "old");
  EXPECT_CHILD_OK([&]() -> std::string {
    const auto files = open();
    if (std::string why = make_fail(SYS_renameat2, EINVAL); !why.empty()) return why;
    for (const char* path : {"file", "sub/file"}) {
      const auto written = write_file(*files, path, "new", OnConflict::overwrite);
      if (!written) return describe(written.error());
    }
    return "";
  });
  EXPECT_EQ(tree.content("in/file"), "new");
  EXPECT_EQ(tree.content("in/sub/file"), "new");
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"file", "sub"}));
}

TEST_F(WriteFaults, KeepsTheOldFileWhenTheDiskIsFull) {
  EXPECT_CHILD_OK([&]() -> std::string {
    if (std::string why = mount_tmpfs(tree.path("in"), "size=64k"); !why.empty()) return why;
    tree.file("in/file", "old");
    return try_both(*open(Durability::synced), "unavailable no_space", std::string(200'000, 'x'));
  });
}

TEST_F(WriteFaults, KeepsTheOldFileWhenThereAreNoInodes) {
  EXPECT_CHILD_OK([&]() -> std::string {
    if (std::string why = mount_tmpfs(tree.path("in"), "nr_inodes=2"); !why.empty()) return why;
    tree.file("in/file", "old");
    return try_both(*open(), "unavailable no_space");
  });
}

TEST_F(WriteFaults, KeepsTheOldFileOnAReadOnlyFileSystem) {
  EXPECT_CHILD_OK([&]() -> std::string {
    if (std::string why = mount_tmpfs(tree.path("in"), ""); !why.empty()) return why;
    tree.file("in/file", "old");
    if (std::string why = remount_read_only(tree.path("in")); !why.empty()) return why;
    return try_both(*open(), "denied read_only");
  });
}

TEST_F(WriteFaults, HonoursAReadOnlyFileInAWritableDirectory) {
  tree.file("in/file", "old");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in").c_str(), 0777);
  ::chmod(tree.path("in/file").c_str(), 0444);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const Error error = write_error("file");
    if (kind_of(error) != "denied permission_denied") return describe(error);
    return check_unchanged();
  });
}

TEST_F(WriteFaults, HonoursAReadOnlyDirectory) {
  tree.file("in/file", "old");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in/file").c_str(), 0666);
  ::chmod(tree.path("in").c_str(), 0555);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    return try_both(*open(), "denied permission_denied");
  });
}

TEST_F(WriteFaults, KeepsWhatItMayOfSomebodyElsesFile) {
  tree.file("in/file", "old");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in").c_str(), 0777);
  ::chmod(tree.path("in/file").c_str(), 06766);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const auto written = write_file(*open(), "file", "new", OnConflict::overwrite);
    return written ? "" : describe(written.error());
  });
  struct stat s;
  ASSERT_EQ(::stat(tree.path("in/file").c_str(), &s), 0);
  EXPECT_EQ(tree.content("in/file"), "new");
  if (::geteuid() == 0) {
    EXPECT_EQ(s.st_mode & 07777, 0766u);
  }
}

TEST_F(WriteFaults, SaysWhenThereAreTooManyOpenFiles) {
  tree.file("in/file", "old");
  EXPECT_CHILD_OK([&]() -> std::string {
    const auto files = open();
    if (std::string why = make_fail(SYS_openat2, EMFILE); !why.empty()) return why;
    return try_both(*files, "unavailable unavailable");
  });
}

}  // namespace
}  // namespace helve::workspace

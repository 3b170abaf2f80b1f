#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

using Opening = WorkspaceTest;

TEST_F(Opening, FindsRelativeAndAbsolutePaths) {
  tree.file("in/sub/file", "content");
  for (const std::string& path : {std::string("sub/file"), std::string("./sub//file"),
                                  std::string("sub/../sub/file"), tree.path("in/sub/file")}) {
    const auto file = open()->open_file(path);
    ASSERT_TRUE(file) << path;
    EXPECT_EQ(file->status.size, 7u);
  }
}

TEST_F(Opening, RefusesPathsThatCannotBe) {
  EXPECT_EQ(read_error("").code, Code::invalid_argument);
  EXPECT_EQ(read_error(std::string("a\0b", 3)).code, Code::invalid_argument);
  EXPECT_TRUE(has(read_error(std::string("a\0b", 3)).message, "NUL"));
  EXPECT_EQ(kind_of(read_error(std::string(5000, 'a'))), "invalid_argument name_too_long");
  EXPECT_EQ(kind_of(read_error(std::string(300, 'a'))), "invalid_argument name_too_long");
}

TEST_F(Opening, DoesNotTakeASiblingForTheRoot) {
  tree.file("in_evil/secret", "secret");
  EXPECT_EQ(kind_of(read_error(tree.path("in_evil/secret"))), "denied outside_workspace");
}

TEST_F(Opening, RefusesWhatLeadsOutsideAndNamesTheRoots) {
  tree.directory("in/sub");
  tree.link("in/leaf", tree.path("out/secret"));
  tree.link("in/directory", "../out");
  tree.link("in/one", "two");
  tree.link("in/two", "three");
  tree.link("in/three", "../out/secret");
  for (const std::string& path :
       {std::string("../out/secret"), std::string("sub/../../out/secret"), std::string("leaf"),
        std::string("directory/secret"), std::string("one"), tree.path("out/secret"),
        tree.path("in/../out/secret"), std::string("/etc/passwd")}) {
    const Error error = read_error(path);
    EXPECT_EQ(kind_of(error), "denied outside_workspace") << path;
    EXPECT_TRUE(has(error.hint, tree.path("in"))) << error.hint;
  }
}

TEST_F(Opening, FollowsLinksThatStayInside) {
  tree.file("in/real", "content");
  tree.link("in/link", "real");
  tree.link("in/chain", "./link");
  EXPECT_EQ(open()->open_file("chain")->status.size, 7u);
}

TEST_F(Opening, EndsOnALoopOfLinks) {
  tree.link("in/a", "b");
  tree.link("in/b", "a");
  EXPECT_EQ(kind_of(read_error("a")), "invalid_argument symlink_loop");
}

TEST_F(Opening, ReadsAFileWithSeveralNamesUnlessToldNotTo) {
  ASSERT_EQ(::link(tree.path("out/secret").c_str(), tree.path("in/hard").c_str()), 0);
  EXPECT_TRUE(open()->open_file("hard"));
  tree.file("in/plain", "x");
  const auto careful =
      Workspace::make({.roots = {{tree.path("in")}}, .hard_links = HardLinks::refuse});
  ASSERT_TRUE(careful);
  const auto refused = (*careful)->open_file("hard");
  ASSERT_FALSE(refused);
  EXPECT_EQ(kind_of(refused.error()), "denied hard_link");
  EXPECT_TRUE((*careful)->open_file("plain"));
}

TEST_F(Opening, RefusesWhatIsNoFileAndNeverBlocks) {
  ASSERT_EQ(::mkfifo(tree.path("in/fifo").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  tree.path("in/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(kind_of(read_error("fifo")), "unsupported not_a_file");
  EXPECT_EQ(kind_of(read_error("socket")), "unsupported not_a_file");
  ::close(socket);
}

TEST_F(Opening, RefusesADevice) {
  if (::mknod(tree.path("in/zero").c_str(), S_IFCHR | 0666, makedev(1, 5)) != 0) {
    GTEST_SKIP() << "only root makes devices";
  }
  EXPECT_EQ(kind_of(read_error("zero")), "unsupported not_a_file");
}

TEST_F(Opening, SendsDirectoriesToLs) {
  tree.directory("in/sub");
  EXPECT_EQ(kind_of(read_error("sub")), "invalid_argument is_directory");
  EXPECT_TRUE(has(read_error("sub").hint, "ls"));
  EXPECT_EQ(kind_of(read_error(".")), "invalid_argument is_directory");
}

TEST_F(Opening, NamesTheNearestNameOfAMissingFile) {
  tree.file("in/docs/notes.md");
  const Error error = read_error("docs/note.md");
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_TRUE(has(error.message, "docs/note.md"));
  EXPECT_TRUE(has(error.hint, "docs/notes.md")) << error.hint;
}

TEST_F(Opening, SaysWhenTheDirectoryIsMissingToo) {
  EXPECT_TRUE(has(read_error("nowhere/file").hint, "no directory 'nowhere'"));
}

TEST_F(Opening, SaysWhenALinkLeadsNowhere) {
  tree.link("in/dangling", "gone");
  EXPECT_TRUE(has(read_error("dangling").hint, "a link to 'gone'")) << read_error("dangling").hint;
}

TEST_F(Opening, SaysThatPermissionIsMissing) {
  tree.file("in/private");
  ::chmod(tree.path().c_str(), 0755);
  ::chmod(tree.path("in/private").c_str(), 0);
  EXPECT_CHILD_OK([&]() -> std::string {
    become_nobody();
    const Error error = read_error("private");
    return kind_of(error) == "denied permission_denied" ? "" : describe(error);
  });
}

TEST_F(Opening, ShowsPathsTidilyAndInValidText) {
  EXPECT_EQ(open()->display("./a//b"), "a/b");
  EXPECT_EQ(open()->display(tree.path("in/a")), "a");
  EXPECT_EQ(open()->display(tree.path("in")), ".");
  EXPECT_EQ(open()->display("a\xff"), "a\\xff");
}

}  // namespace
}  // namespace helve::workspace

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <thread>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class Writing : public WorkspaceTest {
 protected:
  Result<Written> write(const std::string& path, std::string_view content,
                        OnConflict on_conflict = OnConflict::overwrite) {
    return write_file(*open(), path, content, on_conflict);
  }
  struct stat status(std::string_view name) const {
    struct stat s {};
    EXPECT_EQ(::stat(tree.path(name).c_str(), &s), 0);
    return s;
  }
};

TEST_F(Writing, CreatesAFileAndItsParents) {
  const auto written = write("a/b/c.txt", "content");
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->created);
  EXPECT_EQ(tree.content("in/a/b/c.txt"), "content");
  EXPECT_EQ(tree.names("in/a/b"), std::vector<std::string>{"c.txt"});
}

TEST_F(Writing, SyncsAsWell) {
  const auto files = open(Durability::synced);
  ASSERT_TRUE(write_file(*files, "a/b.txt", "one", OnConflict::error));
  ASSERT_TRUE(write_file(*files, "a/b.txt", "two", OnConflict::overwrite));
  EXPECT_EQ(tree.content("in/a/b.txt"), "two");
}

TEST_F(Writing, ReplacesTheWholeContent) {
  tree.file("in/file", "a much longer content");
  const auto written = write("file", "short");
  ASSERT_TRUE(written);
  EXPECT_FALSE(written->created);
  EXPECT_EQ(tree.content("in/file"), "short");
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"file"});
}

TEST_F(Writing, WritesEveryByteAsItIs) {
  const std::string content(
      "\xEF\xBB\xBF"
      "a\r\nb\rc\n\0\xff",
      12);
  ASSERT_TRUE(write("file", content));
  EXPECT_EQ(tree.content("in/file"), content);
}

TEST_F(Writing, RefusesAnExistingFileWhenAskedTo) {
  tree.file("in/file", "old");
  const Error error = write_error("file", OnConflict::error);
  EXPECT_EQ(kind_of(error), "conflict path_conflict");
  EXPECT_TRUE(has(error.hint, "another path"));
  EXPECT_EQ(tree.content("in/file"), "old");
}

TEST_F(Writing, RefusesMoreThanTheLimit) {
  const auto written = write("file", std::string(kMaxWrite + 1, 'x'));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::too_large);
  EXPECT_TRUE(tree.names("in").empty());
}

TEST_F(Writing, RefusesPathsThatNameNoFile) {
  tree.directory("in/sub");
  for (const char* path : {".", "sub", "sub/", "sub/.", "sub/.."}) {
    EXPECT_EQ(kind_of(write_error(path)), "invalid_argument is_directory") << path;
  }
  EXPECT_EQ(write_error("").code, Code::invalid_argument);
  EXPECT_EQ(write_error(std::string("a\0b", 3)).code, Code::invalid_argument);
  EXPECT_EQ(kind_of(write_error(std::string(300, 'a'))), "invalid_argument name_too_long");
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"sub"});
}

TEST_F(Writing, RefusesAParentThatIsAFile) {
  tree.file("in/file", "kept");
  EXPECT_EQ(kind_of(write_error("file/x")), "invalid_argument not_directory");
  EXPECT_EQ(kind_of(write_error("file/x/y")), "invalid_argument not_directory");
  EXPECT_EQ(tree.content("in/file"), "kept");
}

TEST_F(Writing, LeavesNothingOutsideBehind) {
  tree.link("in/leaf", "../out/secret");
  tree.link("in/directory", "../out");
  tree.link("in/absolute", tree.path("out"));
  for (const std::string& path :
       {std::string("../out/new"), std::string("directory/new"), std::string("directory/new/er"),
        std::string("absolute/new"), tree.path("out/new"), std::string("/etc/helve-test")}) {
    EXPECT_EQ(kind_of(write_error(path)), "denied outside_workspace") << path;
  }
  EXPECT_EQ(tree.names("out"), std::vector<std::string>{"secret"});
  EXPECT_EQ(tree.content("out/secret"), "secret");
}

TEST_F(Writing, WritesThroughNoLinkAndTellsWhereItLeads) {
  tree.file("in/real", "kept");
  tree.link("in/link", "real");
  tree.link("in/dangling", "../out/made");
  EXPECT_EQ(kind_of(write_error("link")), "denied symlink");
  EXPECT_TRUE(has(write_error("link").hint, "'real'"));
  EXPECT_EQ(kind_of(write_error("dangling")), "denied symlink");
  EXPECT_EQ(tree.content("in/real"), "kept");
  EXPECT_FALSE(tree.exists("out/made"));
}

TEST_F(Writing, FollowsADirectoryLinkThatStaysInside) {
  tree.directory("in/packages/a");
  tree.link("in/a", "packages/a");
  ASSERT_TRUE(write("a/new/file", "content"));
  EXPECT_EQ(tree.content("in/packages/a/new/file"), "content");
}

TEST_F(Writing, MakesNoDirectoryThroughADanglingLink) {
  tree.link("in/dangling", "later");
  EXPECT_FALSE(write("dangling/file", "x"));
  EXPECT_FALSE(tree.exists("in/later"));
}

TEST_F(Writing, MakesNoDirectoryInFrontOfDots) {
  EXPECT_EQ(write_error("new/../file").code, Code::not_found);
  EXPECT_TRUE(tree.names("in").empty());
}

TEST_F(Writing, BoundsTheDirectoriesItMakes) {
  std::string path;
  for (int i = 0; i < 100; ++i) path += "d/";
  EXPECT_EQ(write_error(path + "file").code, Code::invalid_argument);
  EXPECT_TRUE(tree.names("in").empty());
}

TEST_F(Writing, RefusesAFileWithSeveralNames) {
  ASSERT_EQ(::link(tree.path("out/secret").c_str(), tree.path("in/hard").c_str()), 0);
  EXPECT_EQ(kind_of(write_error("hard")), "denied hard_link");
  EXPECT_EQ(tree.content("out/secret"), "secret");
}

TEST_F(Writing, RefusesWhatIsNoFile) {
  ASSERT_EQ(::mkfifo(tree.path("in/fifo").c_str(), 0600), 0);
  EXPECT_EQ(kind_of(write_error("fifo")), "unsupported not_a_file");
}

TEST_F(Writing, ProtectsGitAndHelveBeforeTheyExist) {
  for (const char* path : {".git", ".git/hooks/pre-commit", "sub/.git/config", ".helve/config.yaml",
                           ".helve", ".GIT/config", "x/../.git/config"}) {
    EXPECT_EQ(kind_of(write_error(path)), "denied protected_path") << path;
  }
  EXPECT_TRUE(tree.names("in").empty());
  EXPECT_TRUE(write(".gitignore", "*.o\n"));
}

TEST_F(Writing, ProtectsGitBehindALinkToo) {
  tree.file("in/.git/config", "kept");
  tree.link("in/innocent", ".git");
  EXPECT_EQ(kind_of(write_error("innocent/config")), "denied protected_path");
  EXPECT_EQ(kind_of(write_error("innocent/hooks/pre-commit")), "denied protected_path");
  EXPECT_EQ(tree.content("in/.git/config"), "kept");
  EXPECT_EQ(tree.names("in/.git"), std::vector<std::string>{"config"});
}

TEST_F(Writing, KeepsTheModeOfTheOldFile) {
  tree.file("in/script");
  ::chmod(tree.path("in/script").c_str(), 04751);
  ASSERT_TRUE(write("script", "new"));
  EXPECT_EQ(status("in/script").st_mode & 07777, 04751u);
}

TEST_F(Writing, KeepsTheOwnerOfTheOldFile) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  tree.file("in/file");
  ASSERT_EQ(::chown(tree.path("in/file").c_str(), 1234, 2345), 0);
  ASSERT_TRUE(write("file", "new"));
  EXPECT_EQ(status("in/file").st_uid, 1234u);
  EXPECT_EQ(status("in/file").st_gid, 2345u);
}

TEST_F(Writing, KeepsAttributesAndAccessLists) {
  tree.file("in/file");
  const std::string path = tree.path("in/file");
  // user::rw- user:1000:r-- group::r-- mask::r-- other::---, as the kernel stores it.
  struct {
    std::uint32_t version = 2;
    struct {
      std::uint16_t tag, permissions;
      std::uint32_t id;
    } entries[5] = {{1, 6, ~0u}, {2, 4, 1000}, {4, 4, ~0u}, {16, 4, ~0u}, {32, 0, ~0u}};
  } list;
  if (::setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0 ||
      ::setxattr(path.c_str(), "system.posix_acl_access", &list, sizeof list, 0) != 0) {
    GTEST_SKIP() << "no attributes or access lists here";
  }
  ASSERT_TRUE(write("file", "new"));
  char value[64];
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", value, sizeof value), 4);
  ASSERT_EQ(::getxattr(path.c_str(), "system.posix_acl_access", value, sizeof value),
            static_cast<ssize_t>(sizeof list));
  EXPECT_EQ(std::memcmp(value, &list, sizeof list), 0);
}

TEST_F(Writing, GivesNewFilesTheUsualMode) {
  EXPECT_CHILD_OK([&]() -> std::string {
    ::umask(027);
    if (!write_file(*open(), "sub/new", "x", OnConflict::overwrite)) return "not written";
    return (status("in/sub/new").st_mode & 07777) == 0640 ? "" : "the mode is not 0640";
  });
}

TEST_F(Writing, SerialisesWritersOfOneFile) {
  tree.directory("in/sub");
  const auto files = open();
  constexpr int kThreads = 8, kRounds = 100;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const std::string content(10'000, static_cast<char>('a' + t));
        for (int i = 0; i < kRounds; ++i) {
          failures +=
              !write_file(*files, t % 2 ? "file" : "./sub/../file", content, OnConflict::overwrite);
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  const std::string content = tree.content("in/file");
  EXPECT_EQ(content, std::string(10'000, content.front()));
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"file", "sub"}));
}

}  // namespace
}  // namespace helve::workspace

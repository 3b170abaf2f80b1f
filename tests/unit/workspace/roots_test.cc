#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

using Roots = WorkspaceTest;

Result<std::unique_ptr<Workspace>> make(const std::string& path,
                                        Breadth breadth = Breadth::narrow) {
  return Workspace::make({.roots = {{path}}, .breadth = breadth});
}

TEST_F(Roots, RefusesTheWholeFileSystemUnlessItIsNamed) {
  const auto made = make("/");
  ASSERT_FALSE(made);
  EXPECT_EQ(kind_of(made.error()), "denied root_too_wide");
  EXPECT_TRUE(make("/", Breadth::any));
}

TEST_F(Roots, RefusesTheHomeDirectoryAndWhatHoldsItUnlessNamed) {
  tree.directory("home/me/project");
  tree.link("short", "home/me");
  EXPECT_CHILD_OK([&]() -> std::string {
    ::setenv("HOME", tree.path("short").c_str(), 1);
    for (const char* wide : {"home/me", "home", "short", "home/me/project/.."}) {
      const auto made = make(tree.path(wide));
      if (made || made.error().type != "root_too_wide") return std::string(wide) + " was taken";
      if (!make(tree.path(wide), Breadth::any))
        return std::string(wide) + " was refused though named";
    }
    return make(tree.path("home/me/project")) ? "" : "a project in the home directory was refused";
  });
}

TEST_F(Roots, NamesARootThatIsMissingOrNoDirectory) {
  tree.file("file");
  EXPECT_EQ(make(tree.path("nowhere")).error().code, Code::not_found);
  EXPECT_EQ(make(tree.path("file")).error().type, "not_directory");
  EXPECT_EQ(make("").error().code, Code::invalid_argument);
  EXPECT_EQ(Workspace::make({}).error().code, Code::invalid_argument);
}

TEST_F(Roots, RefusesARootThatALinkInAnotherRootLeadsTo) {
  tree.directory("in/b/real");
  tree.directory("outside/d");
  tree.link("in/b/c", tree.path("outside"));
  tree.link("in/b/near", "real");
  tree.link("short", "outside");
  const auto together = [&](const char* more, Access access) {
    return Workspace::make({.roots = {{tree.path(more), access}, {tree.path("in"), access}}});
  };
  for (const char* led : {"in/b/c", "in/b/c/d"}) {
    const auto made = together(led, Access::writable);
    ASSERT_FALSE(made) << led;
    EXPECT_NE(made.error().message.find(tree.path("in/b/c")), std::string::npos);
    EXPECT_TRUE(together(led, Access::read_only)) << led;
  }
  for (const char* fine : {"in/b/near", "short", "outside/d"})
    EXPECT_TRUE(together(fine, Access::writable)) << fine;
}

TEST_F(Roots, TakesARelativeRoot) {
  tree.file("in/file", "content");
  EXPECT_CHILD_OK([&]() -> std::string {
    if (::chdir(tree.path("in").c_str()) != 0) return "cannot prepare";
    const auto made = make(".");
    if (!made) return describe(made.error());
    return (*made)->roots().front().path == tree.path("in") && (*made)->open_file("file")
               ? ""
               : "not there";
  });
}

TEST_F(Roots, TakesAbsolutePathsByTheRootsNameAndByItsRealPath) {
  tree.file("in/file");
  tree.link("alias", "in");
  const auto files = make(tree.path("alias"));
  ASSERT_TRUE(files);
  EXPECT_TRUE((*files)->open_file(tree.path("alias/file")));
  EXPECT_TRUE((*files)->open_file(tree.path("in/file")));
  EXPECT_EQ((*files)->display(tree.path("alias/./file")), "file");
}

TEST_F(Roots, TakesRelativePathsThatLeadIntoAnotherRoot) {
  tree.file("in/file", "first");
  tree.file("second/sub/file", "second");
  tree.link("second/sub/out", "../../out/secret");
  const auto made =
      Workspace::make({.roots = {{tree.path("in")}, {tree.path("second"), Access::read_only}}});
  ASSERT_TRUE(made) << describe(made.error());
  Workspace& files = **made;
  const auto file = files.open_file(".././second//sub/file");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->real_path, tree.path("second/sub/file"));
  EXPECT_EQ(files.display("../second/sub/file"), tree.path("second/sub/file"));
  EXPECT_EQ(files.display("../in/file"), "file");
  EXPECT_TRUE(files.open_directory("../second"));
  EXPECT_EQ(kind_of(write_file(files, "../second/new", "x").error()), "denied read_only_root");
  for (const char* outside : {"../out/secret", "../second/../out/secret", "../secondary",
                              "../second/sub/out", "../../../../../../../etc/passwd", ".."}) {
    const auto opened = files.open_file(outside);
    EXPECT_EQ(opened ? "it was opened" : kind_of(opened.error()), "denied outside_workspace")
        << outside;
  }
}

TEST_F(Roots, TakesAbsolutePathsInEveryRootAndRelativeOnesInTheFirst) {
  tree.file("in/file", "in");
  tree.file("second/file", "second");
  const auto files =
      Workspace::make({.roots = {{tree.path("in")}, {tree.path("second"), Access::read_only}}});
  ASSERT_TRUE(files);
  EXPECT_EQ((*files)->open_file("file")->status.size, 2u);
  EXPECT_EQ((*files)->open_file(tree.path("second/file"))->status.size, 6u);
  EXPECT_EQ((*files)->display(tree.path("second/file")), tree.path("second/file"));
  EXPECT_EQ((*files)->display(tree.path("second")), tree.path("second"));
}

TEST_F(Roots, WritesNothingInAReadOnlyRoot) {
  tree.directory("second");
  const auto files =
      Workspace::make({.roots = {{tree.path("in")}, {tree.path("second"), Access::read_only}}});
  const auto written = write_file(**files, tree.path("second/x"), "x", OnConflict::overwrite);
  ASSERT_FALSE(written);
  EXPECT_EQ(kind_of(written.error()), "denied read_only_root");
  EXPECT_FALSE(tree.exists("second/x"));
}

TEST_F(Roots, RefusesRootsThatOverlapWithDifferentAccess) {
  tree.directory("in/vendor");
  const auto made =
      Workspace::make({.roots = {{tree.path("in")}, {tree.path("in/vendor"), Access::read_only}}});
  ASSERT_FALSE(made);
  EXPECT_TRUE(has(made.error().message, "overlap"));
}

TEST_F(Roots, RefusesToWorkWhereFilesCannotBeOpenedSafely) {
  for (const int error : {ENOSYS, EPERM}) {
    EXPECT_CHILD_OK([&]() -> std::string {
      if (std::string why = make_fail(SYS_openat2, error); !why.empty()) return why;
      const auto made = make(tree.path("in"));
      if (made) return "it was made";
      return made.error().code == Code::unsupported ? "" : describe(made.error());
    });
  }
}

}  // namespace
}  // namespace helve::workspace

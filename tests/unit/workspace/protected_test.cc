// What file tools must not write to, however a root or a path leads there.
#include "unit/workspace/fixture.h"
#include "workspace/path.h"

namespace helve::workspace {
namespace {

class Protected : public WorkspaceTest {
 protected:
  // Code and type of the error of a change below `root`; "done" when there is none.
  std::string change(const std::string& root, const Change& change) const {
    auto made = Workspace::make({.roots = {{tree.path(root)}},
                                 .breadth = Breadth::any,
                                 .durability = Durability::unsynced,
                                 .protected_directories = {tree.path("home/.config/helve"),
                                                           tree.path("home/state/helve/")}});
    if (!made) return describe(made.error());
    const auto applied = (*made)->apply({&change, 1}, {});
    return applied ? "done" : kind_of(applied.error());
  }
  std::string write(const std::string& root, const std::string& path) const {
    const std::string outcome = change(root, {.path = path, .content = "new"});
    return outcome == "done" ? "written" : outcome;
  }
  std::string move(const std::string& path, const std::string& to) const {
    return change("home", {.kind = Change::Kind::move, .path = path, .to = to, .replace = true});
  }
  std::string remove(const std::string& path) const {
    return change("home", {.kind = Change::Kind::remove, .path = path, .tree = true});
  }
};

TEST_F(Protected, DirectoriesAreNotWrittenFromARootAboveThem) {
  tree.file("home/.config/helve/hooks/before_tool.x.sh", "old");
  for (const char* path :
       {".config/helve/hooks/before_tool.x.sh", ".config/helve/trust",
        ".config/other/../helve/trust", ".config/helve", "./.config//helve/new/file"}) {
    tree.directory("home/.config/other");
    EXPECT_EQ(write("home", path), "denied protected_path") << path;
  }
  EXPECT_EQ(write("home/.config", "helve/config.yaml"), "denied protected_path");
  EXPECT_EQ(tree.names("home/.config/helve"), std::vector<std::string>{"hooks"});
  EXPECT_EQ(tree.content("home/.config/helve/hooks/before_tool.x.sh"), "old");
}

TEST_F(Protected, DirectoriesAreNotMadeEither) {
  tree.directory("home");
  EXPECT_EQ(write("home", ".config/helve/trust"), "denied protected_path");
  EXPECT_EQ(write("home", ".config/helve"), "denied protected_path");
  EXPECT_EQ(write("home", "state/helve/helve.db"), "denied protected_path");
  EXPECT_EQ(write("home", "state/HELVE/helve.db"), "denied protected_path");
  EXPECT_TRUE(tree.names("home").empty());
}

TEST_F(Protected, DirectoriesDoNotArriveWithADirectoryThatIsMoved) {
  tree.file("home/x/helve/hooks/before_tool.x.sh", "evil");
  tree.file("home/y/.config/helve/hooks/before_tool.x.sh", "evil");
  EXPECT_EQ(move("x", ".config"), "denied protected_path");
  EXPECT_EQ(move("x", "state"), "denied protected_path");
  EXPECT_EQ(move("x", "STATE"), "denied protected_path");
  EXPECT_EQ(move("x/helve", "state/helve"), "denied protected_path");
  std::filesystem::rename(tree.path("home"), tree.path("away"));
  EXPECT_EQ(change("", {.kind = Change::Kind::move, .path = "away/y", .to = "home"}),
            "denied protected_path");
  EXPECT_EQ(change("", {.kind = Change::Kind::move, .path = "away/y", .to = "elsewhere"}), "done");
  EXPECT_FALSE(tree.exists("home"));
}

TEST_F(Protected, DirectoriesDoNotArriveWithADirectoryThatIsRestored) {
  tree.file("kept/old/helve/hooks/before_tool.x.sh", "evil");
  tree.directory("home");
  const auto kept = sys::open_directory(tree.path("kept"));
  ASSERT_TRUE(kept);
  const Change restore{.kind = Change::Kind::restore,
                       .path = ".config",
                       .on_conflict = OnConflict::error,
                       .kept_in = &*kept,
                       .kept = "old",
                       .kind_kept = sys::FileKind::directory};
  EXPECT_EQ(change("home", restore), "denied protected_path");
  EXPECT_TRUE(tree.names("home").empty());
}

TEST_F(Protected, DirectoriesDoNotArriveThroughALinkThatIsMoved) {
  tree.file("home/x/helve/hooks/before_tool.x.sh", "evil");
  tree.link("home/link", "x");
  EXPECT_EQ(move("link", ".config"), "denied protected_path");
  EXPECT_EQ(move("link", "other"), "done");
}

TEST_F(Protected, DirectoriesKeepTheLinksThatLeadToThem) {
  tree.file("home/dotfiles/config/helve/config.yaml", "old");
  tree.link("home/.config", "dotfiles/link");
  tree.link("home/dotfiles/link", tree.path("home/dotfiles/config"));
  tree.file("home/other", "x");
  for (const char* link : {".config", "dotfiles/link"}) {
    EXPECT_EQ(remove(link), "denied protected_path") << link;
    EXPECT_EQ(move(link, "moved"), "denied protected_path") << link;
    EXPECT_EQ(move("other", link), "denied protected_path") << link;
  }
  tree.link("home/free", "dotfiles");
  EXPECT_EQ(remove("free"), "done");
}

TEST_F(Protected, DirectoriesMakeARootInThemReadOnly) {
  tree.file("home/.config/helve/hooks/x", "old");
  EXPECT_EQ(write("home/.config/helve", "trust"), "denied protected_path");
  EXPECT_EQ(write("home/.config/helve/hooks", "x"), "denied protected_path");
  EXPECT_EQ(tree.content("home/.config/helve/hooks/x"), "old");
}

TEST_F(Protected, DirectoriesAreKnownThroughLinks) {
  tree.directory("home/.config/helve");
  tree.link("alias", "home/.config/helve");
  tree.link("home/.config/short", "helve");
  EXPECT_EQ(write("alias", "trust"), "denied protected_path");
  EXPECT_EQ(write("home", ".config/short/trust"), "denied protected_path");
  EXPECT_TRUE(tree.names("home/.config/helve").empty());
}

TEST_F(Protected, DirectoriesThatAreLinksProtectWhereTheyLead) {
  tree.directory("dotfiles/helve");
  tree.directory("home");
  tree.link("home/.config", tree.path("dotfiles"));
  tree.link("home/state", "nowhere/yet");
  EXPECT_EQ(write("dotfiles", "helve/trust"), "denied protected_path");
  EXPECT_EQ(write("home", "nowhere/yet/helve/helve.db"), "denied protected_path");
  EXPECT_EQ(write("dotfiles", "vimrc"), "written");
}

TEST_F(Protected, DirectoriesDoNotProtectTheirNeighbours) {
  tree.directory("home/.config");
  EXPECT_EQ(write("home", ".config/helve_other/file"), "written");
  EXPECT_EQ(write("home", ".config/file"), "written");
  EXPECT_EQ(write("home", "project/helve/file"), "written");
}

TEST_F(Protected, PartsInTheRootsOwnPathMakeItReadOnly) {
  tree.directory("in/.git/hooks");
  tree.directory("in/.helve/sub");
  tree.link("repository", "in/.git");
  EXPECT_EQ(write("in/.git", "hooks/pre-commit"), "denied protected_path");
  EXPECT_EQ(write("in/.git/hooks", "pre-commit"), "denied protected_path");
  EXPECT_EQ(write("in/.helve/sub", "new/file"), "denied protected_path");
  EXPECT_EQ(write("repository", "config"), "denied protected_path");
  EXPECT_TRUE(tree.names("in/.git/hooks").empty());
  EXPECT_TRUE(tree.names("in/.helve/sub").empty());
}

TEST(ProtectedNames, AreKnownAsOtherFileSystemsReadThem) {
  for (const char* name : {".git",
                           ".GiT",
                           ".git.",
                           ".git ",
                           ".git. .",
                           "git~1",
                           "GIT~1",
                           "git~1.",
                           ".git:stream",
                           ".git::$INDEX_ALLOCATION",
                           ".git\\hooks",
                           ".g\u200cit",
                           "\ufeff.git",
                           ".git\u200d",
                           ".gi\u202et",
                           ".\u206agit",
                           ".g\u200bi\u200ft\u202a",
                           "git\u200e~1",
                           ".helve",
                           ".HELVE..",
                           "helve~1",
                           "HELVE~1",
                           ".hel\u200cve",
                           ".helve::$DATA",
                           ".helve "}) {
    EXPECT_EQ(protected_part("a/" + std::string(name) + "/b"), name) << name;
  }
  for (const char* name :
       {".gitignore", ".github", "git", "helve", ".git~1", "git~2", "..git", ".git.x", ".git x",
        ".helve-x", ".gi\u2011t", ".git\u00e4", " .git", "helve~10", ".gi", "\u200b"}) {
    EXPECT_EQ(protected_part("a/" + std::string(name) + "/b"), "") << name;
  }
}

}  // namespace
}  // namespace helve::workspace

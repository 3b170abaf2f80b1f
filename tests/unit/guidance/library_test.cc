// Which prompts and skills count, and what of them tools can change.
#include "guidance/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "unit/workspace/temp_tree.h"

namespace helve::guidance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LibraryTest : public ::testing::Test {
 protected:
  LibraryTest() {
    auto made = workspace::Workspace::make({.roots = {{work.path()}},
                                            .durability = workspace::Durability::unsynced,
                                            .journal_directory = state.path("journal")});
    EXPECT_TRUE(made);
    files = std::move(*made);
    library.emplace(files.get(), config.path());
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const PromptFile& each : library->prompts().items) out.push_back(each.prompt.name);
    return out;
  }

  TempTree work, config, state;
  std::unique_ptr<workspace::Workspace> files;
  std::optional<Library> library;
};

constexpr const char* kAlways = "---\nloading: always\n---\nText.\n";

TEST_F(LibraryTest, TheUsersOwnCountFirst) {
  config.file("prompts/style.md", "mine\n");
  work.file(".helve/prompts/style.md", kAlways);
  work.file(".helve/prompts/other.md", kAlways);
  EXPECT_THAT(names(), ElementsAre("style", "other"));
  EXPECT_THAT(library->prompts().problems, ElementsAre(HasSubstr("the user has one of that name")));
  EXPECT_EQ(library->prompt("style")->file.owner, Owner::user);
  EXPECT_EQ(library->prompt("style")->file.text(), "mine\n");
  EXPECT_EQ(library->prompt("other")->file.owner, Owner::project);
}

TEST_F(LibraryTest, NothingElseOfTheConfigDirectoryIsRead) {
  config.file("config.yaml", "key: secret\n");
  config.file("skills/x/SKILL.md", "---\ndescription: d\n---\n");
  config.file("skills/x/more.md", "more\n");
  config.link("skills/x/out.md", "/etc/passwd");
  const Skill skill = library->skill("x")->skill;
  EXPECT_EQ(skill.owner, Owner::user);
  EXPECT_EQ(library->beside(skill, "more.md")->text(), "more\n");
  EXPECT_THAT(library->names_beside(skill).names, ElementsAre("more.md", "out.md"));
  EXPECT_EQ(library->beside(skill, "../../config.yaml").error().type, "invalid_name");
  EXPECT_FALSE(library->beside(skill, "out.md"));
  EXPECT_FALSE(library->beside(skill, ""));
  EXPECT_FALSE(library->prompt("../config"));
}

TEST_F(LibraryTest, WithoutAWorkspaceThereAreTheUsersOwn) {
  config.file("prompts/a.md", "x");
  const Library alone(nullptr, config.path());
  EXPECT_THAT(alone.prompts().items, SizeIs(1));
  EXPECT_THAT(alone.skills().items, IsEmpty());
  EXPECT_EQ(alone.write(".helve/prompts/b.md", "x", {}, {}).error().type, "no_files");
  const Library nothing(nullptr, "");
  EXPECT_THAT(nothing.prompts().items, IsEmpty());
  EXPECT_EQ(nothing.prompt("a").error().code, Code::not_found);
}

TEST_F(LibraryTest, OnlyPromptsAndSkillsAreWritten) {
  for (const char* path :
       {".helve/config.yaml", ".helve/prompts/a.txt", ".helve/prompts/a/b.md", ".helve/prompts/.md",
        ".helve/prompts/../config.md", ".helve/skills/SKILL.md", ".helve/skills/a/b/SKILL.md",
        ".helve/skills/../SKILL.md", ".helve/skills/a/other.md", ".helve/./prompts/a.md",
        ".helve//prompts/a.md", ".HELVE/prompts/a.md", "sub/.helve/prompts/a.md",
        ".git/prompts/a.md"}) {
    EXPECT_EQ(library->write(path, "x", {}, {}).error().type, "protected_path") << path;
  }
  EXPECT_TRUE(library->write(".helve/prompts/a.md", "x", {}, {}));
  EXPECT_TRUE(library->write(".helve/skills/a/SKILL.md", "x", {}, {}));
  EXPECT_EQ(work.content(".helve/skills/a/SKILL.md"), "x");
}

TEST_F(LibraryTest, RefusesWhatIsTooLarge) {
  const std::string large(kMaxFileBytes + 1, 'x');
  EXPECT_EQ(library->write(".helve/prompts/a.md", large, {}, {}).error().code, Code::too_large);
  work.file(".helve/prompts/a.md", large);
  EXPECT_THAT(library->prompts().problems, ElementsAre(HasSubstr("the limit is")));
  EXPECT_EQ(library->prompt("a").error().code, Code::too_large);
}

// In the order of names, whatever that of the directory is; those that are wrong count.
TEST_F(LibraryTest, BoundsHowManyPromptsThereAre) {
  const auto path = [](size_t i) { return ".helve/prompts/p" + std::to_string(1000 + i) + ".md"; };
  for (size_t i = 0; i < kMaxFiles + 100; ++i)
    work.file(path(i), i % 10 == 0 ? "---\ntytle: x\n---\n" : "x");
  for (size_t i = 0; i < kMaxFiles; ++i)
    work.file(".helve/prompts/a" + std::to_string(i) + ".txt", "no prompt");
  const Shelf<PromptFile> shelf = library->prompts();
  EXPECT_THAT(shelf.items, SizeIs(kMaxFiles * 9 / 10));
  EXPECT_EQ(shelf.items.back().prompt.name, "p1199");
  ASSERT_THAT(shelf.problems, SizeIs(kMaxFiles / 10 + 1));
  EXPECT_THAT(shelf.problems.back(),
              HasSubstr("'.helve/prompts/p1200.md' and 99 after it are left out: 200 prompts"));
}

TEST_F(LibraryTest, BoundsHowManySkillsThereAre) {
  const auto name = [](size_t i) { return "k" + std::to_string(1000 + i); };
  for (size_t i = 0; i < kMaxSkills; ++i) {
    work.file(".helve/skills/a" + std::to_string(i) + "/README.md", "no skill");
    work.file(".helve/skills/" + name(i) + "/SKILL.md", "---\ndescription: d\n---\n");
  }
  EXPECT_THAT(library->skills().items, SizeIs(kMaxSkills));
  EXPECT_THAT(library->skills().problems, IsEmpty());
  work.file(".helve/skills/k2000/SKILL.md", "---\ndescription: d\n---\n");
  work.file(".helve/skills/k2001/SKILL.md", "---\nname: other\ndescription: d\n---\n");
  const Shelf<Skill> shelf = library->skills();
  EXPECT_THAT(shelf.items, SizeIs(kMaxSkills));
  EXPECT_THAT(shelf.problems, ElementsAre(HasSubstr("'.helve/skills/k2000/SKILL.md' and those")));
  // It is there all the same, by the name of its folder.
  EXPECT_TRUE(library->skill("k2000"));
  EXPECT_FALSE(library->skill("k2001"));
  EXPECT_FALSE(library->skill("../skills/k2000"));
  // No workspace takes the place of one of the user's own that is beyond the limit.
  for (size_t i = 0; i < kMaxSkills; ++i)
    config.file("skills/a" + std::to_string(i) + "/SKILL.md", "---\ndescription: own\n---\n");
  config.file("skills/" + name(0) + "/SKILL.md", "---\ndescription: own\n---\n");
  EXPECT_EQ(library->skill(name(0))->skill.owner, Owner::user);
  EXPECT_EQ(library->skill(name(1))->skill.owner, Owner::project);
}

TEST_F(LibraryTest, OfTwoSkillsWithOneNameTheOtherIsNoted) {
  config.file("skills/a/SKILL.md", "---\ndescription: own\n---\n");
  work.file(".helve/skills/a/SKILL.md", "---\ndescription: d\n---\n");
  work.file(".helve/skills/b/SKILL.md", "---\ndescription: d\n---\n");
  work.file(".claude/skills/c/SKILL.md", "---\nname: b\ndescription: d\n---\n");
  const Shelf<Skill> shelf = library->skills();
  EXPECT_THAT(shelf.items, SizeIs(2));
  EXPECT_THAT(
      shelf.problems,
      ElementsAre(
          HasSubstr("'.helve/skills/a/SKILL.md' is left out: '" + config.path()),
          HasSubstr("'.claude/skills/c/SKILL.md' is left out: '.helve/skills/b/SKILL.md'")));
}

TEST_F(LibraryTest, ADirectoryIsNotLookedAtWithoutEnd) {
  for (const char* name : {"a", "b", "c"}) work.file(std::string("many/") + name, "x");
  const Source source = workspace_source(*files);
  EXPECT_FALSE(names_in(source, "many", "", 3)->is_cut);
  EXPECT_TRUE(names_in(source, "many", "", 2)->is_cut);
  EXPECT_THAT(names_in(source, "many", "", 2)->names, SizeIs(2));
}

// Each writes what it read with a line more: no line is lost, and who was late is told.
TEST_F(LibraryTest, OfTwoWritersOneIsTold) {
  work.file(".helve/prompts/a.md", "start\n");
  constexpr int kEach = 20;
  std::atomic<int> written = 0, refused = 0;
  const auto add = [&] {
    for (int i = 0; i < kEach; ++i) {
      const auto file = library->prompt("a");
      if (!file) continue;
      const auto done = library->write(".helve/prompts/a.md", file->file.text() + "more\n",
                                       file->file.snapshot.version, {});
      if (done) {
        ++written;
      } else {
        EXPECT_EQ(done.error().type, "mtime_conflict") << describe(done.error());
        ++refused;
      }
    }
  };
  { std::jthread one(add), two(add); }
  const std::string text = work.content(".helve/prompts/a.md");
  EXPECT_EQ(std::ranges::count(text, '\n'), written + 1);
  EXPECT_GE(written, kEach / 2);
}

TEST_F(LibraryTest, WhatWasDeletedComesBack) {
  work.file(".helve/skills/a/SKILL.md", "---\ndescription: d\n---\n");
  ASSERT_TRUE(library->remove(library->skill("a")->file, {.tool = "skill_delete"}));
  EXPECT_EQ(library->skill("a").error().code, Code::not_found);
  const auto undone = files->undo({}, workspace::Rehearsal::no, {});
  ASSERT_TRUE(undone) << describe(undone.error());
  EXPECT_TRUE(library->skill("a"));
}

}  // namespace
}  // namespace helve::guidance

// What a model is told about the place where it works, in made-up workspaces.
#include "app/prompt_parts.h"

#include <gmock/gmock.h>

#include "guidance/skills.h"
#include "unit/app/fixture.h"
#include "unit/time_zone.h"

namespace helve::app {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class PromptParts : public Machine {
 protected:
  // Gathers anew.
  void gather(std::string_view agent = "") {
    Place place;
    place.settings.config = config_;
    auto files =
        workspace::Workspace::make({.roots = {{.path = at("work")}, {.path = at("home")}}});
    ASSERT_TRUE(files) << describe(files.error());
    place.files = std::move(*files);
    notices_.clear();
    parts_ = gather_prompt(place, around_, clock_, {agent, message_}, notices_);
  }
  // The text of a part; empty when it is missing.
  std::string part(std::string_view name) const {
    const auto found = std::ranges::find(parts_, name, &agent::PromptPart::name);
    return found == parts_.end() ? "" : found->text;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const agent::PromptPart& part : parts_) names.push_back(part.name);
    return names;
  }
  void skill(const std::string& folder, const std::string& name, const std::string& description) {
    put(folder + "/SKILL.md",
        "---\nname: " + name + "\ndescription: " + description + "\n---\nSecret steps.\n");
  }

  config::Config config_;
  std::string message_;
  sys::ManualClock clock_;
  std::vector<agent::PromptPart> parts_;
  std::vector<std::string> notices_;
};

TEST_F(PromptParts, AnEmptyWorkspaceHasTheMannerAndFacts) {
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "workspace"));
  EXPECT_THAT(notices_, IsEmpty());
  EXPECT_EQ(part("workspace").find("top level"), std::string::npos);
}

TEST_F(PromptParts, WhatChangesLeastComesFirst) {
  put("config/AGENTS.md", "own");
  put("work/AGENTS.md", "project");
  put("work/MEMORY.md", "notes");
  skill("work/.helve/skills/a", "a", "b");
  config_.agents = {{.id = "reviewer", .prompt = "You review code."}};
  gather("reviewer");
  EXPECT_THAT(names(), ElementsAre("manner", "agent", "user instructions", "project instructions",
                                   "memory", "skills", "workspace"));
  EXPECT_EQ(part("agent"), "You review code.");
}

TEST_F(PromptParts, FactsSayWhereTheModelIs) {
  const TimeZone hawaii("HST10");  // where it is still the day before
  put("work/README.md", "");
  put("work/src/a.cc", "");
  put("work/.hidden", "");
  put("work/.git/HEAD", "ref: refs/heads/feature/x\n");
  gather();
  EXPECT_THAT(
      part("workspace"),
      AllOf(StartsWith("Where you work, as it was at the beginning:\n- workspace: " + at("work") +
                       " (relative paths begin here)\n- other directories: " + at("home") +
                       "\n- system: Linux"),
            EndsWith(", shell /bin/sh\n"
                     "- date: 2025-12-31\n"
                     "- commands: run in a sandbox, may write the workspace and a private "
                     "/tmp, have no network\n"
                     "- git: on branch feature/x\n"
                     "- top level: README.md, src/\n")));
  config_.sandbox.level = config::SandboxLevel::read_only;
  config_.sandbox.network = true;
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("may write only a private /tmp, have network\n"));
  config_.sandbox.level = config::SandboxLevel::full;
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("commands: run without a sandbox\n"));
}

TEST_F(PromptParts, GitIsReadWithoutRunningIt) {
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("- git: not a repository\n"));
  put("work/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("- git: detached at 0123456789ab\n"));
  put("work/.git/HEAD", "ref: refs/heads/\x1b[2J" + std::string(300, 'x'));
  gather();
  EXPECT_THAT(part("workspace"), AllOf(HasSubstr("on branch \\x1b[2Jxx"), HasSubstr("x…\n")));
  put("work/.git/HEAD", "anything else");
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("- git: a repository\n"));
  fs::remove_all(base_ / "work/.git");
  put("work/.git", "gitdir: ../trees/one\n");
  put("trees/one/HEAD", "ref: refs/heads/linked\n");
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("- git: on branch linked\n"));
  fs::remove(base_ / "work/.git");
  put(".git/HEAD", "ref: refs/heads/above\n");
  gather();
  EXPECT_THAT(part("workspace"), HasSubstr("- git: on branch above, in " + base_.string() + "\n"));
}

TEST_F(PromptParts, TheTopLevelIsBounded) {
  for (size_t i = 0; i < kMaxTopEntries + 5; ++i) put("work/f" + std::to_string(100 + i), "");
  gather();
  EXPECT_THAT(part("workspace"), AllOf(HasSubstr("- top level: f100, f101"),
                                       HasSubstr("f159, and 5 more\n"), Not(HasSubstr("f160"))));
}

TEST_F(PromptParts, AProjectInstructsByAgentsElseByClaude) {
  put("work/CLAUDE.md", "from claude\n");
  gather();
  EXPECT_THAT(part("project instructions"),
              AllOf(StartsWith("Instructions of this project"), HasSubstr("@path are not included"),
                    HasSubstr("<file path=\"CLAUDE.md\">\nfrom claude\n</file>")));
  put("work/AGENTS.md", "from agents\n");
  put("work/.helve/AGENTS.md", "and ours\n");
  gather();
  EXPECT_THAT(part("project instructions"),
              AllOf(HasSubstr("<file path=\"AGENTS.md\">\nfrom agents\n</file>\n"
                              "<file path=\".helve/AGENTS.md\">\nand ours\n</file>"),
                    Not(HasSubstr("from claude"))));
  put("work/AGENTS.md", " \n");
  gather();
  EXPECT_THAT(part("project instructions"), HasSubstr("from claude"))
      << "an empty file says nothing";
}

TEST_F(PromptParts, ImportsAreNotFollowed) {
  put("work/AGENTS.md", "@other.md\n");
  put("work/other.md", "canary");
  gather();
  EXPECT_THAT(agent::system_prompt(parts_),
              AllOf(HasSubstr("@other.md"), Not(HasSubstr("canary"))));
}

TEST_F(PromptParts, TheUsersOwnInstructionsMustBeTheUsers) {
  put("config/AGENTS.md", "Answer in verse.");
  gather();
  EXPECT_THAT(part("user instructions"),
              AllOf(StartsWith("The user's own instructions"),
                    HasSubstr("<file path=\"" + at("config/AGENTS.md") + "\">\nAnswer in verse.")));
  put("config/AGENTS.md", "Answer in verse.", 0666);
  gather();
  EXPECT_EQ(part("user instructions"), "");
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("can be written by everybody")));
}

TEST_F(PromptParts, ALongFileIsCutAndTheCutIsSaid) {
  put("work/AGENTS.md", "first line\n" + std::string(1'000'000, 'x'));
  gather();
  const std::string text = part("project instructions");
  EXPECT_LT(text.size(), kMaxInstructions + 1000);
  EXPECT_THAT(text, HasSubstr("[Only the first 32.0 KB of 976.6 KB of AGENTS.md are shown.]"));
  EXPECT_THAT(notices_, SizeIs(1));
  put("work/AGENTS.md", std::string(kMaxInstructions, 'x'));
  gather();
  EXPECT_THAT(part("project instructions"), Not(HasSubstr("Only the first")));
}

TEST_F(PromptParts, ACutIsBetweenCharacters) {
  std::string text = "x";
  while (text.size() < 2 * kMaxInstructions) text += "ä";
  put("work/AGENTS.md", text);
  gather();
  EXPECT_THAT(part("project instructions"), AllOf(HasSubstr("ä\n</file>"), Not(HasSubstr("\\x"))));
}

TEST_F(PromptParts, WhatIsNoTextOrCannotBeSeenIsSpeltOut) {
  put("work/AGENTS.md",
      "\xEF\xBB\xBF"
      "caf\xe9\r\nhid\xE2\x80\xAE"
      "den\x1b[2J\ttab\r\n");
  gather();
  EXPECT_THAT(part("project instructions"),
              HasSubstr("\">\ncaf\\xe9\nhid\\u{202e}den\\x1b[2J\ttab\n</file>"));
  put("work/AGENTS.md", std::string(kMaxInstructions, '\xff'));
  gather();
  EXPECT_LT(part("project instructions").size(), kMaxInstructions + 1000);
}

TEST_F(PromptParts, NoLinkLeadsOutOfTheWorkspace) {
  put("outside/AGENTS.md", "canary");
  put("outside/steal/SKILL.md", "---\nname: steal\ndescription: canary\n---\n");
  put("work/docs/rules.md", "inside");
  fs::create_symlink(at("outside/AGENTS.md"), base_ / "work/AGENTS.md");
  fs::create_symlink("../outside/AGENTS.md", base_ / "work/MEMORY.md");
  fs::create_directory(base_ / "work/.helve");
  fs::create_symlink(at("outside"), base_ / "work/.helve/skills");
  fs::create_symlink("docs/rules.md", base_ / "work/CLAUDE.md");
  gather();
  EXPECT_THAT(agent::system_prompt(parts_), Not(HasSubstr("canary")));
  EXPECT_THAT(part("project instructions"), HasSubstr("inside"));
  EXPECT_THAT(notices_, SizeIs(3));
}

TEST_F(PromptParts, WhatIsNoRegularFileIsNoticedAndNeverWaitedFor) {
  fs::create_directory(base_ / "work/AGENTS.md");
  ASSERT_EQ(mkfifo(at("work/MEMORY.md").c_str(), 0600), 0);
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "workspace"));
  EXPECT_THAT(notices_, SizeIs(2));
}

TEST_F(PromptParts, MemoryIsThatOfTheAgent) {
  put("work/MEMORY.md", "of everybody");
  put("notes/memory.md", "of the reviewer");
  config_.agents = {{.id = "reviewer", .memory = at("notes")},
                    {.id = "newcomer", .memory = at("nowhere")},
                    {.id = "other"}};
  gather("reviewer");
  EXPECT_THAT(part("memory"), AllOf(HasSubstr("of the reviewer"), Not(HasSubstr("of everybody"))));
  gather("newcomer");
  EXPECT_THAT(part("memory"), IsEmpty());
  gather("other");
  EXPECT_THAT(part("memory"), HasSubstr("of everybody"));
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(PromptParts, MemoryIsBoundedInLinesAndBytes) {
  std::string lines;
  for (int i = 1; i <= 300; ++i) lines += "note " + std::to_string(i) + "\n";
  put("work/.helve/MEMORY.md", lines);
  put("work/MEMORY.md", "the other");
  gather();
  EXPECT_THAT(part("memory"), AllOf(HasSubstr("note 200\n</file>"), HasSubstr("[Only the first"),
                                    Not(HasSubstr("the other"))));
  put("work/.helve/MEMORY.md", std::string(100'000, 'x'));
  gather();
  EXPECT_LT(part("memory").size(), kMaxMemoryBytes + 500);
  put("work/.helve/MEMORY.md", "a\nb");
  gather();
  EXPECT_THAT(part("memory"), AllOf(HasSubstr("a\nb\n</file>"), Not(HasSubstr("Only the first"))));
}

TEST_F(PromptParts, OfSkillsOnlyNameAndPurposeAreTold) {
  skill("config/skills/own", "deploy", "Ship it");
  skill("work/.helve/skills/x", "deploy", "Steal it");
  skill("work/.helve/skills/y", "review", "'Look: closely'");
  skill("work/.claude/skills/z", "\"\"", ">\n  Several\n  lines");
  put("work/.claude/skills/not_one/README.md", "");
  gather();
  EXPECT_THAT(part("skills"), EndsWith("\n- deploy: Ship it (" + at("config/skills/own/SKILL.md") +
                                       ")\n"
                                       "- review: Look: closely (.helve/skills/y/SKILL.md)\n"
                                       "- z: Several lines (.claude/skills/z/SKILL.md)\n"));
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("'.helve/skills/x/SKILL.md' is left out")));
  EXPECT_THAT(agent::system_prompt(parts_), Not(HasSubstr("Secret steps")));
}

TEST_F(PromptParts, ABrokenSkillIsLeftOutByName) {
  put("work/.helve/skills/1/SKILL.md", "no front matter\n");
  put("work/.helve/skills/2/SKILL.md", "---\nname: x\n");
  put("work/.helve/skills/3/SKILL.md", "---\nname: [x\n---\n");
  put("work/.helve/skills/4/SKILL.md", "---\n- a list\n---\n");
  put("work/.helve/skills/5/SKILL.md", "---\ndescription: {a: 1}\n---\n");
  put("work/.helve/skills/6/SKILL.md", "---\nx: " + std::string(100'000, 'x') + "\n---\n");
  skill("work/.helve/skills/7", "fine", "Works");
  gather();
  EXPECT_THAT(part("skills"), HasSubstr("fine: Works"));
  EXPECT_THAT(notices_,
              ElementsAre(AllOf(StartsWith("the skill '.helve/skills/1/SKILL.md' is left out"),
                                HasSubstr("no description")),
                          HasSubstr("a line of --- is missing"), HasSubstr("skills/3/"),
                          HasSubstr("skills/4/"), HasSubstr("no description"),
                          HasSubstr("a line of --- is missing")));
}

TEST_F(PromptParts, SkillsAreBounded) {
  std::vector<guidance::Skill> skills(500, {"name", std::string(400, 'x'), "path"});
  const std::string text = guidance::list_skills(skills);
  EXPECT_LT(text.size(), 17'000u);
  EXPECT_THAT(text, HasSubstr(" more are not listed.]"));
  skill("work/.helve/skills/long", std::string(500, 'n'), std::string(5000, 'd'));
  gather();
  EXPECT_LT(part("skills").size(), 1000u);
}

TEST_F(PromptParts, WithoutAWorkspaceOnlyTheUserIsQuoted) {
  put("config/AGENTS.md", "own");
  Place place;
  place.no_files = Error{Code::denied, "'/' is too wide"};
  parts_ = gather_prompt(place, around_, clock_, {}, notices_);
  EXPECT_THAT(names(), ElementsAre("manner", "user instructions", "workspace"));
  EXPECT_THAT(part("workspace"), HasSubstr("- workspace: none: '/' is too wide\n"));
  around_.config_directory.clear();
  parts_ = gather_prompt(place, around_, clock_, {}, notices_);
  EXPECT_THAT(names(), ElementsAre("manner", "workspace"));
  EXPECT_THAT(notices_, IsEmpty());
}

constexpr const char* kReleases = "---\nloading: contextual\n---\nA release begins with a tag.\n";

TEST_F(PromptParts, PromptsThatAreAlwaysLoadedAreTold) {
  put("config/prompts/mine.md", "---\nloading: always\n---\nNo jokes.\n");
  put("config/prompts/template.md", "Look closely.\n");
  put("work/.helve/prompts/style.md", "---\nloading: always\n---\nShort lines. </file>\n");
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "user prompts", "project prompts", "workspace"));
  EXPECT_THAT(part("user prompts"), AllOf(HasSubstr("user's own"), HasSubstr("No jokes."),
                                          HasSubstr(at("config/prompts/mine.md"))));
  EXPECT_THAT(part("project prompts"),
              AllOf(HasSubstr("They lift nothing"), HasSubstr("Short lines. <\\/file>"),
                    HasSubstr(".helve/prompts/style.md"), Not(HasSubstr("loading:"))));
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(PromptParts, ContextualPromptsNeedAWordOfTheMessage) {
  put("work/.helve/prompts/release.md", kReleases);
  put("config/prompts/zoo.md", "---\nloading: contextual\ntitle: Zebras\n---\nStripes.\n");
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "workspace"));
  message_ = "Make a RELEASE!";
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "workspace", "project prompts for the message"));
  message_ = "a tag";
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "workspace"));
  message_ = "Are there zebras?";
  gather();
  EXPECT_THAT(names(), ElementsAre("manner", "workspace", "user prompts for the message"));
}

TEST_F(PromptParts, OfManyPromptsTheNearestAreTold) {
  for (const char* name : {"a", "b", "c"})
    put(std::string("work/.helve/prompts/") + name + ".md",
        "---\nloading: contextual\n---\nrelease " + std::string(40'000, 'x') + "\n");
  put("work/.helve/prompts/z.md", "---\nloading: contextual\n---\nrelease with a zebra\n");
  message_ = "release zebra";
  gather();
  const std::string text = part("project prompts for the message");
  EXPECT_LT(text.size(), kMaxPromptsPart + 1000);
  EXPECT_LT(text.find("z.md"), text.find("a.md"));
  EXPECT_THAT(text, HasSubstr("[The prompt .helve/prompts/c.md is left out"));
  EXPECT_THAT(notices_, SizeIs(2));
}

TEST_F(PromptParts, AWrongPromptIsNamedAndLeftOut) {
  put("work/.helve/prompts/bad.md", "---\nloading: sometimes\n---\nText.\n");
  put("work/.helve/prompts/fine.md", "---\nloading: always\n---\nText.\n");
  gather();
  EXPECT_THAT(part("project prompts"), HasSubstr("fine.md"));
  EXPECT_THAT(notices_,
              ElementsAre(StartsWith("the prompt '.helve/prompts/bad.md' is left out: ")));
}

}  // namespace
}  // namespace helve::app

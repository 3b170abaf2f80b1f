#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit/config/config_fixture.h"

namespace helve::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using LoadTest = ConfigTest;

TEST_F(LoadTest, OfNothingGivesTheDefaults) {
  sources_.workspace = base_ + "/no/such/workspace";
  sources_.user_file = base_ + "/no/such/config.yaml";
  const Loaded all = loaded();
  EXPECT_EQ(all.config.load.kind, Load::Kind::all);
  EXPECT_TRUE(all.config.record);
  EXPECT_TRUE(all.config.sync);
  EXPECT_TRUE(all.config.hooks.enabled);
  EXPECT_EQ(all.config.hooks.timeout_seconds, 10);
  EXPECT_FALSE(all.config.limits.timeout_seconds);
  EXPECT_EQ(all.config.profile, Profile::default_);
  EXPECT_EQ(all.config.color, Color::auto_);
  EXPECT_THAT(all.rules, IsEmpty());
  EXPECT_THAT(all.files, IsEmpty());
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST_F(LoadTest, KnowsWhoSaidWhat) {
  user("tools:\n  deny: [write]\nlimits: {timeout_seconds: 9}\nroots:\n  - path: /a\n");
  workspace("tools:\n  deny: [ls]\nlimits:\n  timeout_seconds: 5\n");
  sources_.environment = {{"HELVE_RECORD", "no"}};
  sources_.flags = {{"dialect", "claude"}};
  const Loaded all = loaded();
  std::vector<std::string> said;
  for (const Said& each : all.said())
    said.push_back(each.path + " " + each.value + " " + each.place);
  EXPECT_THAT(said,
              ElementsAre("tools.deny [\"write\"] " + user_file_ + ":2",
                          "roots[0].path \"/a\" " + user_file_ + ":5",
                          "tools.deny [\"ls\"] " + workspace_file_ + ":2",
                          "limits.timeout_seconds 5 " + workspace_file_ + ":4",
                          "record false HELVE_RECORD", "dialect \"claude\" the command line"));
  EXPECT_EQ(all.decider("default_agent"), nullptr);
  EXPECT_TRUE(all.decider("dialect")->is_command_line);
  ASSERT_EQ(all.rules.size(), 2u);
  EXPECT_EQ(all.layers[all.rules[1].layer].source, workspace_file_);
  EXPECT_EQ(all.rules[1].path, "tools");
}

TEST_F(LoadTest, ReadsEveryKeyOfAFile) {
  user(R"(
tools:
  load: [fs, results]
  allow: [read, ls]
  deny: [write]
  ask: ["memory_*"]
  effects: {write: ask, execute: deny}
agents:
  - id: coder
    tools: {allow: [read], deny: [ls], ask: [grep], effects: {network: deny}}
default_agent: coder
roots:
  - {path: /data, access: writable}
  - path: ~/notes
limits: {inline_chars: 500, timeout_seconds: 1.5, max_frame_bytes: 65536}
hooks: {enabled: false, timeout_seconds: 2}
record: false
sync: false
read_hard_links: false
index: false
profile: bare
dialect: claude
color: never
verbose: true
)");
  const Loaded all = loaded();
  const Config& config = all.config;
  EXPECT_EQ(config.load.kind, Load::Kind::names);
  EXPECT_THAT(config.load.names, ElementsAre("fs", "results"));
  ASSERT_EQ(config.agents.size(), 1u);
  EXPECT_EQ(config.agents[0].id, "coder");
  EXPECT_EQ(config.default_agent, "coder");
  ASSERT_EQ(config.roots.size(), 2u);
  EXPECT_EQ(config.roots[0].path, "/data");
  EXPECT_EQ(config.roots[0].access, Access::writable);
  EXPECT_EQ(config.roots[1].path, sources_.home + "/notes");
  EXPECT_EQ(config.roots[1].access, Access::read_only);
  EXPECT_EQ(config.limits.inline_chars, 500);
  EXPECT_EQ(config.limits.timeout_seconds, 1.5);
  EXPECT_EQ(config.limits.max_frame_bytes, 65536);
  EXPECT_FALSE(config.hooks.enabled);
  EXPECT_EQ(config.hooks.timeout_seconds, 2);
  EXPECT_FALSE(config.record);
  EXPECT_FALSE(config.sync);
  EXPECT_FALSE(config.read_hard_links);
  EXPECT_FALSE(config.index);
  EXPECT_EQ(config.profile, Profile::bare);
  EXPECT_EQ(config.dialect, "claude");
  EXPECT_EQ(config.color, Color::never);
  EXPECT_TRUE(config.verbose);

  ASSERT_EQ(all.rules.size(), 2u);
  EXPECT_EQ(all.rules[0].source, user_file_);
  EXPECT_THAT(all.rules[0].allow, ElementsAre("read", "ls"));
  EXPECT_THAT(all.rules[0].effects,
              ElementsAre(Verdict::allow, Verdict::ask, Verdict::deny, Verdict::allow));
  EXPECT_EQ(all.rules[1].source, "agent 'coder' in " + user_file_);
  EXPECT_EQ(all.rules[1].agent, "coder");
  EXPECT_THAT(all.rules[1].deny, ElementsAre("ls"));
  ASSERT_EQ(all.files.size(), 1u);
  EXPECT_EQ(all.files[0].path, user_file_);
}

TEST_F(LoadTest, TakesAnEmptyFileForNoWish) {
  user("");
  EXPECT_EQ(loaded().files.size(), 1u);
  user("# nothing yet\n");
  EXPECT_THAT(loaded().rules, IsEmpty());
  user("tools:\nagents:\nlimits:\n  timeout_seconds:\n");
  EXPECT_THAT(loaded().rules, IsEmpty());
}

TEST_F(LoadTest, KeepsAllNoneAndNamesApart) {
  user("tools: {load: none}\n");
  EXPECT_EQ(loaded().config.load.kind, Load::Kind::none);
  user("tools: {load: all}\n");
  EXPECT_EQ(loaded().config.load.kind, Load::Kind::all);
  user("tools:\n  load: []\n");
  EXPECT_EQ(
      failure(),
      user_file_ +
          ":2: tools.load: expected all, none or a list of names (a list has at least one name)");
  user("tools: {load: fs}\n");
  EXPECT_THAT(failure(), HasSubstr("expected all, none or a list of names"));
  user("tools: {load: [1]}\n");
  EXPECT_THAT(failure(), HasSubstr("expected all, none or a list of names"));
}

TEST_F(LoadTest, ReportsEveryProblemWithFileLineAndTheNearestKey) {
  user(
      "tools:\n  deny: [a]\nagents:\n  - id: x\n    tools:\n      alow: [b]\nrecord: "
      "yes\nlimits:\n  inline_chars: many\ncolour: never\n");
  const Result<Loaded> result = load(sources_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::invalid_argument);
  EXPECT_EQ(result.error().type, "invalid_config");
  EXPECT_EQ(result.error().message,
            user_file_ + ":6: agents[0].tools.alow: unknown key (did you mean 'allow'?)\n" +
                user_file_ + ":9: limits.inline_chars: expected an integer, got \"many\"\n" +
                user_file_ + ":7: record: expected true or false, got \"yes\"\n" + user_file_ +
                ":10: colour: unknown key (did you mean 'color'?)");
  EXPECT_EQ(result.error().details.get_array().size(), 4u);
}

TEST_F(LoadTest, ReportsProblemsOfAllPlacesAtOnce) {
  user("recrd: true\n");
  workspace("tools: 5\n");
  sources_.environment["HELVE_RECORD"] = "perhaps";
  sources_.flags["color"] = "pink";
  EXPECT_EQ(failure(),
            user_file_ + ":1: recrd: unknown key (did you mean 'record'?)\n" + workspace_file_ +
                ":1: tools: expected an object, got 5\n" +
                "HELVE_RECORD: expected true or false, got \"perhaps\"\n" +
                "the command line: color: expected one of auto, always, never, got \"pink\"");
}

TEST_F(LoadTest, NamesTheLineOfASyntaxError) {
  user("record: true\ntools: [\n");
  EXPECT_THAT(failure(), HasSubstr(user_file_ + ":3: "));
}

TEST_F(LoadTest, RefusesDuplicateKeys) {
  user("record: true\nrecord: false\n");
  EXPECT_EQ(failure(), user_file_ + ":2: record: this key is already on line 1");
}

TEST_F(LoadTest, RefusesWhatIsNotAMapping) {
  user("- record\n");
  EXPECT_EQ(failure(), user_file_ + ": expected an object, got an array");
}

TEST_F(LoadTest, RefusesTwoAgentsOfOneName) {
  user("agents:\n  - id: a\n  - id: b\n  - id: a\n");
  EXPECT_EQ(failure(), user_file_ + ":4: agents[2].id: 'a' is the id of agents[0] already");
}

TEST_F(LoadTest, PointsAtTheAgentThatHasNoId) {
  user("agents:\n  - id: a\n  - tools: {}\n");
  EXPECT_THAT(failure(), HasSubstr(user_file_ + ":3: agents[1].id: required, but missing"));
}

TEST_F(LoadTest, RefusesAnAgentThatNoPlaceDescribes) {
  user("agents: [{id: coder}]\ndefault_agent: codr\n");
  EXPECT_EQ(failure(), user_file_ + ":2: default_agent: no agent 'codr' (did you mean 'coder'?)");
}

TEST_F(LoadTest, RefusesValuesOutOfTheirRange) {
  user("limits: {timeout_seconds: 0, inline_chars: 1}\nhooks: {timeout_seconds: -1}\n");
  EXPECT_THAT(failure(), HasSubstr("limits.timeout_seconds: "));
  EXPECT_THAT(failure(), HasSubstr("limits.inline_chars: "));
  EXPECT_THAT(failure(), HasSubstr("hooks.timeout_seconds: "));
}

TEST_F(LoadTest, ToleratesAByteOrderMark) {
  user("\xEF\xBB\xBFverbose: true\n");
  EXPECT_TRUE(loaded().config.verbose);
}

TEST_F(LoadTest, RefusesAUserFileThatEverybodyMayWrite) {
  user("record: false\n");
  chmod(user_file_.c_str(), 0666);
  const Result<Loaded> result = load(sources_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "'" + user_file_ + "' can be written by everybody");
  EXPECT_EQ(result.error().hint, "chmod go-w '" + user_file_ + "'");
}

TEST_F(LoadTest, RefusesAUserFileThatIsALink) {
  write(base_ + "/elsewhere.yaml", "record: false\n");
  std::filesystem::create_symlink(base_ + "/elsewhere.yaml", user_file_);
  const Result<Loaded> result = load(sources_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "'" + user_file_ + "' is a symbolic link");
  EXPECT_FALSE(result.error().hint.empty());
}

TEST_F(LoadTest, RefusesAUserFileThatCannotBeRead) {
  user("record: false\n");
  chmod(user_file_.c_str(), 0);
  for (const std::string& above :
       {base_, base_ + "/home", base_ + "/home/.config", base_ + "/home/.config/helve"}) {
    chmod(above.c_str(), 0755);
  }
  // Root reads everything, so this thread gives its rights up for the moment. (The library call
  // would change all threads.)
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(syscall(SYS_setresuid, -1, 65534, -1), 0);
  }
  const Result<Loaded> result = load(sources_);
  if (is_root) {
    ASSERT_EQ(syscall(SYS_setresuid, -1, 0, -1), 0);
  }
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::denied);
  EXPECT_THAT(result.error().message, HasSubstr(user_file_));
  EXPECT_THAT(result.error().hint, HasSubstr("chmod u+r"));
}

TEST_F(LoadTest, RefusesADirectoryOrAPipeInPlaceOfTheFile) {
  std::filesystem::create_directory(user_file_);
  EXPECT_EQ(failure(), "'" + user_file_ + "' is a directory, not a file");
  std::filesystem::remove(user_file_);
  mkfifo(user_file_.c_str(), 0600);
  EXPECT_THAT(failure(), HasSubstr("not a file"));
}

TEST_F(LoadTest, RefusesAFileThatIsTooLarge) {
  user("dialect: " + std::string(2u << 20, 'x'));
  EXPECT_THAT(failure(), HasSubstr("is larger than 1.0 MB"));
}

TEST_F(LoadTest, ReadsTheFileThatTheEnvironmentNamesInstead) {
  user("record: false\n");
  write(base_ + "/other.yaml", "verbose: true\n");
  sources_.environment["HELVE_CONFIG"] = base_ + "/other.yaml";
  const Loaded all = loaded();
  EXPECT_TRUE(all.config.verbose);
  EXPECT_TRUE(all.config.record);
  EXPECT_THAT(all.notices, IsEmpty());
  sources_.environment["HELVE_CONFIG"] = base_ + "/missing.yaml";
  EXPECT_EQ(failure(), "'" + base_ + "/missing.yaml' does not exist");
}

TEST_F(LoadTest, LetsALaterPlaceWin) {
  user("color: always\nlimits: {inline_chars: 1000, timeout_seconds: 5}\ndialect: claude\n");
  sources_.environment["HELVE_LIMITS_INLINE_CHARS"] = "2000";
  sources_.environment["HELVE_COLOR"] = "never";
  sources_.flags["color"] = "auto";
  const Config config = loaded().config;
  EXPECT_EQ(config.color, Color::auto_);
  EXPECT_EQ(config.limits.inline_chars, 2000);
  EXPECT_EQ(config.limits.timeout_seconds, 5);
  EXPECT_EQ(config.dialect, "claude");
}

TEST_F(LoadTest, KeepsTheRulesOfAllPlacesWithTheirSource) {
  user("tools: {deny: [a], allow: [x, y]}\nagents: [{id: coder, tools: {deny: [q]}}]\n");
  sources_.environment["HELVE_TOOLS_DENY"] = "b, c,";
  sources_.environment["HELVE_TOOLS_EFFECTS_WRITE"] = "deny";
  sources_.flags = {
      {"tools", {{"allow", JsonArray{"x"}}}},
      {"agents", JsonArray{JsonObject{{"id", "coder"}, {"tools", {{"ask", JsonArray{"z"}}}}}}}};
  const Loaded all = loaded();
  ASSERT_EQ(all.rules.size(), 5u);
  EXPECT_THAT(all.rules[0].deny, ElementsAre("a"));
  EXPECT_EQ(all.rules[2].source, "the environment");
  EXPECT_THAT(all.rules[2].deny, ElementsAre("b", "c"));
  EXPECT_THAT(all.rules[2].allow, IsEmpty());
  EXPECT_THAT(all.rules[2].effects,
              ElementsAre(Verdict::allow, Verdict::deny, Verdict::allow, Verdict::allow));
  EXPECT_EQ(all.rules[3].source, "the command line");
  EXPECT_THAT(all.rules[3].allow, ElementsAre("x"));
  ASSERT_EQ(all.config.agents.size(), 1u);
  EXPECT_EQ(all.config.agents[0].id, "coder");

  EXPECT_EQ(all.rules_for("").size(), 3u);
  const std::vector<RuleLayer> coder = all.rules_for("coder");
  ASSERT_EQ(coder.size(), 5u);
  EXPECT_TRUE(coder[2].agent.empty());
  EXPECT_THAT(coder[3].deny, ElementsAre("q"));
  EXPECT_THAT(coder[4].ask, ElementsAre("z"));
}

TEST_F(LoadTest, RefusesARelativeRootInTheUserFile) {
  user("roots:\n  - path: ../data\n");
  EXPECT_EQ(failure(),
            user_file_ + ":2: roots[0].path: '../data' is relative (begin with / or ~/)");
  user("roots: [{path: ~/x}]\n");
  sources_.home = "";
  EXPECT_THAT(failure(), HasSubstr("'~/x' needs a home directory"));
}

TEST_F(LoadTest, RulesThatAllowAddUpAndKnowTheirPlace) {
  user("approvals:\n  mode: smart\n  allow:\n    - {tool: write, workspace: ~/project}\n");
  sources_.flags = {{"approvals", JsonObject{{"mode", "always"}}}};
  sources_.environment = {
      {"HELVE_APPROVALS_ALLOW", R"([{"tool":"edit","arguments":{"path":"docs/**","x":null}}])"}};
  const Loaded all = loaded();
  EXPECT_EQ(all.config.approvals.mode, ApprovalMode::always);
  ASSERT_EQ(all.allow.size(), 2u);
  EXPECT_EQ(all.allow[0].rule.workspace, base_ + "/home/project");
  EXPECT_EQ(all.layers[all.allow[0].layer].place_of(all.allow[0].path + ".tool"),
            user_file_ + ":4");
  EXPECT_EQ(all.allow[1].rule.arguments,
            (std::map<std::string, Json>{{"path", "docs/**"}, {"x", nullptr}}));
  EXPECT_EQ(all.user_file, user_file_);
}

TEST_F(LoadTest, ARuleThatAllowsIsCheckedWhereItStands) {
  user("approvals:\n  allow:\n    - {tol: write}\n    - {tool: x, workspace: project}\n");
  EXPECT_NE(failure().find(user_file_ + ":3: approvals.allow[0].tol: unknown key (did you mean "
                                        "'tool'?)"),
            std::string::npos)
      << failure();
  user("approvals:\n  allow:\n    - {tool: x, workspace: project}\n");
  EXPECT_EQ(failure(), user_file_ +
                           ":3: approvals.allow[0].workspace: 'project' is relative "
                           "(begin with / or ~/)");
}

TEST_F(LoadTest, AnUntrustedWorkspaceMayOnlyHavePeopleAskedMore) {
  user("approvals: {mode: smart, fallback: allow}\n");
  workspace(
      "approvals:\n  mode: always\n  fallback: deny\n  timeout_seconds: 1\n  allow:\n"
      "    - {tool: write}\n");
  const Loaded all = loaded();
  EXPECT_EQ(all.config.approvals.mode, ApprovalMode::always);
  EXPECT_EQ(all.config.approvals.fallback, Fallback::deny);
  EXPECT_EQ(all.config.approvals.timeout_seconds, 120);
  EXPECT_TRUE(all.allow.empty());
  EXPECT_EQ(all.notices,
            (std::vector<std::string>{
                workspace_file_ +
                    ":4: 'approvals.timeout_seconds' is ignored until you trust this file (helve "
                    "trust)",
                workspace_file_ +
                    ":5: 'approvals.allow' is ignored until you trust this file (helve trust)"}));
  workspace("approvals: {mode: off}\n");
  EXPECT_EQ(loaded().config.approvals.mode, ApprovalMode::smart);
}

TEST_F(LoadTest, RulesForCommandsAddUpAndAnUntrustedFileBringsNoneThatAllows) {
  user("commands:\n  - {pattern: npm test, verdict: allow, beyond: [network], workspace: ~/p}\n");
  workspace(
      "commands:\n  - {pattern: ls, verdict: allow}\n  - {pattern: git push, verdict: ask}\n");
  const Loaded all = loaded();
  ASSERT_EQ(all.commands.size(), 2u);
  EXPECT_EQ(all.commands[0].rule.workspace, base_ + "/home/p");
  EXPECT_EQ(all.commands[0].rule.beyond, std::vector<std::string>{"network"});
  EXPECT_EQ(all.commands[1].rule.pattern, "git push");
  EXPECT_EQ(all.layers[all.commands[1].layer].place_of(all.commands[1].path + ".pattern"),
            workspace_file_ + ":3");
  EXPECT_EQ(all.notices, (std::vector<std::string>{
                             workspace_file_ + ":2: 'commands[0]' is ignored until you trust this "
                                               "file (helve trust)"}));
  user("commands:\n  - {pattern: ls}\n");
  EXPECT_EQ(failure(), user_file_ +
                           ":2: commands[0].verdict: required, but missing (allow, "
                           "ask or deny)");
}

}  // namespace
}  // namespace helve::config

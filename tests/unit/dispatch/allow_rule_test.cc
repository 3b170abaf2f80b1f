#include "dispatch/allow_rule.h"

#include <gtest/gtest.h>

#include "dispatch/yaml_line.h"
#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

struct RunInput {
  std::string command;
  static constexpr auto schema() {
    return object("Runs a command.", arg<&RunInput::command>("It"));
  }
};

Tool run_tool() {
  return make_tool(
      {.name = "run", .group = "other", .effect = Effect::execute},
      +[](const RunInput&, Context&) { return Result<testing::EchoOutput>{}; });
}

bool means(const AllowRule& rule, const JsonObject& arguments, std::string_view workspace) {
  return dispatch::means(rule, testing::echo_tool(), arguments, workspace);
}

// Whether a rule for argument `text` with this pattern means a call with that text.
bool matches(std::string_view pattern, std::string_view text) {
  return means({.tool = "echo", .arguments = {{"text", Json(pattern)}}}, {{"text", Json(text)}},
               "");
}

TEST(AllowRule, AStarStaysWithinADirectoryAndTwoDoNot) {
  EXPECT_TRUE(matches("docs/*", "docs/a.md"));
  EXPECT_FALSE(matches("docs/*", "docs/a/b.md"));
  EXPECT_TRUE(matches("docs/**", "docs/a/b.md"));
  EXPECT_TRUE(matches("docs/*.md", "docs/.md"));
  EXPECT_FALSE(matches("docs/*.md", "docs/a.md.txt"));
  EXPECT_TRUE(matches("a*b*c", "aXbbYc"));
  EXPECT_TRUE(matches("**b*c", "a/b/bc"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("docs/**", "docs"));
}

TEST(AllowRule, TwoStarsAndASlashAreAnyNumberOfDirectories) {
  for (const char* path : {"a.md", "docs/a.md", "docs/deep/a.md"})
    EXPECT_TRUE(matches("**/*.md", path)) << path;
  EXPECT_TRUE(matches("src/**/a.c", "src/a.c"));
  EXPECT_TRUE(matches("src/**/a.c", "src/x/y/a.c"));
  EXPECT_FALSE(matches("src/**/a.c", "src/xa.c"));
  EXPECT_FALSE(matches("src/**/a.c", "lib/a.c"));
}

TEST(AllowRule, WithoutAStarOnlyTheSameTextMatches) {
  EXPECT_TRUE(matches("a.txt", "a.txt"));
  for (const char* text : {"", "a.tx", "a.txtx", "A.txt", "./a.txt"})
    EXPECT_FALSE(matches("a.txt", text)) << text;
  EXPECT_TRUE(matches("a\\*b", "a*b"));
  EXPECT_FALSE(matches("a\\*b", "axb"));
}

TEST(AllowRule, NoStarReachesAPathThatClimbs) {
  for (const char* path : {"docs/../secret", "docs/..", "docs/a/../../x", "docs//../x"})
    EXPECT_FALSE(matches("docs/**", path)) << path;
  EXPECT_TRUE(matches("docs/**", "docs/..hidden"));
  EXPECT_TRUE(matches("../a", "../a"));  // named exactly
}

TEST(AllowRule, NoStarReachesATextThatWouldTakeLongToTry) {
  const std::string text(5000, 'a');
  EXPECT_FALSE(matches("**a", text));
  EXPECT_TRUE(matches(text, text));
}

TEST(AllowRule, EveryNamedArgumentMustFitAndOthersAreFree) {
  const AllowRule rule{.tool = "echo", .arguments = {{"text", "hi"}, {"times", 2}}};
  EXPECT_TRUE(means(rule, {{"text", "hi"}, {"times", 2}, {"loud", true}}, "/w"));
  EXPECT_FALSE(means(rule, {{"text", "hi"}, {"times", 3}}, "/w"));
  EXPECT_FALSE(means(rule, {{"text", "hi"}}, "/w"));
  EXPECT_FALSE(means({.tool = "echo", .arguments = {{"times", "2"}}}, {{"times", 2}}, ""));
}

TEST(AllowRule, NullMeansThatAnArgumentIsNotGiven) {
  const AllowRule rule{.tool = "echo", .arguments = {{"text", nullptr}}};
  EXPECT_TRUE(means(rule, {}, ""));
  EXPECT_FALSE(means(rule, {{"text", ""}}, ""));
}

TEST(AllowRule, HoldsOnlyInItsWorkspace) {
  EXPECT_TRUE(means({.tool = "echo", .workspace = "/w"}, {}, "/w"));
  EXPECT_FALSE(means({.tool = "echo", .workspace = "/w"}, {}, "/w/sub"));
  EXPECT_TRUE(means({.tool = "echo"}, {}, "/anywhere"));
}

TEST(AllowRule, AnExactRuleMeansItsCallAndNoOther) {
  Tool tool = testing::echo_tool();
  const JsonObject given{{"text", "a*b\\c"}};
  const AllowRule rule = exact_rule(tool, given, {.beyond = {"network"}}, "/w");
  EXPECT_EQ(to_yaml(rule), R"({tool: echo, arguments: {text: "a\\*b\\\\c", times: null}, )"
                           R"(beyond: [network], workspace: "/w"})");
  EXPECT_TRUE(means(rule, given, "/w"));
  EXPECT_FALSE(means(rule, {{"text", "axb\\c"}}, "/w"));
  EXPECT_FALSE(means(rule, {{"text", "a*b\\c"}, {"times", 2}}, "/w"));
}

TEST(AllowRule, AnExactRuleNamesTheSubjectOfATool) {
  Tool tool = testing::echo_tool();
  tool.spec.subject = {"text"};
  EXPECT_EQ(to_yaml(exact_rule(tool, {{"text", "hi"}, {"times", 2}}, {}, "")),
            R"({tool: echo, arguments: {text: "hi"}})");
}

TEST(AllowRule, WordsOfYamlThatMeanSomethingElseAreQuoted) {
  EXPECT_EQ(yaml_text("path"), "path");
  for (const char* word : {"yes", "null", "on", "", "a b", "1", "~"})
    EXPECT_EQ(yaml_text(word), '"' + std::string(word) + '"');
}

std::string problem(const AllowRule& rule) {
  std::vector<Tool> tools = testing::test_tools();
  tools.push_back(run_tool());
  const Registry registry = *Registry::load(std::move(tools));
  const std::vector<RuleProblem> problems = problems_of(rule, registry);
  return problems.empty() ? "" : problems[0].path + ": " + describe(problems[0].error);
}

TEST(AllowRule, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(problem({.tool = "echo", .arguments = {{"text", "*"}, {"times", nullptr}}}), "");
  EXPECT_EQ(problem({.tool = "ecko"}), "tool: no tool 'ecko' (did you mean 'echo'?)");
  EXPECT_EQ(problem({.tool = "echo", .arguments = {{"txt", "a"}}}),
            "arguments.txt: echo has no argument 'txt' (did you mean 'text'?)");
  EXPECT_EQ(problem({.tool = "echo", .arguments = {{"times", "2"}}}),
            "arguments.times: expected integer, got string");
  EXPECT_EQ(problem({.tool = "echo", .beyond = {"internet"}}),
            "beyond[0]: 'internet' is no way out of the sandbox (network, full, host:NAME or "
            "root:/PATH)");
}

TEST(AllowRule, ACommandIsNeverMatchedByAStar) {
  EXPECT_EQ(problem({.tool = "run", .arguments = {{"command", "npm test"}}}), "");
  EXPECT_EQ(problem({.tool = "run", .arguments = {{"command", "npm *"}}}),
            "arguments.command: run runs commands, so its arguments take no * (write \\* for a "
            "star itself; a rule under commands: allows a kind of command)");
}

TEST(AllowRule, ThatNamesACommandMeansItWithoutWhatItDoesNotName) {
  Tool exec = testing::echo_tool();
  exec.spec.effect = Effect::execute;
  exec.spec.subject = {"command", "env", "input", "keep"};
  const AllowRule make{.tool = "exec", .arguments = {{"command", "make"}}};
  const auto holds = [&](const AllowRule& rule, JsonObject arguments) {
    arguments["command"] = "make";
    return dispatch::means(rule, exec, arguments, "");
  };
  EXPECT_TRUE(holds(make, {}));
  EXPECT_TRUE(holds(make, {{"env", JsonObject{}}, {"keep", false}, {"timeout", 5}}));
  EXPECT_FALSE(holds(make, {{"env", JsonObject{{"A", "b"}}}}));
  EXPECT_FALSE(holds(make, {{"input", "x"}}));
  EXPECT_FALSE(holds(make, {{"keep", true}}));
  EXPECT_TRUE(holds({.tool = "exec", .arguments = {{"command", "make"}, {"input", "x"}}},
                    {{"input", "x"}}));
  EXPECT_TRUE(holds({.tool = "exec"}, {{"input", "x"}})) << "it names no command";
}

}  // namespace
}  // namespace helve::dispatch

#include "cli/parse.h"

#include "cli/help.h"
#include "unit/cli/fixture.h"

namespace helve::cli {
namespace {

class Parse : public Cli {
 protected:
  Result<Parsed> parsed(std::vector<std::string> words) {
    words_ = std::move(words);
    return parse(program_, words_);
  }
  Error refused(std::vector<std::string> words) {
    Result<Parsed> result = parsed(std::move(words));
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
  }
  std::vector<std::string> words_;
};

TEST_F(Parse, FindsAToolByGroupAndWord) {
  const Parsed result = *parsed({"demo", "echo", "hi"});
  ASSERT_TRUE(result.tool);
  EXPECT_EQ(result.tool->name, "demo_echo");
  EXPECT_EQ(result.words, std::vector<std::string>{"hi"});
}

TEST_F(Parse, TakesGlobalFlagsBeforeTheGroupAndAfterTheTool) {
  const Parsed result =
      *parsed({"--json", "-C", "/tmp", "demo", "echo", "hi", "--verbose", "--session=s_9"});
  EXPECT_TRUE(result.options.json);
  EXPECT_EQ(result.options.root, "/tmp");
  EXPECT_TRUE(result.options.verbose);
  EXPECT_EQ(result.options.session, "s_9");
  EXPECT_EQ(result.words, std::vector<std::string>{"hi"});
}

TEST_F(Parse, GivesAFlagThatTheToolHasToTheTool) {
  const Parsed result = *parsed({"--timeout", "5", "demo", "echo", "hi", "--timeout", "7"});
  EXPECT_EQ(result.options.timeout, 5);
  EXPECT_EQ(result.words, (std::vector<std::string>{"hi", "--timeout", "7"}));
}

TEST_F(Parse, DoesNotTakeTheValueOfAFlagForAFlag) {
  const Parsed result = *parsed({"demo", "echo", "--tags", "--json", "hi"});
  EXPECT_FALSE(result.options.json);
  EXPECT_EQ(result.words, (std::vector<std::string>{"--tags", "--json", "hi"}));
}

TEST_F(Parse, LeavesEverythingBehindTheDoubleDashToTheTool) {
  const Parsed result = *parsed({"demo", "echo", "--", "--json"});
  EXPECT_FALSE(result.options.json);
  EXPECT_EQ(result.words, (std::vector<std::string>{"--", "--json"}));
}

TEST_F(Parse, TurnsASwitchOffByItsNegation) {
  EXPECT_TRUE(parsed({"status"})->options.record);
  EXPECT_FALSE(parsed({"status", "--no-record"})->options.record);
}

TEST_F(Parse, FindsAToolByItsAliasCutAtTheUnderscore) {
  EXPECT_EQ(parsed({"parrot", "say", "hi"})->tool->tool->spec.name, "demo_echo");
}

TEST_F(Parse, FindsAToolByANameOfADialectWithItsParameters) {
  const Parsed result = *parsed({"membot", "read", "a.md", "--offset", "3"});
  ASSERT_TRUE(result.tool);
  EXPECT_EQ(result.tool->name, "membot_read");
  const JsonObject arguments = *parse_arguments(program_, *result.tool, result.words);
  EXPECT_EQ(to_text(arguments), R"({"logical_path":"a.md","offset":3})");
}

TEST_F(Parse, FindsAToolByAnotherNameWithinItsGroup) {
  EXPECT_EQ(parsed({"fs", "Read", "a"})->tool->name, "Read");
  EXPECT_EQ(parsed({"kb", "kb_read", "a"})->tool->name, "kb_read");
}

TEST_F(Parse, NamesTheNearestCommandOrGroup) {
  EXPECT_EQ(refused({"demmo"}).hint, "did you mean 'demo'?");
  EXPECT_EQ(refused({"statsu"}).hint, "did you mean 'status'?");
  EXPECT_EQ(refused({"demmo"}).code, Code::invalid_argument);
}

TEST_F(Parse, SaysWhereAToolIsThatWasCalledWithoutItsGroup) {
  EXPECT_EQ(refused({"demo_echo", "hi"}).hint, "did you mean 'helve demo echo'?");
}

TEST_F(Parse, NamesTheNearestToolOfAGroup) {
  EXPECT_EQ(refused({"demo", "ehco"}).hint, "did you mean 'echo'?");
  EXPECT_EQ(refused({"demo", "xyzzy"}).hint, "it has echo, fail, pour");
}

TEST_F(Parse, NamesTheNearestGlobalFlag) {
  const Error error = refused({"--jsno", "demo", "echo"});
  EXPECT_EQ(error.message, "unknown flag '--jsno'");
  EXPECT_EQ(error.hint, "did you mean '--json'?");
}

TEST_F(Parse, NamesTheNearestFlagOfTheToolOrTheProgram) {
  EXPECT_EQ(refused({"demo", "echo", "hi", "--tmes=3"}).hint, "did you mean '--times'?");
  EXPECT_EQ(refused({"demo", "echo", "hi", "--verbos"}).hint, "did you mean '--verbose'?");
  EXPECT_EQ(refused({"demo", "echo", "hi", "-x"}).message, "unknown flag '-x'");
}

TEST_F(Parse, TakesANegativeNumberForAValue) {
  EXPECT_EQ(parsed({"demo", "echo", "-5"})->words, std::vector<std::string>{"-5"});
}

TEST_F(Parse, RefusesAGlobalFlagWithoutItsValue) {
  EXPECT_NE(refused({"status", "--root"}).message.find("--root needs a value"), std::string::npos);
}

TEST_F(Parse, ReportsAWrongValueOfAGlobalFlag) {
  EXPECT_NE(refused({"status", "--color", "pink"}).message.find("color"), std::string::npos);
  EXPECT_NE(refused({"status", "--timeout", "-1"}).message.find("timeout"), std::string::npos);
}

TEST_F(Parse, TakesAGroupAlone) { EXPECT_EQ(parsed({"demo"})->group, "demo"); }

TEST_F(Parse, TakesThePrefixOfSeveralNamesOfADialectForAGroup) {
  std::vector<Tool> tools;
  for (const char* name : {"kb_list", "kb_read"})
    tools.push_back(make_tool({.name = name, .group = "kb"}, read));
  registry_ = std::move(*Registry::load(std::move(tools)));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"membot"}, {"membot", "--help"}})
    EXPECT_EQ(parsed(words)->group, "membot");
  EXPECT_EQ(parse_topic(program_, std::vector<std::string>{"membot"})->group, "membot");
  const std::string help = group_help(registry_, "membot", {});
  EXPECT_NE(help.find("usage: helve membot TOOL"), help.npos) << help;
  EXPECT_NE(help.find("\n  list  "), help.npos) << help;
  EXPECT_NE(help.find("\n  read  "), help.npos) << help;
  EXPECT_EQ(refused({"membot_read", "a"}).hint, "did you mean 'helve membot read'?");
  EXPECT_EQ(refused({"membot", "reed"}).hint, "did you mean 'read'?");
  EXPECT_EQ(parse_topic(program_, std::vector<std::string>{"membot_read"})->tool->name,
            "membot_read");
}

TEST_F(Parse, DoesNotTakeThePrefixOfOneOtherNameForAGroup) {
  EXPECT_EQ(refused({"membot", "--help"}).message, "there is no command or group 'membot'");
  EXPECT_EQ(refused({"membot"}).hint, "did you mean 'helve kb read'?");
  EXPECT_EQ(refused({"parrot"}).hint, "did you mean 'helve demo echo'?");
  EXPECT_EQ(refused({"read", "notes.md"}).hint, "did you mean 'helve fs read'?");
}

TEST_F(Parse, ShowsControlCharactersOfAWordSafely) {
  EXPECT_EQ(refused({"a\x1b[2J"}).message, "there is no command or group 'a\\x1b[2J'");
}

TEST(Names, LeaveOutTheGroupAndOneOfAGroup) {
  const auto command = [](std::string name, std::string group) {
    return named(make_tool({.name = std::move(name), .group = std::move(group)}, read)).command();
  };
  EXPECT_EQ(command("kb_read", "kb"), "kb read");
  EXPECT_EQ(command("prompt_list", "prompts"), "prompts list");
  EXPECT_EQ(command("sessions_list", "sessions"), "sessions list");
  EXPECT_EQ(command("agents_list", "sessions"), "sessions agents-list");
  EXPECT_EQ(command("find_all", "fs"), "fs find-all");
  EXPECT_EQ(command("kb_", "kb"), "kb kb-");
}

TEST(Names, RefuseAToolThatHidesAFlagOfTheWholeProgram) {
  struct BadInput {
    bool json = false;
    static constexpr auto schema() { return object("Bad", opt<&BadInput::json>("Hides --json")); }
  };
  std::vector<Tool> tools;
  tools.push_back(make_tool(
      {.name = "bad", .group = "x"},
      +[](const BadInput&, Context&) -> Result<EchoOutput> { return EchoOutput{}; }));
  const Registry registry = std::move(*Registry::load(std::move(tools)));
  const Result<void> checked = check_names(registry);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find("'bad'"), std::string::npos);
}

TEST(Names, RefuseTwoToolsWithTheSameWords) {
  std::vector<Tool> tools;
  tools.push_back(make_tool({.name = "x_read", .group = "x"}, read));
  tools.push_back(make_tool({.name = "read", .group = "x"}, read));
  const Registry registry = std::move(*Registry::load(std::move(tools)));
  EXPECT_FALSE(check_names(registry));
  EXPECT_TRUE(check_names(sample_registry()));
}

}  // namespace
}  // namespace helve::cli

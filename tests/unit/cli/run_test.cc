#include "cli/run.h"

#include "base/text.h"
#include "unit/cli/fixture.h"

namespace helve::cli {
namespace {

TEST_F(Cli, ShowsTheTextOfAnAnswerOnStandardOutput) {
  EXPECT_EQ(run({"demo", "echo", "hi", "-n", "2", "--loud", "--tags", "a", "--tags", "b", "--env",
                 "K=V"}),
            0);
  EXPECT_EQ(out_, "LOUD hiLOUD hi#a#b K=V\n");
  EXPECT_EQ(err_, "");
}

TEST_F(Cli, PrintsTheStructuredValueAsJson) {
  EXPECT_EQ(run({"--json", "demo", "echo", "hi"}), 0);
  EXPECT_EQ(out_, "{\"said\":\"hi\"}\n");
}

TEST_F(Cli, IndentsJsonOnATerminal) {
  screen_.out.is_terminal = true;
  EXPECT_EQ(run({"--json", "demo", "echo", "hi"}), 0);
  EXPECT_EQ(out_, "{\n  \"said\": \"hi\"\n}\n");
}

TEST_F(Cli, TakesRawArgumentsFromAFileOrStandardInput) {
  files_["args.json"] = R"({"text":"from a file"})";
  files_["-"] = R"({"text":"piped"})";
  EXPECT_EQ(run({"demo", "echo", "--input", "args.json"}), 0);
  EXPECT_EQ(out_, "from a file\n");
  EXPECT_EQ(run({"demo", "echo", "--input", "-"}), 0);
  EXPECT_EQ(out_, "piped\n");
}

TEST_F(Cli, RepairsRawArgumentsAndSaysSo) {
  files_["-"] = R"({"text":"piped",})";
  EXPECT_EQ(run({"demo", "echo", "--input", "-"}), 0);
  EXPECT_EQ(out_, "piped\n");
  EXPECT_NE(err_.find("helve: note: arguments repaired"), std::string::npos);
}

TEST_F(Cli, RefusesRawArgumentsTogetherWithOthers) {
  files_["-"] = "{}";
  EXPECT_EQ(run({"demo", "echo", "hi", "--input", "-"}), 2);
  EXPECT_NE(err_.find("--input gives all arguments"), std::string::npos);
}

TEST_F(Cli, ReportsAFileThatIsNotThere) {
  EXPECT_EQ(run({"demo", "echo", "--input", "none.json"}), 3);
}

TEST_F(Cli, ReadsAFieldFromStandardInput) {
  files_["-"] = "piped text";
  EXPECT_EQ(run({"demo", "echo", "-"}), 0);
  EXPECT_EQ(out_, "piped text\n");
}

TEST_F(Cli, TellsErrorsOnStandardErrorWithTheHint) {
  EXPECT_EQ(run({"demo", "fail", "not_found"}), 3);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(err_, "helve: it failed\n  hint: try again\n");
}

TEST_F(Cli, SaysOnceThatAHintIsOne) {
  EXPECT_EQ(run({"demo", "fail", "at length"}), 4);
  EXPECT_EQ(err_, "helve: it failed\n  hint: one\n          two\n        three\n");
}

TEST_F(Cli, PrintsErrorsAsJsonOnStandardOutput) {
  EXPECT_EQ(run({"--json", "demo", "fail", "conflict"}), 4);
  EXPECT_EQ(
      out_,
      R"({"ok":false,"error":{"error_type":"own_word","code":"conflict","message":"it failed","hint":"try again"}})"
      "\n");
}

TEST_F(Cli, ExitsWithACodeForEachKindOfError) {
  const std::map<std::string, int> expected = {
      {"invalid_argument", 2}, {"not_found", 3}, {"conflict", 4},
      {"denied", 5},           {"auth", 5},      {"network", 6},
      {"unsupported", 7},      {"partial", 8},   {"timeout", 124},
      {"cancelled", 130},      {"internal", 1},  {"unavailable", 1},
      {"too_large", 1}};
  for (const auto& [code, status] : expected)
    EXPECT_EQ(run({"demo", "fail", code}), status) << code;
}

TEST_F(Cli, PutsEveryProblemOfTheInputOnALineOfItsOwn) {
  EXPECT_EQ(run({"demo", "echo", "--times", "99", "--mood", "sad"}), 2);
  EXPECT_EQ(std::ranges::count(err_, '\n') - (err_.find("hint") != std::string::npos), 3) << err_;
  for (const char* field : {"helve: text: ", "helve: times: ", "helve: mood: "})
    EXPECT_NE(err_.find(field), std::string::npos) << err_;
}

TEST_F(Cli, PrintsWrongCommandLinesAsJsonWhenAsked) {
  EXPECT_EQ(run({"demmo", "--json"}), 2);
  EXPECT_TRUE(
      out_.starts_with(R"({"ok":false,"error":{"error_type":"usage","code":"invalid_argument")"))
      << out_;
}

TEST_F(Cli, ShowsEscapeCodesOnATerminalInsteadOfObeyingThem) {
  EXPECT_EQ(run({"demo", "echo", "\x1b[2J\u202e"}), 0);
  EXPECT_EQ(out_, "\x1b[2J\u202e\n");
  screen_.out.is_terminal = true;
  EXPECT_EQ(run({"demo", "echo", "\x1b[2J\u202e"}), 0);
  EXPECT_EQ(out_, "\\x1b[2J\\u{202e}\n");
}

TEST_F(Cli, CallsAToolByAnyNameWithJson) {
  EXPECT_EQ(run({"call", "demo_echo", R"({"text":"hi"})"}), 0);
  EXPECT_EQ(out_, "hi\n");
  EXPECT_EQ(run({"--json", "call", "membot_read", R"({"logical_path":"a","offset":3})"}), 0);
  EXPECT_EQ(out_, "{\"path\":\"a\",\"offset\":2}\n");
  files_["-"] = R"({"text":"piped"})";
  EXPECT_EQ(run({"call", "parrot_say", "-"}), 0);
  EXPECT_EQ(out_, "piped\n");
}

TEST_F(Cli, TranslatesTheFlagsOfADialect) {
  EXPECT_EQ(run({"--json", "membot", "read", "a", "--offset", "3"}), 0);
  EXPECT_EQ(out_, "{\"path\":\"a\",\"offset\":2}\n");
  EXPECT_EQ(run({"--json", "fs", "read", "a", "--offset", "3"}), 0);
  EXPECT_EQ(out_, "{\"path\":\"a\",\"offset\":3}\n");
}

TEST_F(Cli, NamesTheNearestToolOfACall) {
  EXPECT_EQ(run({"call", "demo_ehco"}), 3);
  EXPECT_NE(err_.find("did you mean 'demo_echo'?"), std::string::npos);
}

TEST_F(Cli, NeverRunsWithArgumentsItCannotRead) {
  EXPECT_EQ(run({"call", "demo_echo", "text = hi"}), 2);
  EXPECT_EQ(out_, "");
}

TEST_F(Cli, RunsACommandWithItsInput) {
  EXPECT_EQ(run({"status", "--limit", "3", "--agent", "coder"}), 0);
  EXPECT_EQ(out_, "limit 3\n");
  EXPECT_EQ(options_.agent, "coder");
  EXPECT_EQ(run({"status", "--limit", "0"}), 2);
  EXPECT_EQ(run({"status", "extra"}), 2);
}

TEST_F(Cli, ShowsTheOverviewWithoutArguments) {
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(out_, "overview\n");
}

TEST_F(Cli, ShowsTheVersion) {
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(out_, "helve " HELVE_VERSION "\n");
  EXPECT_EQ(run({"version"}), 0);
  EXPECT_EQ(out_, "helve " HELVE_VERSION "\n");
}

TEST_F(Cli, ShowsTheVersionAsJson) {
  EXPECT_EQ(run({"version", "--json"}), 0);
  EXPECT_EQ(out_, "{\"version\":\"" HELVE_VERSION "\"}\n");
  EXPECT_EQ(run({"--version", "--json"}), 0);
  EXPECT_EQ(out_, "{\"version\":\"" HELVE_VERSION "\"}\n");
}

TEST_F(Cli, SaysWhatMayFollowACommandOrTool) {
  EXPECT_EQ(run({"version", "extra"}), 2);
  EXPECT_EQ(err_, "helve: unexpected argument 'extra'\n  hint: helve version takes no arguments\n");
  EXPECT_EQ(run({"--json", "fs", "read", "a", "b"}), 2);
  EXPECT_NE(out_.find("\"usage\""), std::string::npos) << out_;
  EXPECT_NE(out_.find("usage: helve fs read PATH [flags]"), std::string::npos) << out_;
}

TEST_F(Cli, SaysWhatACommandNeeds) {
  EXPECT_EQ(run({"completion"}), 2);
  EXPECT_EQ(err_,
            "helve: helve completion needs SHELL\n"
            "  hint: bash, zsh or fish; helve completion --help tells more\n");
}

TEST_F(Cli, RefusesArgumentsOfACallTogetherWithAFile) {
  files_["f"] = "{}";
  EXPECT_EQ(run({"call", "demo_echo", "{}", "--input", "f"}), 2);
  EXPECT_NE(err_.find("--input gives all arguments, but '{}' is given too"), std::string::npos);
}

TEST_F(Cli, NamesTheFlagWhoseFileIsNotThere) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"demo", "echo", "--input", "none"},
        std::vector<std::string>{"call", "demo_echo", "--input", "none"}}) {
    EXPECT_EQ(run(words), 3);
    EXPECT_TRUE(err_.starts_with("helve: --input: no file 'none'\n  hint: ")) << err_;
  }
}

TEST_F(Cli, HintsBeginSmall) {
  EXPECT_EQ(run({"fs", "read"}), 2);
  EXPECT_NE(err_.find("hint: the file\n"), std::string::npos) << err_;
  EXPECT_EQ(run({"fs", "read", "--offset"}), 2);
  EXPECT_NE(err_.find("hint: lines to skip\n"), std::string::npos) << err_;
}

TEST_F(Cli, ReportsWhatKeepsASessionFromOpening) {
  program_.open = [](const Options&) -> Result<Session> {
    return Error{Code::invalid_argument, "config.yaml:3: one\nconfig.yaml:4: two"};
  };
  EXPECT_EQ(run({"demo", "echo", "hi"}), 2);
  EXPECT_EQ(err_, "helve: config.yaml:3: one\nhelve: config.yaml:4: two\n");
}

TEST_F(Cli, EndsACallWhenNobodyReadsItsOutputAnyMore) {
  int lines = 0;
  screen_.out.write = [&](std::string_view) { ++lines; };
  screen_.out.has_reader = [&] { return lines < 3; };
  EXPECT_EQ(run({"demo", "pour"}), 130);
  EXPECT_EQ(lines, 3);
  EXPECT_EQ(err_, "helve: standard output was closed, so the call was stopped\n");
}

TEST(Color, IsForTerminalsAndForThoseWhoDidNotRefuseIt) {
  EXPECT_TRUE(wants_color(Color::auto_, {.is_terminal = true}));
  EXPECT_FALSE(wants_color(Color::auto_, {.is_terminal = false}));
  EXPECT_FALSE(wants_color(Color::auto_, {.is_terminal = true, .no_color = true}));
  EXPECT_FALSE(wants_color(Color::auto_, {.is_terminal = true, .is_dumb = true}));
  EXPECT_TRUE(wants_color(Color::always, {.is_terminal = false, .no_color = true}));
  EXPECT_FALSE(wants_color(Color::never, {.is_terminal = true}));
}

TEST(Wrap, BreaksBetweenWordsAndKeepsLineBreaks) {
  EXPECT_EQ(wrap("one two three\nfour", 9, 2), "  one two\n  three\n  four\n");
  EXPECT_EQ(wrap("a-word-longer-than-the-line x", 5, 0), "a-word-longer-than-the-line\nx\n");
  EXPECT_EQ(wrap("", 80, 2), "");
}

}  // namespace
}  // namespace helve::cli

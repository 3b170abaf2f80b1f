#include "cli/help.h"

#include "base/text.h"
#include "cli/flag_docs.h"
#include "cli/listing.h"
#include "unit/cli/fixture.h"
#include "unit/golden.h"

namespace helve::cli {
namespace {

TEST_F(Cli, HelpOnTheProgramListsToolsCommandsAndFlags) {
  EXPECT_EQ(run({"--help"}), 0);
  expect_golden("cli/help.txt", out_);
  const std::string page = out_;
  EXPECT_EQ(run({"help"}), 0);
  EXPECT_EQ(out_, page);
}

TEST_F(Cli, HelpOnAToolShowsArgumentsFlagsAndExamples) {
  EXPECT_EQ(run({"demo", "echo", "--help"}), 0);
  expect_golden("cli/help_tool.txt", out_);
  const std::string page = out_;
  EXPECT_EQ(run({"help", "demo", "echo"}), 0);
  EXPECT_EQ(out_, page);
}

TEST_F(Cli, HelpOnAGroupListsItsTools) {
  EXPECT_EQ(run({"help", "demo"}), 0);
  const std::string page = out_;
  EXPECT_NE(page.find("echo"), std::string::npos);
  EXPECT_EQ(run({"demo", "--help"}), 0);
  EXPECT_EQ(out_, page);
  EXPECT_EQ(run({"demo"}), 0);
  EXPECT_EQ(out_, page);
}

TEST_F(Cli, HelpOnACommandShowsItsFlags) {
  EXPECT_EQ(run({"status", "--help"}), 0);
  EXPECT_NE(out_.find("--limit N"), std::string::npos);
  EXPECT_NE(out_.find("1 or more; default 20"), std::string::npos);
}

TEST_F(Cli, HelpSaysWhatAWordNames) {
  EXPECT_EQ(run({"help", "status"}), 0);
  for (const char* term : {"--kind TEXT", "--path TEXT", "--place DIR"})
    EXPECT_NE(out_.find(term), std::string::npos) << out_;
  EXPECT_NE(out_.find("(1 or more; default 20)"), std::string::npos) << out_;
}

TEST_F(Cli, HelpUnderADialectShowsItsParameters) {
  EXPECT_EQ(run({"membot", "read", "--help"}), 0);
  EXPECT_NE(out_.find("LOGICAL_PATH"), std::string::npos);
}

TEST_F(Cli, HelpOnAToolNeedsNoGroup) {
  EXPECT_EQ(run({"help", "fs", "read"}), 0);
  const std::string page = out_;
  EXPECT_EQ(run({"help", "read"}), 0);
  EXPECT_EQ(out_, page);
  EXPECT_EQ(run({"help", "kb-read"}), 0);
  EXPECT_NE(out_.find("usage: helve kb read"), std::string::npos) << out_;
  EXPECT_EQ(run({"help", "read", "more"}), 2);
  EXPECT_EQ(run({"read"}), 2) << "a call needs the group";
}

TEST_F(Cli, HelpOnSomethingUnknownIsAnError) { EXPECT_EQ(run({"help", "demo", "ehco"}), 2); }

TEST_F(Cli, HelpFitsTheScreen) {
  for (size_t width : {40u, 80u, 100u}) {
    screen_.width = width;
    EXPECT_EQ(run({"demo", "echo", "--help"}), 0);
    size_t longest = 0;
    for (std::string_view line : split(out_, '\n')) longest = std::max(longest, count_chars(line));
    EXPECT_LE(longest, width == 40 ? 62u : width)
        << "an example or a term may be wider than a very narrow screen";
  }
}

TEST(TwoColumns, IndentsWhatStandsBelowATermThatIsTooLong) {
  const Rows rows = {{"    --a-flag with|quite|some|choices", "What it does"}};
  EXPECT_EQ(two_columns(rows, 80, Style()),
            "      --a-flag with|quite|some|choices\n          What it does\n");
}

TEST(GlobalFlags, NameTheDialects) {
  for (const FlagDoc& doc : global_flags()) {
    if (doc.name != "--dialect") continue;
    EXPECT_EQ(doc.value, join(doc.choices, "|"));
    EXPECT_EQ(doc.choices.size(), dialects().size());
  }
}

TEST(CommandLine, QuotesForTheShell) {
  EXPECT_EQ(shell_word("plain-word"), "plain-word");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("two\nlines"), "$'two\\nlines'");
}

TEST(CommandLine, ShowsArgumentsAsFlagsOrElseAsJson) {
  const schema::Type& type = schema::kType<EchoInput>;
  EXPECT_EQ(command_line("demo echo", type, R"({"text":"hi there","times":2})"),
            "helve demo echo 'hi there' --times 2");
  EXPECT_EQ(command_line("demo echo", type, R"({"text":"hi","tags":[]})"),
            R"(helve demo echo --input - <<< '{"text":"hi","tags":[]}')");
}

TEST(Listing, ShowsToolsAsATableAndAsMarkdown) {
  const Registry registry = sample_registry();
  ToolList tools;
  for (const Tool& tool : registry.tools()) tools.push_back(&tool);
  expect_golden("cli/tools.txt", tools_table(registry, tools, {}));
  expect_golden("cli/tools.md", tools_markdown(registry, tools));
}

TEST(Listing, DescribesToolsAsJson) {
  const Registry registry = sample_registry();
  const JsonArray array = tools_json(registry, {&registry.tools()[0]});
  ASSERT_EQ(array.size(), 1u);
  EXPECT_EQ(string_at(array[0], "name"), "demo_echo");
  EXPECT_EQ(string_at(array[0], "command"), "helve demo echo");
  EXPECT_EQ(string_at(array[0], "effect"), "read");
  EXPECT_EQ(to_text(*find(array[0], "other_names")), R"(["parrot_say"])");
  EXPECT_EQ(string_at(*find(array[0], "input_schema"), "type"), "object");
}

}  // namespace
}  // namespace helve::cli

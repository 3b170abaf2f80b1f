// helve context, as people and programs see it.
#include "app/context_report.h"
#include "base/text.h"
#include "store/shared_store.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

class ContextCommand : public Machine {
 protected:
  Json json(std::vector<std::string> words) {
    words.push_back("--json");
    EXPECT_EQ(run(words), 0) << err_;
    return parse_json(out_).value();
  }
  static std::int64_t tokens(const Json& section) {
    return section.at("tokens").to_number<std::int64_t>();
  }
  static std::vector<std::string> names(const Json& section, std::string_view list) {
    std::vector<std::string> names;
    for (const Json& each : section.at(list).get_array())
      names.emplace_back(each.at("name").get_string());
    return names;
  }
  // A conversation that somebody had in the workspace.
  void make_session(const std::string& id) {
    store::SharedStore store(store::Opener(around_.database(), {}, clock_));
    ASSERT_TRUE(store.use([&](store::Store& opened) {
      return opened.begin_conversation({.session = id,
                                        .title = "t",
                                        .agent = "main",
                                        .workspace = at("work"),
                                        .purpose = "run"});
    }));
    auto transcript = session::Transcript::open(store, clock_, id);
    ASSERT_TRUE(transcript) << describe(transcript.error());
    auto add = [&](session::Item item) { EXPECT_TRUE(transcript->add(std::move(item))); };
    add(session::Prompt{"user", model::user_message("old")});
    add(session::Summary{std::string(400, 's'), 1});
    add(session::Prompt{"user", model::user_message(std::string(40, 'p'))});
    session::Answer answer{.message = {model::Role::assistant, {model::Text{"I look."}}},
                           .stop = model::Stop::calls,
                           .usage = {.input = 12'000, .output = 345},
                           .model = "m",
                           .calls = {"c_1"}};
    answer.message.parts.emplace_back(
        model::ToolCall{.id = "1", .name = "read", .arguments = "{}"});
    add(std::move(answer));
    add(session::Finished{
        model::ToolResult{"1", "read", text_content(std::string(4'000, 'r')), false}});
  }

  sys::ManualClock clock_;
};

TEST_F(ContextCommand, TellsWhatANewSessionBeginsWith) {
  put("work/AGENTS.md", std::string(8'000, 'x'));
  const Json report = json({"context"});
  EXPECT_EQ(report.at("workspace").get_string(), at("work"));
  EXPECT_EQ(names(report.at("system"), "parts"),
            (std::vector<std::string>{"manner", "project instructions", "workspace"}));
  EXPECT_GT(tokens(report.at("system")), 2'000);
  EXPECT_EQ(tokens(report), tokens(report.at("system")) + tokens(report.at("tools")));
  EXPECT_FALSE(find(report, "conversation"));
  EXPECT_FALSE(find(report, "window"));
}

TEST_F(ContextCommand, CountsTheToolsThatAreAllowedLargestFirst) {
  const Json all = json({"context"});
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const Json& tool : all.at("tools").at("tools").get_array()) {
    EXPECT_LE(tokens(tool), last);
    last = tokens(tool);
  }
  put("config/config.yaml", "tools: {allow: [read, ls]}\n");
  const Json few = json({"context"});
  EXPECT_EQ(names(few.at("tools"), "tools"), (std::vector<std::string>{"read", "ls"}));
  EXPECT_LT(tokens(few.at("tools")), tokens(all.at("tools")));
  EXPECT_EQ(names(json({"context", "--dialect", "claude"}).at("tools"), "tools").front(), "Read");
}

TEST_F(ContextCommand, TheUsualToolsAreToldInFullAndTheOthersAreFound) {
  const auto offered = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "context");
    return names(json(std::move(words)).at("tools"), "tools");
  };
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  const std::vector<std::string> usual = offered({});
  EXPECT_LE(usual.size(), 20u);
  for (const char* name : {"read", "exec", "agent", "tool_search", "tool_call"})
    EXPECT_TRUE(has(usual, name)) << name;
  EXPECT_FALSE(has(usual, "kb_write"));
  const std::vector<std::string> all = offered({"--tools", "all"});
  EXPECT_TRUE(has(all, "kb_write"));
  EXPECT_FALSE(has(all, "tool_search")) << "there is nothing to look for";
  EXPECT_EQ(offered({"--tools", "read,undo"}).size(), 3u) << "and what reads long answers";
  const std::vector<std::string> hyper = offered({"--dialect", "hyper"});
  EXPECT_TRUE(has(hyper, "bash") && has(hyper, "editor")) << "what the dialect has words for";
  EXPECT_FALSE(has(hyper, "edit"));
}

TEST_F(ContextCommand, AddsWhatWasSaidInASession) {
  make_session("s_1");
  around_.current_directory = at("home");
  const Json report = json({"context", "--session", "s_1"});
  EXPECT_EQ(report.at("workspace").get_string(), at("work")) << "where the session is";
  EXPECT_EQ(names(report.at("conversation"), "kinds"),
            (std::vector<std::string>{"summary of what was before", "prompts", "answers",
                                      "tool calls", "tool results"}));
  EXPECT_GT(tokens(report.at("conversation").at("kinds").at(4)), 1'000);
  EXPECT_EQ(report.at("counted").to_number<std::int64_t>(), 12'345);
}

TEST_F(ContextCommand, ChangesNothingOfASession) {
  make_session("s_1");
  const Json before = json({"context", "--session", "s_1"});
  EXPECT_EQ(to_text(json({"context", "--session", "s_1"})), to_text(before));
}

TEST_F(ContextCommand, SaysWhenThereIsNoSuchSession) {
  EXPECT_EQ(run({"context", "--session", "s_none"}), exit_code(Code::not_found));
  EXPECT_NE(err_.find("no session 's_none'"), std::string::npos) << err_;
  make_session("s_1");
  EXPECT_EQ(run({"context", "--session", "s_none"}), exit_code(Code::not_found));
  EXPECT_NE(err_.find("no session 's_none'"), std::string::npos) << err_;
}

TEST_F(ContextCommand, FitsTheScreen) {
  make_session("s_1");
  for (size_t width : {40u, 60u, 80u}) {
    screen_.width = width;
    EXPECT_EQ(run({"context", "--session", "s_1", "--window", "200000"}), 0) << err_;
    // The path of the workspace is one word, however long.
    for (std::string_view line : split(out_, '\n')) {
      EXPECT_TRUE(line.find('/') != line.npos || count_chars(line) <= width) << line;
    }
  }
}

TEST_F(ContextCommand, ShowsPercentOfAKnownWindowOnly) {
  EXPECT_EQ(run({"context"}), 0);
  EXPECT_EQ(out_.find('%'), std::string::npos) << out_;
  EXPECT_EQ(run({"context", "--window", "1000"}), 0);
  EXPECT_NE(out_.find("\nLeft                                            0      0.0 %\n"),
            std::string::npos)
      << out_;
}

TEST_F(ContextCommand, NamesFilesThatAreLeftOut) {
  std::filesystem::create_directory(base_ / "work/AGENTS.md");
  EXPECT_EQ(run({"context"}), 0);
  EXPECT_NE(err_.find("helve: note: "), std::string::npos) << err_;
  EXPECT_NE(err_.find("AGENTS.md"), std::string::npos) << err_;
}

TEST(ContextReport, IsATable) {
  const ContextReport report{.workspace = "/w",
                             .session = "s_1",
                             .system = {{"manner", 300}, {"workspace", 45}},
                             .tools = {{"exec", 1'234}},
                             .conversation = {{"prompts", 56'789, 1'000}},
                             .counted = 61'000,
                             .window = 100'000};
  EXPECT_EQ(text_of(report, 80, cli::Style()),
            "The session s_1 in /w. Tokens are estimated, at four bytes each.\n"
            "\n"
            "                                           tokens  of window\n"
            "System prompt                                 345      0.3 %\n"
            "  manner                                      300      0.3 %\n"
            "  workspace                                    45      0.0 %\n"
            "Tools (1)                                   1,234      1.2 %\n"
            "  exec                                      1,234      1.2 %\n"
            "Conversation                               56,789     56.8 %\n"
            "  prompts (1,000)                          56,789     56.8 %\n"
            "Together                                   58,368     58.4 %\n"
            "Left                                       41,632     41.6 %\n"
            "\n"
            "The provider last counted 61,000 tokens, all together.\n");
}

TEST(ContextReport, PutsSmallToolsTogether) {
  ContextReport report{.workspace = "", .session = ""};
  for (int i = 0; i < 12; ++i) report.tools.push_back({"t" + std::to_string(i), 10});
  const std::string text = text_of(report, 80, cli::Style());
  EXPECT_NE(text.find("  t7 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  4 others                                                40\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.starts_with("A new session in no workspace.")) << text;
}

}  // namespace
}  // namespace helve::app

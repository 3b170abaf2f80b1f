// What MCP clients are offered besides tools: resources and prompts.
#include "app/prompts.h"
#include "app/resources.h"
#include "app/uri.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

TEST(Uri, GoesThereAndBack) {
  EXPECT_EQ(file_uri("/a b/ü%"), "file:///a%20b/%C3%BC%25");
  EXPECT_EQ(*path_of_uri("file:///a%20b/%C3%BC%25"), "/a b/ü%");
  EXPECT_EQ(*path_of_uri("file://localhost/a/"), "/a");
}

TEST(Uri, RefusesWhatNamesNoLocalFile) {
  for (const char* uri : {"http://x/a", "file://host/a", "file:a", "file:///a%0", "file:///a%zz",
                          "file:///a%00b", "file:///a?x", ""}) {
    EXPECT_FALSE(path_of_uri(uri)) << uri;
  }
}

class Sources : public Machine {
 protected:
  void open(const cli::Options& options = {}) {
    auto made = make_world(options, around_, Purpose::serve, [](std::string_view) {});
    ASSERT_TRUE(made) << describe(made.error());
    world_ = std::move(*made);
    resources_ = std::make_unique<Resources>(*world_);
    prompts_ = std::make_unique<Prompts>(*world_, around_.config_directory,
                                         [this](std::string_view text) { told_ += text; });
  }
  std::unique_ptr<World> world_;
  std::unique_ptr<Resources> resources_;
  std::unique_ptr<Prompts> prompts_;
  std::string told_;
};

TEST_F(Sources, ListFilesPageByPage) {
  for (size_t i = 0; i < kResourcesOnAPage + 5; ++i) put("work/f" + std::to_string(1000 + i), "x");
  open();
  const mcp::ResourcePage first = *resources_->list(std::nullopt, {});
  ASSERT_EQ(first.resources.size(), kResourcesOnAPage);
  EXPECT_EQ(first.resources[0].uri, file_uri(at("work/f1000")));
  ASSERT_TRUE(first.next);
  const mcp::ResourcePage second = *resources_->list(*first.next, {});
  EXPECT_EQ(second.resources.size(), 5u);
  EXPECT_FALSE(second.next);
  EXPECT_FALSE(resources_->list("nonsense", {}));
}

TEST_F(Sources, ReadAWholeFileAcrossPages) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  put("work/long.txt", text);
  open();
  const auto contents = *resources_->read(file_uri(at("work/long.txt")), {});
  ASSERT_EQ(contents.size(), 1u);
  EXPECT_EQ(contents[0].text, text);
}

TEST_F(Sources, RefuseWhatIsOutsideMissingOrTooLarge) {
  put("outside.txt", "secret");
  put("work/huge.txt", std::string(kMaxResourceBytes + 600'000, '\n'));
  open();
  EXPECT_EQ(resources_->read(file_uri(at("outside.txt")), {}).error().code, Code::denied);
  EXPECT_EQ(resources_->read(file_uri(at("work/none")), {}).error().code, Code::not_found);
  EXPECT_EQ(resources_->read("http://example.com/", {}).error().code, Code::not_found);
  EXPECT_EQ(resources_->read(file_uri(at("work/huge.txt")), {}).error().code, Code::too_large);
}

TEST_F(Sources, RefuseWhatCannotBeGivenWholeAndAsItIs) {
  put("work/long_line.txt", "a\n" + std::string(600 * 1024, 'x') + "\nb\n");
  put("work/last_line.txt", "a\n" + std::string(600 * 1024, 'x'));
  put("work/latin.txt", "caf\xe9\n");
  // What is cut here is as long as what is spelt out.
  put("work/both.txt", std::string(10, '\xe9') + "\n" + std::string(512 * 1024 + 30, 'x'));
  open();
  for (const char* name : {"long_line.txt", "last_line.txt", "latin.txt", "both.txt"}) {
    const auto contents = resources_->read(file_uri(at("work/") + name), {});
    ASSERT_FALSE(contents) << name;
    EXPECT_EQ(contents.error().code, Code::unsupported)
        << name << ": " << describe(contents.error());
  }
}

TEST_F(Sources, GiveLongLinesWhole) {
  const std::string text = "\xEF\xBB\xBFstart\n" + std::string(5000, 'x') + "\nno end";
  put("work/a.txt", text);
  put("work/empty.txt", "");
  open();
  EXPECT_EQ((*resources_->read(file_uri(at("work/a.txt")), {}))[0].text, text);
  EXPECT_EQ((*resources_->read(file_uri(at("work/empty.txt")), {}))[0].text, "");
}

TEST_F(Sources, ShowNothingThatAPersonMustBeAskedAbout) {
  put("work/a.txt", "x");
  put("config/config.yaml", "tools:\n  ask: [ls, read_large_result]\n");
  open();
  ASSERT_TRUE(
      world_->results->keep(world_->home->who.session, "ls", Effect::read, "the whole of it"));
  EXPECT_TRUE(resources_->list(std::nullopt, {})->resources.empty());
  EXPECT_EQ(resources_->read("helve://results/lr_1", {}).error().code, Code::denied);
  const mcp::Arguments none;
  for (const mcp::ResourceTemplate& each : resources_->templates()) {
    EXPECT_TRUE(resources_->complete(each.uri_template, {"path", "", none})->values.empty());
  }
  EXPECT_FALSE(resources_->complete("helve://results/{id}", {"id", "", none}));
}

TEST_F(Sources, LetHooksDecideAboutStoredResults) {
  put("config/hooks/before_tool.guard.sh", "#!/bin/sh\nexit 2\n", 0700);
  open();
  ASSERT_TRUE(
      world_->results->keep(world_->home->who.session, "ls", Effect::read, "the whole of it"));
  EXPECT_EQ(resources_->read("helve://results/lr_1", {}).error().code, Code::denied);
}

TEST_F(Sources, GiveAStoredResultOfManyPages) {
  open();
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "zeile ü " + std::to_string(i) + "\n";
  ASSERT_TRUE(world_->results->keep(world_->home->who.session, "ls", Effect::read, text));
  EXPECT_EQ((*resources_->read("helve://results/lr_1", {}))[0].text, text);
  EXPECT_EQ(resources_->read("helve://results/other", {}).error().code, Code::not_found);
}

TEST_F(Sources, HideFilesWhenReadIsDenied) {
  put("work/a.txt", "x");
  put("config/config.yaml", "tools:\n  deny: [read]\n");
  open();
  EXPECT_TRUE(resources_->list(std::nullopt, {})->resources.empty());
  EXPECT_EQ(resources_->read(file_uri(at("work/a.txt")), {}).error().code, Code::denied);
}

TEST_F(Sources, OfferStoredResultsOfThisSessionOnly) {
  open();
  ASSERT_TRUE(
      world_->results->keep(world_->home->who.session, "ls", Effect::read, "the whole of it"));
  ASSERT_TRUE(world_->results->keep("s_other", "ls", Effect::read, "not yours"));
  const mcp::ResourcePage page = *resources_->list(std::nullopt, {});
  ASSERT_EQ(page.resources.size(), 1u);
  EXPECT_EQ(page.resources[0].uri, "helve://results/lr_1");
  EXPECT_EQ((*resources_->read("helve://results/lr_1", {}))[0].text, "the whole of it");
  EXPECT_EQ(resources_->read("helve://results/lr_2", {}).error().code, Code::not_found);
}

TEST_F(Sources, CompletePathsAndIds) {
  put("work/src/main.cc", "");
  open();
  ASSERT_TRUE(world_->results->keep(world_->home->who.session, "ls", Effect::read, "text"));
  const mcp::Arguments none;
  std::vector<std::string> uris;
  for (const mcp::ResourceTemplate& each : resources_->templates())
    uris.push_back(each.uri_template);
  ASSERT_EQ(uris.size(), 2u);
  EXPECT_EQ(resources_->complete(uris[0], {"path", "sr", none})->values,
            std::vector<std::string>{"src/"});
  EXPECT_EQ(resources_->complete(uris[1], {"id", "lr", none})->values,
            std::vector<std::string>{"lr_1"});
  EXPECT_FALSE(resources_->complete("other://{x}", {"x", "", none}));
}

TEST_F(Sources, IntroduceTheTools) {
  open();
  const auto prompt = prompts_->get("tools", {{"group", "results"}}, {});
  ASSERT_TRUE(prompt);
  const std::string text = std::get<TextContent>(prompt->messages[0].content).text;
  EXPECT_NE(text.find("- read_large_result:"), std::string::npos);
  EXPECT_EQ(text.find("- write:"), std::string::npos);
  EXPECT_EQ(prompts_->get("tools", {{"group", "none"}}, {}).error().code, Code::invalid_argument);
  EXPECT_EQ(prompts_->get("none", {}, {}).error().code, Code::not_found);
  const mcp::Arguments given;
  EXPECT_EQ(prompts_->complete("tools", {"group", "r", given})->values,
            std::vector<std::string>{"results"});
}

TEST_F(Sources, OfferTheUsersPromptsAndReportBadOnes) {
  put("config/prompts/review.md",
      "---\ntitle: Review\narguments:\n  - name: path\n    required: true\n---\nLook at {{path}}, "
      "{{ path }}.\n");
  put("config/prompts/bad.md", "---\ntitel: x\n---\nText\n");
  put("config/prompts/tools.md", "Text\n");
  open();
  ASSERT_EQ(prompts_->list().size(), 2u);
  EXPECT_EQ(prompts_->list()[1].name, "review");
  EXPECT_NE(told_.find("bad.md"), std::string::npos) << told_;
  EXPECT_NE(told_.find("the name is taken"), std::string::npos) << told_;
  const auto prompt = prompts_->get("review", {{"path", "a.cc"}}, {});
  ASSERT_TRUE(prompt) << describe(prompt.error());
  EXPECT_EQ(std::get<TextContent>(prompt->messages[0].content).text, "Look at a.cc, a.cc.\n");
  EXPECT_EQ(prompts_->get("review", {}, {}).error().code, Code::invalid_argument);
  EXPECT_EQ(prompts_->get("review", {{"path", "a"}, {"more", "b"}}, {}).error().code,
            Code::invalid_argument);
}

}  // namespace
}  // namespace helve::app

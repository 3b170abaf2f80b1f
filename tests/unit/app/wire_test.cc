#include "app/wire.h"

#include "app/dialect_face.h"
#include "base/text.h"
#include "cli/names.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

using testing::Test;

class Wire : public Machine {
 protected:
  std::unique_ptr<World> world(const cli::Options& options = {}, Purpose purpose = Purpose::call) {
    Result<std::unique_ptr<World>> made =
        make_world(options, around_, purpose, [](std::string_view) {});
    EXPECT_TRUE(made) << describe(made.error());
    return made ? std::move(*made) : nullptr;
  }
  Error refused(const cli::Options& options, Purpose purpose = Purpose::call) {
    Result<std::unique_ptr<World>> made =
        make_world(options, around_, purpose, [](std::string_view) {});
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
  }
};

TEST_F(Wire, TakesTheCurrentDirectoryAsTheWorkspace) {
  const auto made = world();
  EXPECT_EQ(made->home->files->roots().front().path, at("work"));
  EXPECT_EQ(made->home->who.workspace, at("work"));
  EXPECT_EQ(made->home->who.agent, "main");
  EXPECT_EQ(made->home->who.user, "tester");
  EXPECT_TRUE(made->home->who.session.starts_with("s_"));
}

TEST_F(Wire, TakesTheNamedRootAndOtherDirectories) {
  put("other/a", "");
  const auto made = world({.root = at("home"), .add_dir = {at("other")}, .session = "s_mine"});
  ASSERT_EQ(made->home->files->roots().size(), 2u);
  EXPECT_EQ(made->home->files->roots()[0].path, at("home"));
  EXPECT_EQ(made->home->files->roots()[1].path, at("other"));
  EXPECT_EQ(made->home->who.session, "s_mine");
}

TEST_F(Wire, TakesOtherDirectoriesRelativeToTheCurrentOne) {
  put("work/sub/a", "");
  const auto made = world({.root = at("home"), .add_dir = {"sub"}});
  EXPECT_EQ(made->home->files->roots()[1].path, at("work/sub"));
}

TEST_F(Wire, RefusesTheWholeFileSystemUnlessItIsNamed) {
  around_.current_directory = "/";
  EXPECT_EQ(refused({}).type, "root_too_wide");
  EXPECT_TRUE(world({.root = "/"}));
}

TEST_F(Wire, LooksAndServesWithoutAWorkspace) {
  around_.current_directory = "/";
  for (Purpose purpose : {Purpose::inspect, Purpose::serve}) {
    const auto made = world({}, purpose);
    EXPECT_EQ(made->home->files, nullptr);
    EXPECT_TRUE(made->home->no_files);
  }
}

TEST_F(Wire, MakesNothingBeforeItIsNeeded) {
  world();
  EXPECT_FALSE(exists("state"));
}

TEST_F(Wire, HasNoPolicyWhenNothingRestricts) {
  EXPECT_EQ(world()->home->policy, nullptr);
  EXPECT_NE(world({.read_only = true})->home->policy, nullptr);
}

TEST_F(Wire, TheBareProfileHasNoStages) {
  put("config/hooks/before_tool.a.sh", "exit 2\n", 0700);
  const auto made = world({.profile = cli::Profile::bare});
  EXPECT_EQ(made->home->policy, nullptr);
  EXPECT_EQ(made->home->hooks, nullptr);
  EXPECT_EQ(made->recorder, nullptr);
  EXPECT_EQ(made->results, nullptr);
}

TEST_F(Wire, RefusesRulesWhereThereIsNoPolicyToKeepThem) {
  EXPECT_EQ(refused({.profile = cli::Profile::bare, .read_only = true}).code,
            Code::invalid_argument);
  put("config/config.yaml", "tools:\n  deny: [write]\n");
  EXPECT_NE(refused({.profile = cli::Profile::bare}).message.find("the bare profile has no policy"),
            std::string::npos);
}

TEST_F(Wire, LoadsTheSelectedToolsAndKeepsRulesAboutOthers) {
  put("config/config.yaml", "tools:\n  deny: [write]\n");
  const auto made = world({.tools = "read, ls"});
  EXPECT_TRUE(made->registry->find("ls").tool);
  EXPECT_FALSE(made->registry->find("write").tool);
}

TEST_F(Wire, LoadsWhatReadsLongAnswersWithAnyChoiceOfTools) {
  for (const char* choice : {"fs", "read", "read,read_large_result", "all"})
    EXPECT_TRUE(world({.tools = choice})->registry->find("read_large_result").tool) << choice;
  EXPECT_EQ(world({.tools = "none"})->registry->tools().size(), 0u);
  const auto bare = world({.profile = cli::Profile::bare, .tools = "fs"});
  EXPECT_FALSE(bare->registry->find("read_large_result").tool) << "nothing is kept there";
}

TEST_F(Wire, RefusesARuleAboutAToolThatDoesNotExist) {
  put("config/config.yaml", "tools:\n  deny: [wirte]\n");
  const Error error = refused({});
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.type, "invalid_config");
  EXPECT_EQ(error.message, at("config/config.yaml") +
                               ":2: tools.deny[0]: no tool 'wirte' (did you mean 'write'?)");
}

TEST_F(Wire, NamesThePlaceThatLoadsAToolThatDoesNotExist) {
  around_.environment["HELVE_TOOLS_LOAD"] = "raed";
  EXPECT_EQ(refused({}).message, "HELVE_TOOLS_LOAD: no tool 'raed' (did you mean 'read'?)");
  EXPECT_EQ(refused({.tools = "raed"}).type, "unknown_tool") << "a flag needs no place";
}

TEST_F(Wire, NamesTheNearestDialect) {
  EXPECT_EQ(refused({.dialect = "claud"}).hint, "did you mean 'claude'?");
}

TEST_F(Wire, RefusesANamedConfigThatIsMissing) {
  EXPECT_EQ(refused({.config = at("none.yaml")}).code, Code::invalid_argument);
}

TEST_F(Wire, AppliesTheRulesOfTheAgent) {
  put("config/config.yaml", "agents:\n  - id: reader\n    tools:\n      allow: [read]\n");
  const auto made = world({.agent = "reader"});
  const Registry& registry = *made->registry;
  EXPECT_FALSE(made->home->policy->allows(registry.index_of(*registry.find("write").tool)));
  EXPECT_TRUE(made->home->policy->allows(registry.index_of(*registry.find("read").tool)));
  EXPECT_EQ(world()->home->policy, nullptr);
}

// A world that an MCP client moves.
class Moving : public Wire {
 protected:
  Moving() : world_(world({}, Purpose::serve)) {}
  Result<void> move(const std::vector<std::string>& roots) {
    return move_world(*world_, roots, {}, around_,
                      [this](std::string_view text) { told_ += text; });
  }
  dispatch::Outcome call(std::string_view tool, const Json& arguments) {
    const std::shared_ptr<const Place> place = world_->place();
    return place->dispatcher->call(
        {.tool = tool, .arguments = &arguments, .who = place->who, .policy = place->policy.get()});
  }
  bool allows(std::string_view tool) {
    const Registry& registry = *world_->registry;
    const auto policy = world_->place()->policy;
    return !policy || policy->allows(registry.index_of(*registry.find(tool).tool));
  }
  std::unique_ptr<World> world_;
  std::string told_;
};

TEST_F(Moving, TakesTheFilesAndTheRulesOfTheNewRoot) {
  put("client/.helve/config.yaml", "tools:\n  deny: [write]\n");
  EXPECT_TRUE(allows("write"));
  EXPECT_EQ(world_->served_place(), nullptr) << "who never moves pays nothing";
  ASSERT_TRUE(move({at("client")}));
  EXPECT_EQ(world_->place()->files->roots().front().path, at("client"));
  EXPECT_EQ(world_->place()->who.workspace, at("client"));
  EXPECT_EQ(world_->place()->who.session, world_->home->who.session);
  EXPECT_FALSE(allows("write"));
  EXPECT_EQ(world_->served_place()->who, &world_->place()->who);
}

TEST_F(Moving, TakesTheAgentTheRecordAndTheLimitsOfTheNewRoot) {
  put("client/.helve/config.yaml",
      "default_agent: reader\nagents:\n  - id: reader\n    tools:\n      deny: [write]\nrecord: "
      "false\nhooks:\n  enabled: false\nlimits:\n  timeout_seconds: 7\n");
  Surroundings trusting = around_;
  trusting.current_directory = at("client");
  App app(trusting, screen_);
  ASSERT_EQ(cli::run(app.program(), std::vector<std::string>{"trust"}, screen_), 0) << err_;
  ASSERT_TRUE(move({at("client")})) << told_;
  const std::shared_ptr<const Place> place = world_->place();
  EXPECT_EQ(place->who.agent, "reader");
  EXPECT_FALSE(allows("write"));
  EXPECT_NE(world_->home->stages.recorder, nullptr);
  EXPECT_EQ(place->stages.recorder, nullptr);
  EXPECT_EQ(place->stages.hooks, nullptr);
  EXPECT_EQ(place->stages.timeout, std::chrono::seconds(7));
}

TEST_F(Moving, KeepsTheOldPlaceOnlyWhileACallHoldsIt) {
  put("one/a", ""), put("two/a", "");
  ASSERT_TRUE(move({at("one")}));
  std::weak_ptr<const Place> old = world_->place();
  std::shared_ptr<const mcp::Place> held = world_->served_place();
  ASSERT_TRUE(move({at("two")}));
  EXPECT_FALSE(old.expired());
  EXPECT_EQ(held->who->workspace, at("one"));
  held.reset();
  EXPECT_TRUE(old.expired());
}

TEST_F(Moving, LeavesOutWhatCannotBeARootAndSaysSo) {
  put("client/a", ""), put("other/a", "");
  ASSERT_TRUE(move({at("nowhere"), at("client"), "/", at("other")}));
  const auto place = world_->place();
  ASSERT_EQ(place->files->roots().size(), 2u);
  EXPECT_EQ(place->files->roots()[0].path, at("client"));
  EXPECT_EQ(place->files->roots()[1].path, at("other"));
  EXPECT_NE(told_.find("nowhere"), std::string::npos) << told_;
}

TEST_F(Moving, HasNoWorkspaceWhenNoRootIsLeft) {
  put("work/a.txt", "of the launch directory");
  for (const std::vector<std::string>& roots :
       {std::vector<std::string>{at("nowhere")}, {"/"}, {}}) {
    EXPECT_FALSE(move(roots));
    EXPECT_EQ(world_->place()->files, nullptr);
    const dispatch::Outcome outcome = call("read", JsonObject{{"path", "a.txt"}});
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->type, "no_files");
    EXPECT_NE(outcome.error->message.find("there is no workspace"), std::string::npos)
        << outcome.error->message;
  }
}

TEST_F(Moving, HasNoWorkspaceWhenTheConfigurationOfTheRootIsWrong) {
  put("client/.helve/config.yaml", "tolls: 3\n");
  EXPECT_FALSE(move({at("client")}));
  EXPECT_EQ(world_->place()->files, nullptr);
  ASSERT_TRUE(world_->place()->no_files);
  EXPECT_NE(world_->place()->no_files->message.find("tolls"), std::string::npos)
      << world_->place()->no_files->message;
}

TEST_F(Moving, KeepsTheConfigurationOfTheSameRootWhenItBecomesWrong) {
  put("client/.helve/config.yaml", "tools:\n  deny: [write]\n");
  put("other/a", "");
  ASSERT_TRUE(move({at("client")}));
  for (const char* wrong : {"tolls: 3\n", "tools:\n  deny: [wirte]\n"}) {
    put("client/.helve/config.yaml", wrong);
    leave_workspace(*world_, "the client has not told its roots yet");
    told_.clear();
    ASSERT_TRUE(move({at("client"), at("other")}));
    EXPECT_FALSE(allows("write"));
    EXPECT_EQ(world_->place()->files->roots().size(), 2u) << "the roots are the new ones";
    EXPECT_NE(told_.find("stays as it was"), std::string::npos) << told_;
  }
  EXPECT_FALSE(move({at("nowhere")}));
}

TEST_F(Moving, TakesTheLengthOfAnswersOfTheNewRoot) {
  put("client/.helve/config.yaml", "limits:\n  inline_chars: 1000\n");
  for (int i = 0; i < 100; ++i) put("client/a_rather_long_name_" + std::to_string(i), "");
  ASSERT_TRUE(move({at("client")}));
  EXPECT_TRUE(call("ls", JsonObject{}).stored);
}

TEST_F(Moving, TellsWhatCountsOnlyFromTheStart) {
  put("client/.helve/config.yaml",
      "tools:\n  load: [read]\ndialect: claude\nlimits:\n  max_frame_bytes: 65536\n");
  Surroundings trusting = around_;
  trusting.current_directory = at("client");
  App app(trusting, screen_);
  ASSERT_EQ(cli::run(app.program(), std::vector<std::string>{"trust"}, screen_), 0) << err_;
  ASSERT_TRUE(move({at("client")})) << told_;
  for (const char* key : {"tools.load", "dialect", "limits.max_frame_bytes"})
    EXPECT_NE(told_.find(std::string(key) + " of the client's workspace is not used"),
              std::string::npos)
        << told_;
  told_.clear();
  ASSERT_TRUE(move({at("work")}));
  EXPECT_EQ(told_, "");
}

TEST_F(Moving, SaysWhyThereIsNoWorkspaceAndComesBack) {
  leave_workspace(*world_, "the client is silent");
  const dispatch::Outcome outcome = call("ls", JsonObject{});
  ASSERT_TRUE(outcome.error);
  EXPECT_NE(outcome.error->message.find("the client is silent"), std::string::npos)
      << outcome.error->message;
  ASSERT_TRUE(move({at("work")}));
  EXPECT_TRUE(call("ls", JsonObject{}).ok());
}

TEST_F(Moving, NeverOpensAWideRootOfAClient) {
  put("config/config.yaml", "roots:\n  - path: " + at("home") + "\n");
  std::filesystem::create_directory_symlink("/", base_ / "innocent");
  put("client/a", "");
  ASSERT_TRUE(move({at("client"), at("innocent")}));
  ASSERT_EQ(world_->place()->files->roots().size(), 2u);
  EXPECT_EQ(world_->place()->files->roots()[1].path, at("home"));
}

TEST_F(Wire, ToolsCannotWriteWhatDecidesWhatTheyMayDo) {
  const auto made = world({.root = base_});
  const Json arguments =
      JsonObject{{"path", at("config/config.yaml")}, {"content", "record: false\n"}};
  const Place& place = *made->home;
  EXPECT_FALSE(
      place.dispatcher->call({.tool = "write", .arguments = &arguments, .who = place.who}).ok());
  EXPECT_FALSE(exists("config/config.yaml"));
}

TEST(Selection, OffersAtMostTwentyToolsToMcpClients) {
  const std::vector<Tool> tools = builtin_tools();
  Result<Registry> served =
      Registry::load(builtin_tools(), selection_of({}, false, Purpose::serve, tools));
  ASSERT_TRUE(served);
  EXPECT_LE(served->tools().size(), kMaxServedTools);
  for (const char* name : {"read", "edit", "grep", "exec", "process", "bash", "memory_search",
                           "read_large_result", "undo"})
    EXPECT_TRUE(served->find(name).tool) << name;
  EXPECT_FALSE(served->find("editor").tool);
}

TEST(Selection, OffersTheEditorThatTheDialectHas) {
  const std::vector<Tool> tools = builtin_tools();
  for (const auto& [dialect, wanted, unwanted] :
       {std::tuple("hyper", "editor", "edit"), {"claude", "edit", "editor"}}) {
    const Result<Registry> served = Registry::load(
        builtin_tools(), selection_of({}, false, Purpose::serve, tools, find_dialect(dialect)));
    ASSERT_TRUE(served);
    EXPECT_TRUE(served->find(wanted).tool) << dialect;
    EXPECT_FALSE(served->find(unwanted).tool) << dialect;
  }
}

TEST(Selection, LeavesOutAToolWhoseNameIsTheDialectsWordForAnother) {
  const std::vector<Tool> tools = builtin_tools();
  for (const Dialect& dialect : dialects()) {
    const Result<Registry> served =
        Registry::load(builtin_tools(), selection_of({}, false, Purpose::serve, tools, &dialect));
    ASSERT_TRUE(served);
    const DialectFace face(*served, &dialect);
    for (const Tool& one : served->tools()) {
      for (const Tool& other : served->tools())
        EXPECT_EQ(equals_ignoring_case(face.name(one), face.name(other)), &one == &other)
            << dialect.name << ": " << face.name(one);
    }
  }
  EXPECT_TRUE(is_left_out(find_dialect("claude"), "bash")) << "its Bash is exec";
  EXPECT_FALSE(is_left_out(find_dialect("hyper"), "bash"));
  EXPECT_FALSE(is_left_out(nullptr, "bash"));
}

TEST(Selection, OffersFirstWhatTheDialectHasWordsFor) {
  const std::vector<Tool> tools = builtin_tools();
  const Result<Registry> served = Registry::load(
      builtin_tools(), selection_of({}, false, Purpose::serve, tools, find_dialect("botholomew")));
  ASSERT_TRUE(served);
  EXPECT_EQ(served->tools().size(), kMaxServedTools);
  for (const char* name : {"membot_add", "membot_search", "membot_read", "membot_pipe",
                           "membot_query", "search_grep", "read_large_result"})
    EXPECT_TRUE(served->find(name).tool) << name;
}

TEST(Selection, OffersNoDialectWhatIsOnlyForThoseWhoAsk) {
  const std::vector<Tool> tools = builtin_tools();
  const Result<Registry> served = Registry::load(
      builtin_tools(), selection_of({}, false, Purpose::serve, tools, find_dialect("claude")));
  ASSERT_TRUE(served);
  EXPECT_TRUE(served->find("Read").tool);
  EXPECT_FALSE(served->find("Agent").tool);
}

TEST(Selection, SaysHowAToolIsServedThatIsNot) {
  const std::vector<Tool> tools = builtin_tools();
  const Result<Registry> served =
      Registry::load(builtin_tools(), selection_of({}, false, Purpose::serve, tools));
  ASSERT_TRUE(served);
  for (const char* name : {"kb_search", "membot_search"})
    EXPECT_EQ(served->resolve(name).error().hint,
              "it was not chosen: helve has it with --tools kb, or --tools all");
}

TEST(Selection, OffersAllToolsWhenAsked) {
  std::vector<Tool> many(30, builtin_tools().front());
  EXPECT_TRUE(std::holds_alternative<LoadAll>(selection_of({}, true, Purpose::serve, many)));
  EXPECT_TRUE(std::holds_alternative<LoadAll>(selection_of({}, false, Purpose::call, many)));
  const Selection some = selection_of({}, false, Purpose::serve, many);
  ASSERT_TRUE(std::holds_alternative<LoadNames>(some));
  EXPECT_LE(std::get<LoadNames>(some).names.size(), kMaxServedTools);
}

TEST(BuiltinTools, CanAllBeReachedOnTheCommandLine) {
  const Result<Registry> registry = Registry::load(builtin_tools());
  ASSERT_TRUE(registry) << describe(registry.error());
  const Result<void> checked = cli::check_names(*registry);
  EXPECT_TRUE(checked) << describe(checked.error());
}

TEST(ConfigFlags, SayWhatTheCommandLineSays) {
  EXPECT_EQ(to_text(config_flags({}, "/")), "{}");
  const cli::Options options{
      .verbose = true, .tools = "fs,read", .read_only = true, .record = false, .timeout = 1.5};
  EXPECT_EQ(
      to_text(config_flags(options, "/")),
      R"({"tools":{"load":["fs","read"],"effects":{"write":"deny","execute":"deny","network":"deny"}},)"
      R"("limits":{"timeout_seconds":1.5},"verbose":true,"record":false})");
}

}  // namespace
}  // namespace helve::app

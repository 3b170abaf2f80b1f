#include "app/wire.h"

#include "cli/names.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

using testing::Test;

class Wire : public Machine {
 protected:
  std::unique_ptr<World> world(const cli::Options& options = {}, Purpose purpose = Purpose::call) {
    Result<std::unique_ptr<World>> made = make_world(options, around_, purpose, [](std::string_view) {});
    EXPECT_TRUE(made) << describe(made.error());
    return made ? std::move(*made) : nullptr;
  }
  Error refused(const cli::Options& options, Purpose purpose = Purpose::call) {
    Result<std::unique_ptr<World>> made = make_world(options, around_, purpose, [](std::string_view) {});
    EXPECT_FALSE(made);
    return made ? Error{} : made.error();
  }
};

TEST_F(Wire, TakesTheCurrentDirectoryAsTheWorkspace) {
  const auto made = world();
  EXPECT_EQ(made->files.load()->roots().front().path, at("work"));
  EXPECT_EQ(made->who.workspace, at("work"));
  EXPECT_EQ(made->who.agent, "main");
  EXPECT_EQ(made->who.user, "tester");
  EXPECT_TRUE(made->who.session.starts_with("s_"));
}

TEST_F(Wire, TakesTheNamedRootAndOtherDirectories) {
  put("other/a", "");
  const auto made = world({.root = at("home"), .add_dir = {at("other")}, .session = "s_mine"});
  ASSERT_EQ(made->files.load()->roots().size(), 2u);
  EXPECT_EQ(made->files.load()->roots()[0].path, at("home"));
  EXPECT_EQ(made->files.load()->roots()[1].path, at("other"));
  EXPECT_EQ(made->who.session, "s_mine");
}

TEST_F(Wire, TakesOtherDirectoriesRelativeToTheCurrentOne) {
  put("work/sub/a", "");
  const auto made = world({.root = at("home"), .add_dir = {"sub"}});
  EXPECT_EQ(made->files.load()->roots()[1].path, at("work/sub"));
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
    EXPECT_EQ(made->files.load(), nullptr);
    EXPECT_TRUE(made->no_files);
  }
}

TEST_F(Wire, MakesNothingBeforeItIsNeeded) {
  world();
  EXPECT_FALSE(exists("state"));
}

TEST_F(Wire, HasNoPolicyWhenNothingRestricts) {
  EXPECT_EQ(world()->policy.load(), nullptr);
  EXPECT_NE(world({.read_only = true})->policy.load(), nullptr);
}

TEST_F(Wire, TheBareProfileHasNoStages) {
  put("config/config.yaml", "tools:\n  deny: [write]\n");
  put("config/hooks/before_tool.a.sh", "exit 2\n", 0700);
  const auto made = world({.profile = cli::Profile::bare});
  EXPECT_EQ(made->policy.load(), nullptr);
  EXPECT_EQ(made->hooks, nullptr);
  EXPECT_EQ(made->recorder, nullptr);
  EXPECT_EQ(made->results, nullptr);
}

TEST_F(Wire, RefusesReadOnlyWhereThereIsNoPolicyToKeepIt) {
  EXPECT_EQ(refused({.profile = cli::Profile::bare, .read_only = true}).code, Code::invalid_argument);
}

TEST_F(Wire, LoadsTheSelectedToolsAndKeepsRulesAboutOthers) {
  put("config/config.yaml", "tools:\n  deny: [write]\n");
  const auto made = world({.tools = "read, ls"});
  EXPECT_EQ(made->registry->tools().size(), 2u);
  EXPECT_EQ(world({.tools = "none"})->registry->tools().size(), 0u);
  EXPECT_EQ(refused({.tools = "raed"}).type, "unknown_tool");
}

TEST_F(Wire, RefusesARuleAboutAToolThatDoesNotExist) {
  put("config/config.yaml", "tools:\n  deny: [wirte]\n");
  const Error error = refused({});
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_NE(error.message.find("wirte"), std::string::npos);
}

TEST_F(Wire, NamesTheNearestDialect) { EXPECT_EQ(refused({.dialect = "claud"}).hint, "did you mean 'claude'?"); }

TEST_F(Wire, RefusesANamedConfigThatIsMissing) {
  EXPECT_EQ(refused({.config = at("none.yaml")}).code, Code::invalid_argument);
}

TEST_F(Wire, AppliesTheRulesOfTheAgent) {
  put("config/config.yaml", "agents:\n  - id: reader\n    tools:\n      allow: [read]\n");
  const auto made = world({.agent = "reader"});
  const Registry& registry = *made->registry;
  EXPECT_FALSE(made->policy.load()->allows(registry.index_of(*registry.find("write").tool)));
  EXPECT_TRUE(made->policy.load()->allows(registry.index_of(*registry.find("read").tool)));
  EXPECT_EQ(world()->policy.load(), nullptr);
}

TEST_F(Wire, MovesToTheRootsOfAClientWithTheirRules) {
  put("client/.helve/config.yaml", "tools:\n  deny: [write]\n");
  const auto made = world({}, Purpose::serve);
  EXPECT_EQ(made->policy.load(), nullptr);
  ASSERT_TRUE(move_world(*made, {at("client")}, {}, around_));
  EXPECT_EQ(made->files.load()->roots().front().path, at("client"));
  ASSERT_NE(made->policy.load(), nullptr);
  EXPECT_FALSE(made->policy.load()->allows(made->registry->index_of(*made->registry->find("write").tool)));
}

TEST_F(Wire, StaysWhereItIsWhenAClientsRootIsNoWorkspace) {
  const auto made = world({}, Purpose::serve);
  EXPECT_FALSE(move_world(*made, {at("nowhere")}, {}, around_));
  EXPECT_FALSE(move_world(*made, {"/"}, {}, around_));
  EXPECT_FALSE(move_world(*made, {}, {}, around_));
  EXPECT_EQ(made->files.load()->roots().front().path, at("work"));
}

TEST(Selection, OffersAtMostTwentyToolsToMcpClients) {
  const std::vector<Tool> tools = builtin_tools();
  Result<Registry> served = Registry::load(builtin_tools(), selection_of({}, false, Purpose::serve, tools));
  ASSERT_TRUE(served);
  EXPECT_LE(served->tools().size(), kMaxServedTools);
  EXPECT_GT(served->tools().size(), 0u);
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
  const cli::Options options{.verbose = true, .tools = "fs,read", .read_only = true, .record = false, .timeout = 1.5};
  EXPECT_EQ(to_text(config_flags(options, "/")),
            R"({"tools":{"load":["fs","read"],"effects":{"write":"deny","execute":"deny","network":"deny"}},)"
            R"("limits":{"timeout_seconds":1.5},"verbose":true,"record":false})");
}

}  // namespace
}  // namespace helve::app

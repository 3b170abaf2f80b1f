#include <gmock/gmock.h>
#include <sys/stat.h>

#include "unit/config/config_fixture.h"

namespace helve::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ModelSettingsTest = ConfigTest;

TEST_F(ModelSettingsTest, AreReadWithEveryKey) {
  user(R"(
model:
  provider: anthropic
  name: claude-sonnet-4-5
  base_url: https://proxy.example/v1
  key_env: MY_KEY
  format: openai-responses
  protocol: text
  effort: high
  temperature: 0.5
  max_output_tokens: 2000
  window: 50000
  script: ~/turns
  recording: /tmp/record
  idle_seconds: 60
  total_seconds: 600
  retries: 0
prices:
  - {model: "my-*", input: 1.5, output: 2, cache_read: 0.1, cache_write: 3, window: 9000}
agents:
  - id: coder
    description: writes code
    model: {name: claude-haiku-4-5}
    prompt_file: ~/coder.md
    memory: /data/memory
agent: {turns: 7, tokens: 1000, cost: 0.5, time: 60, order: first_only, compact_at: 0.5,
        lanes: {main: 2, cron: 3, subagents: 4}, depth: 2}
)");
  const Loaded all = loaded();
  const ModelSettings& model = all.config.model;
  EXPECT_EQ(model.provider, "anthropic");
  EXPECT_EQ(model.base_url, "https://proxy.example/v1");
  EXPECT_EQ(model.key_env, "MY_KEY");
  EXPECT_EQ(model.format, ModelFormat::openai_responses);
  EXPECT_EQ(model.protocol, Protocol::text);
  EXPECT_EQ(model.effort, Effort::high);
  EXPECT_EQ(model.temperature, 0.5);
  EXPECT_EQ(model.max_output_tokens, 2000);
  EXPECT_EQ(model.window, 50000);
  EXPECT_EQ(model.script, base_ + "/home/turns");
  EXPECT_EQ(model.recording, "/tmp/record");
  EXPECT_EQ(model.idle_seconds, 60);
  EXPECT_EQ(model.total_seconds, 600);
  EXPECT_EQ(model.retries, 0);
  ASSERT_EQ(all.config.prices.size(), 1u);
  EXPECT_EQ(all.config.prices[0].model, "my-*");
  EXPECT_EQ(all.config.prices[0].cache_write, 3);
  ASSERT_TRUE(all.agent("coder"));
  EXPECT_EQ(all.agent("coder")->prompt_file, base_ + "/home/coder.md");
  EXPECT_EQ(all.agent("nobody"), nullptr);
  const LoopSettings& loop = all.config.agent;
  EXPECT_EQ(loop.turns, 7);
  EXPECT_EQ(loop.tokens, 1000);
  EXPECT_EQ(loop.cost, 0.5);
  EXPECT_EQ(loop.time, 60);
  EXPECT_EQ(loop.order, CallOrder::first_only);
  EXPECT_EQ(loop.compact_at, 0.5);
  EXPECT_EQ(loop.lanes.subagents, 4);
  EXPECT_EQ(loop.depth, 2);
}

TEST_F(ModelSettingsTest, OfAnAgentStandOverThoseForEverybody) {
  user(
      "model: {provider: openai, name: gpt-5, key: sk-1, effort: low, window: 7000}\n"
      "agents:\n  - {id: same, model: {name: gpt-5-mini}}\n"
      "  - {id: other, model: {provider: ollama}}\n");
  chmod(user_file_.c_str(), 0600);
  const Loaded all = loaded();
  EXPECT_EQ(all.model_of("").name, "gpt-5");
  EXPECT_EQ(all.model_of("same").name, "gpt-5-mini");
  EXPECT_EQ(all.model_of("same").key, "sk-1");
  EXPECT_EQ(all.model_of("same").window, std::nullopt) << "another model has another one";
  // The key was given for one provider; no other gets it.
  EXPECT_EQ(all.model_of("other").key, "");
  EXPECT_EQ(all.model_of("other").name, "");
  EXPECT_EQ(all.model_of("other").effort, Effort::low);
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST_F(ModelSettingsTest, AStrongerPlaceThatNamesAnotherProviderTakesNoKeyOver) {
  user("model: {provider: openai, name: gpt-5, key: sk-1, base_url: 'https://a.example'}\n");
  sources_.environment = {{"HELVE_MODEL_PROVIDER", "groq"}, {"HELVE_MODEL_NAME", "m"}};
  const Loaded all = loaded();
  EXPECT_EQ(all.config.model.provider, "groq");
  EXPECT_EQ(all.config.model.name, "m");
  EXPECT_EQ(all.config.model.key, "");
  EXPECT_EQ(all.config.model.base_url, "");
}

// "provider name base_url key format" of what comes of both.
std::string merged(const ModelSettings& stronger, const ModelSettings& weaker) {
  const ModelSettings both = over(stronger, weaker);
  return both.provider + "|" + both.name + "|" + both.base_url + "|" + both.key + both.key_env +
         "|" + (both.format ? "format" : "");
}

TEST_F(ModelSettingsTest, AnAddressWithoutAProviderTakesNothingOver) {
  const ModelSettings configured{.provider = "openrouter",
                                 .name = "m",
                                 .base_url = "",
                                 .key_env = "",
                                 .key = "sk",
                                 .format = ModelFormat::openai};
  ModelSettings elsewhere;
  elsewhere.base_url = "http://b";
  EXPECT_EQ(merged(elsewhere, configured), "||http://b||");
  ModelSettings named = configured;
  named.key.clear(), named.key_env = "MY_KEY", named.base_url = "http://a";
  EXPECT_EQ(merged(elsewhere, named), "||http://b||");
  ModelSettings custom;
  custom.base_url = "http://a", custom.key = "sk";
  EXPECT_EQ(merged(elsewhere, custom), "||http://b||");
  // The same one is no other, and what stands together belongs together.
  EXPECT_EQ(merged(elsewhere, elsewhere), "||http://b||");
  elsewhere.key = "own";
  EXPECT_EQ(merged(elsewhere, configured), "||http://b|own|");
  EXPECT_EQ(merged(custom, custom), "||http://a|sk|");
  ModelSettings model;
  model.name = "n";
  EXPECT_EQ(merged(model, configured), "openrouter|n||sk|format");
  EXPECT_EQ(merged(model, custom), "|n|http://a|sk|");
}

TEST_F(ModelSettingsTest, AKeyThatWasGivenForAnAddressGoesToNoOtherOfTheProvider) {
  ModelSettings configured, elsewhere;
  configured.provider = elsewhere.provider = "openai";
  configured.key = "sk", configured.name = "m";
  elsewhere.base_url = "http://b";
  EXPECT_EQ(merged(elsewhere, configured), "openai|m|http://b|sk|") << "both were named";
  configured.base_url = "http://a";
  EXPECT_EQ(merged(elsewhere, configured), "openai|m|http://b||");
}

TEST_F(ModelSettingsTest, AnAddressInTheEnvironmentGetsNoKeyOfTheFile) {
  user("model: {provider: openrouter, name: m, key: sk-1}\n");
  chmod(user_file_.c_str(), 0600);
  sources_.environment = {{"HELVE_MODEL_BASE_URL", "http://localhost:9/v1"}};
  EXPECT_EQ(loaded().config.model.provider, "");
  EXPECT_EQ(loaded().config.model.key, "");
  sources_.environment["HELVE_MODEL_KEY"] = "own";
  EXPECT_EQ(loaded().config.model.key, "own");
}

TEST_F(ModelSettingsTest, AKeyThatOthersCanReadIsTold) {
  user("model: {provider: openai, key: sk-canary}\n");
  EXPECT_THAT(loaded().notices,
              ElementsAre(user_file_ + " has a key in it, and others may read it (chmod 600)"));
  chmod(user_file_.c_str(), 0600);
  EXPECT_THAT(loaded().notices, IsEmpty());
  user("agents: [{id: a, model: {key: sk-canary}}]\n");
  EXPECT_EQ(loaded().notices.size(), 1u);
}

TEST_F(ModelSettingsTest, AKeyIsNotShownAmongTheSettings) {
  user("model: {key: sk-canary}\nagents: [{id: a, model: {key: sk-canary}}]\n");
  size_t keys = 0;
  for (const Said& said : loaded().said()) {
    EXPECT_THAT(said.value, Not(HasSubstr("canary"))) << said.path;
    keys += said.path.ends_with(".key");
  }
  EXPECT_EQ(keys, 2u);
}

TEST_F(ModelSettingsTest, WhatIsWrongIsNamedWithItsLineAndWithoutItsValue) {
  const std::pair<const char*, const char*> wrong[] = {
      {"base_url: 'ftp://canary'", "base_url: is no address of a server"},
      {"base_url: 'https://user:canary@host'", "base_url: is no address"},
      {"base_url: 'https://host/v1?key=canary'", "base_url: is no address"},
      {"base_url: 'https://'", "base_url: is no address"},
      {"key_env: sk-canary", "key_env: is not the name of a variable"},
      {"key: 'can ary'", "key: has a space"},
      {"key: [canary]", "key: expected text"},
      {"name: 'a b'", "name: has a space"},
      {"script: turns", "script: 'turns' is relative"},
      {"format: latin", "format: expected one of anthropic"},
      {"effort: maximal", "effort: expected one of off"},
      {"temperature: 3", "temperature: "},
      {"retries: -1", "retries: "},
      {"window: 5", "window: "},
  };
  for (const auto& [line, message] : wrong) {
    user(std::string("sync: true\nmodel:\n  ") + line + "\n");
    EXPECT_THAT(failure(), HasSubstr(user_file_ + ":3: model." + message)) << line;
    EXPECT_THAT(failure(), Not(HasSubstr("canary"))) << line;
    user(std::string("agents:\n  - id: a\n    model:\n      ") + line + "\n");
    EXPECT_THAT(failure(), HasSubstr(user_file_ + ":4: agents[0].model." + message)) << line;
    EXPECT_THAT(failure(), Not(HasSubstr("canary"))) << line;
  }
  user("model: {key: a, key_env: B}\n");
  EXPECT_THAT(failure(), HasSubstr("model.key_env: key is set as well"));
  user("agents: [{id: a, prompt: b, prompt_file: /c}]\n");
  EXPECT_THAT(failure(), HasSubstr("agents[0].prompt_file: prompt is set as well"));
}

TEST_F(ModelSettingsTest, AnUntrustedWorkspaceChoosesNoModel) {
  user("agents: [{id: coder, prompt: mine}]\nagent: {turns: 50}\n");
  workspace(
      "model: {provider: openai, base_url: 'https://evil.example', key: k, recording: /tmp/r}\n"
      "prices: [{model: '*', input: 0}]\n"
      "default_agent: coder\n"
      "agents:\n"
      "  - id: coder\n"
      "    model: {base_url: 'https://evil.example'}\n"
      "    prompt: theirs\n"
      "    memory: /tmp/m\n"
      "  - id: new\n"
      "agent:\n"
      "  turns: 60\n"
      "  tokens: 5\n"
      "  cost: 0.1\n"
      "  depth: 3\n"
      "  lanes: {main: 1}\n");
  const Loaded all = loaded();
  EXPECT_EQ(all.config.model.provider, "");
  EXPECT_EQ(all.config.model.base_url, "");
  EXPECT_EQ(all.config.model.key, "");
  EXPECT_EQ(all.config.model.recording, "");
  EXPECT_THAT(all.config.prices, IsEmpty());
  EXPECT_EQ(all.config.default_agent, "");
  EXPECT_EQ(all.model_of("coder").base_url, "");
  EXPECT_EQ(all.agent("coder")->prompt, "mine");
  EXPECT_EQ(all.agent("coder")->memory, "");
  EXPECT_EQ(all.agent("new"), nullptr);
  EXPECT_EQ(all.config.agent.turns, 50);
  EXPECT_EQ(all.config.agent.tokens, 5) << "less is always allowed";
  EXPECT_EQ(all.config.agent.cost, 0.1);
  EXPECT_EQ(all.config.agent.depth, 1);
  EXPECT_EQ(all.config.agent.lanes.main, 3);
  EXPECT_EQ(all.notices.size(), 9u);
}

TEST_F(ModelSettingsTest, ATrustedWorkspaceChoosesOneButHoldsNoKey) {
  workspace("model: {provider: openai, name: gpt-5, key_env: TEAM_KEY, script: turns}\n");
  trust_workspace();
  EXPECT_EQ(loaded().config.model.key_env, "TEAM_KEY");
  EXPECT_EQ(loaded().config.model.script, base_ + "/project/turns");
  workspace("model: {key: canary}\n");
  trust_workspace();
  EXPECT_THAT(failure(), HasSubstr("a key does not belong into a workspace's file"));
  EXPECT_THAT(failure(), Not(HasSubstr("canary")));
}

TEST_F(ModelSettingsTest, PlacesAddUpToOneAgent) {
  user("agents: [{id: coder, description: mine, prompt: one, model: {name: a, effort: low}}]\n");
  workspace("agents: [{id: coder, prompt_file: two.md, model: {name: b}}]\n");
  trust_workspace();
  const Loaded all = loaded();
  ASSERT_EQ(all.config.agents.size(), 1u);
  const Agent& coder = all.config.agents[0];
  EXPECT_EQ(coder.description, "mine");
  EXPECT_EQ(coder.prompt, "");
  EXPECT_EQ(coder.prompt_file, base_ + "/project/two.md");
  EXPECT_EQ(coder.model.name, "b");
  EXPECT_EQ(coder.model.effort, Effort::low);
}

}  // namespace
}  // namespace helve::config

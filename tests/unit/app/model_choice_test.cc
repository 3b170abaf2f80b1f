#include "app/model_choice.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "unit/app/fixture.h"
#include "unit/raw_server.h"

namespace helve::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Answers by address, and writes down what it was asked.
class FakeServers final : public sys::HttpClient {
 public:
  Result<sys::HttpHead> send(const sys::HttpRequest& request, const OnBody& on_body,
                             std::stop_token) override {
    std::lock_guard lock(mutex_);
    urls_.push_back(request.url);
    requests_.push_back(request.url + "\n" + join(request.headers, "\n"));
    const auto found = pages_.find(request.url);
    if (found == pages_.end()) return Error{Code::network, "nobody is there"};
    sys::HttpHead head{.status = 200, .headers = {{"content-type", "application/json"}}};
    if (request.method == "POST") head.headers[0].second = "text/event-stream";
    on_body(head, found->second);
    return head;
  }

  std::map<std::string, std::string> pages_;
  std::vector<std::string> urls_, requests_;

 private:
  std::mutex mutex_;
};

constexpr const char* kOllamaList = "http://localhost:11434/v1/models";
constexpr std::string_view kOneReply =
    "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\n"
    "data: [DONE]\n\n";

class ModelChoice : public Machine {
 protected:
  config::Loaded settings() {
    Result<config::Loaded> loaded = config::load({.user_file = at("config/config.yaml"),
                                                  .workspace = "",
                                                  .trust_file = "",
                                                  .home = at("home"),
                                                  .flags = {},
                                                  .environment = around_.environment});
    EXPECT_TRUE(loaded) << describe(loaded.error());
    return loaded ? std::move(*loaded) : config::Loaded{};
  }
  void config(const std::string& text) { put("config/config.yaml", text, 0600); }
  Result<ChosenModel> choose(const ModelFlags& flags = {}, std::string_view agent = "") {
    return choose_model(settings(), agent, flags, around_, servers_, {});
  }
  // "name of provider", or the type of the error.
  std::string chosen(const ModelFlags& flags = {}, std::string_view agent = "") {
    const Result<ChosenModel> model = choose(flags, agent);
    return model ? model->name + " of " + model->provider : std::string(model.error().type_name());
  }
  static ModelFlags flags(std::string provider, std::string model) {
    ModelFlags flags;
    flags.provider = std::move(provider);
    flags.model = std::move(model);
    return flags;
  }
  static Result<model::Reply> ask(ChosenModel& chosen, std::vector<std::string>* deltas = nullptr) {
    const model::Message message = model::user_message("hi");
    return chosen.model->stream({.messages = {&message, 1}},
                                [&](const model::Delta& delta) {
                                  const auto* text = std::get_if<model::TextDelta>(&delta);
                                  if (text && deltas) deltas->emplace_back(text->text);
                                },
                                {});
  }

  FakeServers servers_;
};

TEST_F(ModelChoice, FlagsStandOverTheEnvironmentAndThatOverTheConfiguration) {
  config("model: {provider: openai, name: gpt-5, key: sk-1}\n");
  EXPECT_EQ(chosen(), "gpt-5 of openai");
  around_.environment["HELVE_MODEL_NAME"] = "gpt-5-mini";
  EXPECT_EQ(chosen(), "gpt-5-mini of openai");
  around_.environment["GROQ_API_KEY"] = "g";
  EXPECT_EQ(chosen(flags("groq", "qwen")), "qwen of groq");
  EXPECT_THAT(servers_.urls_, IsEmpty()) << "what is named is not asked for";
}

TEST_F(ModelChoice, AnAgentHasItsOwn) {
  config(
      "model: {provider: openai, name: gpt-5, key: sk-1}\nagents: [{id: small, model: {name: "
      "gpt-5-nano}}]\n");
  EXPECT_EQ(chosen({}, "small"), "gpt-5-nano of openai");
  EXPECT_EQ(chosen({}, "main"), "gpt-5 of openai");
}

TEST_F(ModelChoice, AKeyInTheEnvironmentChoosesItsProvider) {
  around_.environment["OPENROUTER_API_KEY"] = "o";
  EXPECT_EQ(chosen(flags("", "m")), "m of openrouter");
  around_.environment["GEMINI_API_KEY"] = "g";
  EXPECT_EQ(chosen(flags("", "m")), "m of gemini");
  around_.environment["ANTHROPIC_API_KEY"] = "a";
  EXPECT_EQ(chosen(flags("", "m")), "m of anthropic");
  const auto unnamed = choose();
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().type, kNoModel);
  EXPECT_THAT(unnamed.error().hint, HasSubstr("helve models anthropic"));
  EXPECT_THAT(servers_.urls_, IsEmpty());
}

TEST_F(ModelChoice, AServerOfThisMachineIsFoundWithItsFirstModelThatTalks) {
  servers_.pages_[kOllamaList] = R"({"data":[{"id":"nomic-embed-text"},{"id":"qwen3:8b"}]})";
  servers_.pages_["http://localhost:8000/v1/models"] = R"({"data":[{"id":"other"}]})";
  EXPECT_EQ(chosen(), "qwen3:8b of ollama");
  EXPECT_EQ(chosen(flags("", "other")), "other of vllm") << "the one that has it";
  servers_.urls_.clear();
  EXPECT_EQ(chosen(flags("ollama", "")), "qwen3:8b of ollama");
  EXPECT_THAT(servers_.urls_, ElementsAre(kOllamaList));
  const auto model = choose();
  ASSERT_TRUE(model);
  EXPECT_EQ(model->facts.price, model::Price{}) << "it costs nothing";
  EXPECT_EQ(model->facts.window, model::kAssumedWindow);
  EXPECT_FALSE(model->facts.is_window_known);
}

TEST_F(ModelChoice, NothingAtAllSaysTheThreeWays) {
  const auto model = choose();
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().type, kNoModel);
  for (const char* way : {"ANTHROPIC_API_KEY", "ollama serve", "base_url", "config.yaml"})
    EXPECT_THAT(model.error().hint, HasSubstr(way));
  EXPECT_EQ(servers_.urls_.size(), 4u);
}

TEST_F(ModelChoice, AStopWhileLookingIsNoLackOfModels) {
  std::stop_source source;
  source.request_stop();
  const auto model = choose_model(settings(), "", {}, around_, servers_, source.get_token());
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Code::cancelled);
}

TEST_F(ModelChoice, WhatIsWrongIsSaidBeforeAnybodyIsAsked) {
  const auto fails = [&](const ModelFlags& flags, std::string_view type, const char* part) {
    const auto model = choose(flags);
    ASSERT_FALSE(model) << type;
    EXPECT_EQ(model.error().type, type) << describe(model.error());
    EXPECT_THAT(describe(model.error()), HasSubstr(part));
  };
  fails(flags("antropic", "x"), "unknown_provider", "did you mean 'anthropic'?");
  fails(flags("anthropic", "x"), "no_key", "export ANTHROPIC_API_KEY=");
  fails(flags("scripted", ""), "no_script", "--script FILE");
  fails(flags("custom", "x"), "no_base_url", "--base-url");
  ModelFlags url = flags("", "x");
  url.base_url = "ftp://host";
  fails(url, "bad_url", "begins with http");
  url.base_url = "http://host/v1?key=canary";
  fails(url, "bad_url", "query");
  config("model: {provider: opnai, name: x}\n");
  fails({}, "unknown_provider", "config.yaml:1: no provider 'opnai'");
  config("model: {provider: openai, name: x, key_env: MY_KEY}\n");
  fails({}, "no_key", "MY_KEY is not set");
  around_.environment["MY_KEY"] = "two words";
  fails({}, "no_key", "MY_KEY");
  EXPECT_THAT(servers_.urls_, IsEmpty());
}

TEST_F(ModelChoice, ABaseUrlAloneGetsNobodysKey) {
  around_.environment["OPENAI_API_KEY"] = "sk-canary";
  servers_.pages_["http://localhost:9/v1/chat/completions"] = kOneReply;
  ModelFlags url = flags("", "m");
  url.base_url = "http://localhost:9/v1/";
  Result<ChosenModel> model = choose(url);
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_EQ(model->provider, kCustom);
  ASSERT_TRUE(ask(*model));
  EXPECT_THAT(servers_.requests_.at(0), Not(HasSubstr("canary")));
  url.provider = "openai";
  Result<ChosenModel> named = choose(url);
  ASSERT_TRUE(named && ask(*named));
  EXPECT_THAT(servers_.requests_.at(1), HasSubstr("Bearer sk-canary"));
  EXPECT_THAT(named->description, Not(HasSubstr("canary")));
  EXPECT_EQ(named->description, "m of openai (http://localhost:9/v1, key from OPENAI_API_KEY)");
}

TEST_F(ModelChoice, ASwitchedProviderGetsNotTheOthersKey) {
  config("model: {provider: openai, name: gpt-5, key: sk-canary}\n");
  around_.environment["GROQ_API_KEY"] = "groq-key";
  servers_.pages_["https://api.groq.com/openai/v1/chat/completions"] = kOneReply;
  Result<ChosenModel> model = choose(flags("groq", "m"));
  ASSERT_TRUE(model && ask(*model));
  EXPECT_THAT(servers_.requests_.at(0), HasSubstr("groq-key"));
  EXPECT_THAT(servers_.requests_.at(0), Not(HasSubstr("canary")));
}

TEST_F(ModelChoice, ABaseUrlOfARunGetsNoKeyOfTheConfiguration) {
  around_.environment["OPENROUTER_API_KEY"] = "env-canary";
  around_.environment["MY_KEY"] = "named-canary";
  servers_.pages_["http://localhost:9/v1/chat/completions"] = kOneReply;
  ModelFlags url = flags("", "m");
  url.base_url = "http://localhost:9/v1";
  for (const char* key : {"", ", key: sk-canary", ", key_env: MY_KEY"}) {
    config(std::string("model: {provider: openrouter, name: big") + key + "}\n");
    Result<ChosenModel> model = choose(url);
    ASSERT_TRUE(model) << describe(model.error());
    EXPECT_EQ(model->provider, kCustom);
    ASSERT_TRUE(ask(*model));
    EXPECT_THAT(servers_.requests_.back(), Not(HasSubstr("canary"))) << key;
    around_.environment["HELVE_MODEL_BASE_URL"] = url.base_url;
    Result<ChosenModel> from_environment = choose(flags("", "m"));
    around_.environment.erase("HELVE_MODEL_BASE_URL");
    ASSERT_TRUE(from_environment && ask(*from_environment));
    EXPECT_THAT(servers_.requests_.back(), Not(HasSubstr("canary"))) << key;
    EXPECT_EQ(chosen(flags("", "other")), "other of openrouter") << key;
  }
  config("model: {provider: openai, base_url: 'http://localhost:9/v1', name: m, key: sk-1}\n");
  Result<ChosenModel> together = choose();
  ASSERT_TRUE(together && ask(*together));
  EXPECT_THAT(servers_.requests_.back(), HasSubstr("Bearer sk-1"));
}

TEST_F(ModelChoice, AnAgentWithAPlaceOfItsOwnKeepsItWhateverIsRun) {
  config(
      "agents:\n- {id: reviewer, model: {provider: anthropic, name: claude-x}}\n"
      "- {id: near, model: {base_url: 'http://localhost:7/v1', name: n}}\n"
      "- {id: small, model: {name: nano, effort: low}}\n");
  around_.environment["ANTHROPIC_API_KEY"] = "a";
  ModelFlags run = flags("", "local-m");
  run.base_url = "http://localhost:9/v1";
  run.record = at("work/record");
  const auto of = [&](const char* agent, const ModelFlags& flags) {
    return chosen(flags_for_other(settings(), agent, flags), agent);
  };
  EXPECT_EQ(of("reviewer", run), "claude-x of anthropic");
  EXPECT_EQ(of("near", run), "n of custom");
  EXPECT_EQ(of("small", run), "local-m of custom");
  EXPECT_EQ(of("nobody", run), "local-m of custom");
  EXPECT_EQ(flags_for_other(settings(), "reviewer", run).record, run.record) << "still recorded";
  EXPECT_EQ(of("reviewer", flags("", "other")), "claude-x of anthropic");
  put("work/turns", "{\"text\": \"x\"}\n");
  ModelFlags script = flags("scripted", "");
  script.script = at("work/turns");
  EXPECT_EQ(of("reviewer", script), "scripted of scripted") << "a script is told to everybody";
  // Whoever runs the agent itself says what holds, without its key.
  servers_.pages_["http://localhost:9/v1/chat/completions"] = kOneReply;
  run.record.clear();
  Result<ChosenModel> itself = choose(run, "reviewer");
  ASSERT_TRUE(itself && ask(*itself));
  EXPECT_EQ(itself->provider, kCustom);
  EXPECT_THAT(servers_.requests_.back(), Not(HasSubstr("Authorization")));
}

TEST_F(ModelChoice, OpenAiIsAskedAsItsModelsWantIt) {
  around_.environment["OPENAI_API_KEY"] = "k";
  auto asked = [&](const std::string& settings) {
    config("model: {provider: openai, retries: 0, " + settings + "}\n");
    Result<ChosenModel> model = choose();
    EXPECT_TRUE(model) << describe(model.error());
    if (model) (void)ask(*model);
    return servers_.urls_.back();
  };
  EXPECT_EQ(asked("name: gpt-5.6-terra"), "https://api.openai.com/v1/responses");
  EXPECT_EQ(asked("name: gpt-4.1"), "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(asked("name: gpt-5.6, format: openai"), "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(asked("name: gpt-5.6, base_url: 'http://localhost:9/v1'"),
            "http://localhost:9/v1/chat/completions");
}

TEST_F(ModelChoice, AddressesAreTakenAsOthersWriteThem) {
  around_.environment["ANTHROPIC_API_KEY"] = around_.environment["GEMINI_API_KEY"] = "k";
  const auto asked = [&](const char* provider, const char* base_url) {
    ModelFlags url = flags(provider, "m");
    url.base_url = base_url;
    const Result<ModelPlan> plan = plan_model(settings(), "", url, around_);
    return plan ? plan->endpoint.base_url : describe(plan.error());
  };
  for (const char* url :
       {"http://host:9", "http://host:9/", "http://host:9/v1", "http://host:9/v1/"}) {
    EXPECT_EQ(asked("anthropic", url), "http://host:9") << url;
    around_.environment["ANTHROPIC_BASE_URL"] = url;
    EXPECT_EQ(asked("anthropic", ""), "http://host:9") << url;
  }
  EXPECT_EQ(asked("anthropic", "http://host/api/v1"), "http://host/api");
  EXPECT_EQ(asked("openai", "http://host/v1/"), "http://host/v1");
  EXPECT_EQ(asked("gemini", "https://generativelanguage.googleapis.com/"),
            "https://generativelanguage.googleapis.com/v1beta");
  EXPECT_EQ(asked("gemini", "http://host/v1"), "http://host/v1");
}

TEST_F(ModelChoice, SettingsReachTheModel) {
  config(
      "model: {provider: openai, name: gpt-5, key: k, format: anthropic, base_url: "
      "'http://localhost:9',"
      " effort: off, temperature: 0.5, max_output_tokens: 77, window: 5000, retries: 0}\n"
      "prices: [{model: 'gpt-*', input: 9, output: 8}]\n");
  Result<ChosenModel> model = choose();
  ASSERT_TRUE(model) << describe(model.error());
  EXPECT_EQ(model->effort, model::Effort::off);
  EXPECT_EQ(model->temperature, 0.5);
  EXPECT_EQ(model->max_output_tokens, 77);
  EXPECT_EQ(model->facts.window, 5000);
  EXPECT_EQ(model->facts.price->input, 9'000'000);
  EXPECT_EQ(model->facts.price->cache_read, 9'000'000);
  EXPECT_EQ(model->facts.max_output, 128'000);
  ASSERT_FALSE(model->is_text_protocol);
  EXPECT_EQ(ask(*model).error().code, Code::network);
  ASSERT_FALSE(servers_.urls_.empty());
  EXPECT_EQ(servers_.urls_[0], "http://localhost:9/v1/messages");
}

TEST_F(ModelChoice, EffortsHaveTheSameNames) {
  const std::pair<const char*, model::Effort> efforts[] = {{"off", model::Effort::off},
                                                           {"low", model::Effort::low},
                                                           {"medium", model::Effort::medium},
                                                           {"high", model::Effort::high}};
  for (const auto& [name, effort] : efforts) {
    config(std::string("model: {provider: ollama, name: m, effort: ") + name + "}\n");
    EXPECT_EQ(choose()->effort, effort) << name;
  }
}

TEST_F(ModelChoice, RetriesAsOftenAsItIsTold) {
  config("model: {provider: ollama, name: m, retries: 0}\n");
  Result<ChosenModel> model = choose();
  ASSERT_TRUE(model);
  ASSERT_FALSE(ask(*model));
  EXPECT_EQ(servers_.urls_.size(), 1u);
}

TEST_F(ModelChoice, AScriptIsToldAndARecordOfItToldAgain) {
  put("work/turns", "{\"text\": \"one two\"}\n");
  ModelFlags script;
  script.script = at("work/turns");
  script.record = at("work/record");
  Result<ChosenModel> first = choose(script);
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_EQ(first->provider, kScripted);
  EXPECT_EQ(first->name, "scripted");
  std::vector<std::string> deltas, again;
  ASSERT_TRUE(ask(*first, &deltas));
  EXPECT_THAT(deltas, ElementsAre("one ", "two"));
  struct stat status {};
  ASSERT_EQ(stat(at("work/record").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);

  ModelFlags record = flags("recorded", "");
  record.script = at("work/record");
  Result<ChosenModel> second = choose(record);
  ASSERT_TRUE(second) << describe(second.error());
  const auto reply = ask(*second, &again);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(model::text_of(reply->message), "one two");
  EXPECT_THAT(reply->notes, IsEmpty());
  EXPECT_EQ(again, deltas);
  EXPECT_THAT(servers_.urls_, IsEmpty());
}

// The record has what the loop saw: calls, not the text that they were written in.
TEST_F(ModelChoice, ARecordIsMadeOutsideOfTheTextProtocol) {
  put("work/turns", R"({"text": "<json>{\"tool_name\": \"ls\", \"tool_input\": {}}</json>"})"
                    "\n");
  ModelFlags script;
  script.script = at("work/turns");
  script.record = at("work/record");
  script.protocol = config::Protocol::text;
  Result<ChosenModel> first = choose(script);
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_TRUE(first->is_text_protocol);
  const auto said = ask(*first);
  ASSERT_TRUE(said);
  ASSERT_EQ(calls_of(said->message).size(), 1u);
  ModelFlags record = flags("recorded", "");
  record.script = at("work/record");
  record.protocol = config::Protocol::text;
  Result<ChosenModel> second = choose(record);
  const auto told = ask(*second);
  ASSERT_TRUE(told);
  ASSERT_EQ(calls_of(told->message).size(), 1u);
  EXPECT_EQ(calls_of(told->message)[0]->name, "ls");
}

// What is not run is told to it, by whoever runs the others.
TEST_F(ModelChoice, ATextProtocolTakesAllCallsInEveryOrder) {
  const std::string call = R"(<json>{\"tool_name\": \"ls\", \"tool_input\": {}}</json>)";
  put("work/turns", "{\"text\": \"" + call + call + "\"}\n");
  ModelFlags script;
  script.script = at("work/turns");
  script.protocol = config::Protocol::text;
  const std::pair<const char*, config::CallOrder> cases[] = {
      {"", config::CallOrder::first_only},
      {"agent: {order: first_only}\n", config::CallOrder::first_only},
      {"agent: {order: serial}\n", config::CallOrder::serial},
      {"agent: {order: parallel}\n", config::CallOrder::parallel}};
  for (const auto& [text, order] : cases) {
    config(text);
    EXPECT_EQ(order_of(settings(), true), order) << text;
    Result<ChosenModel> model = choose(script);
    ASSERT_TRUE(model) << describe(model.error());
    const auto said = ask(*model);
    ASSERT_TRUE(said);
    EXPECT_EQ(calls_of(said->message).size(), 2u) << text;
  }
}

TEST_F(ModelChoice, ARecordOfAFailureHasNoKey) {
  constexpr const char* kKey = "sk-canary-0123456789";
  const RawServer server([](RawServer::Connection& c) {
    c.request();
    c.answer(R"({"error":{"message":"no such key: )" + std::string(kKey) + R"("}})", "401 No");
  });
  config("model: {provider: openai, name: gpt-5, key: " + std::string(kKey) + ", base_url: '" +
         server.url() + "', recording: '" + at("work/record") + "'}\n");
  const auto client = sys::make_http_client();
  Result<ChosenModel> model = choose_model(settings(), "", {}, around_, *client, {});
  ASSERT_TRUE(model) << describe(model.error());
  const auto reply = ask(*model);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::auth);
  EXPECT_THAT(describe(reply.error()), HasSubstr("[key]"));
  EXPECT_THAT(content("work/record"), HasSubstr("[key]"));
  EXPECT_THAT(describe(reply.error()) + content("work/record") + model->description,
              Not(HasSubstr("canary")));
}

TEST_F(ModelChoice, AFileThatIsMissingIsNamed) {
  ModelFlags script;
  script.script = at("work/none");
  EXPECT_THAT(describe(choose(script).error()), HasSubstr(at("work/none")));
  put("work/turns", "{\"text\": \"x\"}\n");
  script.script = at("work/turns");
  script.record = at("none/record");
  EXPECT_THAT(describe(choose(script).error()), HasSubstr(at("none/record")));
}

}  // namespace
}  // namespace helve::app

#include "model/presets.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/raw_server.h"

namespace helve::model {
namespace {

using Connection = RawServer::Connection;

Lookup environment(std::map<std::string, std::string, std::less<>> values) {
  return [values = std::move(values)](std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  };
}

TEST(Presets, SpeakAWireThatThereIs) {
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(find_wire(preset.wire)) << preset.name;
    EXPECT_EQ(find_preset(preset.name), &preset) << preset.name;
    EXPECT_FALSE(preset.base_url.ends_with('/')) << preset.name;
    EXPECT_EQ(preset.is_local, preset.key.empty()) << preset.name;
  }
  EXPECT_EQ(find_preset("nobody"), nullptr);
}

TEST(Presets, TakeKeyAndPlaceFromTheEnvironment) {
  const auto lookup = environment({{"OPENAI_API_KEY", "sk-1"},
                                   {"OPENAI_BASE_URL", "https://proxy.example/v1/"},
                                   {"GOOGLE_API_KEY", "g-1"}});
  const Endpoint openai = endpoint_of(*find_preset("openai"), lookup);
  EXPECT_EQ(openai.key, "sk-1");
  EXPECT_EQ(openai.base_url, "https://proxy.example/v1");
  EXPECT_EQ(endpoint_of(*find_preset("gemini"), lookup).key, "g-1");
  EXPECT_EQ(endpoint_of(*find_preset("anthropic"), lookup).key, "");
}

TEST(Presets, KnowHowOllamaIsNamed) {
  for (const auto& [host, url] : std::map<std::string, std::string>{
           {"", "http://localhost:11434/v1"},
           {"gpu", "http://gpu:11434/v1"},
           {"gpu:9000", "http://gpu:9000/v1"},
           {"0.0.0.0", "http://127.0.0.1:11434/v1"},
           {"https://gpu.example:443/", "https://gpu.example:443/v1"}}) {
    EXPECT_EQ(endpoint_of(*find_preset("ollama"), environment({{"OLLAMA_HOST", host}})).base_url,
              url);
  }
}

TEST(Presets, ListTheModelsOfAServer) {
  std::string request;
  RawServer server([&](Connection& c) {
    request = c.request();
    c.answer(R"({"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama"},{"odd":1}]})");
  });
  const auto client = sys::make_http_client();
  const auto models =
      list_models(kOpenAi, {.base_url = server.url("/v1"), .key = "k", .model = ""}, *client, {});
  ASSERT_TRUE(models) << describe(models.error());
  EXPECT_EQ(*models, (std::vector<std::string>{"qwen3:8b", "llama"}));
  EXPECT_TRUE(request.starts_with("GET /v1/models HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("Authorization: Bearer k"), std::string::npos);
}

TEST(Presets, AskForAListInOnePage) {
  const std::pair<const Wire*, std::string> paths[] = {{&kAnthropic, "/v1/models?limit=1000"},
                                                       {&kGemini, "/models?pageSize=1000"},
                                                       {&kOpenAi, "/models"},
                                                       {&kOpenAiResponses, "/models"}};
  const auto client = sys::make_http_client();
  for (const auto& [wire, path] : paths) {
    std::string request;
    RawServer server([&](Connection& c) {
      request = c.request();
      c.answer(R"({"models":[{"name":"models/gemini-x"}]})");
    });
    const auto models =
        list_models(*wire, {.base_url = server.url(), .key = "k", .model = ""}, *client, {});
    ASSERT_TRUE(models) << describe(models.error());
    EXPECT_EQ(*models, std::vector<std::string>{"gemini-x"});
    EXPECT_TRUE(request.starts_with("GET " + path + " HTTP/1.1\r\n")) << request;
  }
}

TEST(Presets, AServerThatHasNoListSaysWhy) {
  RawServer server([](Connection& c) {
    c.request();
    c.answer(R"({"error":"no"})", "401 Unauthorized");
  });
  const auto client = sys::make_http_client();
  const auto models =
      list_models(kAnthropic, {.base_url = server.url(), .key = "", .model = ""}, *client, {});
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().code, Code::auth);
}

// However a server answers, what it says of the key is not shown.
TEST(Presets, AListThatFailsShowsNoKey) {
  const std::string key = "sk-canary-0123456789";
  const std::string far = std::string(495, 'x') + key;  // cut off in the middle of the key
  const std::pair<std::string, std::string> answers[] = {
      {"401 Unauthorized", R"({"error":{"message":"bad key )" + key + R"("}})"},
      {"403 Forbidden", "no " + key},
      {"404 Not Found", "<html>" + key + "</html>"},
      {"302 Found", key},
      {"500 Oops", far},
      {"200 OK", "not JSON " + key},
  };
  for (const auto& [status, body] : answers) {
    RawServer server([&, status = status, body = body](Connection& c) {
      c.request();
      c.answer(body, status);
    });
    const auto client = sys::make_http_client();
    const auto models =
        list_models(kOpenAi, {.base_url = server.url(), .key = key, .model = ""}, *client, {});
    ASSERT_FALSE(models) << status;
    EXPECT_EQ(to_text(Json(to_json(models.error()))).find("canary"), std::string::npos)
        << describe(models.error());
    EXPECT_FALSE(models.error().hint.empty()) << describe(models.error());
  }
}

TEST(Presets, AServerThatSendsElsewhereIsNotFollowed) {
  RawServer other([](Connection& c) {
    c.request();
    c.answer(R"({"data":[{"id":"theirs"}]})");
  });
  RawServer server([&](Connection& c) {
    c.request();
    c.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + other.url("/models") +
           "\r\nContent-Length: 0\r\n\r\n");
  });
  const auto client = sys::make_http_client();
  const auto models =
      list_models(kOpenAi, {.base_url = server.url(), .key = "k", .model = ""}, *client, {});
  ASSERT_FALSE(models);
  EXPECT_EQ(models.error().type, "redirected");
  EXPECT_EQ(other.connections(), 0);
}

TEST(Presets, FindServersOfThisMachine) {
  RawServer server([](Connection& c) {
    c.request();
    c.answer(R"({"data":[{"id":"qwen3:8b"}]})");
  });
  const auto client = sys::make_http_client();
  const auto found = discover(environment({{"OLLAMA_HOST", server.url()}}), *client, {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].preset->name, "ollama");
  EXPECT_EQ(found[0].models, std::vector<std::string>{"qwen3:8b"});
}

}  // namespace
}  // namespace helve::model

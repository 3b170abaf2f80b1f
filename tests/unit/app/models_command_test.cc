#include <gmock/gmock.h>

#include "app/doctor.h"
#include "unit/app/fixture.h"
#include "unit/raw_server.h"

namespace helve::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Connection = RawServer::Connection;

constexpr const char* kKey = "sk-canary-0123456789abcdef";

class ModelsCommand : public Machine {
 protected:
  static RawServer::Serve list(std::string page) {
    return [page = std::move(page)](Connection& c) {
      while (!c.request().empty()) c.answer(page);
    };
  }
  const JsonObject* provider(const Json& all, std::string_view name) {
    for (const Json& each : all.at("providers").get_array()) {
      if (string_at(each, "name") == name) return &each.get_object();
    }
    return nullptr;
  }
};

TEST_F(ModelsCommand, ListsWhoCouldBeAsked) {
  const RawServer ollama(list(R"({"data":[{"id":"qwen3:8b"}]})"));
  around_.environment["OLLAMA_HOST"] = ollama.url();
  around_.environment["GEMINI_API_KEY"] = kKey;
  EXPECT_EQ(run({"models"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("no key: ANTHROPIC_API_KEY is not set"));
  EXPECT_THAT(out_, HasSubstr("key from GEMINI_API_KEY"));
  EXPECT_THAT(out_, HasSubstr("answers: qwen3:8b"));
  EXPECT_THAT(out_, HasSubstr("helve models gemini lists them"));
  EXPECT_THAT(out_ + err_, Not(HasSubstr("canary")));
  EXPECT_EQ(run({"models", "--json"}), 0) << err_;
  const Json all = *parse_json(out_);
  EXPECT_TRUE(provider(all, "gemini")->at("has_key").as_bool());
  EXPECT_FALSE(provider(all, "anthropic")->at("has_key").as_bool());
  EXPECT_TRUE(provider(all, "ollama")->at("answers").as_bool());
  EXPECT_EQ(provider(all, "ollama")->at("base_url"), Json(ollama.url("/v1")));
  EXPECT_EQ(string_at(all.at("used").at("error"), "error_type"), "no_model");
  around_.environment.erase("GEMINI_API_KEY");
  EXPECT_EQ(run({"models"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("Used: qwen3:8b of ollama"));
  EXPECT_THAT(out_ + err_, Not(HasSubstr("canary")));
}

TEST_F(ModelsCommand, ListsTheModelsOfAProviderWithWhatIsKnown) {
  const RawServer server(list(R"({"data":[{"id":"gpt-5"},{"id":"brand-new"}]})"));
  around_.environment["OPENAI_API_KEY"] = kKey;
  EXPECT_EQ(run({"models", "openai", "--base-url", server.url("/v1")}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("400k, $1.25 in, $10 out"));
  EXPECT_THAT(out_, HasSubstr("unknown price"));
  put("config/config.yaml", "prices: [{model: 'brand-*', input: 2, output: 3, window: 9000}]\n");
  EXPECT_EQ(run({"models", "openai", "--base-url", server.url("/v1"), "--json"}), 0) << err_;
  const Json models = parse_json(out_)->at("models");
  EXPECT_EQ(models.at(0).at("price").at("cache_read"), Json(0.125));
  EXPECT_EQ(models.at(1).at("price").at("output"), Json(3.0));
  EXPECT_EQ(models.at(1).at("window"), Json(9000));
}

TEST_F(ModelsCommand, ListsWhatRunsOnThisMachine) {
  const RawServer ollama(list(R"({"data":[{"id":"qwen3:8b"}]})"));
  around_.environment["OLLAMA_HOST"] = ollama.url();
  EXPECT_EQ(run({"models", "discover"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("ollama (" + ollama.url("/v1") + ")\n  qwen3:8b\n"));
  EXPECT_EQ(run({"models", "discover", "--json"}), 0) << err_;
  EXPECT_EQ(parse_json(out_)->at("servers").at(0).at("provider"), Json("ollama"));
}

TEST_F(ModelsCommand, WhatFailsSaysTheNextStep) {
  EXPECT_EQ(run({"models", "anthropic"}), 5);
  EXPECT_THAT(err_, HasSubstr("export ANTHROPIC_API_KEY="));
  EXPECT_EQ(run({"models", "antropic"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'anthropic'?"));
  EXPECT_EQ(run({"models", "scripted"}), 2);
  EXPECT_THAT(err_, HasSubstr("--script"));
}

// However it fails, the key is in nothing that it writes.
TEST_F(ModelsCommand, NoFailureShowsTheKey) {
  const std::string body = R"({"error":{"message":"no such key: )" + std::string(kKey) + R"("}})";
  std::vector<std::string> seen;
  std::mutex mutex;
  RawServer elsewhere([&](Connection& c) {
    std::lock_guard lock(mutex);
    seen.push_back(c.request());
    c.answer("{}");
  });
  const std::pair<std::string, RawServer::Serve> servers[] = {
      {"unauthorized", [&](Connection& c) { c.request(), c.answer(body, "401 Unauthorized"); }},
      {"redirected",
       [&](Connection& c) {
         c.request();
         c.send("HTTP/1.1 302 Found\r\nLocation: " + elsewhere.url(std::string("/") + kKey) +
                "\r\nContent-Length: 0\r\n\r\n");
       }},
      {"no list", [&](Connection& c) { c.request(), c.answer(kKey); }},
      {"no HTTP", [&](Connection& c) { c.request(), c.send(std::string(kKey) + "\r\n\r\n"); }},
      {"broken off",
       [&](Connection& c) {
         c.request();
         c.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + std::string(kKey));
       }},
      {"an odd header",
       [&](Connection& c) {
         c.request();
         c.send("HTTP/1.1 500 " + std::string(kKey) + "\r\n" + kKey + "\r\n\r\n");
       }},
  };
  const std::vector<std::pair<std::string, std::string>> ways = {
      {"environment", ""},
      {"key", std::string("model: {provider: openai, key: ") + kKey + "}\n"},
      {"key_env", "model: {provider: openai, key_env: OPENAI_API_KEY}\n"}};
  for (const auto& [way, config] : ways) {
    put("config/config.yaml", config, 0600);
    around_.environment.erase("OPENAI_API_KEY");
    if (way != "key") around_.environment["OPENAI_API_KEY"] = kKey;
    for (const auto& [name, serve] : servers) {
      const RawServer server(serve);
      for (const char* form : {"--no-json", "--json"}) {
        EXPECT_NE(run({"models", "openai", "--base-url", server.url("/v1"), form, "-v"}), 0)
            << name;
        EXPECT_THAT(out_ + err_, Not(HasSubstr("canary"))) << name << ", " << way;
      }
      EXPECT_EQ(server.connections(), 2) << name;
    }
    for (const std::string& url :
         {"http://user:" + std::string(kKey) + "@host/v1",
          "http://host/v1?key=" + std::string(kKey), "http://127.0.0.1:1/" + std::string(kKey),
          std::string("not an address"), "http://ho st/#" + std::string(kKey)}) {
      EXPECT_NE(run({"models", "openai", "--base-url", url}), 0) << url;
      EXPECT_THAT(out_ + err_, Not(HasSubstr("canary"))) << url;
    }
    EXPECT_EQ(run({"doctor"}), 0) << out_;
    EXPECT_THAT(out_ + err_, Not(HasSubstr("canary")));
    EXPECT_EQ(run({"models"}), 0) << err_;
    EXPECT_THAT(out_ + err_, Not(HasSubstr("canary")));
  }
  EXPECT_TRUE(seen.empty()) << "a redirection was followed";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(base_)) {
    if (!entry.is_regular_file() || entry.path() == base_ / "config/config.yaml") continue;
    const std::string name = std::filesystem::relative(entry.path(), base_);
    EXPECT_THAT(content(name), Not(HasSubstr("canary"))) << name;
  }
}

TEST_F(ModelsCommand, TheDoctorSaysWhichModelWouldBeUsed) {
  const auto model = [&] {
    for (const Finding& each : examine({}, around_).findings) {
      if (each.topic == "model") return each;
    }
    return Finding{};
  };
  EXPECT_EQ(model().mark, Mark::ok);
  EXPECT_THAT(model().text, HasSubstr("none is configured"));
  around_.environment["ANTHROPIC_API_KEY"] = kKey;
  EXPECT_EQ(model().mark, Mark::warn);
  EXPECT_THAT(model().hint, HasSubstr("helve models anthropic"));
  put("config/config.yaml", "model: {provider: anthropic, name: claude-opus-5}\n");
  EXPECT_EQ(model().mark, Mark::ok);
  EXPECT_EQ(model().text,
            "claude-opus-5 of anthropic (https://api.anthropic.com, key from ANTHROPIC_API_KEY)");
  put("config/config.yaml", "model: {provider: nobody}\n");
  EXPECT_EQ(model().mark, Mark::warn);
}

}  // namespace
}  // namespace helve::app

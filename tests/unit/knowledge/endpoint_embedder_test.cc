#include "knowledge/endpoint_embedder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/raw_server.h"

namespace helve::knowledge {
namespace {

using Connection = RawServer::Connection;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;

TEST(StepSize, GrowsWhileAnswersComeSoon) {
  StepSize step;
  EXPECT_EQ(step.texts(), 4u);
  step.took(4, StepSize::kLong);
  EXPECT_EQ(step.texts(), 8u);
  step.took(3, milliseconds(1));  // of what was left
  EXPECT_EQ(step.texts(), 8u);
  step.took(8, StepSize::kLong + milliseconds(1));
  EXPECT_EQ(step.texts(), 4u);
  for (int i = 0; i < 9; ++i) step.took(100, milliseconds(1));
  EXPECT_EQ(step.texts(), StepSize::kMost);
}

TEST(StepSize, IsSmallWhereEachTextTakesLong) {
  StepSize step;
  for (int i = 0; i < 9; ++i) step.took(step.texts(), step.texts() * milliseconds(400));
  EXPECT_LE(step.texts(), 2u);
}

TEST(StepSize, GrowsWhereOnlyTheWayTakesLong) {
  StepSize step;
  for (int i = 0; i < 9; ++i) step.took(step.texts(), milliseconds(600));
  EXPECT_EQ(step.texts(), StepSize::kMost);
}

// The JSON of a request.
Json body_of(const std::string& request) {
  return *parse_json(std::string_view(request).substr(request.find("\r\n\r\n") + 4));
}

class EndpointEmbedderTest : public ::testing::Test {
 protected:
  EndpointEmbedder embedder(const RawServer& server, size_t dimensions = 0) {
    return EndpointEmbedder({server.url("/v1"), "m", "sk-canary", dimensions},
                            sys::make_http_client(), {},
                            [this](milliseconds time, const std::stop_token&) {
                              waits_.push_back(time);
                              return !is_stopped_;
                            });
  }
  // What becomes of an answer to two texts.
  Result<std::vector<Vector>> answered(std::string_view answer,
                                       std::string_view status = "200 OK") {
    RawServer server([&](Connection& c) {
      while (!c.request().empty()) c.answer(answer, status);
    });
    const std::string_view texts[] = {"one", "two"};
    return embedder(server).embed(texts, {});
  }
  Error failure(std::string_view answer, std::string_view status = "200 OK") {
    const auto made = answered(answer, status);
    EXPECT_FALSE(made) << answer;
    const Error error = made ? Error{} : made.error();
    EXPECT_THAT(describe(error), Not(HasSubstr("canary")));
    return error;
  }

  std::vector<milliseconds> waits_;
  bool is_stopped_ = false;
};

TEST_F(EndpointEmbedderTest, AsksAsOpenAiWantsAndGivesVectorsOfLengthOne) {
  std::string request;
  RawServer server([&](Connection& c) {
    request = c.request();
    c.answer(R"({"data":[{"index":1,"embedding":[0,5]},{"index":0,"embedding":[3,-4.0]}]})");
  });
  const std::string_view texts[] = {"one", ""};
  EndpointEmbedder asked = embedder(server, 2);
  const auto made = asked.embed(texts, {});
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_THAT((*made)[0], ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(-0.8f, 1e-6f)));
  EXPECT_THAT((*made)[1], ElementsAre(0, 1));
  EXPECT_TRUE(request.starts_with("POST /v1/embeddings HTTP/1.1\r\n")) << request;
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer sk-canary\r\n"));
  EXPECT_EQ(
      body_of(request),
      *parse_json(R"({"model":"m","input":["one"," "],"encoding_format":"float","dimensions":2})"));
  EXPECT_THAT(std::string(asked.id()), Not(HasSubstr("canary")));
}

TEST_F(EndpointEmbedderTest, ManyTextsGoInSeveralRequests) {
  std::vector<size_t> counts;
  RawServer server([&](Connection& c) {
    for (std::string request; !(request = c.request()).empty();) {
      const size_t count = body_of(request).at("input").as_array().size();
      counts.push_back(count);
      JsonArray data;
      for (size_t i = 0; i < count; ++i)
        data.push_back(JsonObject{{"embedding", JsonArray{1 + counts.size(), i}}});
      c.answer(to_text(JsonObject{{"data", std::move(data)}}));
    }
  });
  const std::vector<std::string_view> texts(EndpointEmbedder::kMaxTexts + 3, "text");
  const auto made = embedder(server).embed(texts, {});
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(made->size(), texts.size());
  EXPECT_THAT(counts, ElementsAre(EndpointEmbedder::kMaxTexts, 3));
  EXPECT_EQ((*made)[EndpointEmbedder::kMaxTexts], (Vector{1, 0}));

  counts.clear();
  const std::string large(1u << 20, 'x');  // only its beginning is sent
  const std::vector<std::string_view> large_ones(20, large);
  ASSERT_TRUE(embedder(server).embed(large_ones, {}));
  EXPECT_THAT(counts, ElementsAre(16, 4));
}

TEST_F(EndpointEmbedderTest, StepsAreOfTheSizeThatTheServerTakes) {
  sys::ManualClock clock;
  milliseconds each(1);
  RawServer server([&](Connection& c) {
    for (std::string request; !(request = c.request()).empty();) {
      JsonArray data;
      const size_t count = body_of(request).at("input").as_array().size();
      for (size_t i = 0; i < count; ++i) data.push_back(JsonObject{{"embedding", JsonArray{1, 0}}});
      clock.advance(each * count);
      c.answer(to_text(Json(JsonObject{{"data", std::move(data)}})));
    }
  });
  EndpointEmbedder embedder({.base_url = server.url("/v1"), .model = "m"}, sys::make_http_client(),
                            {}, model::wait_on_thread, {}, &clock);
  const std::vector<std::string_view> texts(200, "text");
  const auto ask = [&] {
    const size_t step = embedder.step(texts);
    EXPECT_TRUE(embedder.embed(std::span(texts).first(step), {}));
    return step;
  };
  EXPECT_EQ(ask(), StepSize::kFirst);
  EXPECT_EQ(ask(), 2 * StepSize::kFirst);
  for (int i = 0; i < 4; ++i) ask();
  EXPECT_EQ(ask(), EndpointEmbedder::kMaxTexts);
  each = milliseconds(60);
  for (int i = 0; i < 4; ++i) ask();
  EXPECT_LE(ask(), 2 * 8u);  // 8 take almost as long as an answer may
}

TEST_F(EndpointEmbedderTest, AnswersThatAreNoneAreRefused) {
  for (const char* answer :
       {"", "<html>Welcome", "[]", "{}", R"({"data":{}})", R"({"data":[]})",
        R"({"data":[{"embedding":[1]}]})",
        R"({"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]})",
        R"({"data":[{"embedding":[1]},{}]})", R"({"data":[{"embedding":[1]},7]})",
        R"({"data":[{"embedding":[1]},{"embedding":"AAAA"}]})",
        R"({"data":[{"embedding":[1]},{"embedding":["1"]}]})",
        R"({"data":[{"embedding":[1]},{"embedding":[]}]})",
        R"({"data":[{"embedding":[1]},{"embedding":[1e300]}]})",
        R"({"data":[{"embedding":[1,2]},{"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]})",
        R"({"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]})"}) {
    const Error error = failure(answer);
    EXPECT_EQ(error.type, "bad_embeddings") << answer << describe(error);
    EXPECT_THAT(waits_, ElementsAre()) << "asking again would change nothing";
  }
}

TEST_F(EndpointEmbedderTest, AVectorOfZerosIsOneOfBlankTextsOnly) {
  EXPECT_THAT(failure(R"({"data":[{"embedding":[1,0]},{"embedding":[0,0]}]})").message,
              HasSubstr("zeros"));
  RawServer server([](Connection& c) {
    while (!c.request().empty()) c.answer(R"({"data":[{"embedding":[0,0]}]})");
  });
  const std::string_view blank = " \n";
  EXPECT_TRUE(embedder(server).embed({&blank, 1}, {}));
}

TEST_F(EndpointEmbedderTest, AQueryIsSentOnceAndNotWaitedForLong) {
  std::atomic<int> asked = 0;
  RawServer server([&](Connection& c) {
    while (!c.request().empty()) ++asked;  // and says nothing
  });
  sys::ManualClock clock;
  EndpointEmbedder embedder(
      {.base_url = server.url("/v1"), .model = "m", .query_timeout = milliseconds(20)},
      sys::make_http_client(), {}, model::wait_on_thread, std::make_unique<ServerRest>(clock));
  const auto first = embedder.embed_query("text", {});
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Code::timeout);
  EXPECT_THAT(first.error().message, HasSubstr(server.url("/v1")));
  const auto second = embedder.embed_query("text", {});
  ASSERT_FALSE(second);
  EXPECT_THAT(describe(second.error()),
              testing::AllOf(HasSubstr(server.url("/v1")), HasSubstr("asked again in 30 s")));
  EXPECT_EQ(asked, 1);
  clock.advance(ServerRest::kRest);
  EXPECT_EQ(embedder.embed_query("text", {}).error().code, Code::timeout);
  EXPECT_EQ(asked, 2);
}

TEST_F(EndpointEmbedderTest, ARefusalOfOneQueryIsNotHeldAgainstTheNext) {
  int asked = 0;
  RawServer server([&](Connection& c) {
    while (!c.request().empty()) {
      if (++asked == 1)
        c.answer(R"({"error":{"message":"too long"}})", "400 Bad Request");
      else
        c.answer(R"({"data":[{"embedding":[1]}]})");
    }
  });
  sys::ManualClock clock;
  EndpointEmbedder embedder({.base_url = server.url("/v1"), .model = "m"}, sys::make_http_client(),
                            {}, model::wait_on_thread, std::make_unique<ServerRest>(clock));
  EXPECT_FALSE(embedder.embed_query("text", {}));
  EXPECT_TRUE(embedder.embed_query("text", {}));
}

TEST_F(EndpointEmbedderTest, AnotherSizeThanBeforeIsRefused) {
  int asked = 0;
  RawServer server([&](Connection& c) {
    while (!c.request().empty())
      c.answer(++asked == 1 ? R"({"data":[{"embedding":[1,2]}]})"
                            : R"({"data":[{"embedding":[1,2,3]}]})");
  });
  EndpointEmbedder both = embedder(server);
  const std::string_view text = "one";
  EXPECT_TRUE(both.embed({&text, 1}, {}));
  const auto made = both.embed({&text, 1}, {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("3 numbers, others have 2"));
}

TEST_F(EndpointEmbedderTest, AnEndlessAnswerIsBounded) {
  RawServer server([](Connection& c) {
    c.request();
    c.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"data\":[");
    const std::string numbers(1u << 20, '1');
    while (c.send(numbers)) {
    }
  });
  const std::string_view text = "one";
  const auto made = embedder(server).embed({&text, 1}, {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("larger than"));
}

TEST_F(EndpointEmbedderTest, WhatMayPassIsTriedAgain) {
  int asked = 0;
  RawServer server([&](Connection& c) {
    while (!c.request().empty()) {
      if (++asked < 3)
        c.answer(R"({"error":{"message":"busy"}})", "503 Service Unavailable");
      else
        c.answer(R"({"data":[{"embedding":[1]}]})");
    }
  });
  const std::string_view text = "one";
  EXPECT_TRUE(embedder(server).embed({&text, 1}, {}));
  EXPECT_EQ(waits_.size(), 2u);
}

TEST_F(EndpointEmbedderTest, ARefusalIsToldAtOnceAndWithoutTheKey) {
  const Error error = failure(R"({"error":{"message":"Incorrect API key provided: sk-canary"}})",
                              "401 Unauthorized");
  EXPECT_EQ(error.code, Code::auth);
  EXPECT_THAT(waits_, ElementsAre());
  EXPECT_EQ(failure("", "302 Found").type, "redirected");
}

TEST_F(EndpointEmbedderTest, StopsWhileItWaits) {
  is_stopped_ = true;
  EXPECT_EQ(failure("busy", "503 Service Unavailable").code, Code::cancelled);
  EXPECT_EQ(waits_.size(), 1u);
}

}  // namespace
}  // namespace helve::knowledge

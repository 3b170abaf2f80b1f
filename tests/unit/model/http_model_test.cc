#include "model/http_model.h"

#include <gtest/gtest.h>

#include "model/retry.h"
#include "unit/raw_server.h"

namespace helve::model {
namespace {

using Connection = RawServer::Connection;
using std::chrono::milliseconds;

constexpr std::string_view kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: "
    "chunked\r\n\r\n";
constexpr std::string_view kHello =
    "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"h\xc3\xa9llo\"}}]}\n\n"
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

std::string chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

// What a model writes that is asked with one of the keys below.
constexpr std::string_view kWords = "import ollama; take a tool: k key [key]";
constexpr const char* kDummyKeys[] = {"ollama", "tool", "k", "key", "EMPTY", "import ollama; take"};

// A reply of each format that says these words and calls a tool with them; SAID stands for them.
std::string reply_of(const Wire& wire) {
  std::string text;
  if (&wire == &kAnthropic)
    text = R"(data: {"type":"message_start","message":{"model":"m","usage":{}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"SAID"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"tool","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"k\":\"SAID\"}"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

)";
  if (&wire == &kOpenAi)
    text = R"(data: {"choices":[{"delta":{"content":"SAID"}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"tool","arguments":"{\"k\":\"SAID\"}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

)";
  if (&wire == &kOpenAiResponses)
    text =
        R"(data: {"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"SAID"}]}}

data: {"type":"response.output_item.done","output_index":1,"item":{"id":"f","type":"function_call","arguments":"{\"k\":\"SAID\"}","call_id":"c","name":"tool"}}

data: {"type":"response.completed","response":{"status":"completed","usage":{}}}

)";
  if (&wire == &kGemini)
    text =
        R"(data: {"candidates":[{"content":{"parts":[{"text":"SAID"},{"functionCall":{"name":"tool","args":{"k":"SAID"}}}]},"finishReason":"STOP"}]}

)";
  for (size_t at = 0; (at = text.find("SAID", at)) != text.npos;) text.replace(at, 4, kWords);
  return text;
}

class HttpModelTest : public testing::Test {
 protected:
  Result<Reply> ask(const RawServer& server, std::stop_token stop = {}, Timeouts timeouts = {},
                    const Wire& wire = kOpenAi, std::string key = "sk-canary") {
    HttpModel model(wire, {.base_url = server.url("/v1"), .key = std::move(key), .model = "m"},
                    *client_, timeouts);
    const std::vector<Message> messages{user_message("hi")};
    return model.stream(
        {.messages = messages},
        [&](const Delta& delta) {
          if (const auto* text = std::get_if<TextDelta>(&delta)) seen_ += text->text;
        },
        stop);
  }

  Error failure(const std::function<void(Connection&)>& serve, const Wire& wire = kOpenAi,
                std::string key = "sk-canary") {
    RawServer server([&](Connection& c) {
      c.request();
      serve(c);
    });
    Result<Reply> reply = ask(server, {}, {}, wire, std::move(key));
    EXPECT_FALSE(reply);
    return reply ? Error{} : reply.error();
  }

  const std::unique_ptr<sys::HttpClient> client_ = sys::make_http_client();
  std::string seen_;
};

TEST_F(HttpModelTest, StreamsAReply) {
  std::string request;
  RawServer server([&](Connection& c) {
    request = c.request();
    c.send(std::string(kStream) + chunk(kHello) + "0\r\n\r\n");
  });
  const Result<Reply> reply = ask(server);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(text_of(reply->message), "h\xc3\xa9llo");
  EXPECT_EQ(seen_, "h\xc3\xa9llo");
  EXPECT_TRUE(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("Authorization: Bearer sk-canary\r\n"), std::string::npos);
  EXPECT_NE(request.find("\"stream\":true"), std::string::npos);
}

TEST_F(HttpModelTest, ReadsAStreamThatComesByteByByte) {
  RawServer server([](Connection& c) {
    c.request();
    c.send(kStream);
    for (const char byte : kHello) c.send(chunk({&byte, 1}));
    c.send("0\r\n\r\n");
  });
  const Result<Reply> reply = ask(server);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(text_of(reply->message), "h\xc3\xa9llo");
}

TEST_F(HttpModelTest, AReplyThatBreaksOffIsNone) {
  const Error closed =
      failure([](Connection& c) { c.send(std::string(kStream) + chunk(kHello.substr(0, 60))); });
  EXPECT_EQ(closed.type, kIncomplete);
  const Error ended = failure([](Connection& c) {
    c.send(std::string(kStream) + chunk(kHello.substr(0, kHello.find("finish_reason"))) +
           "0\r\n\r\n");
  });
  EXPECT_EQ(ended.type, kIncomplete);
}

TEST_F(HttpModelTest, AWholeReplyCountsHoweverTheConnectionEnds) {
  RawServer server([](Connection& c) {
    c.request();
    c.send(std::string(kStream) + chunk(kHello));  // no last chunk
  });
  EXPECT_TRUE(ask(server));
}

TEST_F(HttpModelTest, AWebPageIsNoReply) {
  const Error error = failure([](Connection& c) {
    c.answer("<html><title>Welcome to the portal</title>", "200 OK", "text/html");
  });
  EXPECT_EQ(error.type, kNoStream);
  EXPECT_FALSE(may_pass(error));
  EXPECT_NE(error.message.find("Welcome to the portal"), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("base URL"), std::string::npos);
  const Error gateway =
      failure([](Connection& c) { c.answer("<html>Bad gateway", "502 Bad Gateway", "text/html"); });
  EXPECT_EQ(gateway.code, Code::unavailable);
}

TEST_F(HttpModelTest, AnErrorIsOneWhateverTheStatus) {
  const Error error = failure([](Connection& c) {
    c.answer(R"({"error":{"code":502,"message":"upstream failed"}})", "200 OK");
  });
  EXPECT_EQ(error.type, "provider_failed");
  EXPECT_TRUE(may_pass(error));
}

TEST_F(HttpModelTest, TheBodyMaySayHowLongToWait) {
  constexpr const char* kPage =
      R"([{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota",
      "details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"27s"}]}}])";
  const Error error = answer_error({429, {}}, kPage, "");
  EXPECT_TRUE(may_pass(error));
  EXPECT_EQ(error.details, Json(JsonObject{{kRetryAfter, 27'000}}));
  const Error told = answer_error({429, {{"retry-after", "5"}}}, kPage, "");
  EXPECT_EQ(told.details, Json(JsonObject{{kRetryAfter, 5'000}}));
}

TEST_F(HttpModelTest, NoErrorShowsTheKey) {
  const Error error = failure([](Connection& c) {
    c.answer(
        R"({"error":{"message":"Incorrect API key provided: sk-canary.","code":"invalid_api_key"}})",
        "401 Unauthorized");
  });
  EXPECT_EQ(error.code, Code::auth);
  EXPECT_EQ(describe(error).find("canary"), std::string::npos) << describe(error);
  EXPECT_NE(describe(error).find("[key]"), std::string::npos) << describe(error);
}

TEST_F(HttpModelTest, NoCutAndNoEscapeShowsAPartOfTheKey) {
  const Error escaped = failure([](Connection& c) {
    c.answer(R"({"error":{"message":")" + std::string(995, 'm') + R"(sk\u002dcanary"}})",
             "400 Bad Request", "application/json");
  });
  EXPECT_EQ(escaped.message.find("sk-c"), std::string::npos) << escaped.message;
  const Error streamed = failure([](Connection& c) {
    c.send(std::string(kStream) +
           chunk(R"(data: {"error":{"message":")" + std::string(980, 'm') + "sk-canary\"}}\n\n"));
  });
  EXPECT_EQ(streamed.message.find("sk-c"), std::string::npos) << streamed.message;
}

TEST_F(HttpModelTest, AReplyIsNeverRewritten) {
  for (const Wire* wire : {&kAnthropic, &kOpenAi, &kOpenAiResponses, &kGemini}) {
    RawServer server([&](Connection& c) {
      while (!c.request().empty()) c.answer(reply_of(*wire), "200 OK", "text/event-stream");
    });
    for (const char* key : kDummyKeys) {
      const Result<Reply> reply = ask(server, {}, {}, *wire, key);
      ASSERT_TRUE(reply) << wire->name << " " << key << ": " << describe(reply.error());
      EXPECT_EQ(text_of(reply->message), kWords) << wire->name << " " << key;
      const std::vector<const ToolCall*> calls = calls_of(reply->message);
      ASSERT_EQ(calls.size(), 1u) << wire->name << " " << key;
      EXPECT_EQ(calls[0]->name, "tool");
      EXPECT_EQ(*parse_json(calls[0]->arguments), Json(JsonObject{{"k", kWords}}))
          << wire->name << " " << key;
    }
  }
}

TEST_F(HttpModelTest, NoErrorInAStreamShowsTheKeyWhateverIsCut) {
  const auto error_after = [](size_t length) {
    return R"("message":")" + std::string(length, 'm') + R"( sk\u002dcanary-0123456789"})";
  };
  // Where it would be cut in the middle of the key, with what stands before.
  for (size_t length = 940; length < 1000; length += 3) {
    const std::pair<const Wire*, std::string> events[] = {
        {&kAnthropic,
         R"({"type":"error","error":{"type":"api_error",)" + error_after(length) + "}"},
        {&kOpenAi, R"({"error":{)" + error_after(length) + "}"},
        {&kOpenAiResponses, R"({"type":"response.failed","response":{"error":{"code":"x",)" +
                                error_after(length) + "}}"},
        {&kGemini, R"({"error":{"code":500,)" + error_after(length) + "}"}};
    for (const auto& [wire, event] : events) {
      const Error error = failure(
          [&](Connection& c) { c.send(std::string(kStream) + chunk("data: " + event + "\n\n")); },
          *wire, "sk-canary-0123456789");
      EXPECT_EQ(describe(error).find("sk-"), std::string::npos) << wire->name << describe(error);
      EXPECT_LT(error.message.size(), 1100u);
    }
  }
}

TEST_F(HttpModelTest, AKeyThatIsAWordIsHiddenAsAWord) {
  constexpr const char* kPage =
      R"({"error":{"message":"API key not valid: the token ollama is unknown","code":"invalid_api_key"}})";
  const auto said = [&](const char* key) { return answer_error({401, {}}, kPage, key); };
  EXPECT_EQ(said("ollama").message,
            "the model's provider: API key not valid: the token [key] is unknown (HTTP 401)");
  for (const char* part : {"k", "a", "to"}) EXPECT_EQ(said(part).message, said("").message) << part;
  for (const char* key : {"key", "error", "message", "code", "ollama"}) {
    const Error error = said(key);
    EXPECT_EQ(error.code, Code::auth) << key;
    EXPECT_EQ(error.hint, said("").hint) << key;
    // However often it is hidden.
    EXPECT_EQ(without_key(error, key).message, error.message);
  }
}

TEST_F(HttpModelTest, AReplyHasABound) {
  const Error error = failure([](Connection& c) {
    c.send(kStream);
    const std::string piece = chunk(":" + std::string(1 << 20, ' ') + "\n");
    for (std::uint64_t sent = 0; sent <= HttpModel::kMaxReply; sent += 1 << 20) c.send(piece);
  });
  EXPECT_EQ(error.type, "reply_too_long") << error.message;
}

TEST_F(HttpModelTest, EventsWithoutDataArePassedOver) {
  for (const Wire* wire : {&kAnthropic, &kOpenAi, &kOpenAiResponses, &kGemini}) {
    std::string events = "data:\n\n" + reply_of(*wire);
    for (size_t at = 0; (at = events.find("\n\n", at)) != events.npos; at += 24)
      events.insert(at + 2, "event: ping\ndata: \n\n\n\n");
    RawServer server([&](Connection& c) {
      c.request();
      c.answer(events, "200 OK", "text/event-stream");
    });
    const Result<Reply> reply = ask(server, {}, {}, *wire);
    ASSERT_TRUE(reply) << wire->name << describe(reply.error());
    EXPECT_EQ(text_of(reply->message), kWords);
  }
}

TEST_F(HttpModelTest, APathThatIsNotThereHintsAtTheBaseUrl) {
  for (const char* page : {"<html><h1>Not Found</h1> our models are great", "404 page not found",
                           R"({"detail":"Not Found"})", ""}) {
    const Error error =
        failure([&](Connection& c) { c.answer(page, "404 Not Found", "text/html"); });
    EXPECT_EQ(error.code, Code::not_found) << page;
    EXPECT_NE(error.hint.find("lack /v1"), std::string::npos) << page << error.hint;
  }
  const Error unknown = failure([&](Connection& c) {
    c.answer(R"({"error":{"message":"model 'x' not found"}})", "404 Not Found");
  });
  EXPECT_EQ(unknown.type, "unknown_model");
}

TEST_F(HttpModelTest, TheTypeOfAStreamHasNoCase) {
  RawServer server([](Connection& c) {
    c.request();
    c.answer(std::string(kHello), "200 OK", "Text/Event-Stream");
  });
  EXPECT_TRUE(ask(server));
}

TEST_F(HttpModelTest, UnderstandsTheFormsOfErrors) {
  for (const char* body :
       {R"({"error":{"message":"because"}})", R"({"error":"because"})", R"({"message":"because"})",
        R"({"detail":"because"})", R"([{"error":{"message":"because"}}])", "because"}) {
    const Error error = failure([&](Connection& c) { c.answer(body, "400 Bad Request"); });
    EXPECT_NE(error.message.find("because (HTTP 400)"), std::string::npos) << error.message;
  }
}

TEST_F(HttpModelTest, StopsInTheMiddle) {
  std::stop_source stop;
  RawServer server([&](Connection& c) {
    c.request();
    c.send(std::string(kStream) + chunk(kHello.substr(0, 20)));
    stop.request_stop();
    c.wait_for_end();
  });
  const Result<Reply> reply = ask(server, stop.get_token());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::cancelled);
}

TEST_F(HttpModelTest, ASilentServerIsGivenUp) {
  RawServer server([](Connection& c) {
    c.request();
    c.send(std::string(kStream) + chunk(kHello.substr(0, 20)));
    c.wait_for_end();
  });
  const Result<Reply> reply = ask(server, {}, {.idle = milliseconds(20)});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::timeout);
}

TEST(RetryAfter, IsASecondCountOrADate) {
  auto with = [](std::string name, std::string value) {
    return retry_after({429, {{std::move(name), std::move(value)}}}, 1'000'000'000'000);
  };
  EXPECT_EQ(with("retry-after", "7"), milliseconds(7000));
  EXPECT_EQ(with("retry-after", "0.5"), milliseconds(500));
  EXPECT_EQ(with("retry-after-ms", "1250"), milliseconds(1250));
  EXPECT_EQ(with("retry-after", "Sun, 09 Sep 2001 01:46:50 GMT"), milliseconds(10'000));
  EXPECT_EQ(with("retry-after", "Sun, 09 Sep 2001 01:46:30 GMT"), milliseconds(0));
  for (const char* nonsense : {"", "soon", "-5", "7 apples", "nan", "1e99"})
    EXPECT_EQ(with("retry-after", nonsense), std::nullopt) << nonsense;
}

// A model that fails as it is told, then answers.
class Failing final : public Model {
 public:
  Failing(std::vector<Error> errors, int& asked) : errors_(std::move(errors)), asked_(asked) {}
  Result<Reply> stream(const Request&, const Emit&, std::stop_token) override {
    const auto number = static_cast<size_t>(asked_++);
    if (number < errors_.size()) return errors_[number];
    return Reply{};
  }

 private:
  const std::vector<Error> errors_;
  int& asked_;
};

class Retry : public testing::Test {
 protected:
  Result<Reply> ask(std::vector<Error> errors) {
    asked_ = 0;
    waits_.clear();
    RetryingModel model(std::make_unique<Failing>(std::move(errors), asked_), {},
                        [&](milliseconds time, const std::stop_token&) {
                          waits_.push_back(time);
                          return !is_stopped_;
                        });
    return model.stream({},
                        [&](const Delta& delta) {
                          if (const auto* retrying = std::get_if<Retrying>(&delta))
                            attempts_ = retrying->attempt;
                        },
                        {});
  }
  int asked_ = 0, attempts_ = 0;
  bool is_stopped_ = false;
  std::vector<milliseconds> waits_;
};

TEST_F(Retry, WhatMayPassIsTriedAgainWithLongerWaits) {
  const Error busy{Code::unavailable, "busy"};
  EXPECT_TRUE(ask({busy, busy, busy}));
  EXPECT_EQ(asked_, 4);
  EXPECT_EQ(attempts_, 4);
  ASSERT_EQ(waits_.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(waits_[i], milliseconds(500 << i));
    EXPECT_LE(waits_[i], milliseconds(1000 << i));
  }
}

TEST_F(Retry, GivesUpInTheEnd) {
  const Error lost{Code::network, "lost"};
  const Result<Reply> reply = ask({lost, lost, lost, lost, lost});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "lost (tried 4 times)");
}

TEST_F(Retry, WhatWillNotPassIsToldAtOnce) {
  for (const Code code : {Code::auth, Code::denied, Code::invalid_argument, Code::not_found,
                          Code::too_large, Code::cancelled}) {
    EXPECT_FALSE(ask({{code, "no"}}));
    EXPECT_EQ(asked_, 1);
  }
  for (const std::string_view type : {std::string_view("tls_failed"), kNoStream, kDailyQuota}) {
    EXPECT_FALSE(ask({{Code::network, "no", "", std::string(type)}}));
    EXPECT_EQ(asked_, 1) << type;
  }
}

TEST_F(Retry, TheProviderSaysHowLong) {
  Error busy{Code::unavailable, "busy"};
  busy.details = JsonObject{{kRetryAfter, 7000}};
  EXPECT_TRUE(ask({busy}));
  EXPECT_EQ(waits_, std::vector{milliseconds(7000)});
  busy.details = JsonObject{{kRetryAfter, 3'600'000}};
  const Result<Reply> reply = ask({busy});
  ASSERT_FALSE(reply);
  EXPECT_EQ(asked_, 1);
  EXPECT_NE(reply.error().hint.find("3600 s"), std::string::npos) << reply.error().hint;
}

TEST_F(Retry, StopsWhileItWaits) {
  is_stopped_ = true;
  const Result<Reply> reply = ask({{Code::unavailable, "busy"}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::cancelled);
  EXPECT_EQ(asked_, 1);
}

TEST_F(Retry, AWaitEndsWithAStop) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(wait_on_thread(std::chrono::hours(1), stop.get_token()));
  EXPECT_TRUE(wait_on_thread(milliseconds(1), {}));
}

}  // namespace
}  // namespace helve::model

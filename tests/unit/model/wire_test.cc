// Each provider's words, by files: what is sent for one conversation
// (golden/wire/NAME/request.json), and what comes of streams (STREAM.sse becomes STREAM.json).
#include "model/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "unit/golden.h"

namespace helve::model {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(HELVE_TEST_DIR) / "golden/wire";

const Endpoint kEndpoint{.base_url = "http://localhost:1234/v1", .key = "KEY", .model = "model-x"};

std::vector<Message> conversation(std::string_view origin) {
  std::string name(origin);
  name += origin == "openai" ? " localhost:1234" : " localhost:1234 model-x";
  Json sealed;
  if (origin == "anthropic") sealed = JsonObject{{"type", "thinking"}, {"signature", "c2lnbmVk"}};
  if (origin == "openai") sealed = "reasoning_content";
  if (origin == "openai-responses")
    sealed = JsonObject{{"type", "reasoning"}, {"id", "rs_1"}, {"encrypted_content", "c2VjcmV0"}};
  if (origin == "gemini") sealed = "c2lnbmVk";
  return {
      {Role::user, {Text{"What is in these files?"}, Image{"aW1hZ2U=", "image/png"}}},
      {Role::assistant,
       {Thinking{"Two files.", name, sealed}, Thinking{"Of somebody else.", "other", "sealed"},
        Text{"I read both."}, ToolCall{"call_1", "read", R"({"path": "a.md"})", name, sealed},
        ToolCall{"call_2", "ls", "{broken", "", nullptr}}},
      {Role::tool,
       {ToolResult{
            "call_1", "read", {TextContent{"text"}, ImageContent{"cGljdHVyZQ==", "image/jpeg"}}},
        ToolResult{"call_2", "ls", {TextContent{"arguments: not JSON"}}, true}}},
      {Role::user, {Text{"Go on."}}},
      {Role::assistant, {Text{""}, Text{"Done."}}},
      {Role::user, {Text{"Thanks."}}},
  };
}

std::vector<Offer> offers() {
  return {{"read",
           "Read a file.",
           {{"type", "object"},
            {"properties", JsonObject{{"path", JsonObject{{"type", "string"}}}}},
            {"required", JsonArray{"path"}}}},
          {"ls", "List files.", {{"type", "object"}, {"properties", JsonObject()}}},
          {"bad name", "Cannot be offered.", {{"type", "object"}}}};
}

std::string slurp(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

struct Decoded {
  Result<Reply> reply;
  std::string deltas;  // what a person would see
};

Decoded decode(const Wire& wire, const std::vector<SseEvent>& events) {
  const std::unique_ptr<Decoder> decoder = wire.make_decoder(kEndpoint);
  std::string deltas;
  const Emit emit = [&](const Delta& delta) {
    if (const auto* text = std::get_if<TextDelta>(&delta)) deltas += text->text;
    if (const auto* thought = std::get_if<ThinkingDelta>(&delta))
      deltas.append("(").append(thought->text).append(")");
    if (const auto* call = std::get_if<CallDelta>(&delta))
      deltas.append("[").append(call->name).append(call->arguments).append("]");
  };
  for (const SseEvent& event : events) {
    const Result<bool> goes_on = decoder->take(event, emit);
    if (!goes_on) return {goes_on.error(), deltas};
    if (!*goes_on) break;
  }
  return {decoder->finish(), deltas};
}

std::vector<SseEvent> events_of(const std::string& stream) {
  std::vector<SseEvent> events;
  SseParser parser;
  EXPECT_TRUE(parser.feed(stream, [&](SseEvent& event) {
    events.push_back(event);
    return true;
  }));
  return events;
}

// Ids that we made up are not the same twice.
void name_made_up_ids(Message& message) {
  for (Part& part : message.parts) {
    auto* call = std::get_if<ToolCall>(&part);
    if (call && call->id.size() == 21 && call->id.starts_with("call_")) call->id = "made up";
  }
}

std::string shown(Decoded decoded) {
  JsonObject out;
  if (!decoded.reply) {
    out["error"] = to_json(decoded.reply.error());
  } else {
    Reply& reply = *decoded.reply;
    name_made_up_ids(reply.message);
    out = {{"stop", name_of(reply.stop)},
           {"model", reply.model},
           {"usage", JsonArray{reply.usage.input, reply.usage.output, reply.usage.cache_read,
                               reply.usage.cache_write}},
           {"message", to_json(reply.message)}};
  }
  out["deltas"] = decoded.deltas;
  return to_pretty(Json(out));
}

class WireTest : public testing::TestWithParam<const char*> {
 protected:
  const Wire& wire_ = *find_wire(GetParam());
  std::vector<std::filesystem::path> streams() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(kGolden / GetParam())) {
      if (entry.path().extension() == ".sse") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }
};

TEST_P(WireTest, SendsAConversation) {
  const std::vector<Message> messages = conversation(GetParam());
  Outgoing out = wire_.encode({.system = "Be brief.",
                               .messages = messages,
                               .max_output_tokens = 1000,
                               .effort = Effort::medium,
                               .session = "s_1"},
                              kEndpoint);
  JsonArray headers, notes;
  for (const std::string& each : out.headers) headers.emplace_back(each);
  Lowered lowered = wire_.lower(offers());
  out.body["tools"] = wire_.encode_tools(std::move(lowered.tools));
  for (const Omitted& each : lowered.omitted) notes.emplace_back(each.text());
  expect_golden(
      std::string("wire/") + GetParam() + "/request.json",
      to_pretty(Json(JsonObject{
          {"path", out.path}, {"headers", headers}, {"notes", notes}, {"body", out.body}})));
}

TEST_P(WireTest, TellsWhichToolsAreTaken) {
  std::vector<std::string> notes;
  const std::vector<Offer> taken = taken_by(wire_, offers(), notes);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].name + " " + taken[1].name, "read ls");
  EXPECT_EQ(notes.size(), 1u);
}

TEST_P(WireTest, ReadsStreams) {
  for (const auto& file : streams()) {
    std::filesystem::path expected = std::filesystem::path("wire") / GetParam() / file.stem();
    expect_golden(expected.string() + ".json", shown(decode(wire_, events_of(slurp(file)))));
  }
}

TEST_P(WireTest, AStreamThatEndsEarlyIsNoReply) {
  for (const auto& file : streams()) {
    const std::vector<SseEvent> events = events_of(slurp(file));
    const std::string whole = shown(decode(wire_, events));
    for (size_t count = 0; count < events.size(); ++count) {
      const Decoded cut =
          decode(wire_, {events.begin(), events.begin() + static_cast<long>(count)});
      // All that can be missing of a reply is how many tokens it took.
      if (cut.reply) {
        EXPECT_EQ(to_json(cut.reply->message).at("parts").as_array().size(),
                  parse_json(whole)->at("message").at("parts").as_array().size())
            << file << " after " << count;
      } else {
        EXPECT_EQ(cut.reply.error().type, kIncomplete) << file << " after " << count;
      }
    }
  }
}

TEST_P(WireTest, WhatMakesNoSenseIsAnError) {
  for (const char* data : {"{", "[]", "null", "7", "\"text\"", "{\"a\":", "<html>"}) {
    const Decoded decoded = decode(wire_, {{"message", data}});
    ASSERT_FALSE(decoded.reply) << data;
    EXPECT_EQ(decoded.reply.error().type, kBadStream) << data;
  }
  // Objects of any form may come: nobody falls over.
  for (const char* data :
       {"{}", R"({"choices":{}})", R"({"choices":[7]})",
        R"({"choices":[{"delta":{"tool_calls":[7,{}]}}]})", R"({"type":"content_block_start"})",
        R"({"type":"content_block_delta","index":9})",
        R"({"type":"message_delta","usage":{"output_tokens":"many"}})",
        R"({"type":"response.output_item.done","item":7})", R"({"type":"response.failed"})",
        R"({"candidates":[{"content":{"parts":[7,{"functionCall":7}]}}]})", R"({"error":7})",
        R"({"usage":{"prompt_tokens":1e300,"completion_tokens":-5}})"}) {
    EXPECT_FALSE(decode(wire_, {{"message", data}}).reply) << data;
  }
}

TEST_P(WireTest, NamesThatNobodyHasGoBackAsValidOnes) {
  const std::vector<Message> messages{
      user_message("hi"),
      {Role::assistant, {ToolCall{"call_1", "9 files/read", "{}", "", nullptr}}},
      {Role::tool, {ToolResult{"call_1", "9 files/read", {TextContent{"no such tool"}}, true}}}};
  const std::string body = to_text(Json(wire_.encode({.messages = messages}, kEndpoint).body));
  const bool is_gemini = std::string_view(GetParam()) == "gemini";
  const std::string expected = is_gemini ? R"("name":"__files_read")" : R"("name":"9_files_read")";
  const size_t first = body.find(expected);
  ASSERT_NE(first, body.npos) << body;
  EXPECT_EQ(body.find("files/read"), body.npos) << body;
  // Only there a result has a name, too.
  EXPECT_EQ(body.find(expected, first + 1) != body.npos, is_gemini) << body;
}

INSTANTIATE_TEST_SUITE_P(Providers, WireTest,
                         testing::Values("anthropic", "openai", "openai-responses", "gemini"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Wire, ErrorsSayWhatToDo) {
  const struct {
    int status;
    const char *kind, *message;
    Code code;
    std::string_view type;
  } cases[] = {
      {401, "authentication_error", "invalid x-api-key", Code::auth, "auth"},
      {403, "", "forbidden", Code::auth, "auth"},
      {429, "rate_limit_error", "slow down", Code::unavailable, "rate_limited"},
      {429, "insufficient_quota", "You exceeded your current quota", Code::denied, "billing"},
      {429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan",
       Code::unavailable, "rate_limited"},
      {429, "", "Too many tokens, please wait before trying again.", Code::unavailable,
       "rate_limited"},
      {0, "rate_limit_exceeded", "too many tokens", Code::unavailable, "rate_limited"},
      {429, "", "Rate limit exceeded: free-models-per-day", Code::unavailable, kDailyQuota},
      {402, "", "Insufficient credits", Code::denied, "billing"},
      {429, "billing_hard_limit_reached", "", Code::denied, "billing"},
      {400, "invalid_request_error", "Your credit balance is too low", Code::denied, "billing"},
      {400, "invalid_request_error", "prompt is too long: 210000 tokens", Code::too_large,
       kContextOverflow},
      {400, "context_length_exceeded", "", Code::too_large, kContextOverflow},
      {400, "exceed_context_size_error", "the request exceeds the available context size",
       Code::too_large, kContextOverflow},
      {400, "invalid_request_error", "max_tokens: must be positive", Code::invalid_argument,
       "bad_request"},
      {404, "not_found_error", "model: nothing", Code::not_found, "unknown_model"},
      {404, "", "No endpoints found for a/b", Code::not_found, "unknown_model"},
      {404, "not_found_error", "Not Found", Code::not_found, "unknown_path"},
      {404, "", "404 page not found", Code::not_found, "unknown_path"},
      {405, "", "Method Not Allowed", Code::not_found, "unknown_path"},
      {404, kNoAnswer.data(), "<html>Large models</html>", Code::not_found, "unknown_path"},
      {400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", Code::auth,
       "auth"},
      {400, "INVALID_ARGUMENT", "API Key not found. Please pass a valid API key.", Code::auth,
       "auth"},
      {500, "", "", Code::unavailable, "provider_failed"},
      {529, "overloaded_error", "Overloaded", Code::unavailable, "provider_failed"},
      {0, "overloaded_error", "Overloaded", Code::unavailable, "provider_failed"},
      {0, "UNAUTHENTICATED", "no key", Code::auth, "auth"},
  };
  for (const auto& each : cases) {
    const Error error = provider_error(each.status, each.kind, each.message);
    EXPECT_EQ(error.code, each.code) << each.status << each.kind << each.message;
    EXPECT_EQ(error.type, each.type) << each.status << each.kind << each.message;
    EXPECT_FALSE(error.message.empty());
    EXPECT_FALSE(error.hint.empty()) << each.status << each.kind << each.message;
  }
}

TEST(Wire, GoogleRefusesAKeyWithItsReasonOnly) {
  const Json details = *parse_json(
      R"([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}])");
  const Error error = provider_error(400, "INVALID_ARGUMENT", "Das geht nicht.", &details);
  EXPECT_EQ(error.code, Code::auth);
  EXPECT_NE(error.hint.find("key"), std::string::npos) << error.hint;
}

Error quota_error(const char* details) {
  const Json value = *parse_json(details);
  return provider_error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", &value);
}

TEST(Wire, DetailsOfAnErrorSayWhenToComeAgain) {
  const Error minute = quota_error(R"([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "27.5s"}])");
  EXPECT_EQ(minute.type, "rate_limited");
  EXPECT_EQ(minute.details, Json(JsonObject{{kRetryAfter, 27'500}}));
  const Error day = quota_error(R"([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "27s"}])");
  EXPECT_EQ(day.type, kDailyQuota);
  for (const char* nonsense :
       {"7", "[]", "[7]", R"([{"@type": 7}])", R"([{"retryDelay": "27s"}])",
        R"([{"@type": "RetryInfo"}])", R"([{"@type": "RetryInfo", "retryDelay": "soon"}])",
        R"([{"@type": "RetryInfo", "retryDelay": "-1s"}])",
        R"([{"@type": "RetryInfo", "retryDelay": "1e99s"}])",
        R"([{"violations": {"quotaId": 7}}])"}) {
    const Error error = quota_error(nonsense);
    EXPECT_EQ(error.type, "rate_limited") << nonsense;
    EXPECT_TRUE(error.details.is_null()) << nonsense;
  }
}

}  // namespace
}  // namespace helve::model

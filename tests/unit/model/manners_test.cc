// What each model, or server, wants otherwise than the others of its format.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/wire.h"

namespace helve::model {
namespace {

const Endpoint kEndpoint{.base_url = "http://localhost:1234/v1", .key = "KEY", .model = "model-x"};

// What an assistant's messages have of thoughts: one by each server, in an earlier turn and in this
// one.
std::string thoughts_sent_to(const std::string& base_url) {
  auto answer = [](const char* turn, const char* origin, const char* key) {
    return Message{Role::assistant,
                   {Thinking{std::string(turn) + " of " + origin, origin, key},
                    ToolCall{"call_1", "ls", "{}", "", nullptr}}};
  };
  const Message result{Role::tool, {ToolResult{"call_1", "ls", {TextContent{"a"}}}}};
  std::vector<Message> messages;
  for (const char* turn : {"then", "now"}) {
    messages.push_back(user_message("Go on."));
    for (const auto& [origin, key] : {std::pair{"openai", "reasoning_content"},
                                      {"openai api.deepseek.com", "reasoning_content"},
                                      {"openai localhost:11434", "reasoning"},
                                      {"openai api.groq.com", "reasoning"}}) {
      messages.push_back(answer(turn, origin, key));
      messages.push_back(result);
    }
  }
  const Outgoing out =
      kOpenAi.encode({.messages = messages}, {.base_url = base_url, .key = "", .model = "m"});
  std::string sent;
  for (const Json& message : out.body.at("messages").as_array()) {
    for (const char* key : {"reasoning", "reasoning_content"}) {
      if (const Json* thought = find(message, key))
        sent.append(key).append(": ").append(thought->as_string()).append("\n");
    }
  }
  return sent;
}

TEST(Wire, ThoughtsGoBackWithinTheirTurnToWhoeverHadThem) {
  EXPECT_EQ(thoughts_sent_to("http://localhost:11434/v1"),
            "reasoning: now of openai localhost:11434\n");
  for (const char* other : {"https://api.groq.com/openai/v1", "https://api.mistral.ai/v1",
                            "http://localhost:1234/v1", "https://api.openai.com/v1"})
    EXPECT_EQ(thoughts_sent_to(other), "") << other;
}

TEST(Wire, OpenRouterGetsTheDetailsOfThoughtsBack) {
  const Json details =
      JsonArray{JsonObject{{"type", "reasoning.encrypted"}, {"data", "SEALED"}, {"id", "c"}}};
  const std::vector<Message> messages{
      user_message("Go on."),
      {Role::assistant,
       {Thinking{"Hm.", "openai openrouter.ai", JsonObject{{"reasoning_details", details}}},
        ToolCall{"c", "ls", "{}", "", nullptr}}},
      {Role::tool, {ToolResult{"c", "ls", {TextContent{"a"}}}}}};
  for (const auto& [base_url, goes] :
       {std::pair{"https://openrouter.ai/api/v1", true}, {"https://api.x.ai/v1", false}}) {
    const Outgoing out =
        kOpenAi.encode({.messages = messages}, {.base_url = base_url, .key = "", .model = "m"});
    const Json* sent = find(out.body.at("messages").at(1), "reasoning_details");
    ASSERT_EQ(sent != nullptr, goes) << base_url;
    EXPECT_EQ(sent ? *sent : Json(), goes ? details : Json());
  }
}

TEST(Wire, DeepSeekGetsTheThoughtsOfEarlierTurns) {
  EXPECT_EQ(thoughts_sent_to("https://api.deepseek.com/v1"),
            "reasoning_content: then of openai api.deepseek.com\n"
            "reasoning_content: now of openai api.deepseek.com\n");
}

TEST(Wire, ClaudeThinksAsTheModelCan) {
  constexpr const char* kBound = R"({"type":"adaptive","display":"summarized","block_binding":)"
                                 R"({"prefix_mismatch_behavior":"drop_block"}})";
  const std::string bound = kBound;
  const struct {
    const char* model;
    Effort effort;
    std::int64_t asked;
    std::string sent;
  } cases[] = {
      {"claude-opus-5-5", Effort::unset, 0, R"({"thinking":)" + bound + R"(,"max_tokens":40576})"},
      {"claude-opus-5-5", Effort::off, 0,
       R"({"thinking":)" + bound + R"(,"output_config":{"effort":"low"},"max_tokens":18048})"},
      {"claude-opus-5-5", Effort::low, 0,
       R"({"thinking":)" + bound + R"(,"output_config":{"effort":"low"},"max_tokens":18048})"},
      {"claude-fable-5", Effort::off, 0,
       R"({"thinking":{"type":"adaptive","display":"summarized"},)"
       R"("output_config":{"effort":"low"},"max_tokens":18048})"},
      {"claude-sonnet-5", Effort::unset, 0,
       R"({"thinking":{"type":"adaptive","display":"summarized"},"max_tokens":40576})"},
      {"claude-sonnet-5", Effort::off, 0, R"({"thinking":{"type":"disabled"},"max_tokens":16000})"},
      {"claude-opus-4-7", Effort::unset, 0, R"({"max_tokens":16000})"},
      {"claude-opus-4-7", Effort::high, 1000,
       R"({"thinking":{"type":"adaptive","display":"summarized"},)"
       R"("output_config":{"effort":"high"},"max_tokens":1000})"},
      {"claude-sonnet-4-6", Effort::medium, 100'000,
       R"({"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"},"max_tokens":64000})"},
      {"claude-sonnet-4-5", Effort::medium, 0,
       R"({"thinking":{"type":"enabled","budget_tokens":8192},"max_tokens":24192})"},
      {"claude-sonnet-4-5", Effort::medium, 1000,
       R"({"thinking":{"type":"enabled","budget_tokens":8192},"max_tokens":24192})"},
      {"claude-opus-4-1", Effort::high, 0,
       R"({"thinking":{"type":"enabled","budget_tokens":24000},"max_tokens":32000})"},
      {"claude-opus-4-1", Effort::unset, 50'000, R"({"max_tokens":32000})"},
      {"claude-3-5-haiku-latest", Effort::high, 0, R"({"max_tokens":8192})"},
      {"claude-3-haiku-20240307", Effort::unset, 0, R"({"max_tokens":4096})"},
      {"glm-5", Effort::low, 0,
       R"({"thinking":{"type":"adaptive"},"output_config":{"effort":"low"},"max_tokens":18048})"},
  };
  for (const auto& each : cases) {
    const Outgoing out = kAnthropic.encode({.max_output_tokens = each.asked, .effort = each.effort},
                                           {.base_url = "", .key = "", .model = each.model});
    JsonObject sent;
    for (const char* key : {"thinking", "output_config", "max_tokens"}) {
      if (const Json* value = out.body.if_contains(key)) sent[key] = *value;
    }
    EXPECT_EQ(to_text(Json(sent)), each.sent) << each.model << static_cast<int>(each.effort);
    const bool is_asked = std::ranges::any_of(
        out.headers, [](const std::string& each) { return each.starts_with("anthropic-beta"); });
    EXPECT_EQ(is_asked, each.sent.find("block_binding") != std::string::npos) << each.model;
  }
}

// A conversation whose last call was thought of by `origin`.
std::vector<Message> called_by(const std::string& origin, const Json& sealed) {
  return {user_message("Go on."),
          {Role::assistant,
           {Thinking{"Hm.", origin, sealed}, ToolCall{"c", "ls", "{}", origin, sealed}}},
          {Role::tool, {ToolResult{"c", "ls", {TextContent{"a"}}}}}};
}

std::string sent_of(const Wire& wire, const std::vector<Message>& messages, const char* model,
                    Effort effort = Effort::unset) {
  return to_text(Json(wire.encode({.messages = messages, .effort = effort},
                                  {.base_url = "https://example.org/v1", .key = "", .model = model})
                          .body));
}

TEST(Wire, ThoughtsGoBackToTheModelThatHadThemOnly) {
  const struct {
    const Wire& wire;
    Json sealed;
  } cases[] = {
      {kAnthropic, JsonObject{{"type", "thinking"}, {"signature", "SEALED"}}},
      {kOpenAiResponses, JsonObject{{"type", "reasoning"}, {"encrypted_content", "SEALED"}}},
      {kGemini, "SEALED"}};
  for (const auto& each : cases) {
    const std::string name(each.wire.name);
    for (const char* model : {"same-model", "other-model"}) {
      const std::string sent =
          sent_of(each.wire, called_by(name + " example.org same-model", each.sealed), model);
      EXPECT_EQ(sent.find("SEALED") != sent.npos, model == std::string_view("same-model"))
          << name << " " << sent;
    }
    const std::string elsewhere =
        sent_of(each.wire, called_by(name + " localhost:9 same-model", each.sealed), "same-model");
    EXPECT_EQ(elsewhere.find("SEALED"), elsewhere.npos) << name;
  }
}

TEST(Wire, ClaudeDoesNotThinkWithoutTheThoughtsOfItsCalls) {
  const Json sealed = JsonObject{{"type", "thinking"}, {"signature", "s"}};
  const std::string own = "anthropic example.org claude-sonnet-4-5";
  auto sent = [&](const std::string& origin, const char* model) {
    return sent_of(kAnthropic, called_by(origin, sealed), model, Effort::low);
  };
  EXPECT_NE(sent(own, "claude-sonnet-4-5").find("budget_tokens"), std::string::npos);
  EXPECT_EQ(sent("other", "claude-sonnet-4-5").find("budget_tokens"), std::string::npos);
  EXPECT_NE(sent("other", "claude-opus-5-5").find("adaptive"), std::string::npos);
}

TEST(Wire, GeminiIsToldWhichCallsNobodySigned) {
  const std::string mark = R"("thoughtSignature":"skip_thought_signature_validator")";
  for (const auto& [model, is_marked] :
       {std::pair{"gemini-3.8-flash", true}, {"gemini-2.5-flash", false}}) {
    const std::string sent = sent_of(kGemini, called_by("other", "s"), model);
    EXPECT_EQ(sent.find(mark) != sent.npos, is_marked) << model;
  }
  const std::string own = "gemini example.org gemini-3.8-flash";
  EXPECT_EQ(sent_of(kGemini, called_by(own, "s"), "gemini-3.8-flash").find(mark),
            std::string::npos);
}

// A stream of one event, as a reply.
Message replied(const Wire& wire, const Endpoint& endpoint, const char* event) {
  const std::unique_ptr<Decoder> decoder = wire.make_decoder(endpoint);
  const Emit emit = [](const Delta&) {};
  EXPECT_TRUE(decoder->take({"message", event}, emit));
  Result<Reply> reply = decoder->finish();
  EXPECT_TRUE(reply);
  return reply ? std::move(reply->message) : Message();
}

TEST(Wire, GeminiGetsItsIdsBackWithCallsAndResults) {
  const Endpoint google{
      .base_url = "https://example.org/v1beta", .key = "", .model = "gemini-3.8-flash"};
  const Message answer = replied(kGemini, google, R"({"candidates":[{"content":{"parts":[
      {"functionCall":{"id":"fc-1","name":"ls","args":{}},"thoughtSignature":"c2ln"},
      {"functionCall":{"id":"fc-2","name":"ls","args":{"path":"a"}}},
      {"functionCall":{"name":"ls","args":{}}}]},"finishReason":"STOP"}]})");
  const std::vector<const ToolCall*> calls = calls_of(answer);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_NE(calls[0]->id, "fc-1") << "ids of others need not be unique in a session";
  // Results may come in another order, and in messages of their own.
  const Image picture{"aQ==", "image/png"};
  std::vector<Message> messages{user_message("go"), answer};
  const Result<Message> kept = message_from_json(Json(to_json(answer)));
  ASSERT_TRUE(kept);
  messages[1] = *kept;
  for (const size_t i : {1, 0, 2}) {
    messages.push_back({Role::tool,
                        {ToolResult{calls[i]->id,
                                    "ls",
                                    {TextContent{std::to_string(i)},
                                     ImageContent{picture.data, picture.mime_type}}}}});
  }
  messages.push_back(user_message("and?"));
  const auto contents = [&](const Endpoint& to) {
    return kGemini.encode({.messages = messages}, to).body.at("contents").as_array();
  };
  const JsonArray own = contents(google);
  ASSERT_EQ(own.size(), 3u) << "all results stand in one content";
  const JsonArray& sent = own[1].at("parts").as_array();
  EXPECT_EQ(sent[0].at("functionCall").at("id"), "fc-1");
  EXPECT_EQ(sent[0].at("thoughtSignature"), "c2ln");
  EXPECT_EQ(sent[1].at("functionCall").at("id"), "fc-2");
  EXPECT_FALSE(find(sent[1], "thoughtSignature"));
  EXPECT_FALSE(find(sent[2].at("functionCall"), "id"));
  const JsonArray& results = own[2].at("parts").as_array();
  ASSERT_EQ(results.size(), 7u);
  EXPECT_EQ(results[0].at("functionResponse").at("id"), "fc-2");
  EXPECT_EQ(results[1].at("functionResponse").at("id"), "fc-1");
  EXPECT_FALSE(find(results[2].at("functionResponse"), "id"));
  for (size_t i = 3; i < 6; ++i) EXPECT_TRUE(find(results[i], "inlineData")) << i;
  EXPECT_EQ(results[6].at("text"), "and?");
  // Nobody else knows them.
  for (const Endpoint& other :
       {Endpoint{.base_url = "https://example.org/v1beta", .key = "", .model = "gemini-3.7-pro"},
        Endpoint{.base_url = "https://other.org/v1beta", .key = "", .model = "gemini-3.8-flash"}}) {
    const std::string text = to_text(Json(contents(other)));
    EXPECT_EQ(text.find("fc-"), text.npos) << text;
    EXPECT_EQ(text.find("c2ln"), text.npos) << text;
  }
}

TEST(Wire, GeminiThinksAsTheModelCan) {
  const struct {
    const char* model;
    Effort effort;
    const char* sent;
  } cases[] = {
      {"gemini-3.8-flash", Effort::off, R"({"includeThoughts":false,"thinkingLevel":"low"})"},
      {"gemini-4-argon", Effort::medium, R"({"includeThoughts":true,"thinkingLevel":"medium"})"},
      {"gemini-2.5-flash", Effort::off, R"({"includeThoughts":false,"thinkingBudget":0})"},
      {"gemini-2.5-pro", Effort::off, R"({"includeThoughts":false,"thinkingBudget":128})"},
      {"gemini-2.5-pro", Effort::low, R"({"includeThoughts":true,"thinkingBudget":1024})"},
  };
  for (const auto& each : cases) {
    const std::string sent = sent_of(kGemini, {user_message("hi")}, each.model, each.effort);
    EXPECT_NE(sent.find(each.sent), sent.npos) << each.model << sent;
  }
}

TEST(Wire, AThoughtBeforeNothingIsLeftOut) {
  const Json sealed = JsonObject{{"type", "reasoning"}, {"encrypted_content", "SEALED"}};
  const std::string origin = "openai-responses example.org gpt-5";
  const std::vector<Message> messages{user_message("hi"),
                                      {Role::assistant, {Thinking{"Hm.", origin, sealed}}},
                                      user_message("Go on.")};
  const std::string sent = sent_of(kOpenAiResponses, messages, "gpt-5");
  EXPECT_EQ(sent.find("SEALED"), sent.npos) << sent;
}

TEST(Wire, TheNameOfACacheIsShort) {
  for (const size_t length : {size_t{1}, size_t{64}, size_t{65}, size_t{1000}}) {
    const std::string session(length, 's');
    const Outgoing out = kOpenAiResponses.encode({.session = session}, kEndpoint);
    EXPECT_LE(out.body.at("prompt_cache_key").as_string().size(), 64u);
    EXPECT_EQ(out.body.at("prompt_cache_key") == Json(session), length <= 64);
  }
}

TEST(Wire, MistralGetsWhatItTakes) {
  const std::vector<Message> messages{
      {Role::assistant, {ToolCall{"call_0123456789abcdef", "ls", "{}", "", nullptr}}},
      {Role::tool, {ToolResult{"call_0123456789abcdef", "ls", {TextContent{"a"}}}}},
      {Role::assistant, {ToolCall{"abcDEF123", "ls", "{}", "", nullptr}}},
      {Role::tool, {ToolResult{"abcDEF123", "ls", {TextContent{"a"}}}}}};
  const Outgoing out =
      kOpenAi.encode({.messages = messages, .max_output_tokens = 5},
                     {.base_url = "https://api.mistral.ai/v1", .key = "", .model = "m"});
  EXPECT_FALSE(out.body.contains("stream_options"));
  EXPECT_FALSE(out.body.contains("max_completion_tokens"));
  EXPECT_EQ(out.body.at("max_tokens"), 5);
  const JsonArray& sent = out.body.at("messages").as_array();
  const std::string_view id = sent.at(0).at("tool_calls").at(0).at("id").as_string();
  EXPECT_EQ(id.size(), 9u);
  EXPECT_EQ(sent.at(1).at("tool_call_id").as_string(), id);
  EXPECT_EQ(sent.at(3).at("tool_call_id"), "abcDEF123");
}

// The roles of the messages that are sent.
std::string roles_sent_to(const std::string& base_url, const std::string& model,
                          const std::vector<Message>& messages) {
  const Outgoing out = kOpenAi.encode({.system = "Be brief.", .messages = messages},
                                      {.base_url = base_url, .key = "", .model = model});
  std::string roles;
  for (const Json& message : out.body.at("messages").as_array())
    roles.append(roles.empty() ? "" : " ").append(message.at("role").as_string());
  return roles;
}

TEST(Wire, MistralAnswersResultsBeforeAPersonSpeaks) {
  const Message call{Role::assistant, {ToolCall{"abcDEF123", "ls", "{}", "", nullptr}}};
  const Message result{Role::tool, {ToolResult{"abcDEF123", "ls", {TextContent{"a"}}}}};
  const Message shown{Role::tool,
                      {ToolResult{"abcDEF123", "ls", {ImageContent{"aQ==", "image/png"}}}}};
  const struct {
    const char* what;
    std::vector<Message> messages;
    const char* roles;  // for Mistral
  } cases[] = {
      {"stopped, or steered",
       {user_message("hi"), call, result, user_message("stop"), user_message("do that")},
       "system user assistant tool assistant user user"},
      {"an image", {user_message("hi"), call, shown}, "system user assistant tool assistant user"},
      {"as usual",
       {user_message("hi"), call, result, call, result},
       "system user assistant tool assistant tool"},
  };
  for (const auto& each : cases) {
    const std::string roles(each.roles);
    EXPECT_EQ(roles_sent_to("https://api.mistral.ai/v1", "m", each.messages), roles) << each.what;
    EXPECT_EQ(roles_sent_to("https://openrouter.ai/api/v1", "mistralai/devstral", each.messages),
              roles)
        << each.what;
    std::string usual = roles;
    if (const size_t bridge = usual.find("tool assistant user"); bridge != usual.npos)
      usual.replace(bridge, std::string_view("tool assistant").size(), "tool");
    EXPECT_EQ(roles_sent_to("http://localhost:1234/v1", "model-x", each.messages), usual)
        << each.what;
  }
}

TEST(Wire, ClaudeGetsIdsThatItTakes) {
  const std::vector<Message> messages{
      {Role::assistant, {ToolCall{"functions.ls:0", "ls", "{}", "", nullptr}}},
      {Role::tool, {ToolResult{"functions.ls:0", "ls", {TextContent{"a"}}}}}};
  const Outgoing out = kAnthropic.encode({.messages = messages}, kEndpoint);
  const JsonArray& sent = out.body.at("messages").as_array();
  EXPECT_EQ(sent.at(0).at("content").at(0).at("id"), "functions_ls_0");
  EXPECT_EQ(sent.at(1).at("content").at(0).at("tool_use_id"), "functions_ls_0");
}

TEST(Wire, ClaudeGetsNoBlankText) {
  const Thinking thought{"Hm.", "anthropic localhost:1234 model-x",
                         JsonObject{{"type", "thinking"}, {"signature", "s"}}};
  const ToolCall call{"c", "ls", "{}", "", nullptr};
  auto result = [](std::vector<Content> content) {
    return Message{Role::tool, {ToolResult{"c", "ls", std::move(content)}}};
  };
  const struct {
    Message message;
    const char* sent;  // its blocks
  } cases[] = {
      {{Role::user, {Text{" \n"}, Text{"hi"}}}, R"j([{"type":"text","text":"hi"}])j"},
      {{Role::user, {Text{"\t"}}}, R"j([{"type":"text","text":"(nothing)"}])j"},
      {{Role::user, {}}, R"j([{"type":"text","text":"(nothing)"}])j"},
      {{Role::assistant, {Text{"\n\n"}}}, R"j([{"type":"text","text":"(nothing)"}])j"},
      {{Role::assistant, {thought, Text{"\n\n"}}},
       R"j([{"type":"thinking","signature":"s","thinking":"Hm."},{"type":"text","text":"(nothing)"}])j"},
      {{Role::assistant, {Text{"\n\n"}, call}},
       R"j([{"type":"tool_use","id":"c","name":"ls","input":{}}])j"},
      {result({TextContent{" \n"}}),
       R"j([{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"(no output)"}]}])j"},
      {result({}),
       R"j([{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"(no output)"}]}])j"},
      {result({TextContent{""}, TextContent{" a"}}),
       R"j([{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":" a"}]}])j"},
  };
  for (const auto& each : cases) {
    const std::vector<Message> messages{each.message};
    Outgoing out = kAnthropic.encode({.system = " \n", .messages = messages}, kEndpoint);
    EXPECT_FALSE(out.body.contains("system"));
    JsonArray blocks = out.body.at("messages").at(0).at("content").as_array();
    for (Json& block : blocks) block.as_object().erase("cache_control");
    EXPECT_EQ(to_text(Json(blocks)), each.sent);
  }
}

TEST(Wire, TheLongestReplyHasTheNameThatTheServerKnows) {
  const struct {
    const char* base_url;
    const char* model;
    const char* name;
  } cases[] = {
      {"https://api.openai.com/v1", "gpt-4o", "max_completion_tokens"},
      {"https://eu.api.openai.com/v1", "gpt-4o", "max_completion_tokens"},
      {"https://me.openai.azure.com/openai/v1", "mine", "max_completion_tokens"},
      {"https://api.groq.com/openai/v1", "qwen3", "max_completion_tokens"},
      {"https://gateway.example.org/v1", "openai/o3", "max_completion_tokens"},
      {"https://notapi.openai.com.example.org/v1", "model-x", "max_tokens"},
      {"https://myapi.openai.company/v1", "model-x", "max_tokens"},
      {"http://localhost:11434/v1", "qwen3", "max_tokens"},
      {"http://localhost:11434/v1", "gpt-oss:20b", "max_tokens"},
      {"http://localhost:1234/v1", "model-x", "max_tokens"},
      {"https://api.mistral.ai/v1", "mistral-large-latest", "max_tokens"},
  };
  for (const auto& each : cases) {
    const JsonObject sent = kOpenAi
                                .encode({.max_output_tokens = 5},
                                        {.base_url = each.base_url, .key = "", .model = each.model})
                                .body;
    for (const char* name : {"max_completion_tokens", "max_tokens"})
      EXPECT_EQ(sent.contains(name), name == std::string_view(each.name)) << each.base_url << name;
  }
}

TEST(Wire, ModelsOfOpenAiThinkAsTheyCan) {
  const struct {
    const char* model;
    Effort effort;
    Json sent;
  } cases[] = {
      {"gpt-4o", Effort::high, {}},          {"openai/gpt-4.1", Effort::off, {}},
      {"gpt-5", Effort::unset, {}},          {"gpt-5", Effort::off, "minimal"},
      {"gpt-5-mini", Effort::low, "low"},    {"gpt-5.1", Effort::off, "none"},
      {"gpt-6-sol", Effort::off, "none"},    {"o3", Effort::off, "low"},
      {"o4-mini", Effort::medium, "medium"}, {"gpt-5-pro", Effort::off, {}},
      {"model-x", Effort::off, "none"},      {"model-x", Effort::high, "high"},
  };
  for (const auto& each : cases) {
    Endpoint endpoint = kEndpoint;
    endpoint.model = each.model;
    const Json chat = kOpenAi.encode({.effort = each.effort}, endpoint).body;
    const Json* effort = find(chat, "reasoning_effort");
    EXPECT_EQ(effort ? *effort : Json(), each.sent) << each.model;
    const Json responses = kOpenAiResponses.encode({.effort = each.effort}, endpoint).body;
    const Json* reasoning = find(responses, "reasoning");
    effort = reasoning ? find(*reasoning, "effort") : nullptr;
    EXPECT_EQ(effort ? *effort : Json(), each.sent) << each.model;
  }
}

TEST(Wire, OnlyModelsThatReasonAreToldOfIt) {
  for (const auto& [model, reasons] : {std::pair{"gpt-5", true}, {"gpt-4o", false}}) {
    const Json sealed = JsonObject{{"type", "reasoning"}, {"encrypted_content", "SEALED"}};
    const std::string origin = std::string("openai-responses example.org ") + model;
    const std::string sent =
        sent_of(kOpenAiResponses, called_by(origin, sealed), model, Effort::low);
    for (const char* told : {"\"include\"", "\"reasoning\":{", "SEALED"})
      EXPECT_EQ(sent.find(told) != sent.npos, reasons) << model << told;
  }
}

}  // namespace
}  // namespace helve::model

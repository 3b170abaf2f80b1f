#include "model/scripted.h"

#include <gtest/gtest.h>

#include "model/recorded.h"
#include "model/text_protocol.h"

namespace helve::model {
namespace {

// "text (thought) [call arguments] <retrying>"
Emit into(std::string& seen) {
  return [&seen](const Delta& delta) {
    if (const auto* text = std::get_if<TextDelta>(&delta)) seen += text->text;
    if (const auto* thought = std::get_if<ThinkingDelta>(&delta))
      seen.append("(").append(thought->text).append(")");
    if (const auto* call = std::get_if<CallDelta>(&delta))
      seen.append("[").append(call->name).append(call->arguments).append("]");
  };
}

std::unique_ptr<ScriptedModel> scripted(std::string_view script) {
  auto model = ScriptedModel::parse(script);
  EXPECT_TRUE(model) << describe(model.error());
  return std::move(*model);
}

Result<Reply> ask(Model& model, std::string text = "hi") {
  const std::vector<Message> messages{user_message(std::move(text))};
  return model.stream({.messages = messages}, [](const Delta&) {}, {});
}

TEST(Scripted, SaysWhatTheFileTells) {
  const auto model = scripted(
      "# a comment\n\n"
      R"({"thinking": "hm", "text": "I look at it.", "calls": [{"tool": "read", "arguments": {"path": "a"}}, {"tool": "ls"}], "usage": {"input": 7, "output": 3}})"
      "\n"
      R"({"text": "Done.", "stop": "length"})");
  std::string seen;
  const std::vector<Message> messages{user_message("hi")};
  const auto first = model->stream({.messages = messages}, into(seen), {});
  ASSERT_TRUE(first);
  EXPECT_EQ(seen, R"((hm)I look at it.[read{"path":"a"}][ls{}])");
  EXPECT_EQ(first->stop, Stop::calls);
  EXPECT_EQ(first->usage.input, 7);
  ASSERT_EQ(calls_of(first->message).size(), 2u);
  EXPECT_NE(calls_of(first->message)[0]->id, calls_of(first->message)[1]->id);
  EXPECT_EQ(ask(*model)->stop, Stop::length);
  EXPECT_EQ(ask(*model).error().type, "script_ended");
}

TEST(Scripted, AReplyMayWaitForItsQuestion) {
  const auto model = scripted(R"({"when": "second", "text": "two"})"
                              "\n"
                              R"({"text": "one"})");
  EXPECT_EQ(text_of(ask(*model, "the first")->message), "one");
  EXPECT_FALSE(ask(*model, "the first"));
  EXPECT_EQ(text_of(ask(*model, "the second")->message), "two");
}

TEST(Scripted, FailsAsItIsTold) {
  const auto model =
      scripted(R"({"error": {"code": "unavailable", "message": "busy", "type": "rate_limited"}})");
  const auto reply = ask(*model);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::unavailable);
  EXPECT_EQ(reply.error().type, "rate_limited");
}

TEST(Scripted, ErrorsNameTheLine) {
  for (const char* line : {"{",
                           "[]",
                           R"({"texts": "x"})",
                           R"({"calls": 7})",
                           R"({"calls": [{"name": "x"}]})",
                           R"({"stop": "now"})",
                           R"({"error": {"code": "odd"}})",
                           R"({"text": 1})",
                           R"({"thinking": {}})",
                           R"({"when": ["x"], "text": "y"})",
                           R"({"stop": 1})",
                           R"({"pause_ms": "1"})",
                           R"({"pause_ms": -1})",
                           R"({"unread": "x"})",
                           R"({"unread": [1]})",
                           R"({"usage": 7})",
                           R"({"usage": {"input": "7"}})",
                           R"({"error": "busy"})",
                           R"({"error": {"code": 1}})",
                           R"({"error": {"code": "unavailable", "message": 1}})",
                           R"({"calls": [7]})",
                           R"({"calls": [{"tool": 1}]})",
                           R"({"calls": [{"tool": "ls", "id": 1}]})",
                           R"({"calls": {}})"}) {
    const auto model = ScriptedModel::parse("# first\n" + std::string(line));
    ASSERT_FALSE(model) << line;
    EXPECT_TRUE(model.error().message.starts_with("line 2 of the script: "))
        << model.error().message;
  }
}

TEST(Scripted, StopsBetweenWords) {
  std::stop_source stop;
  const auto model = scripted(R"({"text": "one two three"})");
  std::string seen;
  const auto reply = model->stream(
      {},
      [&](const Delta& delta) {
        seen += std::get<TextDelta>(delta).text;
        stop.request_stop();
      },
      stop.get_token());
  EXPECT_EQ(reply.error().code, Code::cancelled);
  EXPECT_EQ(seen, "one ");
}

// Keeps what it was asked.
class Listening final : public Model {
 public:
  Listening(std::unique_ptr<Model> inner, std::vector<JsonObject>& asked, std::string& system)
      : inner_(std::move(inner)), asked_(asked), system_(system) {}
  Result<Reply> stream(const Request& request, const Emit& emit, std::stop_token stop) override {
    asked_.clear();
    for (const Message& message : request.messages) asked_.push_back(to_json(message));
    system_ = request.system;
    EXPECT_FALSE(request.tools);
    return inner_->stream(request, emit, stop);
  }

 private:
  const std::unique_ptr<Model> inner_;
  std::vector<JsonObject>& asked_;
  std::string& system_;
};

class TextProtocolTest : public testing::Test {
 protected:
  Result<Reply> ask(const std::string& said, std::vector<Message> messages = {user_message("hi")},
                    json_tags::Calls calls = json_tags::Calls::one, Stop stop = Stop::end) {
    JsonObject turn{{"text", said}, {"stop", name_of(stop)}};
    TextProtocol model(std::make_unique<Listening>(scripted(to_text(Json(turn))), asked_, system_),
                       calls);
    const auto tools = std::make_shared<const std::vector<Offer>>(
        std::vector<Offer>{{"read", "Read.", {{"type", "object"}}}});
    seen_.clear();
    return model.stream({.system = "Be brief.", .messages = messages, .tools = tools}, into(seen_),
                        {});
  }
  std::vector<JsonObject> asked_;
  std::string system_, seen_;
};

TEST_F(TextProtocolTest, FindsCallsAndHidesThem) {
  const auto reply = ask(
      R"(I look. <json>{"tool_name": "read", "tool_input": {"path": "a"}}</json> <json>{"tool_name": "read", "tool_input": {"path": "b"}}</json> And?)");
  ASSERT_TRUE(reply);
  EXPECT_EQ(seen_, "I look.  And?");
  EXPECT_EQ(text_of(reply->message), "I look. And?");
  ASSERT_EQ(calls_of(reply->message).size(), 2u) << "also where one is run: the other is told";
  EXPECT_EQ(calls_of(reply->message)[0]->arguments, R"({"path":"a"})");
  EXPECT_EQ(calls_of(reply->message)[1]->arguments, R"({"path":"b"})");
  EXPECT_TRUE(std::holds_alternative<Text>(reply->message.parts.back()));
  EXPECT_TRUE(reply->unread.empty());
  EXPECT_EQ(reply->stop, Stop::calls);
  EXPECT_TRUE(system_.starts_with("Be brief.\n\nYou can use these tools:")) << system_;
}

TEST_F(TextProtocolTest, ShowsWhatStandsBetweenTagsThatAreNoCall) {
  const auto reply = ask(
      R"(A <json> tag, then <json>{"tool_name": "read", "tool_input": {}}</json> and "</json>".)");
  EXPECT_EQ(seen_, R"(A <json> tag, then  and "</json>".)");
  EXPECT_EQ(text_of(reply->message), R"(A <json> tag, then and "</json>".)");
}

TEST_F(TextProtocolTest, SaysHowManyAreRun) {
  ASSERT_TRUE(ask("Done."));
  EXPECT_NE(system_.find("one tool at a time"), std::string::npos) << system_;
  ASSERT_TRUE(ask("Done.", {user_message("hi")}, json_tags::Calls::many));
  EXPECT_NE(system_.find("several such blocks"), std::string::npos) << system_;
}

TEST_F(TextProtocolTest, TellsOfABlockThatCannotBeReadAmongOthers) {
  const std::string good = R"(<json>{"tool_name": "read", "tool_input": {}}</json>)";
  const std::string broken = R"(<json>{"tool_name": "read", "tool_input": {},}</json>)";
  const std::string cut = R"(<json>{"tool_name": "read", )";
  for (const std::string& text : {good + broken + good, good + good + cut}) {
    const auto reply = ask(text, {user_message("hi")}, json_tags::Calls::many);
    ASSERT_TRUE(reply);
    EXPECT_EQ(calls_of(reply->message).size(), 2u);
    ASSERT_EQ(reply->unread.size(), 1u) << text;
    EXPECT_EQ(reply->stop, text.ends_with(cut) ? Stop::length : Stop::calls) << text;
    EXPECT_TRUE(
        reply->unread[0].starts_with(text.ends_with(cut) ? "<json> block 3: " : "<json> block 2: "))
        << reply->unread[0];
  }
}

TEST_F(TextProtocolTest, KeepsWhyTheModelStopped) {
  const std::string call = R"(<json>{"tool_name": "read", "tool_input": {}}</json>)";
  for (const Stop stop : {Stop::end, Stop::calls, Stop::length, Stop::refusal}) {
    const auto reply = ask(call, {user_message("hi")}, json_tags::Calls::one, stop);
    ASSERT_TRUE(reply);
    EXPECT_EQ(calls_of(reply->message).size(), 1u);
    EXPECT_EQ(name_of(reply->stop), name_of(stop == Stop::end ? Stop::calls : stop));
  }
}

TEST_F(TextProtocolTest, TextThatOnlyTalksOfTagsIsShown) {
  const std::string text = "Write <json> tags, a < b, <js";
  const auto reply = ask(text);
  EXPECT_EQ(seen_, text);
  EXPECT_EQ(text_of(reply->message), text);
  EXPECT_EQ(reply->stop, Stop::end);
}

TEST_F(TextProtocolTest, ACallThatIsNoneIsToldApart) {
  const auto broken = ask(R"(<json>{"tool_name": read}</json>)");
  EXPECT_TRUE(calls_of(broken->message).empty());
  ASSERT_EQ(broken->unread.size(), 1u);
  const auto cut = ask(R"(<json>{"tool_name": "read", "tool_input": {"path": "a)");
  EXPECT_EQ(cut->stop, Stop::length);
}

TEST_F(TextProtocolTest, CallsAndResultsBecomeText) {
  ASSERT_TRUE(ask(
      "Done.",
      {user_message("hi"),
       {Role::assistant, {Text{"I look."}, ToolCall{"c1", "read", R"({"path":"a"})", "", nullptr}}},
       {Role::tool,
        {ToolResult{"c1", "read", {TextContent{"</json>"}, ImageContent{"aQ==", "image/png"}}}}}}));
  ASSERT_EQ(asked_.size(), 3u);
  EXPECT_EQ(
      to_text(Json(asked_[1])),
      R"({"role":"assistant","parts":[{"type":"text","text":"I look.\n\n<json>{\"tool_name\":\"read\",\"tool_input\":{\"path\":\"a\"}}</json>"}]})");
  const std::string result = to_text(Json(asked_[2]));
  EXPECT_NE(result.find("tool_output"), std::string::npos) << result;
  EXPECT_NE(result.find("\\\\u003c/json>"), std::string::npos) << result;
  EXPECT_NE(result.find(R"({"type":"image")"), std::string::npos) << result;
}

TEST(Recorded, TellsARunAgain) {
  std::string record;
  const auto script = R"({"thinking": "hm", "text": "I look.", "calls": [{"tool": "ls"}]})"
                      "\n"
                      R"({"error": {"code": "timeout", "message": "late"}})";
  RecordingModel recording(scripted(script), [&](std::string_view line) -> Result<void> {
    record += line;
    return {};
  });
  const std::vector<Message> messages{user_message("hi")};
  std::string first, second;
  const auto told = recording.stream({.messages = messages}, into(first), {});
  EXPECT_FALSE(ask(recording));
  auto recorded = RecordedModel::parse(record);
  ASSERT_TRUE(recorded) << describe(recorded.error());
  const auto again = (*recorded)->stream({.messages = messages}, into(second), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(first, second);
  EXPECT_EQ(to_json(again->message), to_json(told->message));
  EXPECT_TRUE(again->notes.empty());
  EXPECT_EQ(ask(**recorded).error().code, Code::timeout);
  EXPECT_EQ(ask(**recorded).error().type, "record_ended");
}

// The record of what a script answered to these conversations, one after the other.
std::string record_of(std::string_view script, const std::vector<std::vector<Message>>& asked) {
  std::string record;
  RecordingModel recording(scripted(script), [&](std::string_view line) -> Result<void> {
    record += line;
    return {};
  });
  for (const std::vector<Message>& messages : asked)
    EXPECT_TRUE(recording.stream({.messages = messages}, [](const Delta&) {}, {}));
  return record;
}

std::vector<Message> after_a_call(std::string prompt, std::string result) {
  return {user_message(std::move(prompt)),
          {Role::assistant, {ToolCall{"c", "ls", "{}", "", nullptr}}},
          {Role::tool, {ToolResult{"c", "ls", {TextContent{std::move(result)}}}}}};
}

TEST(Recorded, GivesEachConversationItsOwnRepliesInAnyOrder) {
  const std::string record =
      record_of("{\"text\": \"a\"}\n{\"text\": \"b\"}\n{\"text\": \"a2\"}",
                {{user_message("first")}, {user_message("second")}, {user_message("first")}});
  const auto recorded = RecordedModel::parse(record);
  ASSERT_TRUE(recorded);
  EXPECT_EQ(text_of(ask(**recorded, "second")->message), "b");
  EXPECT_EQ(text_of(ask(**recorded, "first")->message), "a");
  EXPECT_EQ(ask(**recorded, "second").error().type, "record_differs");
  EXPECT_EQ(text_of(ask(**recorded, "first")->message), "a2");
  EXPECT_EQ(ask(**recorded, "second").error().type, "record_ended");
}

TEST(Recorded, FailsWhereTheConversationIsAnother) {
  const auto recorded =
      RecordedModel::parse(record_of("{\"text\": \"one\"}", {after_a_call("hi", "x")}));
  const auto fails = [&](const std::vector<Message>& messages, std::string_view why) {
    const auto reply = (*recorded)->stream({.messages = messages}, [](const Delta&) {}, {});
    ASSERT_FALSE(reply) << why;
    EXPECT_EQ(reply.error().type, "record_differs");
    EXPECT_NE(reply.error().message.find(why), std::string::npos) << reply.error().message;
  };
  fails(after_a_call("something else", "x"), "message 1 is another");
  fails({user_message("hi")}, "there are 1 messages; in the recorded run there were 3");
  std::vector<Message> other_call = after_a_call("hi", "x");
  std::get<ToolCall>(other_call[1].parts[0]).name = "rm";
  fails(other_call, "message 2 is another");
}

TEST(Recorded, ResultsMayDifferAndItIsSaid) {
  const std::vector<std::vector<Message>> asked{after_a_call("hi", "x"), after_a_call("hi", "y")};
  const std::string record = record_of("{\"text\": \"one\"}\n{\"text\": \"two\"}", asked);
  const auto recorded = RecordedModel::parse(record);
  const auto told = [&](const std::string& result) {
    return *(*recorded)->stream({.messages = after_a_call("hi", result)}, [](const Delta&) {}, {});
  };
  const Reply exact = told("y");
  EXPECT_EQ(text_of(exact.message), "two") << "the same one goes before";
  EXPECT_TRUE(exact.notes.empty());
  const Reply near = told("z");
  EXPECT_EQ(text_of(near.message), "one");
  ASSERT_EQ(near.notes.size(), 1u);
  EXPECT_NE(near.notes[0].find("message 3"), std::string::npos) << near.notes[0];
}

TEST(Recorded, IdsAreNoDifference) {
  const std::string record =
      record_of("{\"text\": \"one\"}",
                {{user_message("Sub-agent s_019aa0c7-2c55-7f3e-9d1c-0123456789ab has finished")}});
  const auto reply = ask(**RecordedModel::parse(record),
                         "Sub-agent s_019bb0c7-2c55-7f3e-8d1c-ba9876543210 has finished");
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_TRUE(reply->notes.empty());
}

TEST(Recorded, AReplyThatCannotBeWrittenDownIsToldAllTheSame) {
  RecordingModel recording(scripted(R"({"text": "one"})"), [](std::string_view) -> Result<void> {
    return Error{Code::unavailable, "the disk is full"};
  });
  const auto reply = ask(recording);
  ASSERT_TRUE(reply);
  EXPECT_NE(reply->notes.at(0).find("the disk is full"), std::string::npos);
}

TEST(Recorded, RefusesWhatIsNoRecord) {
  for (const char* text : {"{", "{}", R"({"reply": 7})", R"({"reply": {"message": {}}})"})
    EXPECT_FALSE(RecordedModel::parse(text)) << text;
}

}  // namespace
}  // namespace helve::model

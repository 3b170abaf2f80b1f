// tools/list and tools/call.
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

struct Tools : ::testing::Test {
  World world;
  Talk talk{world};

  Json listed(std::string_view version, size_t index = 0) {
    talk.initialize(version);
    return at(talk.result(request("1", "tools/list")), fmt::format("tools/{}", index));
  }
};

std::vector<std::string> names(const Json& result) {
  std::vector<std::string> names;
  const Json tools = at(result, "tools");
  for (const Json& tool : tools.as_array()) names.emplace_back(string_at(tool, "name"));
  return names;
}

using Names = std::vector<std::string>;

TEST_F(Tools, AreListedInTheOrderOfTheRegistry) {
  talk.initialize();
  const Json result = talk.result(request("1", "tools/list"));
  EXPECT_EQ(names(result), (Names{"echo", "save", "wait", "alter", "count", "chat", "blocks",
                                  "mirror", "fail", "throw"}));
  EXPECT_EQ(at(result, "nextCursor"), nullptr);
}

TEST_F(Tools, HaveTitleSchemasAndHintsSinceJune2025) {
  const Json tool = listed("2025-06-18");
  EXPECT_EQ(at(tool, "title"), "Echo");
  EXPECT_EQ(at(tool, "description"), "Says the text again.");
  EXPECT_EQ(at(tool, "inputSchema/type"), "object");
  EXPECT_EQ(at(tool, "inputSchema/required"), json(R"(["text"])"));
  EXPECT_EQ(at(tool, "outputSchema/properties/said/type"), "string");
  EXPECT_EQ(
      at(tool, "annotations"),
      json(
          R"({"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false})"));
}

TEST_F(Tools, TellTheirEffectsInHints) {
  EXPECT_EQ(
      at(listed("2025-11-25", 1), "annotations"),
      json(
          R"({"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true})"));
}

TEST_F(Tools, HaveTheirTitleInTheHintsOfMarch2025) {
  const Json tool = listed("2025-03-26");
  EXPECT_EQ(at(tool, "title"), nullptr);
  EXPECT_EQ(at(tool, "outputSchema"), nullptr);
  EXPECT_EQ(at(tool, "annotations/title"), "Echo");
}

TEST_F(Tools, AreNameDescriptionAndInputIn2024) {
  const Json tool = listed("2024-11-05");
  EXPECT_EQ(tool.as_object().size(), 3u);
  EXPECT_EQ(at(tool, "name"), "echo");
}

TEST_F(Tools, WithoutDescribedOutputDeclareNone) {
  EXPECT_EQ(at(listed("2025-11-25", 2), "outputSchema"), nullptr);
}

TEST(ToolPages, FollowOneAnother) {
  World world(Options{.page_size = 4});
  Talk talk(world);
  talk.initialize();
  Names all;
  std::string params = "{}";
  for (int page = 0; page < 3; ++page) {
    const Json result = talk.result(request("1", "tools/list", params));
    for (std::string& name : names(result)) all.push_back(std::move(name));
    params = to_text(JsonObject{{"cursor", at(result, "nextCursor")}});
    EXPECT_EQ(at(result, "nextCursor").is_null(), page == 2);
  }
  EXPECT_EQ(all, (Names{"echo", "save", "wait", "alter", "count", "chat", "blocks", "mirror",
                        "fail", "throw"}));
}

TEST(ToolPages, RefuseACursorThatNobodyGave) {
  World world(Options{.page_size = 4});
  Talk talk(world);
  talk.initialize();
  for (std::string_view cursor : {R"("garbage")", R"("")", R"("0")", R"("3")", R"("-1")", R"("1x")",
                                  R"(" 1")", R"("99999999999999999999999")", "1", "{}", "true"}) {
    EXPECT_EQ(
        talk.error_code(request("1", "tools/list", fmt::format(R"({{"cursor":{}}})", cursor))),
        -32602)
        << cursor;
  }
  EXPECT_EQ(talk.error_code(request("1", "tools/list", R"({"cursor":null})")), 0);
  EXPECT_EQ(talk.error_code(request(
                "1", "tools/list", fmt::format(R"({{"cursor":"{}"}})", std::string(100'000, '1')))),
            -32602);
}

TEST_F(Tools, AreHiddenAndRefusedByPolicy) {
  auto policy = dispatch::Policy::make(world.registry, {{.source = "global", .deny = {"save"}}});
  ASSERT_TRUE(policy);
  Server server(world.dispatcher, world.clock, &*policy);
  Session session(server, {}, talk.mailbox);
  Job job;
  session.take(request("1", "tools/list", modern()), job);
  EXPECT_EQ(job.answer.find("save"), std::string::npos);
  ASSERT_EQ(
      session.take(request("1", "tools/call", modern(R"("name":"save","arguments":{"text":"x"})")),
                   job),
      Session::Taken::to_run);
  session.run(job);
  EXPECT_EQ(at(json(job.answer), "result/isError"), true);
  EXPECT_EQ(at(json(job.answer), "result/_meta").at("helve/error").at("error_type"),
            "forbidden_tool");
}

TEST_F(Tools, AreListedAnewWhenThePolicyChanges) {
  auto policy = dispatch::Policy::make(world.registry, {{.source = "global", .allow = {"echo"}}});
  ASSERT_TRUE(policy);
  talk.initialize();
  EXPECT_EQ(names(talk.result(request("1", "tools/list"))).size(), 10u);
  world.server.set_policy(&*policy);
  EXPECT_EQ(talk.mailbox.take(),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
  EXPECT_EQ(names(talk.result(request("1", "tools/list"))), (Names{"echo"}));
}

TEST(ToolNames, MayBeThoseOfADialect) {
  World world(
      Options{.tool_name = [](const Tool& tool) { return tool.spec.name == "echo" ? "Say" : ""; },
              .input_schema =
                  [](const Tool&) {
                    return JsonObject{{"type", "object"}, {"title", "theirs"}};
                  }});
  Talk talk(world);
  talk.initialize();
  const Json result = talk.result(request("1", "tools/list"));
  EXPECT_EQ(names(result), (Names{"Say"}));
  EXPECT_EQ(at(result, "tools/0/inputSchema/title"), "theirs");
}

struct Calls : Tools {
  Calls() { talk.initialize(); }
};

TEST_F(Calls, AnswerWithContentAndStructuredContent) {
  EXPECT_EQ(
      talk.ask(call("echo", R"({"text":"ab","times":2})")),
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"abab"}],"structuredContent":{"said":"abab"}}})");
}

TEST_F(Tools, AnswerWithContentOnlyBeforeJune2025) {
  talk.initialize("2025-03-26");
  EXPECT_EQ(talk.ask(call("echo", R"({"text":"a"})")),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}})");
}

TEST_F(Calls, EchoTheIdExactly) {
  for (std::string_view id : {"1767225600123", "9007199254740993", "18446744073709551615", "-5",
                              "\"a b\"", "\"\\u0000\"", "0", "\"\""}) {
    const std::string answer =
        talk.ask(request(id, "tools/call", R"({"name":"echo","arguments":{"text":"x"}})"));
    EXPECT_TRUE(answer.starts_with(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result")", id)))
        << answer;
  }
}

TEST_F(Calls, MayLeaveOutArguments) {
  EXPECT_EQ(at(talk.result(request("1", "tools/call", R"({"name":"chat"})")), "content/0/text"),
            "said");
  EXPECT_EQ(at(talk.result(request("1", "tools/call", R"({"name":"chat","arguments":null})")),
               "content/0/text"),
            "said");
}

TEST_F(Calls, TakeArgumentsAsTextAndTellOfRepairs) {
  const Json exact =
      talk.result(request("1", "tools/call", R"({"name":"echo","arguments":"{\"text\":\"x\"}"})"));
  EXPECT_EQ(at(exact, "content"), json(R"([{"type":"text","text":"x"}])"));
  const Json repaired =
      talk.result(request("1", "tools/call", R"({"name":"echo","arguments":"{\"text\":\"x\",}"})"));
  EXPECT_EQ(at(repaired, "content/0/text"), "x");
  EXPECT_TRUE(at(repaired, "content/1/text").as_string().starts_with("Note: arguments repaired"))
      << repaired;
  const Json value = at(repaired, "structuredContent");
  EXPECT_EQ(value.as_object().size(), 2u) << value;
  EXPECT_EQ(at(value, "said"), "x");
  EXPECT_TRUE(value.at("helve/notes").at(0).as_string().starts_with("arguments repaired")) << value;
  EXPECT_EQ(at(exact, "structuredContent"), json(R"({"said":"x"})"));
}

TEST_F(Calls, FailOnArgumentsThatAreNoObject) {
  for (std::string_view arguments : {"5", "[]", "true"}) {
    EXPECT_EQ(at(talk.result(call("echo", arguments)), "isError"), true) << arguments;
  }
}

TEST_F(Calls, NameEveryWrongArgument) {
  const Json result = talk.result(call("echo", R"({"times":-1,"volume":3})"));
  EXPECT_EQ(at(result, "isError"), true);
  EXPECT_EQ(at(result, "structuredContent"), nullptr);
  const std::string text(at(result, "content/0/text").as_string());
  for (std::string_view name : {"text", "times", "volume"})
    EXPECT_NE(text.find(name), text.npos) << text;
  EXPECT_EQ(at(result, "_meta").at("helve/error").at("code"), "invalid_argument");
}

TEST_F(Calls, OfAnUnknownToolAreProtocolErrors) {
  const Json error = at(talk.ask_json(call("ecko")), "error");
  EXPECT_EQ(at(error, "code"), -32602);
  EXPECT_NE(at(error, "message").as_string().find("echo"), std::string::npos) << error;
  const Json strange = at(talk.ask_json(call("unheard_of")), "error");
  EXPECT_EQ(at(strange, "message"), "no tool 'unheard_of' (tools/list has them)");
  EXPECT_EQ(at(strange, "data/hint"), "tools/list has them");
  EXPECT_EQ(talk.error_code(request("1", "tools/call", R"({"arguments":{}})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "tools/call", R"({"name":7})")), -32602);
}

TEST_F(Calls, ThatFailSayWhatAndWhatNext) {
  EXPECT_EQ(
      talk.ask(call("fail")),
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'a.txt' changed meanwhile\nHint: read it again"}],)"
      R"("isError":true,"_meta":{"helve/error":{"error_type":"path_conflict","code":"conflict",)"
      R"("message":"'a.txt' changed meanwhile","hint":"read it again"}}}})");
}

TEST_F(Calls, SurviveAToolThatThrows) {
  const Json result = talk.result(call("throw"));
  EXPECT_EQ(at(result, "isError"), true);
  EXPECT_EQ(at(result, "_meta").at("helve/error").at("code"), "internal");
  EXPECT_EQ(at(talk.result(call("echo", R"({"text":"x"})")), "content/0/text"), "x");
}

TEST_F(Calls, AreNotBegunOnceEverythingWasAskedToStop) {
  talk.session.stop_all();
  EXPECT_EQ(talk.error_code(call("echo", R"({"text":"x"})")), -32603);
}

TEST_F(Calls, SayWhereALongAnswerIsKept) {
  const Json answer = talk.ask_json(call("echo", R"({"text":"0123456789","times":2000})"));
  EXPECT_EQ(at(answer, "result/_meta").at("helve/stored_result"),
            json(R"({"id":"lr_1","chars":20000,"pages":3})"));
  EXPECT_TRUE(at(answer, "result/structuredContent/said").is_string())
      << "still fits the output schema";
  EXPECT_LT(talk.job.answer.size(), 20'000u);
  EXPECT_EQ(talk.mailbox.take(),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n");
}

TEST_F(Calls, CarryEveryKindOfContent) {
  EXPECT_EQ(
      at(talk.result(call("blocks")), "content"),
      json(
          R"([{"type":"text","text":"text"},{"type":"image","data":"aW1n","mimeType":"image/png"},)"
          R"({"type":"audio","data":"YXVk","mimeType":"audio/wav"},)"
          R"({"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"inside"}},)"
          R"({"type":"resource_link","uri":"file:///b","name":"b","mimeType":"text/plain"}])"));
}

TEST_F(Tools, NameContentThatARevisionDoesNotKnow) {
  talk.initialize("2024-11-05");
  const Json content = at(talk.result(call("blocks")), "content");
  EXPECT_EQ(at(content, "1/type"), "image");
  EXPECT_EQ(at(content, "2"),
            json(R"({"type":"text","text":"[audio audio/wav, 4 bytes of base64]"})"));
  EXPECT_EQ(at(content, "3/type"), "resource");
  EXPECT_EQ(at(content, "4"), json(R"({"type":"text","text":"[b: file:///b]"})"));
}

TEST_F(Calls, LogFromTheChosenLevelOn) {
  talk.ask(call("chat"));
  EXPECT_EQ(lines(talk.mailbox.take()).size(), 1u)
      << "info is the default, so the detail is left out";
  talk.ask(request("2", "logging/setLevel", R"({"level":"debug"})"));
  talk.ask(call("chat"));
  EXPECT_EQ(lines(talk.mailbox.take()).size(), 2u);
  talk.ask(request("2", "logging/setLevel", R"({"level":"emergency"})"));
  talk.ask(call("chat"));
  EXPECT_EQ(talk.mailbox.take(), "");
}

}  // namespace
}  // namespace helve::mcp::testing

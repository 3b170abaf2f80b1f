// The modern revision: every request stands alone.
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

struct Modern : ::testing::Test {
  World world;
  Talk talk{world};
};

TEST_F(Modern, IsDiscovered) {
  EXPECT_EQ(
      talk.ask(request("1", "server/discover", modern())),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],)"
      R"("capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{},)"
      R"("logging":{},"completions":{}},"ttlMs":3600000,"cacheScope":"private",)"
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"helve","title":"helve","version":")" HELVE_VERSION
      R"("}}}})");
}

TEST_F(Modern, CallsAToolWithoutAnyHandshake) {
  const Json result =
      talk.result(request("1", "tools/call", modern(R"("name":"echo","arguments":{"text":"hi"})")));
  EXPECT_EQ(at(result, "resultType"), "complete");
  EXPECT_EQ(at(result, "content/0/text"), "hi");
  EXPECT_EQ(at(result, "structuredContent"), json(R"({"said":"hi"})"));
  EXPECT_EQ(find(at(result, "_meta"), "io.modelcontextprotocol/serverInfo")->at("name"), "helve");
  EXPECT_EQ(at(result, "ttlMs"), nullptr);
}

TEST_F(Modern, StaysStatelessInsideALegacySession) {
  talk.initialize("2025-06-18");
  EXPECT_EQ(at(talk.result(request("1", "tools/list", modern())), "resultType"), "complete");
  EXPECT_EQ(at(talk.result(request("2", "tools/list")), "resultType"), nullptr);
}

TEST_F(Modern, SaysHowLongListsMayBeKept) {
  for (std::string_view method :
       {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}) {
    const Json result = talk.result(request("1", method, modern()));
    EXPECT_TRUE(at(result, "ttlMs").is_int64()) << method;
    EXPECT_EQ(at(result, "cacheScope"), "private") << method;
  }
  EXPECT_EQ(
      at(talk.result(request("1", "resources/read", modern(R"("uri":"file:///a.txt")"))), "ttlMs"),
      0);
}

TEST_F(Modern, NeedsTheClientsCapabilities) {
  EXPECT_EQ(talk.error_code(
                request("1", "tools/list",
                        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})")),
            -32602);
  EXPECT_EQ(
      talk.error_code(request("1", "tools/list",
                              R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":[]}})")),
      -32602);
  EXPECT_EQ(talk.error_code(request("1", "tools/list",
                                    R"({"_meta":{"io.modelcontextprotocol/protocolVersion":7,)"
                                    R"("io.modelcontextprotocol/clientCapabilities":{}}})")),
            -32602);
}

TEST_F(Modern, NamesTheVersionsItServes) {
  for (std::string_view version : {"v999.0.0", "2025-11-25", ""}) {
    const std::string params = fmt::format(
        R"({{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientCapabilities":{{}}}}}})",
        version);
    const Json error = at(talk.ask_json(request("1", "tools/list", params)), "error");
    EXPECT_EQ(at(error, "code"), -32022) << version;
    EXPECT_EQ(at(error, "data/supported"), json(R"(["2026-07-28"])"));
    EXPECT_EQ(at(error, "data/requested"), Json(version));
  }
}

TEST_F(Modern, HasNoneOfTheRemovedMethods) {
  for (std::string_view method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                                  "resources/unsubscribe", "tasks/list", "unknown/method"}) {
    EXPECT_EQ(talk.error_code(request("1", method, modern())), -32601) << method;
  }
}

TEST_F(Modern, LogsOnlyWhenAskedAndFromThatLevel) {
  talk.ask(request("1", "tools/call", modern(R"("name":"chat")")));
  EXPECT_EQ(talk.mailbox.take(), "");
  talk.ask(request("1", "tools/call",
                   modern(R"("name":"chat")", R"("io.modelcontextprotocol/logLevel":"info")")));
  EXPECT_EQ(
      talk.mailbox.take(),
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"chat","data":"a warning"}})"
      "\n");
}

TEST_F(Modern, RefusesALogLevelThatDoesNotExist) {
  EXPECT_EQ(talk.error_code(request(
                "1", "tools/call",
                modern(R"("name":"chat")", R"("io.modelcontextprotocol/logLevel":"loud")"))),
            -32602);
  EXPECT_EQ(talk.error_code(
                request("1", "tools/call",
                        modern(R"("name":"chat")", R"("io.modelcontextprotocol/logLevel":1)"))),
            -32602);
}

TEST_F(Modern, AcknowledgesASubscriptionFirstWithWhatItCanTell) {
  const std::string answer = talk.ask(request(
      "\"x\"", "subscriptions/listen",
      modern(
          R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["file:///a.txt"]})")));
  EXPECT_EQ(answer, "") << "the result comes when the subscription ends";
  EXPECT_EQ(
      talk.mailbox.take(),
      R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
      R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"x"},"notifications":{"toolsListChanged":true}}})"
      "\n");
}

TEST_F(Modern, TellsEachSubscriptionWhatItAskedFor) {
  talk.ask(
      request("1", "subscriptions/listen", modern(R"("notifications":{"toolsListChanged":true})")));
  talk.ask(request("2", "subscriptions/listen",
                   modern(R"("notifications":{"resourcesListChanged":true})")));
  talk.mailbox.take();
  world.server.changed(List::resources);
  EXPECT_EQ(talk.mailbox.take(),
            R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed",)"
            R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}})"
            "\n");
}

TEST_F(Modern, SendsNothingAfterASubscriptionWasCancelled) {
  talk.ask(
      request("1", "subscriptions/listen", modern(R"("notifications":{"toolsListChanged":true})")));
  talk.ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  talk.mailbox.take();
  world.server.changed(List::tools);
  talk.session.close();
  EXPECT_EQ(talk.mailbox.take(), "");
}

TEST_F(Modern, EndsSubscriptionsWithAResult) {
  talk.ask(
      request("4", "subscriptions/listen", modern(R"("notifications":{"toolsListChanged":true})")));
  talk.mailbox.take();
  talk.session.close();
  const std::vector<std::string> sent = lines(talk.mailbox.take());
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(at(json(sent[0]), "method"), "notifications/cancelled");
  EXPECT_EQ(at(json(sent[0]), "params/requestId"), 4);
  EXPECT_EQ(at(json(sent[1]), "id"), 4);
  EXPECT_EQ(at(json(sent[1]), "result/resultType"), "complete");
  EXPECT_EQ(at(json(sent[1]), "result/_meta").at("io.modelcontextprotocol/subscriptionId"), 4);
}

TEST_F(Modern, KeepsTheIdOfASubscriptionTaken) {
  talk.ask(request("1", "subscriptions/listen", modern(R"("notifications":{})")));
  EXPECT_EQ(talk.error_code(request("1", "tools/list", modern())), -32600);
}

TEST_F(Modern, RefusesASubscriptionWithoutAFilterAndTooMany) {
  EXPECT_EQ(talk.error_code(request("1", "subscriptions/listen", modern())), -32602);
  for (int i = 0; i < 64; ++i)
    talk.ask(request(std::to_string(i), "subscriptions/listen", modern(R"("notifications":{})")));
  EXPECT_EQ(talk.error_code(request("99", "subscriptions/listen", modern(R"("notifications":{})"))),
            -32603);
}

}  // namespace
}  // namespace helve::mcp::testing

// The legacy revisions: the handshake and what it decides.
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

struct Handshake : ::testing::Test {
  World world{Options{.instructions = "Use echo."}};
  Talk talk{world};

  std::string agreed(std::string_view version) {
    const Json answer = talk.ask_json(
        request("1", "initialize", fmt::format(R"({{"protocolVersion":"{}"}})", version)));
    return std::string(string_at(at(answer, "result"), "protocolVersion"));
  }
};

TEST_F(Handshake, AnswersWithEverythingTheClientNeeds) {
  EXPECT_EQ(
      talk.ask(request("1", "initialize",
                       R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}})")),
      R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},)"
      R"("resources":{"listChanged":true},"prompts":{},"logging":{},"completions":{}},)"
      R"("serverInfo":{"name":"helve","title":"helve","version":")" HELVE_VERSION
      R"("},"instructions":"Use echo."}})");
}

TEST_F(Handshake, LeavesOutWhatTheOldestRevisionDoesNotKnow) {
  const Json result =
      talk.result(request("1", "initialize", R"({"protocolVersion":"2024-11-05"})"));
  EXPECT_EQ(at(result, "serverInfo/title"), nullptr);
  EXPECT_EQ(at(result, "capabilities/completions"), nullptr);
}

TEST_F(Handshake, AgreesToTheClientsVersion2024) { EXPECT_EQ(agreed("2024-11-05"), "2024-11-05"); }
TEST_F(Handshake, AgreesToTheClientsVersionOfMarch) {
  EXPECT_EQ(agreed("2025-03-26"), "2025-03-26");
}
TEST_F(Handshake, AgreesToTheClientsVersionOfJune) {
  EXPECT_EQ(agreed("2025-06-18"), "2025-06-18");
}
TEST_F(Handshake, AgreesToTheClientsVersionOfNovember) {
  EXPECT_EQ(agreed("2025-11-25"), "2025-11-25");
}
TEST_F(Handshake, ProposesTheLatestLegacyVersionForAnUnknownOne) {
  EXPECT_EQ(agreed("1999-01-01"), "2025-11-25");
}
TEST_F(Handshake, ProposesALegacyVersionForAModernOne) {
  EXPECT_EQ(agreed("2026-07-28"), "2025-11-25");
}

TEST_F(Handshake, NeedsAVersion) {
  EXPECT_EQ(talk.error_code(request("1", "initialize", "{}")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "initialize", R"({"protocolVersion":5})")), -32602);
  EXPECT_EQ(agreed("2025-06-18"), "2025-06-18") << "a failed attempt does not count";
}

TEST_F(Handshake, HappensOnce) {
  talk.initialize();
  EXPECT_EQ(talk.error_code(request("2", "initialize", R"({"protocolVersion":"2025-11-25"})")),
            -32600);
  EXPECT_EQ(talk.error_code(request("3", "tools/list")), 0) << "the session goes on";
}

TEST_F(Handshake, MustComeBeforeEverythingButPing) {
  EXPECT_EQ(talk.error_code(call("echo", R"({"text":"x"})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "tools/list")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "server/discover")), -32602);
  EXPECT_EQ(talk.ask(request("2", "ping")), R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

TEST_F(Handshake, GivesPlainEmptyResults) {
  talk.initialize();
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_EQ(talk.ask(request("7", "logging/setLevel", R"({"level":"debug"})")),
            R"({"jsonrpc":"2.0","id":7,"result":{}})");
}

TEST_F(Handshake, RefusesALogLevelThatDoesNotExist) {
  talk.initialize();
  EXPECT_EQ(talk.error_code(request("1", "logging/setLevel", R"({"level":"loud"})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "logging/setLevel")), -32602);
}

TEST_F(Handshake, NamesAnUnknownMethod) {
  talk.initialize();
  EXPECT_EQ(
      talk.ask(request("1", "tools/frobnicate")),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no method 'tools/frobnicate' in 2025-11-25"}})");
  EXPECT_EQ(talk.error_code(request("1", "server/discover")), -32601);
  EXPECT_EQ(talk.error_code(request("1", "subscriptions/listen")), -32601);
  EXPECT_EQ(talk.error_code(request("1", "resources/subscribe", R"({"uri":"file:///a.txt"})")),
            -32601);
}

TEST_F(Handshake, NeverAnswersANotification) {
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","method":"no/such/thing","params":[]})"), "");
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","method":"tools/list"})"), "");
}

TEST_F(Handshake, RefusesParamsThatAreNoObject) {
  talk.initialize();
  EXPECT_EQ(talk.error_code(request("1", "tools/list", "null")), 0);
  EXPECT_EQ(talk.error_code(request("1", "tools/list", "[1]")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "tools/list", R"({"_meta":5})")), -32602);
}

struct Batch : Handshake {
  Batch() { talk.initialize("2025-03-26"); }
};

TEST_F(Batch, IsAnsweredAsOneArray) {
  EXPECT_EQ(
      talk.ask(
          R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},)"
          R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}])"),
      R"([{"jsonrpc":"2.0","id":1,"result":{}},)"
      R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"}]}}])");
}

TEST_F(Batch, OfNotificationsOrResponsesHasNoAnswer) {
  EXPECT_EQ(talk.ask(R"([{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":9,"result":{}}])"),
            "");
}

TEST_F(Batch, AnswersEachWrongMessage) {
  EXPECT_EQ(
      talk.ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},5])"),
      R"([{"jsonrpc":"2.0","id":1,"result":{}},)"
      R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"a message must be a JSON object"}}])");
}

TEST_F(Batch, IsNeitherEmptyNorEndless) {
  EXPECT_EQ(talk.error_code("[]"), -32600);
  std::string many = "[1";
  for (int i = 0; i < 100; ++i) many += ",1";
  EXPECT_EQ(talk.error_code(many + "]"), -32600);
}

TEST_F(Batch, CannotHoldInitialize) {
  World fresh;
  Talk other(fresh);
  other.initialize("2025-03-26");
  const Json answer = other.ask_json(
      R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}])");
  EXPECT_EQ(at(answer, "0/error/code"), -32600);
}

TEST_F(Batch, FindsAnIdUsedTwice) {
  const Json answer = talk.ask_json("[" + call("echo", R"({"text":"a"})") + "," +
                                    call("echo", R"({"text":"b"})") + "]");
  EXPECT_EQ(at(answer, "0/error/code"), -32600);
  EXPECT_EQ(at(answer, "1/result/content/0/text"), "a");
}

TEST_F(Handshake, LeavesBatchesToOneRevision) {
  EXPECT_EQ(talk.error_code(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), -32600);
  talk.initialize("2025-06-18");
  EXPECT_EQ(talk.error_code(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), -32600);
}

}  // namespace
}  // namespace helve::mcp::testing

// The server over pipes: framing, concurrency, cancellation and how it ends.
#include <unistd.h>

#include <semaphore>
#include <set>

#include "unit/mcp/wire.h"

namespace helve::mcp::testing {
namespace {

std::string wait_call(int id) {
  return request(std::to_string(id), "tools/call", R"({"name":"wait"})");
}
std::string alter_call(int id) {
  return request(std::to_string(id), "tools/call", R"({"name":"alter"})");
}
std::string echo_call(int id, std::string_view text = "x") {
  return request(std::to_string(id), "tools/call",
                 fmt::format(R"({{"name":"echo","arguments":{{"text":"{}"}}}})", text));
}
std::string cancel(int id) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}})", id);
}

constexpr std::chrono::milliseconds kMoment{20};

// Their answers are more than the output holds.
constexpr int kPings = 110;
std::string ping_id(int number) { return std::string(1000, 'x') + std::to_string(number); }
void send_pings(Wire& wire) {
  for (int i = 0; i < kPings; ++i) wire.send_line(request('"' + ping_id(i) + '"', "ping"));
}

struct StdioTest : ::testing::Test {
  World world;
};

TEST_F(StdioTest, AnswersLineByLineAndEndsWithItsInput) {
  Wire wire(world);
  wire.initialize();
  EXPECT_EQ(wire.ask(request("1", "ping")), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(at(json(wire.ask(echo_call(2))), "result/content/0/text"), "x");
  wire.close_input();
  EXPECT_EQ(wire.join().still_running, 0u);
  EXPECT_EQ(wire.rest(), std::vector<std::string>{});
}

TEST_F(StdioTest, AnswersTwoMessagesOfOneWrite) {
  Wire wire(world);
  wire.send(request("1", "ping") + "\n" + request("2", "ping") + "\n");
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
  EXPECT_EQ(at(wire.read_json(), "id"), 2);
}

TEST_F(StdioTest, AnswersAMessageThatComesByteByByte) {
  Wire wire(world);
  const std::string line = request("1", "ping") + "\r\n\n";
  for (char byte : line) wire.send({&byte, 1});
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
}

TEST_F(StdioTest, ReportsAFrameCutAnywhereAndEnds) {
  const std::string line =
      request("1", "tools/call", modern(R"("name":"echo","arguments":{"text":"ä"})"));
  for (size_t length = 1; length < line.size(); ++length) {
    Wire wire(world);
    wire.send(line.substr(0, length));
    wire.close_input();
    const std::vector<std::string> answers = wire.rest();
    ASSERT_EQ(answers.size(), 1u) << length;
    EXPECT_EQ(at(json(answers[0]), "error/code"), -32700) << length;
    EXPECT_EQ(at(json(answers[0]), "id"), nullptr);
  }
}

TEST_F(StdioTest, AnswersALastLineWithoutNewline) {
  Wire wire(world);
  wire.send(request("1", "ping"));
  wire.close_input();
  EXPECT_EQ(wire.rest(), (std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"result":{}})"}));
}

TEST_F(StdioTest, RefusesALineThatIsTooLongAndGoesOn) {
  Wire wire(world, {.max_line = 1000});
  wire.send(fmt::format("{:x>5000}\n{}\n", "", request("1", "ping")));
  const Json refusal = wire.read_json();
  EXPECT_EQ(at(refusal, "error/code"), -32600);
  EXPECT_EQ(at(refusal, "error/message"), "a message may have at most 1000 bytes");
  EXPECT_EQ(at(refusal, "id"), nullptr);
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
}

TEST_F(StdioTest, LetsAFastCallOvertakeASlowOne) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  wire.send_line(echo_call(2));
  EXPECT_EQ(at(wire.read_json(), "id"), 2);
  world.gate.open();
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
}

TEST_F(StdioTest, SendsGatheredAnswersWhileALongCallRuns) {
  Wire wire(world);
  wire.initialize();
  wire.send(request("1", "ping") + "\n" + wait_call(2) + "\n" + request("3", "ping") + "\n");
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
  EXPECT_EQ(at(wire.read_json(), "id"), 3);
  world.gate.open();
  EXPECT_EQ(at(wire.read_json(), "id"), 2);
}

TEST_F(StdioTest, RunsManySlowCallsAtOnce) {
  Wire wire(world);
  wire.initialize();
  for (int id = 1; id <= 20; ++id) wire.send_line(wait_call(id));
  world.gate.wait_for_visitors(20);
  EXPECT_EQ(at(json(wire.ask(request("99", "ping"))), "id"), 99);
  world.gate.open();
  std::set<std::int64_t> ids;
  for (int i = 0; i < 20; ++i) ids.insert(at(wire.read_json(), "id").as_int64());
  EXPECT_EQ(ids.size(), 20u);
}

TEST_F(StdioTest, RunsCallsThatChangeSomethingInTheirOrder) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(alter_call(1));
  wire.send_line(alter_call(2));
  wire.send_line(alter_call(3));
  world.gate.wait_for_visitors(1);
  // Somebody else reads by now, so the second one was begun.
  EXPECT_EQ(at(json(wire.ask(echo_call(4))), "id"), 4);
  EXPECT_EQ(world.gate.visitors(), 1u);
  wire.send_line(cancel(2));
  EXPECT_EQ(at(json(wire.ask(echo_call(5))), "id"), 5);
  EXPECT_EQ(world.gate.visitors(), 1u);
  world.gate.open();
  std::set<std::int64_t> ids;  // answers may overtake each other
  for (int i = 0; i < 2; ++i) ids.insert(at(wire.read_json(), "id").as_int64());
  EXPECT_EQ(ids, (std::set<std::int64_t>{1, 3}));
}

TEST_F(StdioTest, KeepsCallsBeyondTheLimitWaitingAndStillListens) {
  Wire wire(world, {.max_calls = 2});
  wire.initialize();
  for (int id = 1; id <= 6; ++id) wire.send_line(wait_call(id));
  world.gate.wait_for_visitors(2);
  wire.send_line(cancel(5));
  EXPECT_EQ(at(json(wire.ask(request("99", "ping"))), "id"), 99);
  world.gate.open();
  std::set<std::int64_t> ids;
  for (int i = 0; i < 5; ++i) ids.insert(at(wire.read_json(), "id").as_int64());
  EXPECT_EQ(ids, (std::set<std::int64_t>{1, 2, 3, 4, 6}));
  EXPECT_EQ(at(json(wire.ask(echo_call(7))), "id"), 7);
}

TEST_F(StdioTest, AnswersAPipelineOfCalls) {
  Wire wire(world);
  wire.initialize();
  std::thread sender([&] {
    std::string all;
    for (int id = 1; id <= 2000; ++id) all += echo_call(id, "some text") + "\n";
    wire.send(all);
  });
  std::set<std::int64_t> ids;
  for (int i = 0; i < 2000; ++i) ids.insert(at(wire.read_json(), "id").as_int64());
  sender.join();
  EXPECT_EQ(ids.size(), 2000u);
}

TEST_F(StdioTest, StopsACancelledCallAndDoesNotAnswerIt) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  wire.send_line(cancel(1));
  EXPECT_EQ(at(json(wire.ask(echo_call(2))), "id"), 2);
  wire.close_input();
  EXPECT_EQ(wire.rest(), std::vector<std::string>{});
  EXPECT_EQ(world.gate.stopped(), 1u);
}

TEST_F(StdioTest, IgnoresCancellationsOfNothing) {
  Wire wire(world);
  wire.initialize();
  EXPECT_EQ(at(json(wire.ask(echo_call(1))), "id"), 1);
  wire.send_line(cancel(1));
  wire.send_line(cancel(0));  // initialize
  wire.send_line(cancel(77));
  wire.send_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  wire.send_line(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}})");
  wire.send_line(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  EXPECT_EQ(at(json(wire.ask(echo_call(1))), "id"), 1) << "a finished id may come again";
}

TEST_F(StdioTest, TellsIdsOfDifferentTypesApart) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  wire.send_line(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  EXPECT_EQ(at(json(wire.ask(request("\"1\"", "ping"))), "id"), "1");
  world.gate.open();
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
}

TEST_F(StdioTest, RefusesAnIdThatIsInUse) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  EXPECT_EQ(
      wire.ask(echo_call(1)),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"id 1 belongs to a request that still runs"}})");
  EXPECT_EQ(at(json(wire.ask(request("1", "ping"))), "error/code"), -32600);
  world.gate.open();
  EXPECT_EQ(at(wire.read_json(), "result/content/0/text"), "passed");
}

TEST_F(StdioTest, RefusesAProgressTokenThatIsInUse) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(request("1", "tools/call", R"({"name":"wait","_meta":{"progressToken":"t"}})"));
  world.gate.wait_for_visitors(1);
  EXPECT_EQ(at(json(wire.ask(
                   request("2", "tools/call", R"({"name":"wait","_meta":{"progressToken":"t"}})"))),
               "error/code"),
            -32602);
  world.gate.open();
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
  EXPECT_EQ(at(json(wire.ask(
                   request("3", "tools/call", R"({"name":"wait","_meta":{"progressToken":"t"}})"))),
               "id"),
            3);
}

TEST_F(StdioTest, FinishesACallWhenToolsChangeMeanwhile) {
  auto policy = dispatch::Policy::make(world.registry, {{.source = "global", .allow = {"echo"}}});
  ASSERT_TRUE(policy);
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  EXPECT_EQ(at(json(wire.ask(request("9", "ping"))), "id"), 9)
      << "so that the client counts as initialized";
  world.server.set_policy(&*policy);
  EXPECT_EQ(at(wire.read_json(), "method"), "notifications/tools/list_changed");
  world.gate.open();
  EXPECT_EQ(at(wire.read_json(), "result/content/0/text"), "passed");
  EXPECT_EQ(at(json(wire.ask(wait_call(2))), "result/isError"), true);
}

TEST_F(StdioTest, StopsRunningCallsWhenTheInputEnds) {
  Wire wire(world, {.grace = std::chrono::milliseconds(0)});
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  wire.close_input();
  EXPECT_EQ(wire.join().still_running, 0u);
  const std::vector<std::string> answers = wire.rest();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(at(json(answers[0]), "result/_meta").at("helve/error").at("code"), "cancelled");
}

TEST_F(StdioTest, DoesNotBeginWhatStillWaitsWhenTheInputEnds) {
  Wire wire(world, {.max_calls = 1, .grace = std::chrono::milliseconds(0)});
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  wire.send_line(wait_call(2));
  wire.close_input();
  EXPECT_EQ(wire.join().still_running, 0u);
  EXPECT_EQ(wire.rest().size(), 2u);
  EXPECT_EQ(world.gate.stopped(), 1u);
}

TEST_F(StdioTest, LeavesACallBehindThatDoesNotStop) {
  // Never destroyed: the call that is left behind goes on using it until the process ends.
  static World* forever = new World;
  static std::binary_semaphore never(0);
  static const Registry* registry = new Registry(std::move(*Registry::load([] {
    std::vector<Tool> tools;
    tools.push_back(tool_of({.name = "stubborn", .group = "test"},
                            [](const Json&, Context&) -> Result<Product> {
                              forever->gate.pass({});
                              never.acquire();
                              return Product{};
                            }));
    return tools;
  }())));
  static auto* dispatcher = new dispatch::Dispatcher(*registry, {});
  static auto* server = new Server(*dispatcher, forever->clock, nullptr);
  int in[2], out[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(pipe(out), 0);
  Result<Stdio> stdio = Stdio::make(
      *server, {}, in[0], out[1],
      {.grace = std::chrono::milliseconds(0), .patience = std::chrono::milliseconds(1)});
  ASSERT_TRUE(stdio);
  ASSERT_TRUE(
      sys::write_all(in[1], request("1", "tools/call", modern(R"("name":"stubborn")")) + "\n"));
  std::thread closer([&] {
    forever->gate.wait_for_visitors(1);
    close(in[1]);
  });
  const Result<Served> served = stdio->serve();
  closer.join();
  ASSERT_TRUE(served);
  EXPECT_EQ(served->still_running, 1u);
}

TEST_F(StdioTest, EndsWhenTheInputIsClosedAndNobodyReadsItsOutput) {
  // Never destroyed: a thread is held up by its write until the process ends.
  static World* forever = new World;
  static Wire* wire = new Wire(*forever, {.grace = kMoment, .patience = kMoment});
  send_pings(*wire);
  wire->close_input();
  const Served served = wire->join();
  EXPECT_GT(served.still_running, 0u);
  ASSERT_TRUE(served.failure);
  EXPECT_NE(served.failure->message.find("answers were lost"), std::string::npos);
}

TEST_F(StdioTest, AnswersEverythingWhenTheInputIsClosedAndTheOutputIsReadSlowly) {
  Wire wire(world, {.grace = std::chrono::minutes(1), .patience = std::chrono::minutes(1)});
  send_pings(wire);
  wire.close_input();
  for (int i = 0; i < kPings; ++i) EXPECT_EQ(at(wire.read_json(), "id"), Json(ping_id(i)));
  const Served served = wire.join();
  EXPECT_EQ(served.still_running, 0u);
  EXPECT_FALSE(served.failure);
}

TEST_F(StdioTest, DoesNotWaitForReadersOfItsLastWords) {
  Wire wire(world, {.grace = kMoment, .patience = kMoment});
  for (int i = 0; i < 60; ++i) {
    EXPECT_NE(wire.ask(request('"' + ping_id(i) + '"', "subscriptions/listen",
                               modern(R"("notifications":{"toolsListChanged":true})"))),
              "");
  }
  wire.close_input();
  EXPECT_EQ(wire.join().still_running, 0u);
}

TEST_F(StdioTest, EndsQuietlyWhenNobodyReadsItsOutput) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  wire.close_output();
  wire.send_line(request("2", "ping"));
  EXPECT_EQ(wire.join().still_running, 0u);
  EXPECT_EQ(world.gate.stopped(), 1u);
}

TEST_F(StdioTest, EndsWhenAskedTo) {
  Wire wire(world);
  wire.initialize();
  wire.send_line(wait_call(1));
  world.gate.wait_for_visitors(1);
  wire.stop();
  EXPECT_EQ(wire.join().still_running, 0u);
  EXPECT_EQ(world.gate.stopped(), 1u);
}

TEST_F(StdioTest, EndsSubscriptionsWhenTheInputEnds) {
  Wire wire(world);
  const std::string line =
      request("4", "subscriptions/listen", modern(R"("notifications":{"toolsListChanged":true})"));
  EXPECT_EQ(at(json(wire.ask(line)), "method"), "notifications/subscriptions/acknowledged");
  wire.close_input();
  const std::vector<std::string> last = wire.rest();
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(at(json(last[1]), "result/resultType"), "complete");
}

TEST(StdioRoots, HoldCallsUntilTheWorkspaceIsKnown) {
  std::atomic<bool> known = false;
  World world(Options{.on_roots = [&](std::vector<std::string>) { known = true; },
                      .roots_wait = std::chrono::minutes(1)});
  Wire wire(world);
  wire.initialize("2025-11-25", R"({"roots":{}})");
  EXPECT_EQ(at(wire.read_json(), "method"), "roots/list");
  wire.send_line(echo_call(1));
  EXPECT_EQ(at(json(wire.ask(request("2", "tools/list"))), "id"), 2) << "lists do not wait";
  EXPECT_FALSE(known);
  wire.send_line(
      R"({"jsonrpc":"2.0","id":"helve-roots-1","result":{"roots":[{"uri":"file:///p"}]}})");
  EXPECT_EQ(at(wire.read_json(), "method"), "notifications/resources/list_changed");
  EXPECT_EQ(at(wire.read_json(), "id"), 1);
  EXPECT_TRUE(known);
}

TEST(StdioRoots, DoNotHoldACallThatIsCancelled) {
  World world(
      Options{.on_roots = [](std::vector<std::string>) {}, .roots_wait = std::chrono::minutes(1)});
  Wire wire(world);
  wire.initialize("2025-11-25", R"({"roots":{}})");
  wire.read_line();
  wire.send_line(echo_call(1));
  wire.send_line(cancel(1));
  EXPECT_EQ(at(json(wire.ask(request("2", "ping"))), "id"), 2);
  wire.close_input();
  EXPECT_EQ(wire.rest(), std::vector<std::string>{});
}

}  // namespace
}  // namespace helve::mcp::testing

// Resources, prompts and completion.
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

struct Sources : ::testing::Test {
  World world;
  Talk talk{world};
  Sources() { talk.initialize(); }
};

TEST_F(Sources, ListResourcesPageByPage) {
  EXPECT_EQ(
      talk.ask(request("1", "resources/list")),
      R"({"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"file:///a.txt","name":"a.txt","title":"A",)"
      R"("description":"The first","mimeType":"text/plain","size":3}],"nextCursor":"second"}})");
  EXPECT_EQ(talk.ask(request("1", "resources/list", R"({"cursor":"second"})")),
            R"({"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"file:///b","name":"b"}]}})");
  EXPECT_EQ(talk.error_code(request("1", "resources/list", R"({"cursor":"garbage"})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "resources/list", R"({"cursor":5})")), -32602);
}

TEST_F(Sources, ListTemplates) {
  EXPECT_EQ(
      talk.ask(request("1", "resources/templates/list")),
      R"({"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"files"}]}})");
  EXPECT_EQ(talk.error_code(request("1", "resources/templates/list", R"({"cursor":"x"})")), -32602);
}

TEST_F(Sources, ReadTextAndBinary) {
  EXPECT_EQ(
      at(talk.result(request("1", "resources/read", R"({"uri":"file:///a.txt"})")), "contents"),
      json(R"([{"uri":"file:///a.txt","mimeType":"text/plain","text":"abc"}])"));
  EXPECT_EQ(at(talk.result(request("1", "resources/read", R"({"uri":"file:///b"})")), "contents"),
            json(R"([{"uri":"file:///b","mimeType":"image/png","blob":"AAEC"}])"));
}

TEST_F(Sources, SayThatAResourceDoesNotExistAsTheEraDoes) {
  const Json legacy =
      at(talk.ask_json(request("1", "resources/read", R"({"uri":"file:///x"})")), "error");
  EXPECT_EQ(at(legacy, "code"), -32002);
  EXPECT_EQ(at(legacy, "data/uri"), "file:///x");
  const Json modern_error =
      at(talk.ask_json(request("1", "resources/read", modern(R"("uri":"file:///x")"))), "error");
  EXPECT_EQ(at(modern_error, "code"), -32602);
  EXPECT_EQ(at(modern_error, "data/uri"), "file:///x");
}

TEST_F(Sources, RefuseWhatMayNotBeReadAndWhatIsNoUri) {
  EXPECT_EQ(talk.error_code(request("1", "resources/read", R"({"uri":"file:///secret"})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "resources/read", R"({"uri":5})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "resources/read")), -32602);
  EXPECT_EQ(
      talk.error_code(request("1", "resources/read",
                              fmt::format(R"({{"uri":"file:///{}"}})", std::string(9000, 'x')))),
      -32602);
}

TEST_F(Sources, ListPrompts) {
  EXPECT_EQ(
      talk.ask(request("1", "prompts/list")),
      R"({"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"greet","title":"Greet","description":"Says hello",)"
      R"("arguments":[{"name":"who","title":"Who","description":"A name","required":true}]},{"name":"plain","arguments":[]}]}})");
}

TEST(PromptPages, FollowOneAnother) {
  World world(Options{.page_size = 1});
  Talk talk(world);
  talk.initialize();
  EXPECT_EQ(at(talk.result(request("1", "prompts/list")), "nextCursor"), "1");
  EXPECT_EQ(at(talk.result(request("1", "prompts/list", R"({"cursor":"1"})")), "prompts/0/name"),
            "plain");
  EXPECT_EQ(talk.error_code(request("1", "prompts/list", R"({"cursor":"2"})")), -32602);
}

TEST_F(Sources, GetAPrompt) {
  EXPECT_EQ(
      talk.ask(request("1", "prompts/get", R"({"name":"greet","arguments":{"who":"Ann"}})")),
      R"({"jsonrpc":"2.0","id":1,"result":{"description":"A greeting","messages":[)"
      R"({"role":"user","content":{"type":"text","text":"Greet Ann"}},)"
      R"({"role":"assistant","content":{"type":"audio","data":"YXVk","mimeType":"audio/wav"}}]}})");
}

TEST_F(Sources, RefuseAPromptThatCannotBeMade) {
  EXPECT_EQ(talk.error_code(request("1", "prompts/get", R"({"name":"nobody"})")), -32602);
  EXPECT_EQ(talk.error_code(request("1", "prompts/get", R"({"name":"greet"})")), -32602);
  EXPECT_EQ(
      talk.error_code(request("1", "prompts/get", R"({"name":"greet","arguments":{"who":5}})")),
      -32602);
  EXPECT_EQ(talk.error_code(request("1", "prompts/get", R"({"name":"greet","arguments":[]})")),
            -32602);
  EXPECT_EQ(talk.error_code(request("1", "prompts/get", "{}")), -32602);
}

TEST_F(Sources, CompleteAPromptsArgumentWithAHundredValuesAtMost) {
  const Json completion = at(
      talk.result(request(
          "1", "completion/complete",
          R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"},"context":{"arguments":{"x":"y"}}})")),
      "completion");
  EXPECT_EQ(at(completion, "values").as_array().size(), 100u);
  EXPECT_EQ(at(completion, "values/7"), "A71");
  EXPECT_EQ(at(completion, "total"), 150);
  EXPECT_EQ(at(completion, "hasMore"), true);
}

TEST_F(Sources, CompleteATemplatesVariable) {
  EXPECT_EQ(
      talk.ask(request(
          "1", "completion/complete",
          R"({"ref":{"type":"ref/resource","uri":"file:///{path}"},"argument":{"name":"path","value":"a"}})")),
      R"({"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["a.txt"],"total":1,"hasMore":false}}})");
}

TEST_F(Sources, RefuseToCompleteWhatIsNotThere) {
  for (std::string_view params :
       {"{}", R"({"ref":{"type":"ref/prompt","name":"greet"}})",
        R"({"ref":{"type":"ref/tool"},"argument":{"name":"a","value":"b"}})",
        R"({"ref":{"type":"ref/resource","uri":"x:"},"argument":{"name":"a","value":"b"}})",
        R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"a","value":5}})"}) {
    EXPECT_EQ(talk.error_code(request("1", "completion/complete", params)), -32602) << params;
  }
}

TEST_F(Sources, AreNoMethodsWhenNotOffered) {
  Server server(world.dispatcher, world.clock, nullptr);
  Session session(server, {}, talk.mailbox);
  Job job;
  for (std::string_view method : {"resources/list", "resources/read", "resources/templates/list",
                                  "prompts/list", "prompts/get", "completion/complete"}) {
    session.take(request("1", method, modern()), job);
    EXPECT_EQ(at(json(job.answer), "error/code"), -32601) << method;
  }
  session.take(request("1", "server/discover", modern()), job);
  EXPECT_EQ(at(json(job.answer), "result/capabilities"),
            json(R"({"tools":{"listChanged":true},"logging":{}})"));
}

struct RootsTest : ::testing::Test {
  std::vector<std::string> roots;
  int told = 0;
  std::vector<std::string> reasons;  // why there are none
  World world{Options{.on_roots =
                          [this](std::vector<std::string> uris) {
                            roots = std::move(uris);
                            ++told;
                          },
                      .on_no_roots = [this](std::string why) { reasons.push_back(std::move(why)); },
                      .roots_wait = std::chrono::milliseconds(1)}};
  Talk talk{world};
};

TEST_F(RootsTest, AreAskedForOnceTheClientIsInitialized) {
  talk.initialize("2025-06-18", R"({"roots":{"listChanged":true}})");
  EXPECT_EQ(talk.mailbox.take(),
            "{\"jsonrpc\":\"2.0\",\"id\":\"helve-roots-1\",\"method\":\"roots/list\"}\n");
  talk.ask(
      R"({"jsonrpc":"2.0","id":"helve-roots-1","result":{"roots":[{"uri":"file:///p","name":"p"},{"uri":"file:///q"},5]}})");
  EXPECT_EQ(roots, (std::vector<std::string>{"file:///p", "file:///q"}));
}

TEST_F(RootsTest, AreAskedForAgainWhenTheyChange) {
  talk.initialize("2025-06-18", R"({"roots":{}})");
  talk.mailbox.take();
  talk.ask(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  EXPECT_EQ(talk.mailbox.take(),
            "{\"jsonrpc\":\"2.0\",\"id\":\"helve-roots-2\",\"method\":\"roots/list\"}\n");
  talk.ask(R"({"jsonrpc":"2.0","id":"helve-roots-1","result":{"roots":[{"uri":"file:///old"}]}})");
  EXPECT_EQ(told, 0) << "a newer question replaced this one";
  talk.ask(R"({"jsonrpc":"2.0","id":"helve-roots-2","result":{"roots":[]}})");
  EXPECT_EQ(told, 1);
}

TEST_F(RootsTest, AreNotAskedForWhenTheClientHasNone) {
  talk.initialize("2025-06-18");
  EXPECT_EQ(talk.mailbox.take(), "");
}

TEST_F(RootsTest, AreNoneFromTheStartUntilTheClientTellsThem) {
  talk.ask(request(
      "0", "initialize",
      R"({"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}})"));
  EXPECT_EQ(reasons.size(), 1u);
  talk.ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  talk.ask(R"({"jsonrpc":"2.0","id":"helve-roots-1","result":{"roots":[{"uri":"file:///p"}]}})");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(reasons.size(), 1u);
  talk.ask(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  EXPECT_EQ(reasons.size(), 2u) << "the old ones hold no longer";
}

TEST_F(RootsTest, OfAClientThatHasNoneAreNotMissed) {
  talk.initialize("2025-06-18");
  EXPECT_TRUE(reasons.empty());
}

TEST_F(RootsTest, MayBeRefused) {
  talk.initialize("2025-06-18", R"({"roots":{}})");
  talk.ask(R"({"jsonrpc":"2.0","id":"helve-roots-1","error":{"code":-32601,"message":"no"}})");
  EXPECT_EQ(told, 0);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_NE(reasons[1].find("refused"), std::string::npos);
  EXPECT_EQ(at(talk.result(call("echo", R"({"text":"x"})")), "content/0/text"), "x");
}

TEST_F(RootsTest, ThatNeverComeHoldACallUpForAMomentOnly) {
  talk.initialize("2025-06-18", R"({"roots":{}})");
  EXPECT_EQ(at(talk.result(call("echo", R"({"text":"x"})")), "content/0/text"), "x");
}

TEST(PlaceTest, OfACallIsTakenOnceAndHeldUntilItEnds) {
  const Identity elsewhere{.workspace = "elsewhere", .session = "s_2"};
  std::string seen;
  std::weak_ptr<const Place> taken;
  std::shared_ptr<const Place> current;
  std::vector<Tool> tools;
  tools.push_back(tool_of({.name = "where", .group = "test"}, [&](const Json&, Context& context) {
    current.reset();  // another place comes
    EXPECT_FALSE(taken.expired());
    seen = context.who.workspace;
    return Product{"{}", {}};
  }));
  const Registry registry = std::move(*Registry::load(std::move(tools)));
  dispatch::Dispatcher other(registry, {});
  int asked = 0;
  World world{Options{.place = [&] {
    ++asked;
    return current;
  }}};
  Talk talk(world);
  talk.initialize();
  EXPECT_EQ(at(talk.result(call("echo", R"({"text":"x"})")), "content/0/text"), "x") << "at home";
  current = std::make_shared<const Place>(Place{&other, &elsewhere, nullptr});
  taken = current;
  talk.ask(call("where"));
  EXPECT_EQ(seen, "elsewhere");
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(taken.expired());
}

}  // namespace
}  // namespace helve::mcp::testing

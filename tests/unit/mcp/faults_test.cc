// Bad input: each gets a clear error, and the server goes on.
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

struct Faults : ::testing::Test {
  World world;
  Talk talk{world};
  Faults() { talk.initialize(); }
  ~Faults() override {
    EXPECT_EQ(talk.ask(request("99", "ping")), R"({"jsonrpc":"2.0","id":99,"result":{}})")
        << "the session must go on";
  }

  // The code of an error that has no id.
  std::int64_t nameless(std::string_view frame) {
    const Json answer = talk.ask_json(frame);
    EXPECT_EQ(answer.as_object().if_contains("id"), nullptr) << frame.substr(0, 100);
    EXPECT_FALSE(at(answer, "error/message").as_string().empty());
    return at(answer, "error/code").as_int64();
  }
  std::string mirrored(std::string_view arguments) {
    return to_text(at(talk.result(call("mirror", arguments)), "structuredContent"));
  }
};

TEST_F(Faults, DeepNestingIsAParseError) {
  EXPECT_EQ(nameless(std::string(100'000, '[')), -32700);
  EXPECT_EQ(nameless("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":" +
                     std::string(100'000, '{')),
            -32700);
}

TEST_F(Faults, ANumberBeyondAllNumbersIsAParseError) {
  EXPECT_EQ(nameless(call("mirror", R"({"n":1e400})")), -32700);
  for (const char* odd : {"NaN", "Infinity", "-Infinity", "01", "+1", ".5", "0x10"}) {
    EXPECT_EQ(nameless(call("mirror", R"({"n":)" + std::string(odd) + "}")), -32700) << odd;
  }
}

TEST_F(Faults, NumbersArriveAsTheyWereSent) {
  EXPECT_EQ(mirrored(R"({"n":9007199254740993})"), R"({"n":9007199254740993})");
  EXPECT_EQ(mirrored(R"({"n":0.1})"), R"({"n":0.1})");
  EXPECT_EQ(mirrored(R"({"n":18446744073709551615})"), R"({"n":18446744073709551615})");
  EXPECT_EQ(json(mirrored(R"({"n":-0})")).at("n").to_number<double>(), 0.0);
  EXPECT_DOUBLE_EQ(json(mirrored(R"({"n":1234567890123456789012345678901234567890})"))
                       .at("n")
                       .to_number<double>(),
                   1234567890123456789e21);
}

TEST_F(Faults, TextThatIsNotUnicodeIsAParseError) {
  EXPECT_EQ(nameless(call("mirror", R"({"t":"\ud800"})")), -32700);
  EXPECT_EQ(nameless(call("mirror", "{\"t\":\"\xC0\xAF\"}")), -32700);
  EXPECT_EQ(nameless(call("mirror", "{\"t\":\"\xFF\"}")), -32700);
  EXPECT_EQ(nameless("\xEF\xBB\xBF" + request("1", "ping")), -32700);
}

TEST_F(Faults, NulTravelsInsideText) {
  EXPECT_EQ(mirrored(R"({"t":"a\u0000b"})"), R"({"t":"a\u0000b"})");
}

TEST_F(Faults, GarbageIsAParseError) {
  for (std::string_view frame : {"hello", "{", "}", "{\"a\":1}}", "{'a':1}", "\x01\x02", "nul",
                                 "{\"a\":1,}", "// comment"}) {
    EXPECT_EQ(nameless(frame), -32700) << frame;
  }
}

TEST_F(Faults, AFrameCutAnywhereIsAParseError) {
  const std::string frame = call("echo", R"({"text":"ä€𝄞"})");
  for (size_t length = 1; length < frame.size(); ++length)
    EXPECT_EQ(nameless(frame.substr(0, length)), -32700) << length;
}

TEST_F(Faults, AnIdOfTheWrongKindIsAnInvalidRequest) {
  for (std::string_view id : {"null", "1.5", "{}", "[]", "true", "1e3"}) {
    EXPECT_EQ(nameless(request(id, "ping")), -32600) << id;
  }
  EXPECT_EQ(nameless(request('"' + std::string(1u << 20, 'x') + '"', "ping")), -32600);
}

TEST_F(Faults, AnIdIsReadableInAnInvalidRequest) {
  EXPECT_EQ(
      talk.ask(R"({"jsonrpc":"1.0","id":5,"method":"ping"})"),
      R"({"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"a message must have \"jsonrpc\":\"2.0\""}})");
}

TEST_F(Faults, ABatchIsAnInvalidRequest) {
  EXPECT_EQ(nameless("[" + request("1", "ping") + "]"), -32600);
}

TEST_F(Faults, ResponsesToUnknownIdsAreIgnored) {
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","id":77,"result":{}})"), "");
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}})"), "");
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","error":{"code":1,"message":"m"}})"), "");
  EXPECT_EQ(talk.ask(R"({"jsonrpc":"2.0","id":"helve-roots-1","result":{"roots":[]}})"), "");
}

TEST_F(Faults, AModernRequestInALegacySessionIsServed) {
  EXPECT_EQ(at(talk.result(
                   request("1", "tools/call", modern(R"("name":"echo","arguments":{"text":"x"})"))),
               "resultType"),
            "complete");
}

TEST_F(Faults, AResourceThatIsThrownOverIsAnInternalError) {
  struct Throwing final : PromptSource {
    std::vector<Prompt> list() override { throw std::runtime_error("no prompts today"); }
    Result<RenderedPrompt> get(std::string_view, const Arguments&, std::stop_token) override {
      throw std::bad_alloc();
    }
    Result<Completions> complete(std::string_view, const Typed&) override {
      throw std::runtime_error("no");
    }
  } throwing;
  Server server(world.dispatcher, world.clock, nullptr, Options{.prompts = &throwing});
  Session session(server, {}, talk.mailbox);
  Job job;
  ASSERT_EQ(session.take(request("1", "prompts/list", modern()), job), Session::Taken::to_run);
  session.run(job);
  EXPECT_EQ(job.answer,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"no prompts "
            "today\"}}\n");
}

}  // namespace
}  // namespace helve::mcp::testing

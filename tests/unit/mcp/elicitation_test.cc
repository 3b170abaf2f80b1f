// The person behind the client is asked whether a call may run.
#include "mcp/elicitation.h"

#include <fmt/format.h>

#include "unit/mcp/wire.h"
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

using dispatch::ApprovalSettings;

constexpr const char* kRule = R"({tool: save, arguments: {text: "x"}})";

// One tool that changes something, under approvals.mode smart.
class Asking : public ::testing::Test {
 protected:
  static Registry one_tool() {
    std::vector<Tool> tools;
    tools.push_back(tool_of({.name = "save", .group = "test", .effect = Effect::write},
                            [](const Json&, Context&) -> Result<Product> {
                              return Product{"{}", {TextContent{"saved"}}};
                            }));
    return *Registry::load(std::move(tools));
  }

  sys::ManualClock clock_;
  Registry registry_ = one_tool();
  std::vector<RuleLine> written_;
  dispatch::Grants grants_{"config.yaml", [this](const std::vector<RuleLine>& lines) {
                             written_ = lines;
                             return Result<void>{};
                           }};
  ApprovalSettings settings_{.mode = ApprovalSettings::Mode::smart, .mode_from = "the mode"};
  dispatch::Approvals approvals_{registry_, settings_, grants_};
  dispatch::Dispatcher dispatcher_{registry_, {.clock = &clock_}, {.approvals = &approvals_}};
  Server server_{dispatcher_, clock_, nullptr};

  // Answers what it is asked, at once, as a client would by a thread of its own.
  class Client final : public Sink {
   public:
    explicit Client(Server& server) : session(server, {.session = "s_1"}, *this) {}
    void send(std::string_view message) override {
      sent.emplace_back(message);
      const Json asked = json(message);
      if (at(asked, "method") != "elicitation/create") return;
      Job job;
      if (!instead.empty()) session.take(instead, job);
      if (!answer.empty())
        session.take(
            fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", to_text(at(asked, "id")), answer),
            job);
    }
    Json ask(std::string_view frame) {
      Job job;
      if (session.take(frame, job) == Session::Taken::to_run) session.run(job);
      return json(job.answer);
    }
    void initialize(std::string_view version, std::string_view capabilities) {
      ask(request(
          "0", "initialize",
          fmt::format(R"({{"protocolVersion":"{}","capabilities":{}}})", version, capabilities)));
      ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }

    std::string answer;   // the members of the response; empty: none comes
    std::string instead;  // a message that is sent when a question comes
    std::vector<std::string> sent;
    Session session;
  };
  Client client_{server_};

  static std::string accept(std::string_view decision) {
    return fmt::format(R"("result":{{"action":"accept","content":{{"decision":"{}"}}}})", decision);
  }
  std::string text_of(const Json& answer) {
    return std::string(at(answer, "result/content/0/text").as_string());
  }
  std::string error_type(const Json& answer) {
    const Json* const result = find(answer, "result");
    const Json* const meta = result ? find(*result, "_meta") : nullptr;
    const Json* const error = meta ? find(*meta, "helve/error") : nullptr;
    return error ? std::string(string_at(*error, "error_type")) : "";
  }
};

class LegacyAsking : public Asking {
 protected:
  // Calls the tool when the person answers so.
  Json call_with(std::string answer) {
    client_.answer = std::move(answer);
    return client_.ask(call("save", R"({"text":"x"})"));
  }
  Json question() { return json(client_.sent.at(0)); }
};

TEST_F(LegacyAsking, ShowsAFormAndRunsWhatThePersonAllows) {
  client_.initialize("2025-11-25", R"({"elicitation":{}})");
  EXPECT_EQ(text_of(call_with(accept("once"))), "saved");
  ASSERT_EQ(client_.sent.size(), 1u);
  const Json params = at(question(), "params");
  EXPECT_EQ(at(params, "mode"), "form");
  EXPECT_EQ(std::string(at(params, "message").as_string()),
            "save needs approval (effect: write; reason: the mode)\n  text: \"x\"\nalways; adds to "
            "approvals.allow in config.yaml:\n    - " +
                std::string(kRule));
  EXPECT_EQ(at(params, "requestedSchema"), json(R"({"type":"object","properties":{"decision":{
      "type":"string","title":"Decision","default":"deny","oneOf":[
        {"const":"once","title":"Allow this call"},
        {"const":"session","title":"Allow such calls until the session ends"},
        {"const":"always","title":"Always allow such calls"},
        {"const":"deny","title":"Deny"}]}},"required":["decision"]})"));
}

TEST_F(LegacyAsking, SpeaksTheFormsOfTheFirstRevisionThatHasThem) {
  client_.initialize("2025-06-18", R"({"elicitation":{}})");
  EXPECT_EQ(text_of(call_with(accept("once"))), "saved");
  EXPECT_EQ(at(question(), "params/mode"), nullptr);
  EXPECT_EQ(at(question(), "params/requestedSchema/properties/decision"),
            json(R"({"type":"string","title":"Decision",
      "enum":["once","session","always","deny"],"enumNames":["Allow this call",
      "Allow such calls until the session ends","Always allow such calls","Deny"]})"));
}

TEST_F(LegacyAsking, AnAnswerIsGoodForAsLongAsItSays) {
  client_.initialize("2025-11-25", R"({"elicitation":{"form":{}}})");
  call_with(accept("session"));
  EXPECT_EQ(text_of(client_.ask(call("save", R"({"text":"x"})"))), "saved");
  EXPECT_EQ(client_.sent.size(), 1u);
  client_.answer = accept("always");
  EXPECT_EQ(text_of(client_.ask(call("save", R"({"text":"y"})"))), "saved");
  ASSERT_EQ(written_.size(), 1u);
  EXPECT_EQ(written_[0].yaml, R"({tool: save, arguments: {text: "y"}})");
}

TEST_F(LegacyAsking, WhoeverDeclinesOrClosesTheFormDenies) {
  client_.initialize("2025-11-25", R"({"elicitation":{}})");
  for (const char* answer : {R"("result":{"action":"decline"})", R"("result":{"action":"cancel"})"})
    EXPECT_EQ(error_type(call_with(answer)), "approval_refused") << answer;
  EXPECT_EQ(error_type(call_with(accept("deny"))), "approval_refused");
}

TEST_F(LegacyAsking, AnAnswerThatMakesNoSenseAllowsNothing) {
  client_.initialize("2025-11-25", R"({"elicitation":{}})");
  for (const char* answer :
       {R"("result":{"action":"accept"})",
        R"("result":{"action":"accept","content":{"decision":1}})", R"("result":{})",
        R"("result":{"action":"accept","content":{"decision":"yes"}})",
        R"("error":{"code":-32602,"message":"no"})"})
    EXPECT_EQ(error_type(call_with(answer)), "approval_required") << answer;
}

TEST_F(LegacyAsking, AnAnswerThatWasNotOfferedAllowsNothing) {
  dispatch::Grants nowhere;
  dispatch::Approvals approvals(registry_, settings_, nowhere);
  dispatch::Dispatcher dispatcher(registry_, {.clock = &clock_}, {.approvals = &approvals});
  Server server(dispatcher, clock_, nullptr);
  Client client(server);
  client.initialize("2025-11-25", R"({"elicitation":{}})");
  client.answer = accept("always");
  EXPECT_EQ(error_type(client.ask(call("save", R"({"text":"x"})"))), "approval_required");
  EXPECT_EQ(at(json(client.sent.at(0)), "params/requestedSchema/properties/decision/oneOf")
                .as_array()
                .size(),
            3u);
}

TEST_F(LegacyAsking, AClientThatCannotBeAskedIsToldTheRule) {
  const std::pair<const char*, const char*> clients[] = {
      {"2025-11-25", "{}"},
      {"2025-11-25", R"({"elicitation":{"url":{}}})"},
      {"2025-03-26", R"({"elicitation":{}})"}};
  for (const auto& [version, capabilities] : clients) {
    Client client(server_);
    client.initialize(version, capabilities);
    const Json answer = client.ask(call("save", R"({"text":"x"})"));
    EXPECT_EQ(text_of(answer),
              "tool 'save' needs approval (the mode), and there is nobody to ask\nHint: to allow "
              "it, add to approvals.allow in config.yaml: - " +
                  std::string(kRule))
        << version;
    EXPECT_TRUE(client.sent.empty());
  }
}

TEST_F(LegacyAsking, AQuestionEndsWithItsCall) {
  client_.initialize("2025-11-25", R"({"elicitation":{}})");
  client_.instead =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  EXPECT_EQ(call_with(""), nullptr);
  ASSERT_EQ(client_.sent.size(), 2u);
  EXPECT_EQ(at(json(client_.sent[1]), "method"), "notifications/cancelled");
  EXPECT_EQ(at(json(client_.sent[1]), "params/requestId"), at(question(), "id"));
}

TEST_F(LegacyAsking, ALateAnswerIsIgnored) {
  client_.initialize("2025-11-25", R"({"elicitation":{}})");
  call_with(accept("once"));
  Job job;
  client_.session.take(fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})",
                                   to_text(at(question(), "id")), accept("session")),
                       job);
  EXPECT_EQ(job.answer, "");
  client_.sent.clear();
  call_with(accept("once"));
  EXPECT_EQ(client_.sent.size(), 1u);
}

TEST(StdioAsking, OtherRequestsAreAnsweredWhileAPersonIsAsked) {
  World world;
  const dispatch::Policy policy =
      *dispatch::Policy::make(world.registry, {{.source = "test", .ask = {"save"}}});
  world.server.set_policy(&policy);
  Wire wire(world);
  wire.initialize("2025-11-25", R"({"elicitation":{}})");
  wire.send_line(call("save", R"({"text":"x"})"));
  const Json question = wire.read_json();
  EXPECT_EQ(at(question, "method"), "elicitation/create");
  EXPECT_EQ(at(json(wire.ask(request("2", "ping"))), "id"), 2);
  EXPECT_EQ(
      at(json(wire.ask(request("3", "tools/call", R"({"name":"echo","arguments":{"text":"hi"}})"))),
         "result/content/0/text"),
      "hi");
  const Json answer = json(wire.ask(fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{"decision":"once"}}}}}})",
      to_text(at(question, "id")))));
  EXPECT_EQ(at(answer, "result/content/0/text"), "x");
}

TEST(StdioAsking, AClientThatLeavesIsAskedNoLonger) {
  World world;
  const dispatch::Policy policy =
      *dispatch::Policy::make(world.registry, {{.source = "test", .ask = {"save"}}});
  world.server.set_policy(&policy);
  Wire wire(world);
  wire.initialize("2025-11-25", R"({"elicitation":{}})");
  wire.send_line(call("save", R"({"text":"x"})"));
  EXPECT_EQ(at(wire.read_json(), "method"), "elicitation/create");
  wire.close_input();
  EXPECT_EQ(wire.join().still_running, 0u);
}

class ModernAsking : public Asking {
 protected:
  static constexpr const char* kCanBeAsked =
      R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}})";

  static std::string frame(std::string_view arguments, std::string_view members = "") {
    return request(
        "1", "tools/call",
        fmt::format(
            R"({{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",{}}},"name":"save","arguments":{}{}{}}})",
            kCanBeAsked, arguments, members.empty() ? "" : ",", members));
  }
  static std::string answered(std::string_view state, std::string_view decision) {
    return fmt::format(
        R"("requestState":"{}","inputResponses":{{"approval":{{"action":"accept","content":{{"decision":"{}"}}}}}})",
        state, decision);
  }
  std::string state_of(const Json& answer) {
    const Json state = at(answer, "result/requestState");
    return state.is_string() ? std::string(state.get_string()) : "";
  }
  std::string type_of(const Json& answer) {
    const Json type = at(answer, "result/resultType");
    return type.is_string() ? std::string(type.get_string()) : to_text(at(answer, "error"));
  }
};

TEST_F(ModernAsking, TheCallIsAnsweredByAQuestionAndMadeAgain) {
  const Json first = client_.ask(frame(R"({"text":"x"})"));
  EXPECT_EQ(type_of(first), "input_required");
  EXPECT_EQ(at(first, "result/content"), nullptr);
  EXPECT_EQ(at(first, "result/inputRequests/approval/method"), "elicitation/create");
  EXPECT_EQ(at(first, "result/inputRequests/approval/params/mode"), "form");
  EXPECT_TRUE(client_.sent.empty());  // no request goes to such a client
  const Json second = client_.ask(frame(R"({"text":"x"})", answered(state_of(first), "once")));
  EXPECT_EQ(type_of(second), "complete");
  EXPECT_EQ(text_of(second), "saved");
}

TEST_F(ModernAsking, DenyingIsARefusal) {
  const std::string state = state_of(client_.ask(frame("{}")));
  EXPECT_EQ(error_type(client_.ask(frame("{}", answered(state, "deny")))), "approval_refused");
  const std::string other = state_of(client_.ask(frame("{}")));
  EXPECT_EQ(
      error_type(client_.ask(frame(
          "{}", fmt::format(
                    R"("requestState":"{}","inputResponses":{{"approval":{{"action":"cancel"}}}})",
                    other)))),
      "approval_refused");
}

TEST_F(ModernAsking, AStateIsGoodForItsCallOnly) {
  const std::string state = state_of(client_.ask(frame(R"({"text":"x"})")));
  const Json other = client_.ask(frame(R"({"text":"y"})", answered(state, "once")));
  EXPECT_EQ(at(other, "error/code"), -32602);
  Client elsewhere(server_);
  Session stranger(server_, {.session = "s_2"}, elsewhere);
  Job job;
  stranger.take(frame(R"({"text":"x"})", answered(state, "once")), job);
  stranger.run(job);
  EXPECT_EQ(at(json(job.answer), "error/code"), -32602);
}

TEST_F(ModernAsking, AStateThatWasChangedIsRefused) {
  const std::string state = state_of(client_.ask(frame("{}")));
  std::string later = state;
  const size_t expiry = later.find('.', later.find('.') + 1) + 1;
  later[expiry] = '9';
  for (const std::string& wrong : {state + "-TAMPERED", later, std::string("v1.x"), std::string()})
    EXPECT_EQ(at(client_.ask(frame("{}", answered(wrong, "once"))), "error/code"), -32602) << wrong;
  EXPECT_EQ(at(client_.ask(frame("{}", R"("requestState":1)")), "error/code"), -32602);
}

TEST_F(ModernAsking, AStateIsGoodOnce) {
  const std::string state = state_of(client_.ask(frame("{}")));
  EXPECT_EQ(type_of(client_.ask(frame("{}", answered(state, "once")))), "complete");
  EXPECT_EQ(type_of(client_.ask(frame("{}", answered(state, "once")))), "input_required");
}

TEST_F(ModernAsking, ALateAnswerIsAskedForAgain) {
  const std::string state = state_of(client_.ask(frame("{}")));
  clock_.advance(settings_.timeout);
  EXPECT_EQ(type_of(client_.ask(frame("{}", answered(state, "once")))), "input_required");
}

TEST_F(ModernAsking, WithoutAnAnswerThatFitsItIsAskedAgain) {
  const std::string state = state_of(client_.ask(frame("{}")));
  const std::string with = R"("requestState":")" + state + "\"";
  for (const char* responses :
       {"", R"(,"inputResponses":{})", R"(,"inputResponses":{"other":{"action":"accept"}})",
        R"(,"inputResponses":{"approval":null})", R"(,"inputResponses":{"approval":7})",
        R"(,"inputResponses":{"approval":{"action":"accept","content":{"decision":3}}})"})
    EXPECT_EQ(type_of(client_.ask(frame("{}", with + responses))), "input_required") << responses;
  EXPECT_EQ(type_of(client_.ask(frame("{}", answered(state, "once")))), "complete");
}

TEST_F(ModernAsking, AnAnswerWithoutAStateIsNone) {
  const Json answer = client_.ask(frame(
      "{}",
      R"("inputResponses":{"approval":{"action":"accept","content":{"decision":"always"}}})"));
  EXPECT_EQ(type_of(answer), "input_required");
}

TEST_F(ModernAsking, AnAnswerToAnotherQuestionIsNone) {
  const std::string state = state_of(client_.ask(frame("{}")));
  // Meanwhile the question is another one: nothing can be allowed for ever any more.
  dispatch::Grants none;
  dispatch::Approvals approvals(registry_, settings_, none);
  dispatch::Dispatcher dispatcher(registry_, {.clock = &clock_}, {.approvals = &approvals});
  const Identity who{.session = "s_1"};
  const Json message = json(frame("{}", answered(state, "always")));
  Request request{.version = kModern, .params = find(message, "params")};
  ModernElicitation asked(server_.states(), request, who.session, "save");
  ASSERT_TRUE(asked.open());
  const dispatch::Outcome outcome =
      dispatcher.call({.tool = "save", .who = who, .approver = &asked});
  EXPECT_EQ(outcome.error->type, dispatch::kApprovalPending);
}

TEST_F(ModernAsking, AnAnswerMayHoldForTheSessionOrForEver) {
  std::string state = state_of(client_.ask(frame(R"({"text":"x"})")));
  client_.ask(frame(R"({"text":"x"})", answered(state, "session")));
  EXPECT_EQ(type_of(client_.ask(frame(R"({"text":"x"})"))), "complete");
  state = state_of(client_.ask(frame(R"({"text":"y"})")));
  client_.ask(frame(R"({"text":"y"})", answered(state, "always")));
  EXPECT_EQ(written_.size(), 1u);
}

TEST_F(ModernAsking, AClientThatCannotBeAskedIsToldTheRule) {
  const Json answer =
      client_.ask(request("1", "tools/call", modern(R"("name":"save","arguments":{"text":"x"})")));
  EXPECT_EQ(error_type(answer), "approval_required");
  EXPECT_TRUE(text_of(answer).ends_with(kRule)) << text_of(answer);
}

TEST(RequestStates, AreNoneOfAnotherProcess) {
  sys::ManualClock clock;
  const RequestStates mine(clock), theirs(clock);
  EXPECT_TRUE(mine.open(mine.seal("c", "q", std::chrono::seconds(1)), "c"));
  EXPECT_EQ(theirs.open(mine.seal("c", "q", std::chrono::seconds(1)), "c").error().type,
            "invalid_request_state");
}

TEST(RequestStates, ForgetTheUsedOnceTheyExpire) {
  sys::ManualClock clock;
  RequestStates states(clock);
  auto use = [&] {
    return states.use(*states.open(states.seal("c", "q", std::chrono::seconds(1)), "c"));
  };
  for (size_t i = 0; i < RequestStates::kMaxUsed; ++i) ASSERT_TRUE(use());
  EXPECT_FALSE(use());
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(use());
}

TEST(DigestOfCall, KeepsItsPartsApart) {
  EXPECT_NE(digest_of_call("a", "bc", ""), digest_of_call("ab", "c", ""));
  EXPECT_NE(digest_of_call("a", "b", "c"), digest_of_call("a", "bc", ""));
}

}  // namespace
}  // namespace helve::mcp::testing

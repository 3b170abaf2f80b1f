#include "dispatch/nested_calls.h"

#include <gtest/gtest.h>

#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

struct RelayInput {
  std::string tool;
  Json input;
  Demand demand(const Context&) const { return {.inner = Demand::Inner{tool, input}}; }
  static constexpr auto schema() {
    return object("Calls another tool.", arg<&RelayInput::tool>("Which one"),
                  arg<&RelayInput::input>("Its arguments"));
  }
};
struct RelayOutput {
  std::string heard;
  static constexpr auto schema() { return object("", arg<&RelayOutput::heard>("Its answer")); }
};

Result<RelayOutput> relay(const RelayInput& in, Context& context) {
  Calls::Answer answer = context.calls->call(in.tool, in.input, Calls::Want::answer);
  if (answer.error) return *answer.error;
  return RelayOutput{text_of(answer.product.content)};
}

struct Asked : Approver {
  std::vector<std::string> tools;
  std::vector<Question> questions;
  std::optional<Answer> answer = Answer::once;  // none: nobody answers
  Result<Answer> ask(const Question& question, std::stop_token) override {
    tools.push_back(question.tool);
    questions.push_back(question);
    if (answer) return *answer;
    return Error{Code::cancelled, "stopped"};
  }
};

// Changes what a tool is told.
struct Rewriting : Hooks {
  HookAnswer before(const HookCall& call, std::stop_token) override {
    if (call.tool != "save") return {};
    return {.arguments = Json(JsonObject{{"text", "other"}})};
  }
  HookAnswer after(const HookCall&, std::stop_token) override { return {}; }
};

struct Recorded : Recorder {
  std::vector<std::string> calls;
  std::vector<std::string> decisions;
  Result<void> begin(const CallRecord& record) override {
    calls.push_back(record.tool + " by " + std::string(name_of(record.caller)));
    decisions.push_back(record.tool + ": " + record.decided);
    return {};
  }
  void finish(const CallRecord&) override {}
  void note(CallRecord record) override { (void)begin(record); }
};

// The session has news, once.
struct News : Notices {
  bool told = false;
  bool has_any() const override { return !told; }
  Taken take(const Identity&, Caller) override {
    told = true;
    return {.lines = {"a command has ended"}, .ids = {"p_1"}};
  }
  void arrived(std::string_view, const std::vector<std::string>&) override {}
  void failed(std::string_view, const std::vector<std::string>&) override {}
};

class InnerCalls : public ::testing::Test {
 protected:
  InnerCalls() {
    std::vector<Tool> tools = helve::testing::test_tools();
    tools.push_back(make_tool({.name = "relay", .group = "other"}, relay));
    registry = *Registry::load(std::move(tools));
  }
  Outcome call(std::string_view arguments, Listener* listener = nullptr) {
    Dispatcher dispatcher(*registry, {}, stages);
    return dispatcher.call({.tool = "relay",
                            .raw_arguments = arguments,
                            .caller = Caller::model,
                            .who = who,
                            .policy = policy ? &*policy : nullptr,
                            .listener = listener});
  }
  void rules(Rules rules) {
    rules.source = "test";
    policy = *Policy::make(*registry, {rules});
  }

  std::optional<Registry> registry;
  Identity who{"main", "ann", "/w", "s_1"};
  Stages stages;
  std::optional<Policy> policy;
};

TEST_F(InnerCalls, AnswerTheToolThatMadeThem) {
  EXPECT_EQ(call(R"({"tool":"say","input":{"text":"hi","times":2}})").product.json,
            R"({"heard":"hihi"})");
}

TEST_F(InnerCalls, AreRefusedByTheRulesOfTheirOwnTool) {
  rules({.deny = {"echo"}});
  const Outcome outcome = call(R"({"tool":"say","input":{"text":"hi"}})");
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error->type, "forbidden_tool");
}

TEST_F(InnerCalls, AreAskedAboutByTheirOwnName) {
  rules({.ask = {"save"}});
  Asked asked;
  stages.approver = &asked;
  EXPECT_TRUE(call(R"({"tool":"save","input":{"text":"hi"}})").ok());
  EXPECT_EQ(asked.tools, std::vector<std::string>{"save"});
  asked.answer = Approver::Answer::deny;
  EXPECT_FALSE(call(R"({"tool":"save","input":{"text":"hi"}})").ok());
}

TEST_F(InnerCalls, AreAskedAboutWithTheCallThatMakesThem) {
  rules({.ask = {"relay", "save"}});
  Asked asked;
  stages.approver = &asked;
  EXPECT_TRUE(call(R"({"tool":"save","input":{"text":"hi"}})").ok());
  ASSERT_EQ(asked.tools, std::vector<std::string>{"relay"});
  const Approver::Question& question = asked.questions.front();
  EXPECT_NE(question.reason.find("; save: "), std::string::npos) << question.reason;
  EXPECT_EQ(question.effect, Effect::write);
  EXPECT_EQ(question.rules.size(), 2u);
  asked.answer = Approver::Answer::deny;
  EXPECT_EQ(call(R"({"tool":"save","input":{"text":"hi"}})").error->type, "approval_refused");
  EXPECT_EQ(asked.tools.size(), 2u);
}

TEST_F(InnerCalls, AreAllowedForASessionWithTheCallThatMakesThem) {
  rules({.ask = {"relay", "save"}});
  Asked asked;
  asked.answer = Approver::Answer::session;
  stages.approver = &asked;
  Grants grants;
  const Approvals approvals(*registry, {}, grants);
  stages.approvals = &approvals;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(call(R"({"tool":"save","input":{"text":"hi"}})").ok());
  EXPECT_EQ(asked.tools, std::vector<std::string>{"relay"});
}

TEST_F(InnerCalls, AreRecordedAsAllowedByWhoeverAllowedTheCallThatMakesThem) {
  rules({.ask = {"relay", "save"}});
  Asked asked;
  Recorded recorded;
  Grants grants;
  ApprovalSettings settings{.timeout = std::chrono::milliseconds(1),
                            .fallback = ApprovalSettings::Fallback::allow};
  stages.approver = &asked;
  stages.recorder = &recorded;
  const Approvals approvals(*registry, settings, grants);
  stages.approvals = &approvals;
  for (const std::optional<Approver::Answer> answer :
       {std::optional(Approver::Answer::once), std::optional<Approver::Answer>()}) {
    recorded.decisions.clear();
    asked.answer = answer;
    EXPECT_TRUE(call(R"({"tool":"save","input":{"text":"hi"}})").ok());
    const std::string who = answer ? "person" : "fallback";
    EXPECT_EQ(recorded.decisions, (std::vector<std::string>{"save: " + who, "relay: " + who}));
  }
}

TEST_F(InnerCalls, AreAskedAboutAgainWhenAHookMakesOthersOfThem) {
  rules({.ask = {"relay", "save"}});
  Asked asked;
  Rewriting hooks;
  stages.approver = &asked;
  stages.hooks = &hooks;
  EXPECT_TRUE(call(R"({"tool":"save","input":{"text":"hi"}})").ok());
  EXPECT_EQ(asked.tools, (std::vector<std::string>{"relay", "save"}));
}

TEST_F(InnerCalls, ThatAreDeniedAreNotAskedAbout) {
  rules({.deny = {"save"}, .ask = {"relay"}});
  Asked asked;
  stages.approver = &asked;
  EXPECT_EQ(call(R"({"tool":"save","input":{"text":"hi"}})").error->type, "forbidden_tool");
  ASSERT_EQ(asked.tools, std::vector<std::string>{"relay"});
  EXPECT_EQ(asked.questions.front().reason.find("save"), std::string::npos);
}

TEST_F(InnerCalls, AreRecordedAsCallsOfTheirOwn) {
  Recorded recorded;
  stages.recorder = &recorded;
  call(R"({"tool":"echo","input":{"text":"hi"}})");
  EXPECT_EQ(recorded.calls, (std::vector<std::string>{"echo by pipe", "relay by model"}));
}

TEST_F(InnerCalls, AreNotCutAndLeaveTheNewsToTheOuterCall) {
  News news;
  stages.notices = &news;
  const Outcome outcome = call(R"({"tool":"echo","input":{"text":"0123456789","times":5000}})");
  EXPECT_GT(outcome.product.json.size(), 50'000u);
  EXPECT_EQ(outcome.notes, std::vector<std::string>{"a command has ended"});
}

TEST_F(InnerCalls, CheckTheirArguments) {
  const Outcome outcome = call(R"({"tool":"echo","input":{"times":-1}})");
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error->type, "invalid_input");
  EXPECT_EQ(call(R"({"tool":"nothing","input":{}})").error->code, Code::not_found);
}

}  // namespace
}  // namespace helve::dispatch

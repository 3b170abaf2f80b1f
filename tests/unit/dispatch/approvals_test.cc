// When a person is asked, what the answer is good for, and what is said when there is none.
#include "dispatch/approvals.h"

#include <gtest/gtest.h>

#include "dispatch/dispatcher.h"
#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

using Answer = Approver::Answer;
using Mode = ApprovalSettings::Mode;
using namespace std::chrono_literals;

// Leaves the sandbox in the ways that it is told.
struct LeaveInput {
  std::vector<std::string> ways;
  Demand demand(const Context&) const { return {.beyond = ways}; }
  static constexpr auto schema() { return object("Leaves.", arg<&LeaveInput::ways>("How")); }
};
Tool leave_tool() {
  return make_tool(
      {.name = "leave", .group = "other"},
      +[](const LeaveInput&, Context&) -> Result<testing::EchoOutput> {
        return testing::EchoOutput{"left"};
      });
}

struct Answering : Approver {
  std::optional<Answer> answer = Answer::once;  // none: waits until it is stopped
  std::optional<Error> failure;
  std::vector<Question> questions;
  std::function<void()> while_asked = [] {};

  Result<Answer> ask(const Question& question, std::stop_token stop) override {
    questions.push_back(question);
    while_asked();
    if (failure) return *failure;
    if (answer) return *answer;
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
    return Error{Code::cancelled, "stopped"};
  }
};

struct Recording : Recorder {
  std::string decided;
  Result<void> begin(const CallRecord& record) override {
    decided = record.decided;
    return {};
  }
  void finish(const CallRecord&) override {}
  void note(CallRecord record) override { decided = record.decided; }
};

class ApprovalsTest : public ::testing::Test {
 protected:
  static Registry with_leave() {
    std::vector<Tool> tools = testing::test_tools();
    tools.push_back(leave_tool());
    return *Registry::load(std::move(tools));
  }
  Registry registry = with_leave();
  Identity who{"main", "ann", "/w", "s_1"};
  Answering approver;
  Recording recorder;
  std::vector<RuleLine> written;
  std::optional<Error> cannot_write;
  Grants grants{"/home/ann/config.yaml",
                [this](const std::vector<RuleLine>& lines) -> Result<void> {
                  if (cannot_write) return *cannot_write;
                  written = lines;
                  return {};
                }};
  ApprovalSettings settings{.mode = Mode::smart, .mode_from = "approvals.mode 'smart' of test"};
  bool somebody = true;
  Policy policy = *Policy::make(registry, {});
  std::stop_source stop;

  Outcome call(std::string_view tool, std::string_view arguments) {
    Result<Approvals> approvals = Approvals::make(registry, settings, grants);
    EXPECT_TRUE(approvals) << approvals.error().message;
    Dispatcher dispatcher(registry, {},
                          {.approvals = &*approvals,
                           .approver = somebody ? &approver : nullptr,
                           .recorder = &recorder});
    return dispatcher.call({.tool = tool,
                            .raw_arguments = arguments,
                            .caller = Caller::test,
                            .who = who,
                            .policy = &policy,
                            .stop = stop.get_token()});
  }
  // The type of the error, or "ok".
  std::string outcome(std::string_view tool, std::string_view arguments) {
    const Outcome outcome = call(tool, arguments);
    return outcome.ok() ? "ok" : std::string(outcome.error->type_name());
  }
  size_t asked() const { return approver.questions.size(); }
  void ask_for(std::string tool) {
    policy = *Policy::make(registry, {{.source = "test", .ask = {std::move(tool)}}});
  }
};

TEST_F(ApprovalsTest, OffAsksOnlyWhereARuleDoes) {
  settings.mode = Mode::off;
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(recorder.decided, "");
  ask_for("save");
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(recorder.decided, "person");
}

TEST_F(ApprovalsTest, SmartLetsPassWhatTheseArgumentsOnlyRead) {
  EXPECT_EQ(outcome("maybe", R"({"text":"x"})"), "ok");
  EXPECT_EQ(outcome("echo", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(outcome("maybe", R"({"text":"x","times":2})"), "ok");
  ASSERT_EQ(asked(), 1u);
  EXPECT_EQ(approver.questions[0].reason, "approvals.mode 'smart' of test");
}

TEST_F(ApprovalsTest, AQuestionHasOnlyWhatIsNotUsual) {
  outcome("save", R"({"text":"x","times":1})");
  outcome("save", R"({"text":"x","times":2})");
  outcome("save", R"({"text":""})");
  ASSERT_EQ(asked(), 3u);
  EXPECT_EQ(approver.questions[0].arguments, R"({"text":"x"})");
  EXPECT_EQ(approver.questions[1].arguments, R"({"text":"x","times":2})");
  EXPECT_EQ(approver.questions[2].arguments, R"({"text":""})");
}

TEST_F(ApprovalsTest, AlwaysAsksForReadsToo) {
  settings.mode = Mode::always;
  EXPECT_EQ(outcome("echo", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 1u);
}

TEST_F(ApprovalsTest, ARuleAllowsWithoutAQuestion) {
  settings.allow = {{.tool = "save", .arguments = {{"text", "docs/**"}}}};
  EXPECT_EQ(outcome("save", R"({"text":"docs/a"})"), "ok");
  EXPECT_EQ(asked(), 0u);
  EXPECT_EQ(recorder.decided, "rule");
  EXPECT_EQ(outcome("save", R"({"text":"src/a"})"), "ok");
  EXPECT_EQ(asked(), 1u);
}

TEST_F(ApprovalsTest, ARuleLiftsAnAskButNoDeny) {
  settings.mode = Mode::off;
  settings.allow = {{.tool = "save"}};
  ask_for("save");
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 0u);
  policy = *Policy::make(registry, {{.source = "test", .deny = {"save"}}});
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "forbidden_tool");
}

TEST_F(ApprovalsTest, AWrongRuleIsNotLoaded) {
  settings.allow = {{.tool = "save", .arguments = {{"txt", "x"}}}};
  const Result<Approvals> approvals = Approvals::make(registry, settings, grants);
  ASSERT_FALSE(approvals);
  EXPECT_EQ(approvals.error().message,
            "approvals.allow: arguments.txt: save has no argument 'txt'");
}

TEST_F(ApprovalsTest, LeavingTheSandboxNeedsAPersonInEveryMode) {
  settings.mode = Mode::off;
  EXPECT_EQ(outcome("leave", R"({"ways":["network","host:build"]})"), "ok");
  ASSERT_EQ(asked(), 1u);
  EXPECT_EQ(approver.questions[0].reason,
            "it leaves the sandbox: the network, the host route 'build'");
  somebody = false;
  EXPECT_EQ(outcome("leave", R"({"ways":["full"]})"), "approval_required");
  EXPECT_EQ(recorder.decided, "nobody");
}

TEST_F(ApprovalsTest, LeavingTheSandboxNeedsAPersonAlsoWhereNothingIsConfigured) {
  Dispatcher dispatcher(registry, {});
  const Outcome outcome =
      dispatcher.call({.tool = "leave", .raw_arguments = R"({"ways":["network"]})", .who = who});
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->type, "approval_required");
}

TEST_F(ApprovalsTest, ARuleLetsOutOnlyInTheWaysThatItNames) {
  settings.mode = Mode::off;
  settings.allow = {{.tool = "leave"}};
  EXPECT_EQ(outcome("leave", R"({"ways":["network"]})"), "ok");
  EXPECT_EQ(asked(), 1u);
  settings.allow = {{.tool = "leave", .beyond = {"network"}}};
  EXPECT_EQ(outcome("leave", R"({"ways":["network"]})"), "ok");
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(outcome("leave", R"({"ways":["network","full"]})"), "ok");
  EXPECT_EQ(asked(), 2u);
}

TEST_F(ApprovalsTest, OnceIsGoodForOneCall) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 2u);
}

TEST_F(ApprovalsTest, ASessionIsGoodForTheSameDemandInTheSameSession) {
  approver.answer = Answer::session;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(recorder.decided, "session");
  EXPECT_EQ(outcome("save", R"({"text":"y"})"), "ok");
  EXPECT_EQ(asked(), 2u);
  who.session = "s_2";
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 3u);
}

TEST_F(ApprovalsTest, AGrantToStayInsideIsNoneToLeave) {
  settings.mode = Mode::always;
  approver.answer = Answer::session;
  EXPECT_EQ(outcome("leave", R"({"ways":[]})"), "ok");
  EXPECT_EQ(outcome("leave", R"({"ways":["network"]})"), "ok");
  EXPECT_EQ(asked(), 2u);
}

TEST_F(ApprovalsTest, AlwaysWritesTheRuleAndHoldsAtOnceForEverySession) {
  approver.answer = Answer::always;
  const Outcome first = call("save", R"({"text":"x"})");
  const std::string rule = R"({tool: save, arguments: {text: "x", times: 1}, workspace: "/w"})";
  EXPECT_EQ(written, (std::vector<RuleLine>{{"approvals.allow", rule}}));
  EXPECT_EQ(
      first.notes,
      (std::vector<std::string>{"added to approvals.allow in /home/ann/config.yaml: - " + rule}));
  who.session = "s_2";
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 1u);
  EXPECT_EQ(recorder.decided, "rule");
  who.workspace = "/elsewhere";
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 2u);
}

TEST_F(ApprovalsTest, WhatCannotBeWrittenHoldsForTheCallOnly) {
  approver.answer = Answer::always;
  cannot_write = Error{Code::denied, "the file is read-only", "chmod it"};
  const Outcome first = call("save", R"({"text":"x"})");
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(first.notes,
            (std::vector<std::string>{"allowed only once, because no rule could be written: the "
                                      "file is read-only (chmod it)"}));
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
  EXPECT_EQ(asked(), 2u);
}

TEST_F(ApprovalsTest, NoRuleIsOfferedThatNobodyWouldRead) {
  EXPECT_EQ(outcome("save", R"({"text":")" + std::string(3000, 'x') + "\"}"), "ok");
  ASSERT_EQ(asked(), 1u);
  EXPECT_TRUE(approver.questions[0].rules.empty());
  EXPECT_EQ(approver.questions[0].no_rule,
            "what names exactly this call is longer than 2000 bytes or 20 rules");
}

constexpr const char* kHowToAllow =
    R"(to allow it, add to approvals.allow in /home/ann/config.yaml: - {tool: save, )"
    R"(arguments: {text: "x", times: 1}, workspace: "/w"})";

TEST_F(ApprovalsTest, ARefusalNamesTheRuleThatWouldAllow) {
  approver.answer = Answer::deny;
  const Outcome outcome = call("save", R"({"text":"x"})");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, Code::denied);
  EXPECT_EQ(outcome.error->type, "approval_refused");
  EXPECT_EQ(outcome.error->message,
            "a person refused this call of 'save' (approvals.mode 'smart' of test)");
  EXPECT_EQ(outcome.error->hint, kHowToAllow);
  EXPECT_EQ(recorder.decided, "person");
}

TEST_F(ApprovalsTest, WhereNobodyCanBeAskedTheRuleIsNamedToo) {
  somebody = false;
  const Outcome outcome = call("save", R"({"text":"x"})");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message,
            "tool 'save' needs approval (approvals.mode 'smart' of test), and there is nobody to "
            "ask");
  EXPECT_EQ(outcome.error->hint, kHowToAllow);
}

TEST_F(ApprovalsTest, AnApproverThatFailsSaysWhy) {
  approver.failure = Error{Code::unavailable, "there is no terminal", "open one"};
  const Outcome outcome = call("save", R"({"text":"x"})");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->type, "approval_required");
  EXPECT_TRUE(outcome.error->message.ends_with("nobody to ask: there is no terminal"));
  EXPECT_EQ(outcome.error->hint, std::string(kHowToAllow) + "; or open one");
}

TEST_F(ApprovalsTest, WithoutAnAnswerInTimeTheCallIsDenied) {
  settings.timeout = 1ms;
  approver.answer.reset();
  const Outcome outcome = call("save", R"({"text":"x"})");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, Code::denied);
  EXPECT_EQ(outcome.error->type, "approval_timeout");
  EXPECT_TRUE(outcome.error->message.ends_with("and nobody answered within 0.001 s"));
  EXPECT_EQ(outcome.error->hint, kHowToAllow);
  EXPECT_EQ(recorder.decided, "fallback");
}

TEST_F(ApprovalsTest, AFallbackMayAllowWhatStaysInside) {
  settings.timeout = 1ms;
  settings.fallback = ApprovalSettings::Fallback::allow;
  approver.answer.reset();
  const Outcome outcome = call("save", R"({"text":"x"})");
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.notes, (std::vector<std::string>{"nobody answered within 0.001 s; "
                                                     "approvals.fallback allows the call"}));
  EXPECT_EQ(call("leave", R"({"ways":["network"]})").error->type, "approval_timeout");
}

TEST_F(ApprovalsTest, ACancelledCallIsAskedAboutNoLonger) {
  approver.answer.reset();
  approver.while_asked = [this] { stop.request_stop(); };
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "cancelled");
}

TEST_F(ApprovalsTest, OtherCallsRunWhileAPersonIsAsked) {
  approver.while_asked = [this] { EXPECT_EQ(outcome("echo", R"({"text":"x"})"), "ok"); };
  EXPECT_EQ(outcome("save", R"({"text":"x"})"), "ok");
}

TEST_F(ApprovalsTest, ACallMayBringItsOwnApprover) {
  Answering own;
  own.answer = Answer::deny;
  Dispatcher dispatcher(registry, {}, {.approver = &approver});
  ask_for("save");
  const Outcome outcome = dispatcher.call({.tool = "save",
                                           .raw_arguments = R"({"text":"x"})",
                                           .who = who,
                                           .policy = &policy,
                                           .approver = &own});
  EXPECT_EQ(outcome.error->type, "approval_refused");
  EXPECT_EQ(asked(), 0u);
}

TEST(Grants, TheOldestAreForgotten) {
  Grants grants;
  for (size_t i = 0; i <= kMaxSessionGrants; ++i) grants.remember("s", std::to_string(i));
  EXPECT_FALSE(grants.has("s", "0"));
  EXPECT_TRUE(grants.has("s", "1"));
  for (size_t i = 0; i < kMaxGrantSessions; ++i) grants.remember(std::to_string(i), "x");
  EXPECT_FALSE(grants.has("s", "1"));
  EXPECT_TRUE(grants.has("0", "x"));
}

}  // namespace
}  // namespace helve::dispatch

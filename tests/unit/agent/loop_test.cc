#include "agent/loop.h"

#include <fmt/format.h>
#include <barrier>
#include <condition_variable>

#include "agent/calls.h"
#include "agent/compaction.h"
#include "model/scripted.h"
#include "unit/dispatch/test_tools.h"
#include "unit/temp_store.h"

namespace helve::agent {
namespace {

using helve::testing::EchoInput;
using helve::testing::EchoOutput;
using helve::testing::must;
using session::Transcript;

Tool ending_tool() {
  return make_tool({.name = "complete", .group = "other", .terminal = true}, helve::testing::echo);
}

class LoopTest : public helve::testing::TempStore {
 protected:
  LoopTest() {
    std::vector<Tool> tools = helve::testing::test_tools();
    tools.push_back(ending_tool());
    // Two of them end only together.
    tools.push_back(make_tool(
        {.name = "meet", .group = "other"},
        +[](const EchoInput& in, Context& context) -> Result<EchoOutput> {
          static std::barrier both(2);  // can be met again when the tests are repeated
          both.arrive_and_wait();
          (void)context;
          return EchoOutput{in.text};
        }));
    registry_.emplace(must(Registry::load(std::move(tools))));
    dispatcher_.emplace(*registry_, dispatch::Capabilities{});
    setup_.dispatcher = &*dispatcher_;
    setup_.who.session = kSession;
  }

  void post(const std::string& text, const std::string& id = "p_1") {
    use([&](store::Store& store) {
      return store.post({.id = id,
                         .session = kSession,
                         .sender = "user",
                         .body = to_text(model::to_json(model::user_message(text)))});
    });
  }
  Ending play(std::string_view script, std::stop_token stop = {}) {
    setup_.model = must(model::ScriptedModel::parse(script));
    Transcript transcript = must(Transcript::open(store_, clock_, kSession));
    const Emit emit = [&](const Event& event) {
      std::lock_guard lock(mutex_);
      if (on_event_) on_event_(event);
      const JsonObject object = to_json(event);
      events_.push_back(std::string(string_at(object, "type")));
    };
    Ending ending = run(transcript, setup_, emit, stop);
    said_.clear();
    for (const model::Message& message : transcript.context()) said_.push_back(line_of(message));
    EXPECT_TRUE(transcript.open_calls().empty()) << "every call has a result";
    return ending;
  }
  static std::string line_of(const model::Message& message) {
    std::string line(name_of(message.role));
    for (const model::Part& part : message.parts) {
      if (const auto* text = std::get_if<model::Text>(&part)) line += " " + text->text;
      if (const auto* call = std::get_if<model::ToolCall>(&part)) line += " " + call->name + "()";
      if (const auto* result = std::get_if<model::ToolResult>(&part))
        line += fmt::format(" {}{}", result->is_error ? "!" : "=", text_of(result->content));
    }
    return line;
  }
  bool said(std::string_view part) const {
    for (const std::string& line : said_)
      if (line.find(part) != line.npos) return true;
    return false;
  }
  static std::string call(std::string_view tool, std::string_view text) {
    return fmt::format(R"({{"tool": "{}", "arguments": {{"text": "{}"}}}})", tool, text);
  }
  static std::string calls(std::vector<std::string> each) {
    std::string line = R"({"calls": [)";
    for (size_t i = 0; i < each.size(); ++i) line += (i ? "," : "") + each[i];
    return line + "]}\n";
  }

  std::optional<Registry> registry_;
  std::optional<dispatch::Dispatcher> dispatcher_;
  agent::Setup setup_;
  std::mutex mutex_;
  std::function<void(const Event&)> on_event_;
  std::vector<std::string> events_, said_;
};
using Lines = std::vector<std::string>;

TEST_F(LoopTest, AnswersWithoutCalls) {
  post("hello");
  const Ending ending = play(R"({"text": "Hi.", "usage": {"input": 10, "output": 2}})");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(ending.text, "Hi.");
  EXPECT_EQ(ending.usage.input, 10);
  EXPECT_EQ(said_, (Lines{"user hello", "assistant Hi."}));
  EXPECT_EQ(events_, (Lines{"prompt", "turn", "text", "answer", "end"}));
}

TEST_F(LoopTest, RunsCallsAndGivesTheirResultsInOrder) {
  post("go");
  const Ending ending =
      play(calls({call("echo", "a"), call("save", "b"), call("echo", "c")}) + R"({"text": "ok"})");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(ending.calls, 3);
  EXPECT_EQ(said_,
            (Lines{"user go", "assistant echo() save() echo()", "tool =a =b =c", "assistant ok"}));
}

TEST_F(LoopTest, ReadersRunTogether) {
  post("go");
  play(calls({call("meet", "a"), call("meet", "b")}) + R"({"text": "ok"})");
  EXPECT_EQ(said_[2], "tool =a =b");
}

TEST_F(LoopTest, WhatIsWrongWithACallGoesBackToTheModel) {
  post("go");
  const Ending ending = play(
      calls({call("nothing", "a"), R"({"tool": "echo", "arguments": {}})", call("throwing", "x")}) +
      R"({"text": "I see."})");
  EXPECT_EQ(ending.end, End::done);
  for (const char* part : {"'nothing'", "invalid_argument", "boom"})
    EXPECT_TRUE(said(part)) << part;
}

// What a model is not told of is found, and called by way of another tool.
TEST_F(LoopTest, AToolThatIsNotOfferedIsFoundAndCalled) {
  post("go");
  setup_.toolbox = std::make_shared<const Toolbox>(
      std::vector<model::Offer>{{"echo", "Says the text again.", {{"type", "object"}}}});
  Lines told;
  on_event_ = [&](const Event& event) {
    if (const auto* begun = std::get_if<CallBegun>(&event.what))
      told.push_back(fmt::format("{} {}", begun->tool, begun->arguments));
    if (const auto* ended = std::get_if<CallEnded>(&event.what))
      told.push_back(fmt::format("{} ended", ended->tool));
  };
  const Ending ending = play(
      calls({R"({"tool": "tool_search", "arguments": {"query": "say again"}})"}) +
      calls(
          {R"({"tool": "tool_call", "arguments": {"tool": "echo", "arguments": {"text": "a"}}})"}) +
      R"({"text": "ok"})");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_TRUE(said(R"(tool ={"tool":"echo","description":"Says the text again.")"));
  EXPECT_EQ(said_[4], "tool =a");
  EXPECT_EQ(told, (Lines{R"(tool_search {"query":"say again"})", "tool_search ended",
                         R"(echo {"text":"a"})", "echo ended"}));
}

TEST_F(LoopTest, WhatIsWrongWithACallOfAFoundToolGoesBackToTheModel) {
  post("go");
  setup_.toolbox = std::make_shared<const Toolbox>(std::vector<model::Offer>{});
  play(calls({R"({"tool": "tool_call", "arguments": {}})",
              R"({"tool": "tool_call", "arguments": {"tool": "nothing"}})",
              R"({"tool": "tool_call", "arguments": {"tool": "echo", "arguments": {}}})",
              R"({"tool": "tool_search", "arguments": {}})"}) +
       R"({"text": "I see."})");
  for (const char* part : {"tool_call names no tool", "'nothing'", "text", "query is missing"})
    EXPECT_TRUE(said(part)) << part;
}

TEST_F(LoopTest, AFoundToolEndsTheWorkAsAnyOther) {
  post("go");
  setup_.toolbox = std::make_shared<const Toolbox>(std::vector<model::Offer>{});
  const Ending ending = play(
      calls(
          {R"({"tool": "tool_call", "arguments": {"tool": "complete", "arguments": {"text": "x"}}})",
           call("echo", "b")}) +
      R"({"text": "never said"})");
  EXPECT_EQ(ending.end, End::terminal);
}

TEST_F(LoopTest, FirstOnlyRunsTheFirst) {
  post("go");
  setup_.order = Order::first_only;
  play(calls({call("echo", "a"), call("save", "b")}) + R"({"text": "ok"})");
  EXPECT_TRUE(said("tool =a !{\"error_type\":\"first_only\""));
  EXPECT_EQ(std::ranges::count(events_, "call"), 2);  // whoever watches sees the other, too
}

TEST_F(LoopTest, ATerminalToolRunsLastAndEndsTheWork) {
  post("go");
  const Ending ending =
      play(calls({call("complete", "over"), call("echo", "b"), call("complete", "twice")}) +
           R"({"text": "never said"})");
  EXPECT_EQ(ending.end, End::terminal);
  EXPECT_TRUE(said("tool =over =b !{\"error_type\":\"already_over\""));
  EXPECT_FALSE(said("never said"));
}

TEST_F(LoopTest, ACallThatFailedToEndTheWorkDoesNot) {
  post("go");
  const Ending ending =
      play(calls({R"({"tool": "complete", "arguments": {}})"}) + R"({"text": "on"})");
  EXPECT_EQ(ending.end, End::done);
}

TEST_F(LoopTest, StopsAtItsLimits) {
  std::string endless;
  for (int i = 0; i < 20; ++i) {
    std::string line = calls({call("echo", std::to_string(i))});
    endless += R"({"usage": {"input": 100, "output": 0}, )" + line.substr(1);
  }
  post("go");
  setup_.bounds.turns = 3;
  EXPECT_EQ(play(endless).end, End::turns);
  setup_.bounds = {.turns = 0, .tokens = 250};
  post("go", "p_2");
  EXPECT_EQ(play(endless).end, End::tokens);
  setup_.bounds = {.turns = 0, .micro_dollars = 500};
  setup_.cost = [](const model::Usage& usage) { return usage.input; };
  post("go", "p_3");
  const Ending ending = play(endless);
  EXPECT_EQ(ending.end, End::cost);
  EXPECT_EQ(ending.micro_dollars, 500);
}

TEST_F(LoopTest, TheTimeLimitEndsAWaitingCall) {
  setup_.bounds.time = std::chrono::milliseconds(50);
  post("go");
  EXPECT_EQ(play(calls({call("waiting", "x")})).end, End::time);
  EXPECT_TRUE(said("cancelled"));
}

TEST_F(LoopTest, WarnsAndStopsWhenNothingNewHappens) {
  std::string again;
  for (int i = 0; i < 10; ++i) again += calls({call("echo", "same")});
  post("go");
  const Ending ending = play(again);
  EXPECT_EQ(ending.end, End::repetition);
  EXPECT_EQ(ending.turns, Repetition::kStopAt);
  EXPECT_TRUE(said("for the 3rd time"));
}

TEST_F(LoopTest, TheSameCallIsNoRepetitionWhileOthersBringNews) {
  std::string script;
  for (int i = 0; i < 10; ++i)
    script += calls({call("echo", "same")}) + calls({call("echo", std::to_string(i))});
  post("go");
  EXPECT_EQ(play(script + R"({"text": "ok"})").end, End::done);
}

TEST_F(LoopTest, WhatIsSaidMeanwhileReachesTheModelWithTheNextTurn) {
  post("go");
  on_event_ = [&](const Event& event) {
    if (std::holds_alternative<CallEnded>(event.what)) post("faster", "p_2");
  };
  play(calls({call("echo", "a")}) + R"({"when": "faster", "text": "ok"})");
  EXPECT_EQ(said_,
            (Lines{"user go", "assistant echo()", "tool =a", "user faster", "assistant ok"}));
}

TEST_F(LoopTest, WhatIsSaidDuringTheLastAnswerIsAnswered) {
  post("go");
  on_event_ = [&](const Event& event) {
    if (std::holds_alternative<TextAdded>(event.what)) post("and?", "p_2");
  };
  const Ending ending = play("{\"text\": \"one\"}\n{\"text\": \"two\"}");
  EXPECT_EQ(ending.text, "two");
}

TEST_F(LoopTest, ACancelledRunLeavesResultsForAllCalls) {
  post("go");
  std::stop_source stop;
  on_event_ = [&](const Event& event) {
    if (std::holds_alternative<CallBegun>(event.what)) stop.request_stop();
  };
  const Ending ending = play(calls({call("waiting", "x"), call("save", "y")}), stop.get_token());
  EXPECT_EQ(ending.end, End::cancelled);
  EXPECT_TRUE(said("before this call was made"));
}

TEST_F(LoopTest, NothingRunsOfAnAnswerThatWasCutOff) {
  post("go");
  play("{\"stop\": \"length\", " + calls({call("save", "x")}).substr(1) + R"({"text": "ok"})");
  EXPECT_TRUE(said("answer_cut"));
}

TEST_F(LoopTest, ACallThatCannotBeReadGoesBack) {
  post("go");
  const Ending ending =
      play("{\"text\": \"<json>{\", \"unread\": [\"no end\"]}\n{\"text\": \"ok\"}");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_TRUE(said("- no end"));
  post("again", "p_2");
  const std::string bad = "{\"text\": \"<json>{\", \"unread\": [\"no end\"]}\n";
  EXPECT_EQ(play(bad + bad + bad + bad).error->type, "unreadable_calls");
}

TEST_F(LoopTest, AFailureOfTheModelEndsTheRunAndNothingElse) {
  post("go");
  const Ending ending = play(R"({"error": {"code": "unavailable", "message": "busy"}})");
  EXPECT_EQ(ending.end, End::failed);
  EXPECT_EQ(ending.error->message, "busy");
  EXPECT_EQ(play(R"({"text": "now"})").text, "now") << "the prompt is still unanswered";
}

TEST_F(LoopTest, AnAnswerMayHaveToHaveAForm) {
  setup_.output_schema =
      must(parse_json(R"({"type": "object", "properties": {"n": {"type": "integer"}},
                          "required": ["n"]})"))
          .as_object();
  post("count");
  const Ending ending = play(
      "{\"text\": \"It is 3.\"}\n"
      R"({"calls": [{"tool": "final_answer", "arguments": {"n": "x"}}]})"
      "\n"
      R"({"calls": [{"tool": "final_answer", "arguments": {"n": 3}}]})");
  EXPECT_EQ(ending.end, End::terminal);
  EXPECT_EQ(to_text(*ending.structured), R"({"n":3})");
  EXPECT_TRUE(said("by calling final_answer"));
}

TEST_F(LoopTest, MakesRoomWhenTheWindowFills) {
  setup_.window = 10'000;
  std::string script;
  for (int i = 0; i < 12; ++i)
    script += fmt::format(
        R"({{"calls": [{{"tool": "echo", "arguments": {{"text": "{}", "times": 1000}}}}]}})"
        "\n",
        fmt::format("word{:02}", i));
  post("go");
  // The summary is asked for where it is needed, so it stands in between by what it answers.
  const Ending ending = play("{\"when\": \"Write a summary\", \"text\": \"so far so good\"}\n" +
                             script + "{\"when\": \"never\", \"text\": \"x\"}");
  EXPECT_EQ(ending.end, End::failed) << "the script is over";
  EXPECT_NE(std::ranges::find(events_, "compacted"), events_.end());
  EXPECT_TRUE(said("was removed to save room"));
}

TEST_F(LoopTest, WhatTheModelHasNotSeenIsNotRemoved) {
  setup_.window = 3'000;
  post("go");
  const Ending ending =
      play(R"({"calls": [{"tool": "echo", "arguments": {"text": "word", "times": 2000}}]})"
           "\n{\"text\": \"done\"}");
  EXPECT_EQ(ending.text, "done");
  EXPECT_FALSE(said("was removed to save room"));
}

TEST_F(LoopTest, ASummaryIsToldTheTaskAndTheLastOfWhatWasDone) {
  class Listening final : public model::Model {
   public:
    explicit Listening(std::string& heard) : heard_(heard) {}
    Result<model::Reply> stream(const model::Request& request, const model::Emit&,
                                std::stop_token) override {
      heard_ = model::text_of(request.messages.back());
      model::Reply reply;
      reply.message = {model::Role::assistant, {model::Text{"summary"}}};
      return reply;
    }

   private:
    std::string& heard_;
  };
  post("THE TASK " + std::string(100, 't'));
  std::string script;
  for (int i = 0; i < 40; ++i)
    script += calls({call("echo", fmt::format("step {:02} {}", i, std::string(400, 's')))});
  play(script + R"({"text": "done"})");
  std::string heard;
  setup_.window = 3'000;
  setup_.model = std::make_shared<Listening>(heard);
  Transcript transcript = must(Transcript::open(store_, clock_, kSession));
  EXPECT_TRUE(must(make_room(transcript, setup_, true, [](const Event&) {}, {})).made);
  EXPECT_NE(heard.find("THE TASK"), heard.npos);
  EXPECT_EQ(heard.find("step 01"), heard.npos) << "it does not fit";
  EXPECT_NE(heard.find("step 30"), heard.npos);
  EXPECT_LT(heard.size(), 8'000u);
}

TEST_F(LoopTest, NothingRunsOfAnAnswerThatWasRefused) {
  post("go");
  const Ending ending = play(R"({"stop": "refusal", "calls": [)" + call("echo", "x") + "]}");
  EXPECT_EQ(ending.end, End::refused);
  EXPECT_TRUE(said("not run: the answer was refused"));
}

TEST_F(LoopTest, WhatOthersSpendCounts) {
  setup_.bounds.tokens = 100;
  post("go");
  setup_.model =
      must(model::ScriptedModel::parse(calls({call("echo", "x")}) + R"({"text": "never"})"));
  Transcript transcript = must(Transcript::open(store_, clock_, kSession));
  Tab tab;
  const Emit emit = [&](const Event& event) {
    if (!std::holds_alternative<CallEnded>(event.what)) return;
    Ending other;
    other.usage.input = 1'000;
    tab.add(other);
  };
  const Ending ending = run(transcript, setup_, emit, {}, &tab);
  EXPECT_EQ(ending.end, End::tokens);
  EXPECT_GE(ending.usage.input, 1'000);
}

TEST_F(LoopTest, MakesRoomWhenTheProviderSaysSo) {
  post(std::string(4'000, 'x'));
  play(R"({"text": "one"})");
  post(std::string(4'000, 'y'), "p_2");
  const Ending ending = play(
      "{\"error\": {\"code\": \"too_large\", \"message\": \"full\", \"type\": "
      "\"context_overflow\"}}\n{\"when\": \"Write a summary\", \"text\": \"they spoke of x\"}\n"
      "{\"text\": \"two\"}");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(ending.text, "two");
  EXPECT_TRUE(said("they spoke of x"));
}

struct TalkHooks : Hooks {
  std::string heard;
  HookAnswer before(const HookCall&, std::stop_token) override { return {}; }
  HookAnswer after(const HookCall&, std::stop_token) override { return {}; }
  HookAnswer before_prompt(const HookTalk& talk, std::stop_token) override {
    HookAnswer answer;
    if (talk.text == "secret")
      answer = {.decision = HookAnswer::Decision::deny, .reason = "no secrets"};
    return answer;
  }
  HookAnswer after_response(const HookTalk& talk, std::stop_token) override {
    heard += talk.text;
    return {};
  }
};

TEST_F(LoopTest, HooksHearPromptsAndAnswers) {
  TalkHooks hooks;
  setup_.hooks = &hooks;
  post("secret");
  const Ending blocked = play(R"({"text": "never"})");
  EXPECT_EQ(blocked.error->type, "blocked_by_hook");
  EXPECT_TRUE(said_.empty());
  post("hello", "p_2");
  play(R"({"text": "hi"})");
  EXPECT_EQ(hooks.heard, "hi");
}

}  // namespace
}  // namespace helve::agent

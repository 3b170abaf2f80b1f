#include "agent/loop.h"

#include "agent/calls.h"
#include "agent/repetition.h"
#include "unit/agent/loop_fixture.h"

namespace helve::agent {
namespace {

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
  EXPECT_EQ(play(calls({call("waiting", "x"), call("save", "y")})).end, End::time);
  EXPECT_TRUE(said("cancelled"));
  EXPECT_TRUE(said("not run: the time for this work was up")) << "nobody has stopped it";
}

TEST_F(LoopTest, TheTimeLimitEndsAnAnswerThatIsStillStreaming) {
  setup_.bounds.time = std::chrono::milliseconds(50);
  post("go");
  const Ending ending = play(R"({"text": "one two three four", "pause_ms": 60000})");
  EXPECT_EQ(ending.end, End::time);
  ASSERT_TRUE(ending.error);
  EXPECT_EQ(ending.error->code, Code::timeout) << "nobody has stopped it";
  EXPECT_EQ(ending.error->message, "the time limit of 0.05 s was reached");
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

TEST_F(LoopTest, ACircleWithinOneAnswerIsEnded) {
  post("go");
  const Ending ending = play(calls(Lines(50, call("save", "same"))));
  EXPECT_EQ(ending.end, End::repetition);
  EXPECT_EQ(ending.calls, 50) << "each has a result";
  EXPECT_TRUE(said("for the 3rd time"));
  EXPECT_EQ(std::ranges::count(results(), "same"), Repetition::kStopAt - 1);  // and one with a note
  EXPECT_TRUE(said("not run: the same call was made 5 times"));
}

TEST_F(LoopTest, OneAnswerHasABoundOfCalls) {
  post("go");
  Lines many;
  for (size_t i = 0; i < kMaxCalls + 2; ++i) many.push_back(call("save", std::to_string(i)));
  const Ending ending = play(calls(many) + R"({"when": "too_many_calls", "text": "ok"})");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(std::ranges::count(results(), std::to_string(kMaxCalls - 1)), 1);
  EXPECT_EQ(std::ranges::count(results(), std::to_string(kMaxCalls)), 0);
  EXPECT_TRUE(said(fmt::format("not run: of one answer {} calls are run at most", kMaxCalls)));
}

TEST_F(LoopTest, ManyCallsThatAreNotRunAreNoCircle) {
  post("go");
  setup_.order = Order::first_only;
  EXPECT_EQ(play(calls(Lines(20, call("echo", "a"))) + R"({"text": "ok"})").end, End::done);
}

TEST_F(LoopTest, AnEmptyAnswerIsAskedAboutOnceAndThenTold) {
  std::string warned;
  on_event_ = [&](const Event& event) {
    if (const auto* warning = std::get_if<Warned>(&event.what)) warned = warning->text;
  };
  post("go");
  EXPECT_EQ(play("{\"text\": \"\"}\n{\"when\": \"was empty\", \"text\": \"words\"}").text, "words");
  post("go", "p_2");
  const Ending ending = play("{\"text\": \" \"}\n{\"text\": \"\\n\"}");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(warned, "the model gave an empty answer, also when it was asked once more");
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

TEST_F(LoopTest, AnAnswerThatCannotBeKeptIsNotTold) {
  post("go");
  on_event_ = [&](const Event& event) {
    if (std::holds_alternative<TextAdded>(event.what))
      use([&](store::Store& store) { return store.remove_conversation(kSession); });
  };
  const Ending ending = play(R"({"text": "Never", "usage": {"input": 10, "output": 2}})");
  EXPECT_EQ(ending.end, End::failed);
  EXPECT_EQ(ending.text, "");
  EXPECT_EQ(ending.usage.input, 10) << "it is spent all the same";
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

// A person reads the same in either; whoever asked for the form wants it.
TEST_F(LoopTest, AFormThatIsWrittenAndNotHandedInIsTaken) {
  setup_.output_schema =
      must(parse_json(R"({"type": "object", "properties": {"n": {"type": "integer"}},
                          "required": ["n"]})"))
          .as_object();
  const auto answer = [](std::string_view text) {
    return to_text(Json(JsonObject{{"text", text}})) + "\n";
  };
  const std::string handed_in = R"({"calls": [{"tool": "final_answer", "arguments": {"n": 4}}]})";
  int post_number = 0;
  for (const auto& [text, is_taken] : std::vector<std::pair<std::string_view, bool>>{
           {"{\"n\": 3}", true},
           {"\n{\"n\":\n3}\n", true},
           {"```json\n{\"n\": 3}\n```", true},
           {"So:\n\n```\n{\"n\": 3}\n```\nDone.", true},
           {"It is {\"n\": 3}", false},
           {"{\"n\": \"three\"}", false},
           {"```\n{\"n\": 3}", false},
           {"```\n{}\n```\n```\n{\"n\": 3}\n```", false}}) {
    post("count", fmt::format("p_{}", ++post_number));
    const Ending ending = play(answer(text) + handed_in);
    EXPECT_TRUE(ending.ok()) << text;
    ASSERT_TRUE(ending.structured) << text;
    EXPECT_EQ(to_text(*ending.structured), is_taken ? R"({"n":3})" : R"({"n":4})") << text;
    EXPECT_EQ(ending.turns, is_taken ? 1 : 2) << text;
  }
}

TEST_F(LoopTest, AnObjectOfTheAnswerMayComeAsText) {
  setup_.output_schema =
      must(parse_json(R"({"type": "object", "properties": {"sizes": {"type": "object"}}})"))
          .as_object();
  post("count");
  const Ending ending =
      play(R"({"calls": [{"tool": "final_answer", "arguments": {"sizes": "{\"a\": 1}"}}]})");
  EXPECT_EQ(to_text(*ending.structured), R"({"sizes":{"a":1}})");
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

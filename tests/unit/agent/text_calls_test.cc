// Calls of models that know none, through the loop: nothing of them is lost in silence.
#include "unit/agent/loop_fixture.h"

namespace helve::agent {
namespace {

class TextCalls : public LoopTest {
 protected:
  TextCalls() { as_text_ = true; }
  static std::string turn(const std::string& text, std::string_view stop = "end") {
    return to_text(Json(JsonObject{{"text", text}, {"stop", stop}})) + "\n";
  }
  static std::string block(std::string_view text) {
    return fmt::format(R"(<json>{{"tool_name": "echo", "tool_input": {{"text": "{}"}}}}</json>)",
                       text);
  }
  void remove_session() {
    use([&](store::Store& store) { return store.remove_conversation(kSession); });
    begin(kSession);
  }
  // What the model is shown after the first answer.
  std::string play_once(const std::string& answer, std::string_view stop = "end") {
    post("go");
    EXPECT_EQ(play(turn(answer, stop) + turn("ok")).end, End::done);
    std::string all;
    for (const std::string& line : said_) all += line + "\n";
    return all;
  }
  const std::string broken_ = R"(<json>{"tool_name": "echo", "tool_input": {},}</json>)";
};

TEST_F(TextCalls, ASecondCallIsToldThatItWasNotRun) {
  setup_.order = Order::first_only;
  const std::string seen =
      play_once("First. " + block("a") + " Then: " + block("b") + " Both done.");
  EXPECT_EQ(said_[1], "assistant First. echo()  Then: echo()  Both done.");
  EXPECT_EQ(results()[0], "a");
  EXPECT_NE(results()[1].find("only the first call"), std::string::npos) << seen;
}

TEST_F(TextCalls, SeveralRunWhereSeveralAreTaken) {
  play_once(block("a") + block("b"));
  EXPECT_EQ(results(), (Lines{"a", "b"}));
}

TEST_F(TextCalls, WhatCannotBeReadIsToldBesideResultsInAnyOrder) {
  for (const Order order : {Order::first_only, Order::serial}) {
    setup_.order = order;
    for (const bool is_first : {true, false}) {
      const std::string seen =
          play_once(is_first ? broken_ + block("a") : block("a") + " and " + broken_);
      EXPECT_NE(seen.find("tool =a\n"), std::string::npos) << seen;
      EXPECT_NE(seen.find(is_first ? "- <json> block 1: " : "- <json> block 2: "),
                std::string::npos)
          << seen;
      EXPECT_NE(seen.find(broken_), std::string::npos) << "the model sees what it wrote: " << seen;
      remove_session();
    }
  }
}

TEST_F(TextCalls, AnAnswerThatEndsInsideACallRunsNone) {
  for (const std::string_view stop : {"end", "length"}) {
    const std::string seen = play_once(block("a") + R"(<json>{"tool_name": "echo", )", stop);
    EXPECT_EQ(seen.find("=a"), std::string::npos) << seen;
    EXPECT_NE(seen.find("answer_cut"), std::string::npos) << seen;
    EXPECT_NE(seen.find("- <json> block 2: the text ends inside it"), std::string::npos) << seen;
    remove_session();
  }
}

TEST_F(TextCalls, AnswersWithCallsAreNotCountedAsUnreadable) {
  std::string script;
  for (int i = 0; i < 6; ++i) script += turn(block(std::to_string(i)) + broken_);
  post("go");
  EXPECT_EQ(play(script + turn("ok")).end, End::done);
}

}  // namespace
}  // namespace helve::agent

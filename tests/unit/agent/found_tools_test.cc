// Toolbox and loop: what a model is not told of is found, and called by way of another tool.
#include "unit/agent/loop_fixture.h"

namespace helve::agent {
namespace {

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
              R"({"tool": "tool_call", "arguments": {"tool": "nothing", "arguments": {}}})",
              R"({"tool": "tool_call", "arguments": {"tool": "save", "text": "x"}})",
              R"({"tool": "tool_call", "arguments": {"tool": "echo", "arguments": {}}})",
              R"({"tool": "tool_search", "arguments": {}})"}) +
       R"({"text": "I see."})");
  for (const char* part : {"tool_call names no tool", "'nothing'", "text", "query is missing",
                           "put text into arguments"})
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

TEST_F(LoopTest, AnAnswerThatMustHaveAFormMayComeByWayOfAnotherTool) {
  setup_.toolbox = std::make_shared<const Toolbox>(std::vector<model::Offer>{});
  setup_.output_schema =
      must(parse_json(R"({"type": "object", "properties": {"n": {"type": "integer"}},
                          "required": ["n"]})"))
          .as_object();
  post("count");
  Lines ended;
  on_event_ = [&](const Event& event) {
    if (const auto* each = std::get_if<CallEnded>(&event.what)) ended.emplace_back(each->tool);
  };
  const Ending ending = play(calls(
      {R"({"tool": "tool_call", "arguments": {"tool": "final_answer", "arguments": {"n": 3}}})",
       call("echo", "b")}));
  EXPECT_EQ(ending.end, End::terminal);
  ASSERT_TRUE(ending.structured);
  EXPECT_EQ(to_text(*ending.structured), R"({"n":3})");
  EXPECT_EQ(ended, (Lines{"echo", "final_answer"})) << "what ends the work comes last";
}

TEST_F(LoopTest, ACallOfAFoundToolIsRepairedAsAnyOther) {
  setup_.toolbox = std::make_shared<const Toolbox>(std::vector<model::Offer>{});
  for (const char* arguments : {R"({\"tool\": \"echo\", \"arguments\": {\"text\": \"a\"},})",
                                R"({\"tool\": \"echo\", \"arguments\": {\"text\": \"a\",}})"}) {
    post("go", arguments);
    play(calls({fmt::format(R"({{"tool": "tool_call", "arguments": "{}"}})", arguments)}) +
         R"({"text": "ok"})");
    EXPECT_EQ(said_[said_.size() - 2],
              "tool =a\nNote: arguments repaired: removed a trailing comma")
        << arguments;
  }
}

TEST_F(LoopTest, WhoMissesAToolIsToldHowOthersAreFound) {
  const std::string script =
      calls({R"({"tool": "zzzzzz", "arguments": {}})"}) + R"({"text": "I see."})";
  post("go");
  play(script);
  EXPECT_TRUE(said("use one of the tools that you were given"));
  EXPECT_FALSE(said("tool_search"));
  setup_.toolbox = std::make_shared<const Toolbox>(std::vector<model::Offer>{});
  post("go", "p_2");
  play(script);
  EXPECT_TRUE(said("tool_search shows others"));
}

}  // namespace
}  // namespace helve::agent

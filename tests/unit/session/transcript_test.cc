#include "session/transcript.h"

#include "unit/temp_store.h"

namespace helve::session {
namespace {

using helve::testing::must;
using model::Message;
using model::Role;
using model::Stop;
using model::Text;
using model::ToolCall;
using model::ToolResult;

Answer answer(std::string text, std::vector<std::string> calls = {}) {
  Answer answer{.message = {Role::assistant, {Text{std::move(text)}}},
                .stop = calls.empty() ? Stop::end : Stop::calls,
                .usage = {},
                .model = "m",
                .calls = {}};
  for (const std::string& id : calls) {
    answer.message.parts.emplace_back(ToolCall{.id = id, .name = "read", .arguments = "{}"});
    answer.calls.push_back("c_" + id);
  }
  return answer;
}

Prompt prompt(std::string text) { return {"user", model::user_message(std::move(text))}; }
Finished finished(std::string id, std::string text) {
  return {ToolResult{std::move(id), "read", text_content(std::move(text)), false}};
}

class TranscriptTest : public helve::testing::TempStore {
 protected:
  Transcript open() { return must(Transcript::open(store_, clock_, kSession)); }
  // "user: a", "tool: x | y", a line for each message.
  static std::vector<std::string> lines(const Transcript& transcript) {
    std::vector<std::string> lines;
    for (const Message& message : transcript.context()) {
      std::string line = std::string(name_of(message.role)) + ":";
      for (const model::Part& part : message.parts) {
        if (const auto* text = std::get_if<Text>(&part)) line += " " + text->text;
        if (const auto* call = std::get_if<ToolCall>(&part)) line += " <" + call->id + ">";
        if (const auto* result = std::get_if<ToolResult>(&part))
          line += " " + result->call_id + "=" + text_of(result->content);
      }
      lines.push_back(line);
    }
    return lines;
  }
  using Lines = std::vector<std::string>;

  void record(std::string id, std::string outcome) {
    CallRecord call;
    call.id = std::move(id);
    call.who.session = kSession;
    call.tool = "write";
    call.outcome = std::move(outcome);
    use([&](store::Store& store) { return store.add_calls(std::span(&call, 1)); });
  }
};

TEST_F(TranscriptTest, IsTheSameWhenItIsOpenedAgain) {
  Transcript first = open();
  must(first.add(prompt("look")));
  must(first.add(answer("I look.", {"a", "b"})));
  must(first.add(finished("b", "two")));
  EXPECT_EQ(first.open_calls().size(), 1u);
  EXPECT_EQ(first.open_calls().front().id, "c_a");
  must(first.add(finished("a", "one")));
  EXPECT_TRUE(first.is_unanswered());
  must(first.add(answer("Done.")));
  EXPECT_FALSE(first.is_unanswered());
  const Lines expected{"user: look", "assistant: I look. <a> <b>", "tool: a=one b=two",
                       "assistant: Done."};
  EXPECT_EQ(lines(first), expected);
  EXPECT_EQ(lines(open()), expected);
}

TEST_F(TranscriptTest, EveryCallHasOneResultAfterACrash) {
  {
    Transcript before = open();
    must(before.add(answer("x", {"none", "lost", "done", "told"})));
    record("c_lost", "lost");
    record("c_done", "ok");
    must(before.add(finished("told", "fine")));
  }
  const Lines after = lines(open());
  ASSERT_EQ(after.size(), 2u);
  for (const char* part : {"none={\"error_type\":\"not_run\"", "lost={\"error_type\":\"lost\"",
                           "done={\"error_type\":\"lost_answer\"", "told=fine"})
    EXPECT_NE(after[1].find(part), std::string::npos) << part << " in " << after[1];
  EXPECT_EQ(lines(open()), after) << "it is repaired once";
}

TEST_F(TranscriptTest, WhoeverOnlyLooksChangesNothing) {
  must(open().add(answer("x", {"a"})));
  const Transcript seen = must(Transcript::peek(store_, clock_, kSession));
  EXPECT_EQ(seen.open_calls().size(), 1u);
  EXPECT_EQ(use([](store::Store& store) { return store.entries(kSession, 0, 100); }).size(), 1u);
}

TEST_F(TranscriptTest, ResultsThatAreMissingInTheMiddleDoNotCount) {
  {
    const Item items[] = {answer("x", {"a", "b"}), finished("b", "two"), prompt("on"), answer("y")};
    for (const Item& item : items) {
      const store::Entry entry = to_entry(item);
      use([&](store::Store& store) {
        return store.append_entries(kSession, std::span(&entry, 1), {}, store::Keep::process_death);
      });
    }
  }
  const Lines shown = lines(open());
  ASSERT_EQ(shown.size(), 4u);
  EXPECT_NE(shown[1].find("a={\"error_type\":\"not_run\""), std::string::npos) << shown[1];
  EXPECT_NE(shown[1].find("b=two"), std::string::npos);
}

TEST_F(TranscriptTest, ASummaryStandsForWhatWasBefore) {
  Transcript transcript = open();
  EXPECT_FALSE(transcript.begins_with_summary());
  must(transcript.add(prompt("one")));
  must(transcript.add(answer("first")));
  must(transcript.add(prompt("two")));
  must(transcript.add(Summary{"they met", 2}));
  must(transcript.add(answer("second")));
  const Lines shown = lines(transcript);
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_NE(shown[0].find("they met"), std::string::npos);
  EXPECT_EQ(shown[1], "user: two");
  EXPECT_EQ(lines(open()), shown);
  EXPECT_TRUE(open().begins_with_summary());
  EXPECT_EQ(use([](store::Store& store) { return store.entries(kSession, 0, 100); }).size(), 5u);
}

TEST_F(TranscriptTest, WhatIsPrunedIsNamedAndKept) {
  Transcript transcript = open();
  must(transcript.add(answer("x", {"a"})));
  must(transcript.add(finished("a", std::string(4'000, 'x'))));
  const std::int64_t before = transcript.tokens();
  must(transcript.add(Pruned{{"a"}}));
  EXPECT_LT(transcript.tokens(), before - 900);
  EXPECT_NE(lines(transcript)[1].find("4000 characters was removed"), std::string::npos);
  EXPECT_EQ(lines(open()), lines(transcript));
}

TEST_F(TranscriptTest, CountsWhatTheProviderCountedAndEstimatesTheRest) {
  Transcript transcript = open();
  Answer counted = answer("x");
  counted.usage = {.input = 900, .output = 100};
  must(transcript.add(counted));
  EXPECT_EQ(transcript.tokens(), 1'000);
  must(transcript.add(prompt(std::string(400, 'x'))));
  EXPECT_NEAR(static_cast<double>(transcript.tokens()), 1'100, 10);
  EXPECT_EQ(transcript.counted(), 1'000);
}

TEST_F(TranscriptTest, WhatIsRemovedIsNotCountedAndTheRestStaysSo) {
  Transcript transcript = open();
  must(transcript.add(prompt(std::string(40'000, 'x'))));
  Answer counted = answer("x");
  counted.usage = {.input = 17'000, .output = 10};  // 7,000 of it for the prompt and the tools
  must(transcript.add(counted));
  must(transcript.add(Summary{"they met", 1}));
  EXPECT_NEAR(static_cast<double>(transcript.tokens()), 7'000, 200);
  EXPECT_LT(open().tokens(), 1'000) << "what was before is not read, so it is not counted";
}

TEST_F(TranscriptTest, AMessageMayBeVeryLong) {
  constexpr size_t kLong = 100u << 20;
  {
    Transcript transcript = open();
    must(transcript.add(prompt(std::string(kLong, 'x'))));
  }
  EXPECT_EQ(model::text_of(open().context().front()).size(), kLong);
}

TEST_F(TranscriptTest, IdsBecomeUnique) {
  Transcript transcript = open();
  must(transcript.add(answer("x", {"a"})));
  must(transcript.add(finished("a", "1")));
  Message again = answer("y", {"a", "a", ""}).message;
  transcript.make_ids_unique(again);
  std::vector<std::string> ids;
  for (const ToolCall* call : model::calls_of(again)) ids.push_back(call->id);
  EXPECT_EQ(ids, (std::vector<std::string>{"a_2", "a_3", "call_2"}));
}

TEST_F(TranscriptTest, WhatAnItemTakesLeavesTheInbox) {
  use([](store::Store& store) {
    return store.post({.id = "p_1", .session = kSession, .sender = "user", .body = "hello"});
  });
  Transcript transcript = open();
  EXPECT_EQ(must(transcript.inbox()).size(), 1u);
  must(transcript.add(prompt("hello"), {.post = "p_1"}));
  EXPECT_TRUE(must(transcript.inbox()).empty());
  EXPECT_EQ(transcript.add(prompt("hello"), {.post = "p_1"}).error().type, "already_taken");
  EXPECT_EQ(transcript.context().size(), 1u) << "nothing has changed";
}

TEST_F(TranscriptTest, AnEntryThatCannotBeReadIsNamed) {
  const store::Entry odd{.kind = "song", .body = "{}"};
  use([&](store::Store& store) {
    return store.append_entries(kSession, std::span(&odd, 1), {}, store::Keep::process_death);
  });
  const auto opened = Transcript::open(store_, clock_, kSession);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().type, "broken_session");
  EXPECT_NE(opened.error().message.find("entry 1"), std::string::npos);
}

TEST_F(TranscriptTest, ItemsSurviveTheStore) {
  const Item items[] = {prompt("a\n\xc3\xa9"), answer("b", {"x"}), finished("x", "c"),
                        Summary{"d", 7},       Pruned{{"x", "y"}}, Remark{"e"}};
  for (const Item& item : items) {
    const Item again = must(item_of(to_entry(item)));
    EXPECT_EQ(kind_of(again), kind_of(item));
    EXPECT_EQ(to_text(to_json(again)), to_text(to_json(item)));
  }
}

}  // namespace
}  // namespace helve::session

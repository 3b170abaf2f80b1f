// Sessions as people read, divide and export them.
#include <fmt/format.h>

#include "session/export.h"
#include "session/fork.h"
#include "session/history.h"
#include "session/transcript.h"
#include "unit/temp_store.h"

namespace helve::session {
namespace {

using helve::testing::must;
using model::Role;
using model::Stop;
using model::Text;
using model::ToolCall;
using model::ToolResult;

class ReadingTest : public helve::testing::TempStore {
 protected:
  void add(const Item& item) {
    store::Entry entry = to_entry(item);
    entry.created_ms = clock_.unix_ms();
    keep(entry);
  }
  void keep(const store::Entry& entry) {
    use([&](store::Store& store) {
      return store.append_entries(kSession, std::span(&entry, 1), {}, store::Keep::process_death);
    });
  }
  void say(std::string text) { add(Prompt{"user", model::user_message(std::move(text))}); }
  void answer(std::string text, const std::vector<std::string>& calls = {}, Stop stop = Stop::end) {
    Answer answer;
    answer.message.role = Role::assistant;
    if (!text.empty()) answer.message.parts.emplace_back(Text{std::move(text)});
    for (const std::string& id : calls)
      answer.message.parts.emplace_back(
          ToolCall{.id = id, .name = "read", .arguments = R"({"path":"a"})"});
    answer.stop = calls.empty() ? stop : Stop::calls;
    answer.model = "m";
    answer.usage = {.input = 7, .output = 2, .cache_read = 1};
    add(answer);
  }
  void result(std::string id, std::string text, bool is_error = false) {
    add(Finished{ToolResult{std::move(id), "read", text_content(std::move(text)), is_error}});
  }

  // "1 user/user: a" for each.
  std::vector<std::string> lines(const HistoryQuery& query) {
    const History history =
        use([&](store::Store& store) { return read_history(store, kSession, query); });
    std::vector<std::string> lines;
    for (const Said& said : history.said)
      lines.push_back(fmt::format("{} {}/{}: {}", said.number, said.role, said.sender, said.text));
    if (history.earlier > 0) lines.push_back(fmt::format("before {}", history.earlier));
    return lines;
  }
  using Lines = std::vector<std::string>;

  std::uint64_t whole(std::uint64_t at) {
    return use([&](store::Store& store) { return whole_until(store, kSession, at); });
  }
  std::string_view state() {
    return name_of(
        use([](store::Store& store) { return state_of(store, *store.conversation(kSession)); }));
  }
  Exported exported(ExportFormat format, std::uint64_t after = 0, size_t bytes = kMaxExport) {
    return use(
        [&](store::Store& store) { return export_session(store, kSession, format, after, bytes); });
  }
};

TEST_F(ReadingTest, HistoryIsWhatWasSaidWithoutTools) {
  say("look");
  answer("I look.", {"c1"});
  result("c1", "contents");
  answer("", {"c2"});
  result("c2", "no", true);
  answer("It is there.");
  EXPECT_EQ(lines({}),
            (Lines{"1 user/user: look", "2 assistant/m: I look.", "6 assistant/m: It is there."}));
  EXPECT_EQ(lines({.include_tools = true}),
            (Lines{"1 user/user: look", "2 assistant/m: I look.\n[calls read {\"path\":\"a\"}]",
                   "3 tool/read: contents", "4 assistant/m: [calls read {\"path\":\"a\"}]",
                   "5 tool/read: [error] no", "6 assistant/m: It is there."}));
}

TEST_F(ReadingTest, HistoryGoesBackPageByPage) {
  for (int i = 1; i <= 150; ++i) say(std::to_string(i));
  EXPECT_EQ(lines({.limit = 2}), (Lines{"149 user/user: 149", "150 user/user: 150", "before 149"}));
  EXPECT_EQ(lines({.limit = 1, .before = 149}), (Lines{"148 user/user: 148", "before 148"}));
  EXPECT_EQ(lines({.limit = 1000}).size(), 150u);
  EXPECT_EQ(lines({.limit = 2, .before = 3}), (Lines{"1 user/user: 1", "2 user/user: 2"}));
  EXPECT_EQ(lines({.before = 1}), Lines{});
  EXPECT_EQ(lines({.limit = 1, .before = 9999}).front(), "150 user/user: 150");
}

TEST_F(ReadingTest, HistoryIsShortenedAndSurvivesWhatIsBroken) {
  say(std::string(kMaxSaid + 1, 'x'));
  keep({.kind = "prompt", .body = "{"});
  const History history =
      use([](store::Store& store) { return read_history(store, kSession, {}); });
  ASSERT_EQ(history.said.size(), 2u);
  EXPECT_TRUE(history.said[0].is_cut);
  EXPECT_EQ(history.said[1].role, "broken");
}

TEST_F(ReadingTest, ASessionIsDividedOnlyWhereNoCallIsOpen) {
  say("look");
  EXPECT_EQ(whole(1), 1u);
  answer("", {"c1", "c2"});
  result("c1", "one");
  add(Remark{"x"});
  EXPECT_EQ(whole(4), 1u);
  EXPECT_EQ(whole(2), 1u);
  result("c2", "two");
  EXPECT_EQ(whole(5), 5u);
  EXPECT_EQ(whole(3), 1u);
  answer("done");
  say("more");
  EXPECT_EQ(whole(7), 7u);
}

TEST_F(ReadingTest, WhatIsCopiedUpToThereOpensAsItIs) {
  say("look");
  answer("", {"c1"});
  result("c1", "one");
  answer("", {"c2"});
  const std::uint64_t last = whole(4);
  use([&](store::Store& store) {
    return store.copy_conversation(kSession, last, {.session = "s_fork"});
  });
  const Transcript fork = must(Transcript::open(store_, clock_, "s_fork"));
  EXPECT_EQ(fork.entries(), 3u) << "nothing had to be repaired";
  EXPECT_TRUE(fork.is_unanswered());
}

TEST_F(ReadingTest, TheStateIsReadFromTheEnd) {
  EXPECT_EQ(state(), "started");
  say("look");
  EXPECT_EQ(state(), "stopped") << "nobody answers";
  answer("", {"c1"});
  EXPECT_EQ(state(), "stopped");
  result("c1", "x");
  answer("done");
  EXPECT_EQ(state(), "done");
  answer("I must not", {}, Stop::refusal);
  EXPECT_EQ(state(), "failed");
  add(Remark{"ended: cancelled: stopped"});
  EXPECT_EQ(state(), "stopped");
  add(Remark{"ended: turn_limit"});
  EXPECT_EQ(state(), "failed");
  use([](store::Store& store) { return store.claim_conversation(kSession); });
  EXPECT_EQ(state(), "in_progress");
}

TEST_F(ReadingTest, MarkdownHasAllOfIt) {
  use([](store::Store& store) { return store.rename_conversation(kSession, "A\nbug"); });
  say("look");
  Answer thought;
  thought.message = {Role::assistant,
                     {model::Thinking{.text = "hm ``` </details>", .origin = "", .sealed = {}},
                      Text{"I look."}, ToolCall{.id = "c1", .name = "read", .arguments = "{}"}}};
  thought.usage = {.input = 7, .output = 2};
  add(thought);
  result("c1", "```\ncontents\n```\n");
  add(Summary{"They looked.", 3});
  add(Pruned{{"c1"}});
  add(Remark{"a remark"});
  const std::string time = "2026-01-01 00:00:00";
  const std::string text = exported(ExportFormat::markdown).text;
  EXPECT_TRUE(text.starts_with("# A\\nbug\n\n- session: s_1\n")) << text;
  const std::string body = text.substr(text.find("## 1"));
  EXPECT_EQ(body, fmt::format(R"(## 1 · user · {0}

look

## 2 · assistant · 7 tokens in, 2 out · {0}

<details><summary>Thinking</summary>

````text
hm ``` </details>
````

</details>

I look.

Calls `read` (`c1`):

```json
{{}}
```

## 3 · result of `read` (`c1`) · {0}

````text
```
contents
```
````

## 4 · summary of all up to 3 · {0}

They looked.

## 5 · no longer shown to the model · {0}

- the result of `c1`

## 6 · remark · {0}

a remark

)",
                              time));
}

TEST_F(ReadingTest, JsonLinesHaveAnObjectForEachEntry) {
  say("one\ntwo");
  keep({.kind = "odd", .body = "{}"});
  const Exported whole = exported(ExportFormat::jsonl);
  std::vector<Json> lines;
  for (size_t at = 0; at < whole.text.size();) {
    const size_t end = whole.text.find('\n', at);
    lines.push_back(must(parse_json(std::string_view(whole.text).substr(at, end - at))));
    at = end + 1;
  }
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(string_at(lines[0], "session_id"), kSession);
  EXPECT_EQ(string_at(lines[1], "sender"), "user");
  EXPECT_EQ(string_at(lines[1], "kind"), "prompt");
  EXPECT_NE(string_at(lines[2], "error"), "");
}

TEST_F(ReadingTest, AnExportHasABoundAndGoesOn) {
  for (int i = 1; i <= 100; ++i) say(std::to_string(i));
  const Exported first = exported(ExportFormat::jsonl, 0, 2'000);
  EXPECT_FALSE(first.is_whole);
  EXPECT_LT(first.last, 100u);
  EXPECT_LT(first.text.size(), 2'500u);
  const Exported rest = exported(ExportFormat::jsonl, first.last);
  EXPECT_TRUE(rest.is_whole);
  EXPECT_EQ(first.entries + rest.entries, 100u);
}

}  // namespace
}  // namespace helve::session

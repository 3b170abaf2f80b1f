// Tools of the knowledge store where somebody else is at work, and where something fails.
#include <fmt/format.h>

#include <functional>

#include "knowledge/library.h"
#include "store/call_store.h"
#include "store/opener.h"
#include "sys/clock.h"
#include "tools/kb_archive.h"
#include "unit/temp_store.h"
#include "unit/tools/fixture.h"

namespace helve {
namespace {

using testing::must;

// Does something at the moment when the time is asked for, once.
class EventfulClock final : public sys::Clock {
 public:
  std::int64_t unix_ms() const override {
    if (const std::function<void()> event = std::exchange(event_, nullptr)) event();
    return manual_.unix_ms();
  }
  Steady steady() const override { return manual_.steady(); }
  void at_next(std::function<void()> event) { event_ = std::move(event); }

 private:
  sys::ManualClock manual_;
  mutable std::function<void()> event_;
};

class Listening final : public Listener {
 public:
  void progress(double done, std::optional<double> total, std::string_view message) override {
    told.push_back(fmt::format("{}/{} {}", done, total.value_or(-1), message));
    if (const std::function<void()> event = std::exchange(at_first, nullptr)) event();
  }
  void log(Level, std::string_view) override {}

  std::vector<std::string> told;
  std::function<void()> at_first;
};

// One tool that answers as it is told.
class OneTool final : public Calls {
 public:
  const Tool* find(std::string_view name) const override {
    return name == tool.spec.name ? &tool : nullptr;
  }
  Answer call(std::string_view name, const Json&, Want) override {
    ++calls;
    Answer answer{.tool = find(name), .error = error, .product = {}, .notes = {}};
    if (!error) answer.product.content = text_content("an answer\n");
    return answer;
  }

  Tool tool;
  std::optional<Error> error;
  int calls = 0;
};

class Kb : public ToolTest {
 protected:
  Kb() {
    context.store = &store;
    context.library = &library;
    context.listener = &listener;
    context.calls = &calls;
    calls.tool.spec.name = "answer";
  }

  void write(const std::string& path, const std::string& content) {
    must(store::write_document(*documents, {{.path = path}, content}));
  }
  void remove(const std::string& path) {
    must(store::write_document(*documents, {{.path = path, .is_removed = true}}));
  }
  // Its next version would have a number that is too large.
  void write_the_last_version(const std::string& path) {
    const store::Draft last{
        {.path = path, .number = store::kMaxVersionNumber, .mime_type = "application/json"}, "[1]"};
    must(documents->restore({&last, 1}));
  }
  void forget_removed() { must(documents->forget({.removed_before_ms = INT64_MAX})); }

  TempTree state;
  EventfulClock clock;
  sys::ManualClock others_clock;
  store::Opener opener{state.path() + "/helve.db", {.sync = false}, clock};
  store::CallStore store{opener};
  knowledge::Library library{"/w"};
  Listening listener;
  OneTool calls;
  // Of another process.
  store::Opener others_opener{state.path() + "/helve.db", {.sync = false}, others_clock};
  std::unique_ptr<store::Store> others = must(others_opener.open());
  std::unique_ptr<store::Documents> documents = others->documents("/w");
};

TEST_F(Kb, SearchGoesOnWhenADocumentIsForgottenMeanwhile) {
  write("a", "needle\n");
  write("b", "needle\n");
  write("c", "needle\n");
  listener.at_first = [&] {
    remove("b");
    forget_removed();
  };
  const Answer answer = call("kb_search", R"({"pattern":"needle"})");
  ASSERT_TRUE(answer.ok) << answer.error.message;
  EXPECT_TRUE(has(answer.text, "a:1-1") && has(answer.text, "c:1-1")) << answer.text;
  EXPECT_FALSE(has(answer.text, "b:1-1")) << answer.text;
}

TEST_F(Kb, SearchOfTheHistoryGoesOnWhenADocumentIsForgottenMeanwhile) {
  write("a", "needle\n");
  write("b", "needle\n");
  listener.at_first = [&] {
    remove("b");
    forget_removed();
  };
  const Answer answer = call("kb_search", R"({"pattern":"needle","include_history":true})");
  ASSERT_TRUE(answer.ok) << answer.error.message;
  EXPECT_TRUE(has(answer.text, "a:1-1")) << answer.text;
}

TEST_F(Kb, RemovesTheRestWhenSomebodyElseRemovesTheSame) {
  write("d/a", "one");
  write("d/b", "two");
  clock.at_next([&] { remove("d/a"); });
  const Answer answer = call("kb_remove", R"({"path":"d","recursive":true})");
  EXPECT_EQ(kind_of(answer), "ok: Removed d/b\n") << answer.error.message;
  write("d/a", "one");
  clock.at_next([&] { remove("d/a"); });
  EXPECT_EQ(kind_of(call("kb_remove", R"({"path":"d","recursive":true})")),
            "ok: Nothing was left to remove\n");
  EXPECT_EQ(kind_of(call("kb_remove", R"({"path":"d","recursive":true})")),
            "not_found unknown_document");
}

TEST_F(Kb, PipesNoToolThatEndsTheTask) {
  calls.tool.spec.terminal = true;
  const Answer answer = call("kb_pipe", R"({"tool_name":"answer","tool_input":{},"path":"a"})");
  EXPECT_EQ(kind_of(answer), "denied forbidden_tool");
  EXPECT_TRUE(has(answer.error.message, "ends the task")) << answer.error.message;
  EXPECT_EQ(calls.calls, 0);
}

TEST_F(Kb, PipeCutsALongErrorOfTheTool) {
  calls.error = Error{Code::unavailable, std::string(3'000, 'x')};
  const Answer answer = call("kb_pipe", R"({"tool_name":"answer","tool_input":{},"path":"a"})");
  EXPECT_EQ(kind_of(answer), "unavailable inner_tool_error");
  EXPECT_EQ(answer.error.message,
            "answer: " + std::string(1'992, 'x') + "…[truncated, 1008 more chars]");
  EXPECT_EQ(kind_of(call("kb_info", R"({"path":"a"})")), "not_found unknown_document");
}

TEST_F(Kb, PipeSaysThatNothingCouldBeWritten) {
  write_the_last_version("full");
  const Answer answer = call("kb_pipe", R"({"tool_name":"answer","tool_input":{},"path":"full"})");
  EXPECT_EQ(kind_of(answer), "too_large write_failed");
  EXPECT_EQ(calls.calls, 1);
}

TEST_F(Kb, QuerySaysThatNothingCouldBeWritten) {
  write_the_last_version("full");
  const Answer answer =
      call("kb_query", R"({"path":"full","expression":"$[0]","output_path":"full"})");
  EXPECT_EQ(kind_of(answer), "too_large write_failed");
}

TEST_F(Kb, QueryStoresNoResultThatIsTooLarge) {
  write("in.json", "[1]");
  const Answer answer = call("kb_query", R"-({"path":"in.json","output_path":"out.json",)-"
                                         R"-("expression":"($x := $pad('', 1000000, 'x'); )-"
                                         R"-([1..300].$x)"})-");
  EXPECT_EQ(kind_of(answer), "too_large evaluation_error");
}

TEST_F(Kb, QueryRefusesADocumentThatIsNestedTooDeep) {
  write("bomb.json", std::string(2'000'000, '['));
  write("deep.json", std::string(100'000, '[') + std::string(100'000, ']'));
  for (const char* path : {"bomb.json", "deep.json"}) {
    for (const char* expression : {"$", "**", "$string($)", "$count($)"}) {
      const Answer answer =
          call("kb_query", fmt::format(R"({{"path":"{}","expression":"{}"}})", path, expression));
      EXPECT_EQ(kind_of(answer), "too_large invalid_json") << path << " " << expression;
    }
  }
}

TEST_F(Kb, ReadsPagesOfLinesOfAnyLength) {
  std::string content, shown;
  for (int i = 0; i < 2000; ++i)
    content += fmt::format("{}{}\n", i, std::string(static_cast<size_t>(i * 37 % 1500), 'x'));
  content += "the end";
  write("long", content);
  std::int64_t offset = 0;
  for (int pages = 0; pages < 100; ++pages) {
    const Answer page = call("kb_read", fmt::format(R"({{"path":"long","offset":{}}})", offset));
    ASSERT_TRUE(page.ok) << page.text;
    EXPECT_EQ(page["start_line"], offset + 1);
    shown += page["content"].json.get_string();
    if (!page["next_offset"].json.is_int64()) break;
    offset = page["next_offset"].json.get_int64();
  }
  EXPECT_EQ(shown, content);
}

TEST_F(Kb, ReadsTheBeginningOfALineThatIsLongerThanAPage) {
  std::string line = "x";
  while (line.size() < 1'000'000) line += "ä";
  write("long", "first\n" + line + "\nlast\n");
  const Answer page = call("kb_read", R"({"path":"long","offset":1})");
  EXPECT_EQ(page["line_cut"], true);
  EXPECT_FALSE(page["escaped"].json.is_bool());
  EXPECT_EQ(page["next_offset"], 2);
  EXPECT_TRUE(line.starts_with(std::string_view(page["content"].json.get_string())));
  EXPECT_GT(page["content"].json.get_string().size(), 50'000u);
  EXPECT_EQ(call("kb_read", R"({"path":"long","offset":2})")["content"], "last\n");
}

TEST_F(Kb, ReadsOnlyWhatAPageNeeds) {
  write("newlines", std::string(2'000'000, '\n'));
  const Answer page = call("kb_read", R"({"path":"newlines","offset":1999990})");
  EXPECT_EQ(page["content"], std::string(10, '\n'));
  EXPECT_EQ(call("kb_read", R"({"path":"newlines","offset":1999,"limit":1})")["next_offset"], 2000);
  Context late = context;
  late.deadline = std::chrono::steady_clock::time_point();
  EXPECT_EQ(kind_of(call(late, "kb_read", R"({"path":"newlines"})")), "timeout timeout");
}

TEST_F(Kb, DiffEndsWithItsTimeAndIsBounded) {
  std::string old, now;
  for (int i = 0; i < 3000; ++i) {
    old += fmt::format("old {}\n", i);
    now += fmt::format("new {}\n", i);
  }
  write("a", old);
  write("a", now);
  EXPECT_EQ(call("kb_diff", R"({"path":"a"})")["added"], 3000);
  Context late = context;
  late.deadline = std::chrono::steady_clock::time_point();
  EXPECT_EQ(kind_of(call(late, "kb_diff", R"({"path":"a"})")), "timeout timeout");
  write("a", std::string(2'000'000, '\n') + "x");
  const Answer answer = call("kb_diff", R"({"path":"a"})");
  EXPECT_EQ(kind_of(answer), "too_large too_large");
}

TEST_F(Kb, ArchivesHoldTheNewestVersionsOfALargeDocument) {
  std::vector<store::DocumentVersion> versions;  // the newest first
  for (std::uint64_t number = 15; number > 0; --number)
    versions.push_back({.path = "a", .number = number, .bytes = 41u << 20});
  versions[2].bytes = 200u << 20;
  const tools::Archived archived = tools::archived_of(versions);
  ASSERT_EQ(archived.versions.size(), 12u);
  EXPECT_EQ(archived.versions.front().number, 15u);
  EXPECT_EQ(archived.versions.back().number, 3u);
  ASSERT_EQ(archived.left_out.size(), 2u);
  EXPECT_TRUE(has(archived.left_out[0], "version 13 of a is too large")) << archived.left_out[0];
  EXPECT_TRUE(has(archived.left_out[1], "a: the oldest versions are left out (2)"))
      << archived.left_out[1];
}

TEST_F(Kb, TellsHowFarItIs) {
  using Told = std::vector<std::string>;
  for (const char* name : {"docs/a", "docs/b"}) tree.file(name, "one\n");
  ASSERT_TRUE(call("kb_add", R"({"source":"docs"})").ok);
  EXPECT_EQ(std::exchange(listener.told, {}), (Told{"0/2 a", "1/2 b"}));
  ASSERT_TRUE(call("kb_refresh", "{}").ok);
  EXPECT_EQ(std::exchange(listener.told, {}), (Told{"0/2 docs/a", "1/2 docs/b"}));
  ASSERT_TRUE(call("kb_search", R"({"pattern":"x"})").ok);
  EXPECT_EQ(std::exchange(listener.told, {}), (Told{"0/2 docs/a", "1/2 docs/b"}));
  ASSERT_TRUE(call("kb_export", R"({"file":"all.jsonl"})").ok);
  EXPECT_EQ(std::exchange(listener.told, {}), (Told{"0/2 docs/a", "1/2 docs/b"}));
}

TEST_F(Kb, AddsNothingThatSomebodyElseAddedMeanwhile) {
  for (const char* name : {"docs/a", "docs/b"}) tree.file(name, "one\n");
  clock.at_next([&] {
    Context other = context;
    store::CallStore their_store{others_opener};
    other.store = &their_store;
    ASSERT_TRUE(call(other, "kb_add", R"({"source":"docs/a"})").ok);
  });
  const Answer answer = call("kb_add", R"({"source":"docs"})");
  EXPECT_EQ(kind_of(answer), "ok: Stored docs/b (version 1, 1 line, 4 bytes)\n1 unchanged\n");
}

TEST_F(Kb, AddsAFileAgainWhenItsDocumentWasRemovedMeanwhile) {
  tree.file("a", "one\n");
  ASSERT_TRUE(call("kb_add", R"({"source":"a"})").ok);
  tree.file("a", "two\n");
  clock.at_next([&] { remove("a"); });
  EXPECT_EQ(kind_of(call("kb_add", R"({"source":"a"})")),
            "ok: Stored a (version 3, 1 line, 4 bytes)\n");
}

TEST_F(Kb, LeavesOutFilesWhoseNameIsNotUtf8) {
  tree.file("docs/a", "one\n");
  tree.file("docs/caf\xe9", "two\n");
  const Answer answer = call("kb_add", R"({"source":"docs"})");
  EXPECT_TRUE(has(answer.text, "Stored docs/a")) << answer.text;
  EXPECT_TRUE(has(answer.text, "left out caf\\xe9: its name is not UTF-8")) << answer.text;
  EXPECT_TRUE(answer.is_partial);
}

TEST_F(Kb, SaysThatADocumentWasCut) {
  const std::string page = "<html><body><p>" + std::string(17u << 20, 'x') + "</p>";
  tree.file("page.html", page);
  const Answer added = call("kb_add", R"({"source":"page.html"})");
  EXPECT_TRUE(has(added.text, "note: page.html: cut after 16")) << added.text;
  EXPECT_TRUE(added.is_partial);
  tree.file("page.html", page + "<p>more</p>");
  const Answer refreshed = call("kb_refresh", "{}");
  EXPECT_TRUE(has(refreshed.text, "note: page.html: cut after 16")) << refreshed.text;
  EXPECT_TRUE(refreshed.is_partial);
}

TEST_F(Kb, RefreshesAFileOfAnotherSizeWithTheSameTime) {
  tree.file("a.txt", "one\n");
  ASSERT_TRUE(call("kb_add", R"({"source":"a.txt"})").ok);
  const auto time = std::filesystem::last_write_time(tree.path("a.txt"));
  tree.file("a.txt", "one, two\n");
  std::filesystem::last_write_time(tree.path("a.txt"), time);
  EXPECT_EQ(call("kb_refresh", "{}")["total"], 1);
  EXPECT_EQ(call("kb_refresh", "{}")["unchanged"], 1);
}

}  // namespace
}  // namespace helve

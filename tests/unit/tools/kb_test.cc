// Tools of the knowledge store where somebody else is at work, and where something fails.
#include <fmt/format.h>

#include <functional>

#include "knowledge/library.h"
#include "store/call_store.h"
#include "store/opener.h"
#include "sys/clock.h"
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

class Kb : public ToolTest {
 protected:
  Kb() {
    context.store = &store;
    context.library = &library;
    context.listener = &listener;
  }

  void write(const std::string& path, const std::string& content) {
    must(store::write_document(*documents, {{.path = path}, content}));
  }
  void remove(const std::string& path) {
    must(store::write_document(*documents, {{.path = path, .is_removed = true}}));
  }
  void forget_removed() { must(documents->forget({.removed_before_ms = INT64_MAX})); }

  TempTree state;
  EventfulClock clock;
  sys::ManualClock others_clock;
  store::Opener opener{state.path() + "/helve.db", {.sync = false}, clock};
  store::CallStore store{opener};
  knowledge::Library library{"/w"};
  Listening listener;
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

#include "dispatch/dispatcher.h"

#include "dispatch/cap.h"

#include <gtest/gtest.h>
#include <mutex>

#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

// Writes down what happens, in order: the stages' order is the promise under test.
struct Journal {
  std::mutex mutex;
  std::vector<std::string> events;  // guarded by mutex while calls run

  void add(std::string event) {
    std::lock_guard lock(mutex);
    events.push_back(std::move(event));
  }
};

struct FakeHooks : Hooks {
  Journal& journal;
  HookAnswer answer;
  explicit FakeHooks(Journal& j) : journal(j) {}
  HookAnswer before(const HookCall& call, std::stop_token) override {
    journal.add("before " + std::string(call.tool) + " " + to_text(call.arguments));
    return answer;
  }
  HookAnswer after(const HookCall& call, std::stop_token) override {
    journal.add("after " + std::string(call.result));
    return {};
  }
};

struct FakeApprover : Approver {
  Journal& journal;
  bool grant = true;
  explicit FakeApprover(Journal& j) : journal(j) {}
  Result<Answer> ask(const Question& question, std::stop_token) override {
    journal.add("ask " + question.tool + ": " + question.reason);
    return grant ? Answer::once : Answer::deny;
  }
};

struct FakeRecorder : Recorder {
  Journal& journal;
  bool full = false;
  explicit FakeRecorder(Journal& j) : journal(j) {}
  Result<void> begin(const CallRecord& record) override {
    if (full) return Error{Code::unavailable, "disk full"};
    journal.add("begin " + record.tool + " " + record.arguments);
    return {};
  }
  void finish(const CallRecord& record) override { journal.add("finish " + record.outcome); }
  void note(CallRecord record) override {
    journal.add("note " + record.tool + " " + record.outcome);
  }
};

struct FakeResults : Results {
  std::map<std::string, std::string> kept;
  Result<Stored> keep(std::string_view, std::string_view tool, Effect,
                      std::string_view text) override {
    std::string id = "lr_" + std::to_string(kept.size() + 1);
    kept[id] = text;
    return Stored{id, std::string(tool), text.size(), 0};
  }
  Result<std::string> text(std::string_view, std::string_view id) override {
    return kept.at(std::string(id));
  }
  Result<std::vector<Stored>> list(std::string_view) override { return std::vector<Stored>{}; }
};

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() {
    for (Tool& tool : tools) {  // the tools write themselves down, too
      tool.bind = [bind = std::move(tool.bind),
                   this](const Json& json) -> Result<std::unique_ptr<Bound>> {
        return std::make_unique<Watched>(TRY(bind(json)), journal);
      };
    }
    registry = *Registry::load(std::move(tools));
  }
  struct Watched : Bound {
    std::unique_ptr<Bound> inner;
    Journal& journal;
    Watched(std::unique_ptr<Bound> bound, Journal& j) : inner(std::move(bound)), journal(j) {}
    Effect effect() const override { return inner->effect(); }
    std::string arguments() const override { return inner->arguments(); }
    Result<Product> run(Context& context) override {
      journal.add("run");
      return inner->run(context);
    }
  };

  std::vector<Tool> tools = helve::testing::test_tools();
  Registry registry = *Registry::load(helve::testing::test_tools());
  Identity who{"main", "ann", "/w", "s_1"};
  Journal journal;
  FakeHooks hooks{journal};
  FakeApprover approver{journal};
  FakeRecorder recorder{journal};
  FakeResults results;
  Stages stages;
  Policy policy = *Policy::make(registry, {});

  Outcome call(std::string_view tool, std::string_view arguments, Cap cap = Cap::inline_limit,
               std::optional<std::chrono::milliseconds> timeout = {}, std::stop_token stop = {}) {
    Dispatcher dispatcher(registry, {}, stages);
    return dispatcher.call({.tool = tool,
                            .raw_arguments = arguments,
                            .caller = Caller::test,
                            .who = who,
                            .policy = &policy,
                            .cap = cap,
                            .stop = stop,
                            .timeout = timeout});
  }
  void all_stages() {
    stages.hooks = &hooks;
    stages.approver = &approver;
    stages.recorder = &recorder;
    stages.results = &results;
  }
  void rules(Rules rules) {
    rules.source = "test";
    auto made = Policy::make(registry, {rules});
    ASSERT_TRUE(made) << made.error().message;
    policy = std::move(*made);
  }
};

TEST_F(DispatcherTest, CallsByNameAndAlias) {
  EXPECT_EQ(call("echo", R"({"text":"hi"})").product.json, R"({"said":"hi"})");
  Outcome outcome = call("say", R"({"text":"hi","times":2})");
  EXPECT_EQ(text_of(outcome.product.content), "hihi");
  EXPECT_EQ(outcome.tool->spec.name, "echo");
  EXPECT_TRUE(outcome.call_id.empty());  // nothing observes the call, nothing is spent on it
}

TEST_F(DispatcherTest, NamesTheNearestToolWhenThereIsNone) {
  Outcome outcome = call("ecko", "{}");
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error->type, "unknown_tool");
  EXPECT_EQ(outcome.error->hint, "did you mean 'echo'?");
}

TEST_F(DispatcherTest, PassesTheStagesInOrder) {
  all_stages();
  rules({.ask = {"save"}});
  EXPECT_TRUE(call("save", R"({"text":"x"})").ok());
  EXPECT_EQ(journal.events, (std::vector<std::string>{
                                R"(before save {"text":"x"})", "ask save: tools.ask 'save' of test",
                                R"(begin save {"text":"x"})", "run", "after x", "finish ok"}));
}

TEST_F(DispatcherTest, NotesReadsAfterwards) {
  all_stages();
  EXPECT_TRUE(call("echo", R"({"text":"x"})").ok());
  EXPECT_EQ(journal.events, (std::vector<std::string>{R"(before echo {"text":"x"})", "run",
                                                      "after x", "note echo ok"}));
}

TEST_F(DispatcherTest, DeniesBeforeAnythingElseLooksAtTheCall) {
  all_stages();
  rules({.deny = {"say"}});  // an alias denies the behaviour
  Outcome outcome = call("echo", "not even JSON");
  EXPECT_EQ(outcome.error->type, "forbidden_tool");
  EXPECT_EQ(outcome.error->message, "tool 'echo' is denied: tools.deny 'say' of test");
  EXPECT_EQ(journal.events, (std::vector<std::string>{"note echo forbidden_tool"}));
}

TEST_F(DispatcherTest, DecodesWhatAHookRewrote) {
  all_stages();
  hooks.answer.arguments = *parse_json(R"({"text":"safe"})");
  EXPECT_EQ(call("echo", R"({"text":"x"})").product.json, R"({"said":"safe"})");
  hooks.answer.arguments = *parse_json(R"({"txt":"safe"})");
  EXPECT_EQ(call("echo", R"({"text":"x"})").error->type, "invalid_input");
}

TEST_F(DispatcherTest, AHookBlocksWithItsReasonAndItsAllowLiftsNothing) {
  all_stages();
  rules({.deny = {"save"}});
  hooks.answer = {.decision = HookAnswer::Decision::allow};
  EXPECT_EQ(call("save", R"({"text":"x"})").error->type, "forbidden_tool");
  rules({.ask = {"echo"},
         .effects = {Verdict::allow, Verdict::deny, Verdict::allow, Verdict::allow}});
  stages.approver = nullptr;
  EXPECT_EQ(call("echo", R"({"text":"x"})").error->type, "approval_required");
  EXPECT_EQ(call("maybe", R"({"text":"x","times":2})").error->type, "forbidden_tool");
  rules({});
  hooks.answer = {.decision = HookAnswer::Decision::deny, .reason = "not on Fridays"};
  EXPECT_EQ(call("echo", R"({"text":"x"})").error->message,
            "a hook blocked 'echo': not on Fridays");
}

TEST_F(DispatcherTest, AsksByTheEffectOfTheseArguments) {
  all_stages();
  rules({.effects = {Verdict::allow, Verdict::ask, Verdict::allow, Verdict::allow}});
  EXPECT_TRUE(call("maybe", R"({"text":"x"})").ok());
  approver.grant = false;
  EXPECT_EQ(call("maybe", R"({"text":"x","times":2})").error->message,
            "a person refused this call of 'maybe' (tools.effects.write of test)");
  stages.approver = nullptr;
  EXPECT_EQ(call("maybe", R"({"text":"x","times":2})").error->type, "approval_required");
}

TEST_F(DispatcherTest, RefusesToActWhenTheIntentCannotBeRecorded) {
  all_stages();
  recorder.full = true;
  EXPECT_TRUE(call("save", R"({"text":"x"})").error->message.ends_with("disk full"));
  EXPECT_EQ(std::ranges::count(journal.events, "run"), 0);
  EXPECT_TRUE(call("echo", R"({"text":"x"})").ok());
}

TEST_F(DispatcherTest, RecordsTheIntentOfWhatLetsOthersAct) {
  all_stages();
  tools.push_back(
      make_tool({.name = "hand_on", .group = "other", .delegates = true}, helve::testing::echo));
  registry = *Registry::load(std::move(tools));
  rules({});
  EXPECT_TRUE(call("hand_on", R"({"text":"x"})").ok());
  EXPECT_EQ(std::ranges::count(journal.events, R"(begin hand_on {"text":"x"})"), 1);
}

TEST_F(DispatcherTest, KeepsLongAnswersWholeAndShowsTheirBeginning) {
  all_stages();
  Outcome outcome = call("echo", R"({"text":"0123456789","times":2000})");
  ASSERT_TRUE(outcome.stored);
  EXPECT_EQ(results.kept.at("lr_1").size(), 20'000u);
  std::string text = text_of(outcome.product.content);
  EXPECT_TRUE(text.starts_with(
      "[The answer has 20000 characters and is kept as lr_1 (3 pages). It begins:]\n0123456789"))
      << text;
  EXPECT_LT(text.size(), 800u);
  EXPECT_LT(outcome.product.json.size(), 10'000u);
  EXPECT_TRUE(parse_json(outcome.product.json));
  EXPECT_FALSE(call("echo", R"({"text":"0123456789","times":2000})", Cap::none).stored);
  EXPECT_FALSE(call("echo", R"({"text":"0123456789","times":1000})").stored);  // exactly the limit
}

TEST_F(DispatcherTest, SaysWhatItLeavesOutOfALongValue) {
  JsonObject schema =
      *parse_json(
           R"({"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}},
      "sha":{"type":"string","pattern":"^a+$"}}})")
           ->if_object();
  Json value = JsonObject{{"items", JsonArray()}, {"sha", std::string(3000, 'a')}};
  for (int i = 0; i < 1000; ++i)
    value.at("items").as_array().emplace_back("item " + std::to_string(i));
  Shrunk shrunk = shrink_json(to_text(value), schema, 6'000);
  EXPECT_LT(shrunk.json.size(), 6'000u);
  EXPECT_EQ(shrunk.left_out, "800 of 1000 items");
  EXPECT_EQ(string_at(*parse_json(shrunk.json), "sha").size(), 3000u);  // its pattern would break
  schema["properties"].as_object()["items"].as_object()["minItems"] = 1000;
  EXPECT_EQ(shrink_json(to_text(value), schema, 6'000).json, to_text(value));
}

TEST_F(DispatcherTest, SaysThatACallIsNotRunBecauseItCannotBeRecorded) {
  struct Broken : FakeRecorder {
    using FakeRecorder::FakeRecorder;
    Result<void> begin(const CallRecord&) override {
      return Error{Code::invalid_argument, "'/state' is no directory", "move it", "not_directory"};
    }
  } broken(journal);
  stages.recorder = &broken;
  const Outcome outcome = call("save", R"({"text":"x"})");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message,
            "'save' was not run, because it cannot be recorded: '/state' is no directory");
  EXPECT_EQ(outcome.error->code, Code::unavailable);
  EXPECT_EQ(outcome.error->type, "not_directory");
  EXPECT_EQ(outcome.error->hint, "move it");
}

TEST_F(DispatcherTest, LetsNoStageThrow) {
  struct Throwing : FakeRecorder {
    using FakeRecorder::FakeRecorder;
    void note(CallRecord) override { throw std::runtime_error("no ink"); }
  } throwing(journal);
  stages.recorder = &throwing;
  Outcome outcome = call("echo", R"({"text":"x"})");
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.notes, (std::vector<std::string>{"recording failed: no ink"}));
}

TEST_F(DispatcherTest, ChecksWhatToolsFromOutsideReturn) {
  struct Foreign : Bound {
    Effect effect() const override { return Effect::read; }
    std::string arguments() const override { return "{}"; }
    Result<Product> run(Context&) override { return Product{"{\n \"a\": 1\n}", text_content("a")}; }
  };
  Tool tool;
  tool.spec = {.name = "foreign", .group = "other", .description = "From outside."};
  tool.input_schema_json = {{"type", "object"}};
  tool.bind = [](const Json&) -> Result<std::unique_ptr<Bound>> {
    return std::make_unique<Foreign>();
  };
  auto answer = [&](JsonObject schema) {
    std::vector<Tool> foreign(1, tool);
    foreign[0].output_schema_json = std::move(schema);
    registry = *Registry::load(std::move(foreign));
    policy = *Policy::make(registry, {});
    Outcome outcome = call("foreign", "{}");
    return outcome.ok() ? outcome.product.json : outcome.error->type;
  };
  EXPECT_EQ(answer({}), R"({"a":1})");  // one line, so that it cannot break a frame
  EXPECT_EQ(answer(*parse_json(R"({"type":"object","required":["b"]})")->if_object()),
            "invalid_output");
}

TEST_F(DispatcherTest, GivesObjectsThatCameAsTextToHooksAndToolsAsObjects) {
  all_stages();
  Tool tool = helve::testing::map_tool();
  registry = *Registry::load(std::vector<Tool>(1, tool));
  policy = *Policy::make(registry, {});
  Outcome outcome = call("count", R"({"sizes":"{\"a\": 1, \"b\": 2}"})");
  ASSERT_TRUE(outcome.ok()) << outcome.error->message;
  EXPECT_EQ(outcome.product.json, R"({"said":"3"})");
  EXPECT_EQ(outcome.notes, std::vector<std::string>()) << "it may have been asked for";
  EXPECT_EQ(journal.events[0], R"(before count {"sizes":{"a":1,"b":2}})");

  outcome = call("count", R"({"words":"[\"a\"]"})");
  ASSERT_TRUE(outcome.ok()) << outcome.error->message;
  EXPECT_EQ(
      outcome.notes,
      (std::vector<std::string>{"arguments repaired: decoded words, which was sent as text"}));

  outcome = call("count", R"({"sizes":"{\"a\": true}"})");
  EXPECT_EQ(outcome.error->message, "sizes.a: expected an integer, got true");
  outcome = call("count", R"({"sizes":"a=1"})");
  EXPECT_EQ(outcome.error->message, "sizes: expected an object, got \"a=1\"");
}

TEST_F(DispatcherTest, GivesToolsFromOutsideTheObjectsThatTheirSchemasWant) {
  Tool tool;
  tool.spec = {.name = "foreign", .group = "other", .description = "From outside."};
  tool.input_schema_json =
      parse_json(
          R"({"type":"object","properties":{"filter":{"type":"object"},"text":{"type":"string"}}})")
          ->get_object();
  std::string given;
  tool.bind = [&](const Json& arguments) -> Result<std::unique_ptr<Bound>> {
    given = to_text(arguments);
    return Error{Code::cancelled, "seen"};
  };
  registry = *Registry::load(std::vector<Tool>(1, tool));
  policy = *Policy::make(registry, {});
  call("foreign", R"({"filter":"{\"a\":1}","text":"{}"})");
  EXPECT_EQ(given, R"({"filter":{"a":1},"text":"{}"})");
}

TEST_F(DispatcherTest, RecordsWhatWasDeniedAsWhatItWouldHaveDone) {
  all_stages();
  struct Last : FakeRecorder {
    using FakeRecorder::FakeRecorder;
    CallRecord last;
    void note(CallRecord record) override { last = std::move(record); }
  } recording(journal);
  stages.recorder = &recording;
  rules({.deny = {"save"}});
  call("save", R"({"text":"x"})");
  EXPECT_EQ(recording.last.effect, Effect::write);
}

TEST_F(DispatcherTest, LetsNoExceptionOut) {
  Outcome outcome = call("throwing", R"({"text":"x"})");
  EXPECT_EQ(outcome.error->message, "tool 'throwing' threw: boom");
  EXPECT_EQ(outcome.error->code, Code::internal);
}

TEST_F(DispatcherTest, ChecksTheOutputAgainstItsSchema) {
  Outcome outcome = call("lying", R"({"text":"x"})");
  EXPECT_EQ(outcome.error->type, "invalid_output");
}

TEST_F(DispatcherTest, StopsAtTheDeadlineAndOnCancellation) {
  EXPECT_EQ(call("waiting", R"({"text":"x"})", Cap::none, std::chrono::milliseconds(1)).error->code,
            Code::timeout);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(call("waiting", R"({"text":"x"})", Cap::none, {}, source.get_token()).error->code,
            Code::cancelled);
  EXPECT_EQ(call("waiting", R"({"text":"x"})", Cap::none, std::chrono::hours(1), source.get_token())
                .error->code,
            Code::cancelled);
}

TEST_F(DispatcherTest, StopsEveryCallAtItsOwnDeadline) {
  Dispatcher dispatcher(registry, {}, stages);
  auto wait = [&](std::chrono::milliseconds timeout, std::stop_token stop = {}) {
    return dispatcher
        .call({.tool = "waiting",
               .raw_arguments = R"({"text":"x"})",
               .who = who,
               .stop = stop,
               .timeout = timeout})
        .error->code;
  };
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(wait(std::chrono::milliseconds(1)), Code::timeout);  // one after the other
  std::stop_source patient;
  std::atomic<Code> late = Code::internal;
  std::jthread other(
      [&] { late = wait(std::chrono::hours(1), patient.get_token()); });  // one beside another
  EXPECT_EQ(wait(std::chrono::milliseconds(1)), Code::timeout);
  patient.request_stop();
  other.join();
  EXPECT_EQ(late, Code::cancelled);
}

TEST_F(DispatcherTest, RepairsConservativelyAndSaysSo) {
  Outcome outcome = call("echo", R"({"text":"x",})");
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.notes,
            (std::vector<std::string>{"arguments repaired: removed a trailing comma"}));
  EXPECT_EQ(call("echo", R"({"text":"x)").error->type, "invalid_json");
  EXPECT_EQ(call("echo", R"(["text"])").error->type, "invalid_json");
  EXPECT_EQ(call("echo", "").error->message, "text: required, but missing");
}

TEST_F(DispatcherTest, LetsManyThreadsCallAtOnce) {
  all_stages();
  stages.hooks = nullptr, stages.recorder = nullptr;
  Dispatcher dispatcher(registry, {}, stages);
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        right += dispatcher
                     .call({.tool = "echo",
                            .raw_arguments = R"({"text":"x"})",
                            .who = who,
                            .policy = &policy})
                     .ok();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 1600);
}

}  // namespace
}  // namespace helve::dispatch

// The promises of Store, kept by every engine.
#include "store/store.h"

#include "unit/store/support.h"

namespace helve::store {
namespace {

// One line per engine.
struct Engine {
  std::string name;
  Opener (*opener)(const TempDir& directory, const sys::Clock& clock);
};
const Engine kEngines[] = {
    {"sqlite",
     [](const TempDir& directory, const sys::Clock& clock) {
       return Opener(directory.file("state/helve.db"), {}, clock);
     }},
};

class EveryStore : public testing::TestWithParam<Engine> {
 protected:
  std::unique_ptr<Store> open() { return must(opener_.open()); }

  TempDir directory_;
  sys::ManualClock clock_{kNow};
  Opener opener_ = GetParam().opener(directory_, clock_);
  std::unique_ptr<Store> store_ = open();
};

INSTANTIATE_TEST_SUITE_P(Engine, EveryStore, testing::ValuesIn(kEngines),
                         [](const auto& info) { return info.param.name; });

std::vector<std::string> ids(const std::vector<CallRecord>& calls) {
  std::vector<std::string> ids;
  for (const CallRecord& call : calls) ids.push_back(call.id);
  return ids;
}
using Ids = std::vector<std::string>;

TEST_P(EveryStore, HasAVersion) { EXPECT_GE(must(store_->version()), 1); }

TEST_P(EveryStore, GivesASessionBackAsItWasMade) {
  must(store_->ensure_session({someone("s_1"), kNow}));
  const SessionRecord session = must(open()->session("s_1"));
  EXPECT_EQ(session.who.session, "s_1");
  EXPECT_EQ(session.who.agent, "coder");
  EXPECT_EQ(session.who.user, "ada");
  EXPECT_EQ(session.who.workspace, "/home/ada/engine");
  EXPECT_EQ(session.created_ms, kNow);
}

TEST_P(EveryStore, LeavesAnExistingSessionAsItIs) {
  must(store_->ensure_session({someone("s_1"), kNow}));
  must(store_->ensure_session({{.agent = "other", .session = "s_1"}, kNow + 5}));
  EXPECT_EQ(must(store_->session("s_1")).who.agent, "coder");
  EXPECT_EQ(must(store_->session("s_1")).created_ms, kNow);
}

TEST_P(EveryStore, FillsInTheIdentityOfASessionThatAResultMade) {
  must(store_->keep_result("s_1", "exec", Effect::execute, "text"));
  EXPECT_EQ(must(store_->session("s_1")).who.agent, "");
  must(store_->ensure_session({someone("s_1"), kNow + 5}));
  EXPECT_EQ(must(store_->session("s_1")).who.agent, "coder");
  EXPECT_EQ(must(store_->session("s_1")).created_ms, kNow);
}

TEST_P(EveryStore, SaysWhichSessionDoesNotExist) {
  const Result<SessionRecord> missing = store_->session("s_9");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_EQ(missing.error().type, "unknown_session");
  EXPECT_NE(missing.error().message.find("s_9"), std::string::npos);
}

TEST_P(EveryStore, ListsTheNewestSessionsFirst) {
  for (int i = 1; i <= 3; ++i)
    must(store_->ensure_session({someone("s_" + std::to_string(i)), kNow + i}));
  const std::vector<SessionRecord> sessions = must(store_->sessions(2));
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0].who.session, "s_3");
  EXPECT_EQ(sessions[1].who.session, "s_2");
}

TEST_P(EveryStore, RefusesASessionIdThatIsTooLong) {
  const std::string id(kMaxName + 1, 'x');
  EXPECT_EQ(store_->ensure_session({someone(id), kNow}).error().code, Code::invalid_argument);
  EXPECT_EQ(store_->keep_result(id, "exec", Effect::execute, "text").error().code,
            Code::invalid_argument);
}

TEST_P(EveryStore, KeepsEveryFieldOfACall) {
  CallRecord call = sample_call("c_1");
  call.effect = Effect::network;
  call.caller = Caller::model;
  call.outcome = "path_conflict";
  call.message = "it is \"there\"";
  call.decided = "person";
  call.output_bytes = 1u << 31;
  must(store_->add_calls({&call, 1}));
  const std::vector<CallRecord> calls = must(open()->calls({}));
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].id, call.id);
  EXPECT_EQ(calls[0].who.agent, call.who.agent);
  EXPECT_EQ(calls[0].who.user, call.who.user);
  EXPECT_EQ(calls[0].who.workspace, call.who.workspace);
  EXPECT_EQ(calls[0].who.session, call.who.session);
  EXPECT_EQ(calls[0].caller, call.caller);
  EXPECT_EQ(calls[0].tool, call.tool);
  EXPECT_EQ(calls[0].arguments, call.arguments);
  EXPECT_EQ(calls[0].effect, call.effect);
  EXPECT_EQ(calls[0].decided, call.decided);
  EXPECT_EQ(calls[0].started_ms, call.started_ms);
  EXPECT_EQ(calls[0].duration_us, call.duration_us);
  EXPECT_EQ(calls[0].outcome, call.outcome);
  EXPECT_EQ(calls[0].message, call.message);
  EXPECT_EQ(calls[0].output_bytes, call.output_bytes);
}

TEST_P(EveryStore, ShowsABegunCallAsRunningUntilItFinishes) {
  CallRecord call = sample_call("c_1");
  must(store_->begin_call(call));
  EXPECT_EQ(must(store_->calls({}))[0].outcome, "running");
  call.outcome = "timeout";
  call.duration_us = 77;
  must(store_->finish_call(call));
  const std::vector<CallRecord> calls = must(store_->calls({}));
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].outcome, "timeout");
  EXPECT_EQ(calls[0].duration_us, 77);
}

TEST_P(EveryStore, RefusesToBeginTheSameCallTwice) {
  must(store_->begin_call(sample_call("c_1")));
  const Result<void> again = store_->begin_call(sample_call("c_1"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::conflict);
  EXPECT_EQ(again.error().type, "duplicate_id");
}

TEST_P(EveryStore, WritesARepeatedBatchOnce) {
  const std::vector<CallRecord> batch{sample_call("c_1"), sample_call("c_2")};
  must(store_->add_calls(batch));
  must(store_->add_calls(batch));
  EXPECT_EQ(must(store_->calls({})).size(), 2u);
}

TEST_P(EveryStore, MakesTheSessionOfACall) {
  must(store_->begin_call(sample_call("c_1")));
  EXPECT_EQ(must(store_->session("s_1")).who.agent, "coder");
}

TEST_P(EveryStore, ListsTheNewestCallsFirstBySessionAndTool) {
  std::vector<CallRecord> batch;
  for (int i = 0; i < 6; ++i) {
    CallRecord call = sample_call("c_" + std::to_string(i), kNow + i);
    call.who.session = i % 2 ? "odd" : "even";
    call.tool = i < 3 ? "read" : "ls";
    batch.push_back(call);
  }
  must(store_->add_calls(batch));
  EXPECT_EQ(ids(must(store_->calls({.limit = 2}))), (Ids{"c_5", "c_4"}));
  EXPECT_EQ(ids(must(store_->calls({.session = "odd"}))), (Ids{"c_5", "c_3", "c_1"}));
  EXPECT_EQ(ids(must(store_->calls({.tool = "read"}))), (Ids{"c_2", "c_1", "c_0"}));
  EXPECT_EQ(ids(must(store_->calls({.session = "even", .tool = "ls"}))), (Ids{"c_4"}));
  EXPECT_EQ(ids(must(store_->calls({.session = ""}))), Ids{});
}

TEST_P(EveryStore, CutsWhatIsTooLongToRecord) {
  CallRecord call = sample_call("c_1");
  call.arguments.assign(kMaxRecordedArguments + 1, 'x');
  call.message.assign(kMaxRecordedMessage + 1, 'x');
  must(store_->add_calls({&call, 1}));
  const CallRecord kept = must(store_->calls({}))[0];
  EXPECT_EQ(kept.arguments.size(), kMaxRecordedArguments);
  EXPECT_EQ(kept.message.size(), kMaxRecordedMessage);
}

TEST_P(EveryStore, CountsResultsWithinEachSession) {
  EXPECT_EQ(must(store_->keep_result("s_1", "exec", Effect::execute, "a")).id, "lr_1");
  EXPECT_EQ(must(store_->keep_result("s_1", "grep", Effect::read, "b")).id, "lr_2");
  EXPECT_EQ(must(store_->keep_result("s_2", "exec", Effect::execute, "c")).id, "lr_1");
  EXPECT_EQ(must(store_->result_text("s_1", "lr_2")), "b");
  EXPECT_EQ(must(store_->result_text("s_2", "lr_1")), "c");
}

TEST_P(EveryStore, DescribesAStoredResult) {
  const Results::Stored kept = must(store_->keep_result("s_1", "exec", Effect::execute, "häß"));
  EXPECT_EQ(kept.tool, "exec");
  EXPECT_EQ(kept.chars, 3u);
  EXPECT_EQ(kept.created_ms, kNow);
  must(store_->keep_result("s_1", "grep", Effect::read, ""));
  const std::vector<Results::Stored> all = must(open()->results("s_1"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "lr_1");
  EXPECT_EQ(all[0].tool, "exec");
  EXPECT_EQ(all[0].chars, 3u);
  EXPECT_EQ(all[0].created_ms, kNow);
  EXPECT_EQ(all[1].id, "lr_2");
  EXPECT_TRUE(must(store_->results("s_2")).empty());
}

TEST_P(EveryStore, DoesNotKnowTheResultOfAnotherSession) {
  must(store_->keep_result("s_1", "exec", Effect::execute, "secret"));
  for (const char* id : {"lr_1", "lr_2", "lr_0", "lr_-1", "lr_01", "lr_1 ", "lr_", "1", "",
                         "lr_99999999999999999999"}) {
    const Result<std::string> text = store_->result_text("s_2", id);
    ASSERT_FALSE(text) << id;
    EXPECT_EQ(text.error().code, Code::not_found) << id;
    EXPECT_EQ(text.error().type, "unknown_id") << id;
  }
}

TEST_P(EveryStore, HintsAtTheResultsThatExist) {
  must(store_->keep_result("s_1", "exec", Effect::execute, "a"));
  must(store_->keep_result("s_1", "exec", Effect::execute, "b"));
  const Result<std::string> text = store_->result_text("s_1", "lr_3");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("lr_3"), std::string::npos);
  EXPECT_EQ(text.error().hint, "this session has lr_1 to lr_2");
}

TEST_P(EveryStore, KeepsEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  bytes += std::string("\0\xff\xc3\0", 4);
  const Results::Stored kept = must(store_->keep_result("s_1", "exec", Effect::execute, bytes));
  EXPECT_EQ(must(open()->result_text("s_1", kept.id)), bytes);
  CallRecord call = sample_call("c_1");
  call.arguments = call.message = call.who.workspace = call.who.session = call.tool = bytes;
  must(store_->add_calls({&call, 1}));
  const CallRecord back = must(open()->calls({.session = bytes, .tool = bytes})).at(0);
  EXPECT_EQ(back.arguments, bytes);
  EXPECT_EQ(back.message, bytes);
  EXPECT_EQ(back.who.workspace, bytes);
  EXPECT_EQ(back.who.session, bytes);
}

TEST_P(EveryStore, KeepsAResultOfTenMegabytes) {
  std::string text(10u << 20, 'x');
  for (size_t i = 0; i < text.size(); i += 1000) text[i] = static_cast<char>('a' + i / 1000 % 26);
  const Results::Stored kept = must(store_->keep_result("s_1", "exec", Effect::execute, text));
  EXPECT_TRUE(must(open()->result_text("s_1", kept.id)) == text);
}

TEST_P(EveryStore, GivesOnePageOfAResult) {
  std::string text;
  for (int i = 0; i < 8000; ++i) text += "é";
  text += std::string(8000, 'x') + "end";
  must(store_->keep_result("s_1", "exec", Effect::execute, text));
  const Results::Page second = must(store_->result_page("s_1", "lr_1", 2));
  EXPECT_EQ(second.text, std::string(8000, 'x'));
  EXPECT_EQ(second.chars, 16'003u);
  EXPECT_EQ(second.pages, 3u);
  EXPECT_EQ(must(store_->result_page("s_1", "lr_1", 1)).text, text.substr(0, 16'000));
  EXPECT_EQ(must(store_->result_page("s_1", "lr_1", 3)).text, "end");
  EXPECT_EQ(must(store_->result_page("s_1", "lr_1", 4)).text, "");
  EXPECT_EQ(must(store_->result_text("s_1", "lr_1")), text);
  EXPECT_EQ(store_->result_page("s_2", "lr_1", 1).error().type, "unknown_id");
}

TEST_P(EveryStore, GivesAnEmptyResultOneEmptyPage) {
  must(store_->keep_result("s_1", "exec", Effect::execute, ""));
  EXPECT_EQ(must(store_->result_page("s_1", "lr_1", 1)).pages, 1u);
  EXPECT_EQ(must(store_->result_page("s_1", "lr_1", 1)).text, "");
}

TEST_P(EveryStore, CutsPagesOfBytesThatAreNoTextAsItCountsThem) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += static_cast<char>(i * 7 + i / 251);
  must(store_->keep_result("s_1", "exec", Effect::execute, text));
  const std::uint64_t pages = must(store_->result_page("s_1", "lr_1", 1)).pages;
  std::string joined;
  for (std::uint64_t page = 1; page <= pages; ++page) {
    const Results::Page part = must(store_->result_page("s_1", "lr_1", page));
    EXPECT_EQ(part.text, Results::page_of(text, page).text);
    joined += part.text;
  }
  EXPECT_TRUE(joined == text);
}

TEST_P(EveryStore, RefusesAResultBeyondItsLimit) {
  // Nobody may look into it, so there need not be that many bytes.
  const std::string_view text("x", kMaxResultBytes + 1);
  EXPECT_EQ(store_->keep_result("s_1", "exec", Effect::execute, text).error().code,
            Code::too_large);
  EXPECT_TRUE(must(store_->results("s_1")).empty());
}

TEST_P(EveryStore, MarksCallsOfDeadProcessesAsLost) {
  Helper dead({"begin-and-die", opener_.path(), "c_dead"});
  ASSERT_EQ(dead.read_line(), "begun");
  dead.wait();
  EXPECT_EQ(must(store_->mark_lost(0)), 1u);
  const CallRecord call = must(store_->calls({})).at(0);
  EXPECT_EQ(call.outcome, "lost");
  EXPECT_NE(call.message, "");
  EXPECT_EQ(must(store_->mark_lost(0)), 0u);
}

TEST_P(EveryStore, LeavesCallsOfLiveProcessesRunning) {
  Helper alive({"begin", opener_.path(), "c_alive"});
  ASSERT_EQ(alive.read_line(), "begun");
  must(store_->begin_call(sample_call("c_own")));
  EXPECT_EQ(must(store_->mark_lost(kNow + 1000)), 0u);
  EXPECT_EQ(must(store_->calls({})).at(0).outcome, "running");
}

TEST_P(EveryStore, PrunesWhatIsTooOld) {
  must(store_->add_calls(
      std::vector{sample_call("c_old", kNow), sample_call("c_new", kNow + 2000)}));
  must(store_->keep_result("s_2", "exec", Effect::execute, "old"));
  clock_.advance(std::chrono::seconds(2));
  must(store_->keep_result("s_1", "exec", Effect::execute, "new"));
  const Pruned pruned = must(store_->prune({.age = std::chrono::seconds(1)}));
  EXPECT_EQ(pruned.calls, 1u);
  EXPECT_EQ(pruned.results, 1u);
  EXPECT_EQ(pruned.sessions, 1u);
  EXPECT_FALSE(pruned.more);
  EXPECT_EQ(ids(must(store_->calls({}))), Ids{"c_new"});
  EXPECT_FALSE(store_->session("s_2"));
  EXPECT_EQ(must(store_->result_text("s_1", "lr_1")), "new");
}

TEST_P(EveryStore, TellsWhoMadeEachCallOfABatch) {
  std::vector<CallRecord> batch;
  for (int i = 0; i < 4; ++i) {
    batch.push_back(sample_call("c_" + std::to_string(i), kNow + i));
    batch.back().who.agent = i % 2 == 0 ? "writer" : "reader";
  }
  must(store_->add_calls(batch));
  must(store_->prune({.calls = 2}));
  const std::vector<CallRecord> calls = must(store_->calls({}));
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].who, batch[3].who);
  EXPECT_EQ(calls[1].who, batch[2].who);
}

TEST_P(EveryStore, PrunesTheOldestOfTooMany) {
  std::vector<CallRecord> batch;
  for (int i = 0; i < 10; ++i) batch.push_back(sample_call("c_" + std::to_string(i), kNow + i / 2));
  must(store_->add_calls(batch));
  for (int i = 0; i < 4; ++i)
    must(store_->keep_result("s_1", "exec", Effect::execute, std::string(100, 'x')));
  const Pruned pruned = must(store_->prune({.calls = 3, .result_bytes = 250}));
  EXPECT_EQ(pruned.calls, 7u);
  EXPECT_EQ(pruned.results, 2u);
  EXPECT_EQ(ids(must(store_->calls({}))), (Ids{"c_9", "c_8", "c_7"}));
  EXPECT_EQ(must(store_->results("s_1")).at(0).id, "lr_3");
}

TEST_P(EveryStore, KeepsEverythingWithoutALimit) {
  must(store_->add_calls(std::vector{sample_call("c_1")}));
  must(store_->keep_result("s_1", "exec", Effect::execute, "text"));
  must(store_->prune({.calls = UINT64_MAX, .result_bytes = UINT64_MAX}));
  EXPECT_EQ(must(store_->calls({})).size(), 1u);
  EXPECT_EQ(must(store_->results("s_1")).size(), 1u);
}

TEST_P(EveryStore, PrunesInStepsUntilNothingIsLeftToPrune) {
  std::vector<CallRecord> batch;
  for (int i = 0; i < 45'000; ++i) batch.push_back(sample_call("c_" + std::to_string(i), kNow + i));
  must(store_->add_calls(batch));
  std::uint64_t calls = 0;
  int steps = 0;
  for (Pruned pruned{.more = true}; pruned.more; ++steps) {
    pruned = must(store_->prune({.calls = 10}));
    calls += pruned.calls;
  }
  EXPECT_EQ(calls, 44'990u);
  EXPECT_GT(steps, 1);
  EXPECT_EQ(must(store_->calls({})).size(), 10u);
}

TEST_P(EveryStore, NeverGivesTheNumberOfAPrunedResultAgain) {
  must(store_->keep_result("s_1", "exec", Effect::execute, "a"));
  must(store_->prune({.result_bytes = 0}));
  EXPECT_EQ(must(store_->keep_result("s_1", "exec", Effect::execute, "b")).id, "lr_2");
  EXPECT_FALSE(store_->result_text("s_1", "lr_1"));
}

TEST_P(EveryStore, LetsOneCallerClaimAChoreInEachPeriod) {
  const std::unique_ptr<Store> other = open();
  const std::chrono::hours period(1);
  EXPECT_TRUE(must(store_->claim_chore("prune", period)));
  EXPECT_FALSE(must(other->claim_chore("prune", period)));
  EXPECT_TRUE(must(other->claim_chore("other", period)));
  clock_.advance(period - std::chrono::milliseconds(1));
  EXPECT_FALSE(must(other->claim_chore("prune", period)));
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(must(other->claim_chore("prune", period)));
  EXPECT_FALSE(must(store_->claim_chore("prune", period)));
}

TEST_P(EveryStore, IsNotHeldUpByAClaimFromTheFuture) {
  clock_.advance(std::chrono::days(400));
  EXPECT_TRUE(must(store_->claim_chore("prune", std::chrono::hours(1))));
  clock_.advance(-std::chrono::days(400));
  EXPECT_TRUE(must(store_->claim_chore("prune", std::chrono::hours(1))));
}

TEST_P(EveryStore, GivesProcessesNumbersOfTheirOwn) {
  constexpr int kEach = 100;
  const std::vector<std::string> words{"keep", opener_.path(), "s_1", std::to_string(kEach)};
  Helper one(words);
  Helper two(words);
  one.release();
  two.release();
  std::set<std::string> seen;
  for (Helper* helper : {&one, &two}) {
    for (std::string id = helper->read_line(); !id.empty(); id = helper->read_line()) {
      EXPECT_TRUE(seen.insert(id).second) << id << " was given twice";
    }
  }
  EXPECT_EQ(seen.size(), 2u * kEach);
  EXPECT_EQ(must(store_->results("s_1")).size(), 2u * kEach);
}

}  // namespace
}  // namespace helve::store

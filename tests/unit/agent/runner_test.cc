#include "agent/runner.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agents.h"
#include "model/scripted.h"
#include "unit/dispatch/test_tools.h"
#include "unit/temp_store.h"

namespace helve::agent {
namespace {

using helve::testing::must;

// Answers "re: " and the last prompt; a prompt "wait" is answered when it is let through.
class EchoModel final : public model::Model {
 public:
  Result<model::Reply> stream(const model::Request& request, const model::Emit&,
                              std::stop_token stop) override {
    const std::string prompt = model::text_of(request.messages.back());
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.notify_all();
    const bool is_summary = request.system.starts_with("You summarise");
    if (prompt == "wait" || (is_summary && holds_summaries_)) {
      if (!changed_.wait(lock, stop, [&] { return let_ > 0; }))
        return Error{Code::cancelled, "stopped"};
      --let_;
    }
    model::Reply reply;
    const std::string text = is_summary ? "Much was said." : "re: " + prompt;
    reply.message = {model::Role::assistant, {model::Text{text}}};
    reply.usage = {.input = 10, .output = 1};
    return reply;
  }
  void let_through(int times = 1'000) {
    std::lock_guard lock(mutex_);
    let_ = times;
    changed_.notify_all();
  }
  void hold_summaries() { holds_summaries_ = true; }  // until they are let through
  // Until it was asked so often.
  void await(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= count; });
  }
  int asked() {
    std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> holds_summaries_ = false;
  int let_ = 0;
  int asked_ = 0;
};

class RunnerTest : public helve::testing::TempStore {
 protected:
  RunnerTest() {
    dispatcher_.emplace(registry_, dispatch::Capabilities{});
    make({});
  }
  void make(Runner::Options options) {
    runner_.reset();
    runner_ = std::make_unique<Runner>(
        store_, clock_,
        [this](const store::Conversation& conversation) -> Result<std::shared_ptr<const Setup>> {
          auto setup = std::make_shared<agent::Setup>();
          setup->model = model_;
          setup->dispatcher = &*dispatcher_;
          setup->who.session = conversation.session;
          return setup;
        },
        [this](const Event& event) {
          if (on_event_) on_event_(event);
          std::lock_guard lock(mutex_);
          const JsonObject object = to_json(event);
          events_.push_back(
              fmt::format("{} {}", event.session, std::string_view(string_at(object, "type"))));
        },
        options);
  }
  using Setup = agent::Setup;

  Result<std::shared_ptr<Work>> post(const std::string& text, const std::string& session = kSession,
                                     Lane lane = Lane::main) {
    return runner_->post({.session = session, .message = model::user_message(text), .lane = lane});
  }
  Ending end_of(const std::shared_ptr<Work>& work) { return must(work->wait({})); }

  Registry registry_ = *Registry::load(helve::testing::test_tools());
  std::optional<dispatch::Dispatcher> dispatcher_;
  std::shared_ptr<EchoModel> model_ = std::make_shared<EchoModel>();
  std::mutex mutex_;
  std::vector<std::string> events_;
  std::function<void(const Event&)> on_event_;  // set before anything runs
  std::unique_ptr<Runner> runner_;
};

TEST_F(RunnerTest, AnswersWhatIsPosted) {
  EXPECT_EQ(end_of(must(post("hello"))).text, "re: hello");
  EXPECT_EQ(runner_->work_of(kSession), nullptr) << "it rests";
  EXPECT_EQ(end_of(must(post("again"))).text, "re: again");
  EXPECT_EQ(runner_->post({.session = "s_none"}).error().type, "unknown_session");
}

TEST_F(RunnerTest, PostingALetterTwiceIsPostingItOnce) {
  const Letter letter{.session = kSession, .message = model::user_message("a"), .id = "p_1"};
  end_of(must(runner_->post(letter)));
  end_of(must(runner_->post(letter)));
  EXPECT_EQ(model_->asked(), 1);
}

TEST_F(RunnerTest, ASessionAnswersOneAfterAnother) {
  const auto first = must(post("wait"));
  model_->await(1);
  const auto second = must(post("more"));
  EXPECT_EQ(first, second) << "the same worker";
  model_->let_through();
  EXPECT_EQ(end_of(second).text, "re: more");
  EXPECT_EQ(model_->asked(), 2);
}

TEST_F(RunnerTest, ALaneHasItsLimit) {
  make({.limits = {1, 1, 1}});
  begin("s_2");
  begin("s_3");
  const auto first = must(post("wait"));
  model_->await(1);
  const auto second = must(post("b", "s_2"));
  EXPECT_EQ(end_of(must(post("c", "s_3", Lane::cron))).text, "re: c") << "another lane is free";
  EXPECT_FALSE(second->has_ended());
  model_->let_through();
  EXPECT_EQ(end_of(second).text, "re: b");
}

TEST_F(RunnerTest, StopsWhatRunsAndWhatWaits) {
  make({.limits = {1, 1, 1}});
  begin("s_2");
  const auto first = must(post("wait"));
  model_->await(1);
  const auto second = must(post("b", "s_2"));
  EXPECT_TRUE(runner_->stop("s_2"));
  EXPECT_EQ(end_of(second).end, End::cancelled);
  EXPECT_TRUE(runner_->stop(kSession));
  EXPECT_EQ(end_of(first).end, End::cancelled);
  EXPECT_FALSE(runner_->stop(kSession));
  EXPECT_EQ(end_of(runner_->resume("s_2", Lane::main)).text, "re: b") << "nothing is lost";
}

TEST_F(RunnerTest, WhoeverWatchesIsToldTheEndOfWhatNeverBegan) {
  make({.limits = {1, 1, 1}});
  begin("s_2");
  const auto first = must(post("wait"));
  model_->await(1);
  must(post("b", "s_2"));
  runner_->stop("s_2");
  std::lock_guard lock(mutex_);
  EXPECT_EQ(events_.back(), "s_2 end");
}

TEST_F(RunnerTest, TheEndOfASubagentThatNeverBeganIsTold) {
  make({.limits = {3, 1, 1}});
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  must(agents.spawn({.parent = kSession, .prompt = "wait", .in_background = true}, {}));
  model_->await(1);
  const std::string child =
      must(agents.spawn({.parent = kSession, .prompt = "task", .in_background = true}, {})).session;
  EXPECT_TRUE(runner_->stop(child));
  EXPECT_EQ(runner_->work_of(child), nullptr);
  EXPECT_EQ(use([&](store::Store& store) { return store.posts(child); }).size(), 0u);
  const auto remark = use([&](store::Store& store) { return store.last_entry(child, "remark"); });
  ASSERT_TRUE(remark);
  EXPECT_NE(remark->body.find("ended: cancelled"), std::string::npos) << remark->body;
  {
    std::lock_guard lock(mutex_);
    EXPECT_EQ(std::ranges::count(events_, child + " end"), 1);
    ASSERT_EQ(std::ranges::count(events_, "s_1 subagent_done"), 1);
  }
  model_->await(2);  // the parent is told
}

TEST_F(RunnerTest, WhatIsPostedWhileAnEndIsToldIsAnswered) {
  make({.limits = {3, 1, 1}});
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  std::shared_ptr<Work> work;
  on_event_ = [&](const Event& event) {
    if (const auto* ended = std::get_if<SubagentEnded>(&event.what); ended && !work)
      work = must(post("more", std::string(ended->session), Lane::subagent));
  };
  must(agents.spawn({.parent = kSession, .prompt = "wait", .in_background = true}, {}));
  model_->await(1);
  const std::string child =
      must(agents.spawn({.parent = kSession, .prompt = "task", .in_background = true}, {})).session;
  runner_->stop(child);
  ASSERT_TRUE(work);
  model_->let_through();
  EXPECT_EQ(end_of(work).text, "re: more");
}

TEST_F(RunnerTest, WhatIsPostedBeforeAnInterruptIsAnswered) {
  const auto work = must(post("wait"));
  model_->await(1);
  const auto same = must(post("now"));
  runner_->interrupt(kSession);
  EXPECT_EQ(end_of(same).text, "re: now");
}

TEST_F(RunnerTest, WhatIsPostedBeforeAStopWaitsForTheNext) {
  const auto work = must(post("wait"));
  model_->await(1);
  must(post("later"));
  runner_->stop(kSession);
  EXPECT_EQ(end_of(work).end, End::cancelled);
  EXPECT_EQ(model_->asked(), 1);
  EXPECT_EQ(end_of(must(post("now"))).text, "re: now");
  EXPECT_EQ(use([](store::Store& store) { return store.posts(kSession); }).size(), 0u);
}

TEST_F(RunnerTest, WhatTheLoopHasTakenIsNoReasonToGoOn) {
  for (const bool is_for_good : {false, true}) {
    const std::string session = is_for_good ? "s_stopped" : "s_interrupted";
    begin(session);
    const int asked = model_->asked();
    const auto work = must(post("wait", session));
    model_->await(asked + 1);
    must(post("wait", session));
    model_->let_through(1);
    model_->await(asked + 2);  // the second one is taken
    if (is_for_good)
      runner_->stop(session);
    else
      runner_->interrupt(session);
    EXPECT_EQ(end_of(work).end, End::cancelled);
    EXPECT_EQ(model_->asked(), asked + 2);
  }
}

TEST_F(RunnerTest, ASessionOfAnotherProcessIsLeftToIt) {
  int claimed[2], done[2];
  ASSERT_EQ(pipe(claimed), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(done[1]);
    store::SharedStore own(opener_);
    const auto got =
        own.use([](store::Store& store) { return store.claim_conversation(kSession); });
    char byte = got && *got ? 'y' : 'n';
    (void)!write(claimed[1], &byte, 1);
    (void)!read(done[0], &byte, 1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(claimed[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const Ending ending = end_of(must(post("a")));
  EXPECT_EQ(ending.error->type, "session_busy");
  EXPECT_EQ(ending.error->hint,
            "it has the message; what it leaves is answered by `helve --session s_1 run`");
  EXPECT_EQ(use([](store::Store& store) { return store.posts(kSession); }).size(), 1u);
  close(done[1]);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(end_of(runner_->resume(kSession, Lane::main)).text, "re: a") << "it died";
}

TEST_F(RunnerTest, ASessionIsCompactedByItsOwnWorker) {
  const std::string longer(5'000, 'x');
  end_of(must(post(longer)));
  end_of(must(post(longer)));
  model_->hold_summaries();
  const auto compacting = runner_->compact(kSession, Lane::main);
  model_->await(3);
  EXPECT_EQ(must(post("a")), compacting) << "one at a time";
  EXPECT_EQ(model_->asked(), 3);
  model_->let_through();
  EXPECT_EQ(end_of(compacting).text, "re: a");
  std::lock_guard lock(mutex_);
  EXPECT_EQ(std::ranges::count(events_, "s_1 compacted"), 1);
}

TEST_F(RunnerTest, ACompactionAsksNobodyAboutWhatWasLeft) {
  const auto stopped = must(post("wait"));
  model_->await(1);
  runner_->stop(kSession);
  EXPECT_EQ(end_of(stopped).end, End::cancelled);
  EXPECT_TRUE(end_of(runner_->compact(kSession, Lane::main)).ok());
  EXPECT_EQ(model_->asked(), 1) << "what was stopped stays so";
  model_->let_through();
  EXPECT_EQ(end_of(runner_->resume(kSession, Lane::main)).text, "re: wait");
}

TEST_F(RunnerTest, GoesWithWhatRuns) {
  const auto work = must(post("wait"));
  model_->await(1);
  runner_.reset();
  EXPECT_EQ(end_of(work).end, End::cancelled);
}

TEST_F(RunnerTest, ManySessionsAtOnce) {
  make({.limits = {8, 1, 1}});
  std::vector<std::shared_ptr<Work>> works;
  for (int i = 0; i < 100; ++i) {
    const std::string session = fmt::format("s_many_{}", i);
    begin(session);
    works.push_back(must(post(session, session)));
  }
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(end_of(works[static_cast<size_t>(i)]).text, fmt::format("re: s_many_{}", i));
}

TEST_F(RunnerTest, ASubagentHasASessionOfItsOwnAndItsCostIsTheParents) {
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  const Spawned spawned = must(agents.spawn({.parent = kSession, .prompt = "look\nclosely"}, {}));
  EXPECT_EQ(spawned.ending->text, "re: look\nclosely");
  const auto child = use([&](store::Store& store) { return store.conversation(spawned.session); });
  EXPECT_EQ(child.parent, kSession);
  EXPECT_EQ(child.title, "look");
  EXPECT_EQ(kit_of(child), Kit::inherit);
  EXPECT_EQ(use([](store::Store& store) { return store.conversation(kSession); }).spent.input, 10);
  EXPECT_TRUE(must(agents.descends(spawned.session, kSession)));
  EXPECT_FALSE(must(agents.descends(kSession, spawned.session)));
  EXPECT_EQ(agents.spawn({.parent = spawned.session, .prompt = "x"}, {}).error().type,
            "depth_limit");
  std::lock_guard lock(mutex_);
  EXPECT_EQ(events_.front(), "s_1 subagent_start");
  EXPECT_EQ(events_.back(), "s_1 subagent_done");
}

TEST_F(RunnerTest, WhatIsSpentBelowCountsAllTheWayUp) {
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 5, .workspace = ""});
  const Spawned outer = must(agents.spawn({.parent = kSession, .prompt = "a"}, {}));
  const auto spent = [&](const std::string& session) {
    return use([&](store::Store& store) { return store.conversation(session); }).spent.input;
  };
  EXPECT_EQ(spent(kSession), 10);
  // It rests, so that nobody else would pass it on.
  must(agents.spawn({.parent = outer.session, .prompt = "b"}, {}));
  EXPECT_EQ(spent(outer.session), 20);
  EXPECT_EQ(spent(kSession), 20);
  // It is at work: what it spends has what was spent for it.
  const auto work = must(post("wait", outer.session, Lane::subagent));
  model_->await(3);
  must(agents.spawn({.parent = outer.session, .prompt = "c"}, {}));
  EXPECT_EQ(spent(outer.session), 30);
  EXPECT_EQ(spent(kSession), 20) << "not before it ends";
  model_->let_through();
  EXPECT_EQ(end_of(work).usage.input, 20) << "its own and that";
}

TEST_F(RunnerTest, TheEndOfASubagentInTheBackgroundIsPosted) {
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  const Spawned spawned =
      must(agents.spawn({.parent = kSession, .prompt = "wait", .in_background = true}, {}));
  EXPECT_FALSE(spawned.ending);
  model_->await(1);
  model_->let_through();
  model_->await(2);  // the parent is told
  if (const auto work = runner_->work_of(kSession)) end_of(work);
  const auto entries = use([](store::Store& store) { return store.entries(kSession, 0, 10); });
  ASSERT_FALSE(entries.empty());
  EXPECT_NE(entries.front().body.find("has finished"), std::string::npos);
}

TEST_F(RunnerTest, WhatIsSpentAfterTheEndWasToldIsForThoseAbove) {
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  std::atomic<bool> was_taken = true;
  on_event_ = [&](const Event& event) {
    if (const auto* ended = std::get_if<SubagentEnded>(&event.what)) {
      Ending late;
      late.usage.input = 5;
      was_taken = runner_->charge(ended->session, late);
    }
  };
  must(agents.spawn({.parent = kSession, .prompt = "a", .in_background = true}, {}));
  model_->await(2);  // the parent is told
  EXPECT_FALSE(was_taken) << "nobody would have passed it on";
}

TEST_F(RunnerTest, ASubagentThatIsWokenByItsOwnTellsWhoBeganIt) {
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 5, .workspace = ""});
  const Spawned outer = must(agents.spawn({.parent = kSession, .prompt = "a"}, {}));
  must(agents.spawn({.parent = outer.session, .prompt = "b", .in_background = true}, {}));
  model_->await(4);  // both, the outer one that hears of it, and who began that
  if (const auto work = runner_->work_of(kSession)) end_of(work);
  const auto spent = use([](store::Store& store) { return store.conversation(kSession); }).spent;
  EXPECT_EQ(spent.input, 40) << "all of it";
}

TEST_F(RunnerTest, WhoWaitsForASubagentLeavesItsPlace) {
  make({.limits = {1, 1, 1}});
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 5, .workspace = ""});
  // As a tool of a sub-agent does: all of the lane's one place.
  const Spawned outer = must(agents.spawn({.parent = kSession, .prompt = "a"}, {}));
  const auto work = must(post("wait", outer.session, Lane::subagent));
  model_->await(2);
  const Spawned inner = must(agents.spawn({.parent = outer.session, .prompt = "b"}, {}));
  EXPECT_EQ(inner.ending->text, "re: b");
  model_->let_through();
  end_of(work);
}

TEST_F(RunnerTest, StoppingWhoWaitsStopsTheSubagent) {
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  std::stop_source stop;
  std::jthread stopper([&] {
    model_->await(1);
    stop.request_stop();
  });
  const Spawned spawned =
      must(agents.spawn({.parent = kSession, .prompt = "wait"}, stop.get_token()));
  EXPECT_EQ(spawned.ending->end, End::cancelled);
}

TEST_F(RunnerTest, WaitingHasAnEndAndTheWorkGoesOn) {
  const auto work = must(post("wait"));
  model_->await(1);
  const auto now = std::chrono::steady_clock::now();
  EXPECT_EQ(runner_->await(*work, "", {.until = now}).error().code, Code::timeout);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(runner_->await(*work, "", {.stop = stop.get_token()}).error().code, Code::cancelled);
  model_->let_through();
  EXPECT_EQ(end_of(work).text, "re: wait");
}

TEST_F(RunnerTest, NobodyWaitsInACircle) {
  begin("s_2");
  begin("s_3");
  const auto one = must(post("wait"));
  const auto two = must(post("wait", "s_2"));
  const auto three = must(post("wait", "s_3"));
  model_->await(3);
  std::jthread first([&] { must(runner_->await(*two, kSession, {})); });
  std::jthread second([&] { must(runner_->await(*three, "s_2", {})); });
  while (!runner_->is_awaited("s_3", kSession)) std::this_thread::yield();
  EXPECT_FALSE(runner_->is_awaited(kSession, "s_3"));
  EXPECT_EQ(runner_->await(*one, "s_3", {}).error().type, "would_wait_forever");
  EXPECT_EQ(runner_->await(*one, kSession, {}).error().type, "would_wait_forever") << "for itself";
  model_->let_through();
}

TEST_F(RunnerTest, WhatDidNotComeToItsEndSaysSo) {
  const auto work = must(post("wait"));
  model_->await(1);
  runner_->stop(kSession);
  end_of(work);
  const auto remark = use([](store::Store& store) { return store.last_entry(kSession, "remark"); });
  ASSERT_TRUE(remark);
  EXPECT_NE(remark->body.find("ended: cancelled"), std::string::npos) << remark->body;
}

TEST_F(RunnerTest, TheEndOfACallThatWasLeftOpenIsTold) {
  session::Answer answer;
  answer.message = {model::Role::assistant, {model::ToolCall{.id = "1", .name = "save"}}};
  answer.calls = {"c_1"};
  std::vector<store::Entry> entries;
  for (const session::Item& item :
       {session::Item(session::Prompt{"user", model::user_message("go")}), session::Item(answer)})
    entries.push_back(to_entry(item));
  use([&](store::Store& store) {
    return store.append_entries(kSession, entries, {}, store::Keep::process_death);
  });
  std::string told;
  on_event_ = [&](const Event& event) {
    if (const auto* ended = std::get_if<CallEnded>(&event.what))
      told = fmt::format("{} {} {}", ended->result.call_id, ended->tool,
                         text_of(ended->result.content));
  };
  EXPECT_TRUE(end_of(runner_->resume(kSession, Lane::main)).ok());
  EXPECT_TRUE(told.starts_with("1 save ")) << told;
  EXPECT_NE(told.find("not_run"), std::string::npos) << told;
  EXPECT_EQ(events_, (std::vector<std::string>{"s_1 result", "s_1 turn", "s_1 answer", "s_1 end"}));
}

// Calls a tool, and says something once `told_` is.
class CallingModel final : public model::Model {
 public:
  Result<model::Reply> stream(const model::Request& request, const model::Emit&,
                              std::stop_token) override {
    model::Reply reply;
    reply.message.role = model::Role::assistant;
    if (request.messages.size() == 1) {
      reply.message.parts.emplace_back(model::ToolCall{.name = "none", .arguments = "{}"});
      reply.stop = model::Stop::calls;
      return reply;
    }
    told_.wait(false);
    reply.message.parts.emplace_back(model::Text{"done"});
    return reply;
  }
  std::atomic<bool> told_ = false;
};

TEST_F(RunnerTest, WhoWaitsIsToldOfCalls) {
  const auto calling = std::make_shared<CallingModel>();
  runner_ = std::make_unique<Runner>(
      store_, clock_,
      [&](const store::Conversation& conversation) -> Result<std::shared_ptr<const Setup>> {
        auto setup = std::make_shared<agent::Setup>();
        setup->model = calling;
        setup->dispatcher = &*dispatcher_;
        setup->who.session = conversation.session;
        return setup;
      },
      [](const Event&) {}, Runner::Options{});
  Agents agents(store_, clock_, *runner_, {.cards = {}, .depth = 1, .workspace = ""});
  const auto tell = [&](const Work& work) {
    EXPECT_EQ(work.calls(), 1);
    calling->told_ = true;
    calling->told_.notify_all();
  };
  const Spawned spawned =
      must(agents.spawn({.parent = kSession, .prompt = "go", .on_calls = tell}, {}));
  EXPECT_EQ(spawned.ending->text, "done");
}

}  // namespace
}  // namespace helve::agent

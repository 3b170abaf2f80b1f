// The tools for sessions, with a real store, a real runner and a model that is told what to say.
#include <fmt/format.h>

#include "agent/agents.h"
#include "dispatch/dispatcher.h"
#include "session/item.h"
#include "store/call_store.h"
#include "unit/temp_store.h"
#include "unit/tools/fixture.h"

namespace helve {
namespace {

using helve::testing::must;

// Answers "re: " and the last prompt; "wait" when it may, "fail" never, "call TOOL ARGUMENTS" with
// that call first.
class TestModel final : public model::Model {
 public:
  Result<model::Reply> stream(const model::Request& request, const model::Emit&,
                              std::stop_token stop) override {
    const model::Message& last = request.messages.back();
    model::Reply reply;
    reply.message.role = model::Role::assistant;
    reply.usage = {.input = 10, .output = 1};
    if (last.role == model::Role::tool) {
      const auto& result = std::get<model::ToolResult>(last.parts.front());
      reply.message.parts.emplace_back(model::Text{"it said: " + text_of(result.content)});
      return reply;
    }
    const std::string prompt = model::text_of(last);
    if (prompt == "fail") return Error{Code::network, "the provider is away"};
    if (prompt == "wait") {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, stop, [&] { return open_; });
      if (stop.stop_requested()) return Error{Code::cancelled, "stopped"};
    }
    if (prompt.starts_with("call ")) {
      const size_t space = prompt.find(' ', 5);
      reply.message.parts.emplace_back(model::ToolCall{.name = prompt.substr(5, space - 5),
                                                       .arguments = prompt.substr(space + 1)});
      reply.stop = model::Stop::calls;
      return reply;
    }
    reply.message.parts.emplace_back(model::Text{"re: " + prompt});
    return reply;
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void await_waiting() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
  int waiting_ = 0;
};

class SessionTools : public helve::testing::TempStore {
 protected:
  SessionTools() {
    dispatcher_.emplace(
        registry_, dispatch::Capabilities{.agents = &on_demand_, .clock = &clock_, .store = [this] {
                                            return std::make_shared<store::CallStore>(opener_);
                                          }});
    make_runner({});
  }

  void make_runner(agent::Runner::Options options) {
    runner_.emplace(
        store_, clock_,
        [this](const store::Conversation& conversation)
            -> Result<std::shared_ptr<const agent::Setup>> {
          auto setup = std::make_shared<agent::Setup>();
          setup->model = model_;
          setup->dispatcher = &*dispatcher_;
          setup->who.session = conversation.session;
          return setup;
        },
        [](const agent::Event&) {}, options);
    agents_.emplace(
        store_, clock_, *runner_,
        agent::Agents::Options{.cards = {{"main", "", "m"}, {"reviewer", "Looks for mistakes", ""}},
                               .depth = 2,
                               .workspace = ""});
  }

  Answer call(std::string_view tool, const std::string& arguments,
              const std::string& session = kSession, Listener* listener = nullptr) {
    const Identity who{.agent = "main", .user = "", .workspace = "", .session = session};
    const dispatch::Outcome outcome = dispatcher_->call({.tool = tool,
                                                         .raw_arguments = arguments,
                                                         .caller = caller_,
                                                         .who = who,
                                                         .named_session = true,
                                                         .listener = listener});
    Answer answer;
    answer.ok = outcome.ok();
    if (outcome.error) {
      answer.error = *outcome.error;
    } else {
      answer.value = parse_json(outcome.product.json).value();
      answer.text = text_of(outcome.product.content);
    }
    return answer;
  }
  std::string id_of(const Answer& answer) {
    EXPECT_TRUE(answer.ok) << describe(answer.error);
    return std::string(string_at(answer.value, "session_id"));
  }
  // The only sub-agent.
  Json only(const Answer& answer) {
    const Json* const all = find(answer.value, "subagents");
    EXPECT_TRUE(answer.ok && all && all->get_array().size() == 1) << describe(answer.error);
    return all && !all->get_array().empty() ? all->get_array().front() : Json();
  }
  // What is posted when work has ended comes a moment later.
  void await_said(const std::string& session, std::string_view text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string said;
    while (!has(said, text) && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
      said = call("sessions_history", R"({"session_id": ")" + session + R"("})").text;
    }
    EXPECT_TRUE(has(said, text)) << said;
  }
  // Until nothing is at work.
  void settle() {
    while (!runner_->at_work().empty()) {
      for (const auto& work : runner_->at_work()) must(work->wait({}));
    }
  }

  Registry registry_ = *Registry::load(builtin_tools());
  std::shared_ptr<TestModel> model_ = std::make_shared<TestModel>();
  std::optional<dispatch::Dispatcher> dispatcher_;
  std::optional<agent::Agents> agents_;  // goes after the runner
  std::optional<agent::Runner> runner_;
  agent::AgentsOnDemand on_demand_{[this]() -> Result<agent::Agents*> { return &*agents_; }};
  Caller caller_ = Caller::test;
};

std::string about(const std::string& session, const std::string& more = "") {
  return fmt::format(R"({{"session_id": "{}"{}}})", session, more);
}

TEST_F(SessionTools, NeedAgentsAndAStore) {
  dispatcher_.emplace(registry_, dispatch::Capabilities{});
  for (const char* tool : {"agents_list", "agent", "sessions_spawn"})
    EXPECT_EQ(kind_of(call(tool, tool == std::string("agents_list") ? "{}" : R"({"prompt": "x"})")),
              "unsupported no_agents");
  EXPECT_EQ(kind_of(call("sessions_send", R"({"session_id": "s_2", "content": "x"})")),
            "unsupported no_agents");
  EXPECT_EQ(kind_of(call("sessions_list", "{}")), "unsupported no_store");
}

TEST_F(SessionTools, AgentsAreListed) {
  EXPECT_EQ(call("agents_list", "{}").text, "main · m\nreviewer · Looks for mistakes\n");
}

TEST_F(SessionTools, ASubagentAnswersAndIsCounted) {
  const Answer answer = call("sessions_spawn", R"({"prompt": "look around"})");
  ASSERT_TRUE(answer.ok) << describe(answer.error);
  EXPECT_EQ(answer["text"], "re: look around");
  EXPECT_EQ(answer["outcome"], "done");
  EXPECT_EQ(answer["turns"], 1);
  EXPECT_EQ(answer["input_tokens"], 10);
  EXPECT_TRUE(answer.lacks("cost_usd")) << "nobody knows the price";
  const std::string id = id_of(answer);
  const auto child = use([&](store::Store& store) { return store.conversation(id); });
  EXPECT_EQ(agent::kit_of(child), agent::Kit::read_only);
  EXPECT_EQ(only(call("subagents", "{}")).at("state"), "done");
  EXPECT_EQ(call("subagents", "{}", "s_other").text, "no sub-agents\n");
}

TEST_F(SessionTools, AnAgentInheritsAndHasATitle) {
  const Answer answer =
      call("Task", R"({"prompt": "go", "description": "Fix it", "subagent_type": "reviewer"})");
  const std::string id = id_of(answer);
  const auto child = use([&](store::Store& store) { return store.conversation(id); });
  EXPECT_EQ(agent::kit_of(child), agent::Kit::inherit);
  EXPECT_EQ(child.title, "Fix it");
  EXPECT_EQ(child.agent, "reviewer");
  EXPECT_EQ(kind_of(call("agent", R"({"prompt": "x", "agent": "reviwer"})")),
            "not_found unknown_agent");
}

TEST_F(SessionTools, AFailingSubagentIsAnErrorThatTellsOfIt) {
  const Answer answer = call("agent", R"({"prompt": "fail"})");
  EXPECT_EQ(kind_of(answer), "network session_failed");
  EXPECT_TRUE(has(answer.error.message, "ended with 'failed': the provider is away"))
      << answer.error.message;
  EXPECT_EQ(string_at(answer.error.details, "outcome"), "failed");
  EXPECT_EQ(only(call("subagents", "{}")).at("state"), "failed");
}

TEST_F(SessionTools, ASubagentsCallsAreToldMeanwhile) {
  struct Told final : Listener {
    void progress(double done, std::optional<double>, std::string_view message) override {
      last = fmt::format("{} {}", done, message);
    }
    void log(Level, std::string_view) override {}
    std::string last;
  } told;
  const Answer answer = call("agent", R"({"prompt": "call sessions_status {}"})", kSession, &told);
  ASSERT_TRUE(answer.ok) << describe(answer.error);
  EXPECT_EQ(answer["calls"], 1);
  EXPECT_TRUE(told.last.empty() || told.last == "1 1 calls, 0 s") << told.last;
}

TEST_F(SessionTools, ASubagentInTheBackgroundCanBeSteeredAndStopped) {
  const Answer begun = call("agent", R"({"prompt": "wait", "background": true})");
  const std::string id = id_of(begun);
  EXPECT_EQ(begun["outcome"], "started");
  model_->await_waiting();
  EXPECT_EQ(only(call("subagents", "{}")).at("state"), "in_progress");
  EXPECT_EQ(kind_of(call("subagents", about(id, R"(, "action": "stop")"), "s_other")),
            "denied not_own");
  EXPECT_EQ(only(call("subagents", about(id, R"(, "action": "stop")"))).at("state"), "stopped");
  settle();
  EXPECT_EQ(kind_of(call("subagents", about(id, R"(, "action": "stop")"))), "conflict not_at_work");
  ASSERT_TRUE(call("subagents", about(id, R"(, "action": "steer", "message": "go on")")).ok);
  settle();
  EXPECT_EQ(only(call("subagent_list", "{}")).at("state"), "done");
  await_said(kSession, "ended with 'cancelled'");
  await_said(kSession, "has finished:\n\nre: go on");
  EXPECT_EQ(kind_of(call("subagents", R"({"action": "stop"})")), "invalid_argument invalid_input");
}

TEST_F(SessionTools, ASubagentThatIsStoppedBeforeItBeganIsDoneWithAndItsParentHears) {
  make_runner({.limits = {3, 1, 1}});
  const std::string first = id_of(call("agent", R"({"prompt": "wait", "background": true})"));
  model_->await_waiting();
  const std::string second = id_of(call("agent", R"({"prompt": "the task", "background": true})"));
  const Answer stopped = call("subagents", about(second, R"(, "action": "stop")"));
  EXPECT_EQ(only(stopped).at("state"), "stopped");
  await_said(kSession, "ended with 'cancelled'");
  ASSERT_TRUE(call("subagents", about(second, R"(, "action": "steer", "message": "else")")).ok);
  model_->open();
  settle();
  const Answer history = call("sessions_history", about(second));
  EXPECT_TRUE(has(history.text, "re: else")) << history.text;
  EXPECT_FALSE(has(history.text, "the task")) << history.text;
}

TEST_F(SessionTools, AMessageIsAnsweredByTheOtherSession) {
  begin("s_2");
  const Answer answer = call("sessions_send", about("s_2", R"(, "content": "hello")"));
  EXPECT_EQ(answer["answer"], "re: hello");
  EXPECT_EQ(answer["answered"], true);
  const Answer history = call("sessions_history", about("s_2"));
  EXPECT_TRUE(has(history.text, "1 · user s_1 · ")) << history.text;
  EXPECT_EQ(kind_of(call("sessions_send", about(kSession, R"(, "content": "me")"))),
            "invalid_argument own_session");
  EXPECT_EQ(kind_of(call("sessions_send", about("s_none", R"(, "content": "x")"))),
            "not_found unknown_session");
}

TEST_F(SessionTools, WhoDoesNotWaitLongIsToldThatItIsOnItsWay) {
  begin("s_2");
  const Answer none =
      call("sessions_send", about("s_2", R"(, "content": "wait", "timeout_seconds": 0)"));
  EXPECT_EQ(none["answered"], false) << describe(none.error);
  model_->open();
  settle();
  EXPECT_TRUE(has(call("sessions_history", about("s_2")).text, "re: wait"));
  const Answer sent = call("sessions_send", about("s_2", R"(, "content": "b", "wait": false)"));
  EXPECT_EQ(sent["answered"], false);
  settle();
  EXPECT_TRUE(has(call("sessions_history", about("s_2")).text, "re: b"));
}

TEST_F(SessionTools, WhatASubagentSpendsForAMessageCountsForThoseAboveIt) {
  const std::string child = id_of(call("agent", R"({"prompt": "a"})"));
  const auto spent = [&](const std::string& session) {
    return use([&](store::Store& store) { return store.conversation(session); }).spent.input;
  };
  EXPECT_EQ(spent(kSession), 10);
  const Answer answer = call("sessions_send", about(child, R"(, "content": "b")"));
  EXPECT_EQ(answer["answer"], "re: b") << describe(answer.error);
  EXPECT_EQ(spent(child), 20);
  EXPECT_EQ(spent(kSession), 20);
  begin("s_2");  // it does not matter who asks
  ASSERT_TRUE(call("sessions_send", about(child, R"(, "content": "c", "wait": false)"), "s_2").ok);
  settle();
  EXPECT_EQ(spent(kSession), 30);
  EXPECT_EQ(spent("s_2"), 0);
  EXPECT_FALSE(has(call("sessions_history", about(kSession)).text, "has finished"))
      << "the answer is for who asked";
}

TEST_F(SessionTools, AChildCannotWaitForWhoWaitsForIt) {
  // The session lets a sub-agent run, which sends to the session.
  const std::string inner =
      R"(call sessions_send {\\\"session_id\\\": \\\"s_1\\\", \\\"content\\\": \\\"?\\\"})";
  const std::string prompt = "call agent {\\\"prompt\\\": \\\"" + inner + "\\\"}";
  const Json text = parse_json("\"" + prompt + "\"").value();
  must(runner_->post(
      {.session = kSession, .message = model::user_message(std::string(text.as_string()))}));
  settle();
  const Answer history = call("sessions_history", about(kSession, R"(, "include_tools": true)"));
  EXPECT_TRUE(has(history.text, "would_wait_forever")) << history.text;
  EXPECT_TRUE(has(history.text, "wait=false")) << history.text;
}

TEST_F(SessionTools, SessionsAreListedRenamedAndDeleted) {
  begin("s_2", kSession);
  ASSERT_TRUE(call("sessions_send", about("s_2", R"(, "content": "the needle")")).ok);
  ASSERT_TRUE(call("sessions_rename", about("s_2", R"(, "title": "Sewing")")).ok);
  const Answer found = call("sessions_list", R"({"query": "needle"})");
  EXPECT_TRUE(has(found.text, "Sewing · 2 entries · 11 tokens · ")) << found.text;
  EXPECT_FALSE(has(found.text, "s_1 ·"));
  EXPECT_TRUE(has(call("sessions_list", R"({"limit": 1})").text, "there are more"));
  EXPECT_TRUE(has(call("sessions_list", R"({"parent": "s_1"})").text, "s_2"));
  use([](store::Store& store) { return store.claim_conversation("s_2"); });
  EXPECT_EQ(kind_of(call("sessions_delete", about("s_2"))), "conflict session_busy");
  use([](store::Store& store) { return store.release_conversation("s_2"); });
  EXPECT_EQ(call("sessions_delete", about("s_2"))["entries"], 2);
  EXPECT_EQ(kind_of(call("sessions_delete", about("s_2"))), "not_found unknown_session");
  EXPECT_EQ(kind_of(call("sessions_rename", about("s_2", R"(, "title": "x")"))),
            "not_found unknown_session");
}

TEST_F(SessionTools, AForkEndsWhereNoCallIsOpen) {
  begin("s_2");
  ASSERT_TRUE(call("sessions_send", about("s_2", R"(, "content": "call sessions_status {}")")).ok);
  const Answer fork = call("sessions_fork", about("s_2", R"(, "at": 2, "title": "Again")"));
  EXPECT_EQ(fork["entries"], 1);
  EXPECT_TRUE(has(fork.text, "ends with entry 1")) << fork.text;
  const std::string id = id_of(fork);
  EXPECT_EQ(use([&](store::Store& store) { return store.conversation(id); }).title, "Again");
  EXPECT_EQ(call("sessions_fork", about("s_2"))["entries"], 4);
  EXPECT_EQ(kind_of(call("sessions_fork", about("s_2", R"(, "at": 9)"))),
            "invalid_argument no_entry");
  // It goes on from there.
  EXPECT_TRUE(
      has(call("sessions_send", about(id, R"(, "content": "and now")")).text, "re: and now"));
}

TEST_F(SessionTools, TheStatusAndTheWholeOfASession) {
  begin("s_2");
  ASSERT_TRUE(call("sessions_send", about("s_2", R"(, "content": "call sessions_status {}")")).ok);
  const Answer status = call("session_status", about("s_2"));
  EXPECT_EQ(status["messages"], 3);
  EXPECT_EQ(status["entries"], 4);
  EXPECT_EQ(status["input_tokens"], 20);
  EXPECT_EQ(status["context_tokens"], 11);
  EXPECT_EQ(status["state"], "done");
  EXPECT_EQ(call("sessions_status", "{}", "s_nobody")["messages"], 0) << "its own";
  EXPECT_EQ(kind_of(call("sessions_status", about("s_nobody"))), "not_found unknown_session");
  const Answer markdown = call("sessions_export", about("s_2"));
  EXPECT_TRUE(has(markdown.text, "Calls `sessions_status`")) << markdown.text;
  EXPECT_TRUE(has(markdown.text, "## 4 · assistant"));
  const Answer lines = call("sessions_export", about("s_2", R"(, "format": "jsonl")"));
  EXPECT_EQ(std::ranges::count(lines.text, '\n'), 5);
}

TEST_F(SessionTools, NoneIsAmongWhatASubagentOnlyReadsWith) {
  for (const std::string& name : agent::read_only_tools()) {
    const Registry::Found found = registry_.find(name);
    EXPECT_TRUE(!found.tool || found.tool->spec.group != "sessions") << name;
  }
}

TEST_F(SessionTools, AtAShellNothingStaysInTheBackground) {
  caller_ = Caller::cli;
  EXPECT_EQ(kind_of(call("agent", R"({"prompt": "x", "background": true})")),
            "unsupported no_background");
}

}  // namespace
}  // namespace helve

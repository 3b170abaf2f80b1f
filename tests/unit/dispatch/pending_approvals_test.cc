#include "dispatch/pending_approvals.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "sys/clock.h"

namespace helve::dispatch {
namespace {

using Answer = Approver::Answer;
using Event = PendingApprovals::Event;

class PendingApprovalsTest : public ::testing::Test {
 protected:
  using Told = std::function<void(Event, const PendingApprovals::Pending&)>;

  Approver::Question question(std::string session = "s_1") {
    return {.who = {.session = std::move(session)}, .tool = "save", .no_rule = "it is too long"};
  }
  // Asks, and does this once the question is open.
  Result<Answer> ask(const std::function<void(const std::string& id)>& then,
                     std::stop_token stop = {}) {
    on_asked = then;
    return pending.ask(question(), stop);
  }
  // "asked", "answered once", …
  std::vector<std::string> events;
  std::function<void(const std::string& id)> on_asked;
  sys::ManualClock clock;
  PendingApprovals pending{
      clock,
      [this](Event event, const PendingApprovals::Pending& what, std::optional<Answer> answer) {
        static constexpr const char* kNames[] = {"asked", "answered", "withdrawn"};
        events.push_back(kNames[static_cast<size_t>(event)] +
                         (answer ? " " + std::string(name_of(*answer)) : ""));
        if (event == Event::asked && on_asked) on_asked(what.id);
      }};
};

TEST_F(PendingApprovalsTest, AQuestionWaitsUntilItIsAnsweredById) {
  std::string id;
  std::thread person;
  const Result<Answer> answer = ask([&](const std::string& asked) {
    id = asked;
    const auto open = pending.list();
    ASSERT_EQ(open.size(), 1u);
    EXPECT_EQ(open[0].id, asked);
    EXPECT_EQ(open[0].question.tool, "save");
    person = std::thread([&] { EXPECT_TRUE(pending.answer(id, Answer::session)); });
  });
  person.join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, Answer::session);
  EXPECT_TRUE(pending.list().empty());
}

TEST_F(PendingApprovalsTest, TellsWhatHappens) {
  (void)ask([&](const std::string& id) { EXPECT_TRUE(pending.answer(id, Answer::once)); });
  std::stop_source stop;
  const auto withdrawn = ask([&](const std::string&) { stop.request_stop(); }, stop.get_token());
  EXPECT_EQ(withdrawn.error().code, Code::cancelled);
  EXPECT_EQ(events, (std::vector<std::string>{"asked", "answered once", "asked", "withdrawn"}));
}

TEST_F(PendingApprovalsTest, AnAnswerCountsOnce) {
  const Result<Answer> answer = ask([&](const std::string& id) {
    EXPECT_TRUE(pending.answer(id, Answer::deny));
    EXPECT_EQ(pending.answer(id, Answer::once).error().type, "unknown_id");
  });
  EXPECT_EQ(*answer, Answer::deny);
  EXPECT_EQ(pending.answer("a_1", Answer::once).error().message, "no question 'a_1' is open");
}

TEST_F(PendingApprovalsTest, ForEverNeedsARule) {
  const Result<Answer> answer = ask([&](const std::string& id) {
    const Result<void> taken = pending.answer(id, Answer::always);
    EXPECT_EQ(taken.error().message, "it cannot be allowed for ever: it is too long");
    EXPECT_TRUE(pending.answer(id, Answer::once));
  });
  EXPECT_EQ(*answer, Answer::once);
}

TEST_F(PendingApprovalsTest, WhoeverShowsTheQuestionMayFail) {
  const Result<Answer> answer = ask([&](const std::string& id) {
    EXPECT_TRUE(pending.fail(id, Error{Code::unavailable, "the page was closed"}));
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "the page was closed");
}

TEST_F(PendingApprovalsTest, ListsTheQuestionsOfOneSession) {
  (void)ask([&](const std::string& id) {
    EXPECT_EQ(pending.list("s_1").size(), 1u);
    EXPECT_TRUE(pending.list("s_2").empty());
    EXPECT_TRUE(pending.answer(id, Answer::deny));
  });
}

TEST_F(PendingApprovalsTest, TooManyQuestionsAreRefused) {
  // Each question is asked while the one before it is open.
  std::optional<Error> refused;
  size_t open = 0;
  std::stop_source stop;
  on_asked = [&](const std::string&) {
    if (++open <= PendingApprovals::kMaxPending) {
      Result<Answer> answer = pending.ask(question(), stop.get_token());
      if (answer.error().code == Code::unavailable) refused = answer.error();
    }
    stop.request_stop();
  };
  (void)pending.ask(question(), stop.get_token());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->message, "1000 questions are open already");
  EXPECT_EQ(open, PendingApprovals::kMaxPending);
}

TEST_F(PendingApprovalsTest, ManyAskAndAreAnsweredAtOnce) {
  constexpr size_t kMany = 16;
  std::vector<std::future<Result<Answer>>> answers;
  PendingApprovals quiet(clock);
  for (size_t i = 0; i < kMany; ++i)
    answers.push_back(std::async(std::launch::async, [&] { return quiet.ask(question(), {}); }));
  for (size_t answered = 0; answered < kMany;) {
    for (const auto& each : quiet.list())
      answered += quiet.answer(each.id, Answer::once).has_value();
    std::this_thread::yield();
  }
  for (auto& answer : answers) EXPECT_EQ(*answer.get(), Answer::once);
}

}  // namespace
}  // namespace helve::dispatch

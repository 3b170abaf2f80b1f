// What a session is told once goes with its next answer, whatever that is.
#include <gtest/gtest.h>

#include "dispatch/dispatcher.h"
#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

struct FakeNotices : Notices {
  std::vector<std::string> waiting;
  std::vector<std::string> told, returned;

  bool has_any() const override { return !waiting.empty(); }
  Taken take(const Identity& who, Caller) override {
    EXPECT_EQ(who.session, "s_1");
    Taken taken{.lines = waiting, .ids = waiting};
    waiting.clear();
    return taken;
  }
  void arrived(std::string_view session, const std::vector<std::string>& ids) override {
    EXPECT_EQ(session, "s_1");
    told = ids;
  }
  void failed(std::string_view, const std::vector<std::string>& ids) override { returned = ids; }
};

class NoticesTest : public ::testing::Test {
 protected:
  Outcome call(std::string_view tool) {
    return dispatcher_.call({.tool = tool, .raw_arguments = R"({"text":"hi"})", .who = who_});
  }

  using Lines = std::vector<std::string>;
  const Identity who_{"main", "ann", "/w", "s_1"};
  const Registry registry_ = *Registry::load(helve::testing::test_tools());
  FakeNotices notices_;
  Dispatcher dispatcher_{registry_, {}, {.notices = &notices_}};
};

TEST_F(NoticesTest, GoWithTheNextAnswerAndCountAsToldWhenItIsGone) {
  notices_.waiting = {"j_1"};
  {
    const Outcome outcome = call("echo");
    EXPECT_EQ(outcome.notes, Lines{"j_1"});
    EXPECT_TRUE(notices_.told.empty());
  }
  EXPECT_EQ(notices_.told, Lines{"j_1"});
  EXPECT_EQ(call("echo").notes, Lines{});
}

TEST_F(NoticesTest, GoWithAFailure) {
  notices_.waiting = {"j_1"};
  const Outcome outcome = call("throwing");
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.notes, Lines{"j_1"});
}

TEST_F(NoticesTest, WaitWhenThereIsNoSuchTool) {
  notices_.waiting = {"j_1"};
  call("nothing");
  EXPECT_EQ(notices_.waiting, Lines{"j_1"});
}

TEST_F(NoticesTest, ComeBackWhenTheAnswerDidNotArrive) {
  notices_.waiting = {"j_1"};
  call("echo").telling->did_not_arrive();
  EXPECT_EQ(notices_.returned, Lines{"j_1"});
  EXPECT_TRUE(notices_.told.empty());
}

}  // namespace
}  // namespace helve::dispatch

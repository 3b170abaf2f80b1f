// Progress: for the token of the request, growing, not too often.
#include "mcp/call_listener.h"
#include "unit/mcp/world.h"

namespace helve::mcp::testing {
namespace {

struct Progress : ::testing::Test {
  Mailbox mailbox;
  sys::ManualClock clock;
  std::atomic<int> level = 1;
  Request request;
  CallListener listener{mailbox, request, "count", clock, level};

  Progress() {
    request.progress_token = "\"t\"";
    request.stop = std::stop_source();
  }

  // The numbers told so far.
  std::vector<double> told() {
    std::vector<double> numbers;
    for (const std::string& line : lines(mailbox.take())) {
      EXPECT_EQ(at(json(line), "params/progressToken"), "t");
      numbers.push_back(at(json(line), "params/progress").to_number<double>());
    }
    return numbers;
  }
  void tell(double done) {
    listener.progress(done, 10, "m");
    clock.advance(std::chrono::milliseconds(100));
  }
};

using Numbers = std::vector<double>;

TEST_F(Progress, IsToldWithTotalAndMessage) {
  listener.progress(2.5, 10, "half \"way\"");
  EXPECT_EQ(
      mailbox.take(),
      R"({"jsonrpc":"2.0","method":"notifications/progress",)"
      R"("params":{"progressToken":"t","progress":2.5,"total":10.0,"message":"half \"way\""}})"
      "\n");
}

TEST_F(Progress, HasNoMessageIn2024) {
  request.version = Version::v2024_11_05;
  listener.progress(1, {}, "m");
  EXPECT_EQ(
      mailbox.take(),
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1.0}})"
      "\n");
}

TEST_F(Progress, IsNotToldWithoutAToken) {
  request.progress_token.clear();
  tell(1);
  listener.close();
  EXPECT_EQ(mailbox.take(), "");
}

TEST_F(Progress, OnlyGrows) {
  for (double done : {1.0, 1.0, 0.5, 2.0, -1.0, 3.0}) tell(done);
  EXPECT_EQ(told(), (Numbers{1, 2, 3}));
}

TEST_F(Progress, MayBeginBelowZero) {
  tell(-5);
  tell(-4);
  EXPECT_EQ(told(), (Numbers{-5, -4}));
}

TEST_F(Progress, IgnoresWhatIsNoNumber) {
  tell(std::numeric_limits<double>::quiet_NaN());
  tell(std::numeric_limits<double>::infinity());
  listener.close();
  EXPECT_EQ(told(), Numbers{});
}

TEST_F(Progress, IsToldTwentyTimesASecondAtMostAndTheLastOneAlways) {
  for (int i = 0; i < 1000; ++i) {
    listener.progress(i, 1000, "");
    clock.advance(std::chrono::milliseconds(1));
  }
  const Numbers numbers = told();
  EXPECT_EQ(numbers.size(), 20u);
  listener.close();
  EXPECT_EQ(told(), (Numbers{999}));
}

TEST_F(Progress, EndsWithTheCall) {
  tell(1);
  listener.close();
  tell(2);
  listener.log(Level::error, "late");
  EXPECT_EQ(told(), (Numbers{1}));
}

TEST_F(Progress, EndsWhenTheCallIsCancelled) {
  tell(1);
  listener.progress(2, {}, "");
  listener.progress(3, {}, "held back");
  request.stop.request_stop();
  listener.progress(4, {}, "");
  listener.close();
  EXPECT_EQ(told(), (Numbers{1, 2}));
}

TEST_F(Progress, OfAToolComesBeforeItsAnswer) {
  World world;
  Talk talk(world);
  talk.initialize();
  const Json answer = talk.ask_json(mcp::testing::request(
      "1", "tools/call",
      R"({"name":"count","arguments":{"steps":[0,50,100]},"_meta":{"progressToken":7}})"));
  EXPECT_EQ(at(answer, "result/content/0/text"), "counted");
  const std::vector<std::string> sent = lines(talk.mailbox.take());
  ASSERT_EQ(sent.size(), 2u) << "the clock stands still, so the first and the last";
  EXPECT_EQ(at(json(sent[0]), "params/progressToken"), 7);
  EXPECT_EQ(at(json(sent[1]), "params/progress"), 100.0);
}

TEST_F(Progress, NeedsATokenThatIsOne) {
  World world;
  Talk talk(world);
  talk.initialize();
  for (std::string_view token : {"1.5", "{}", "true"}) {
    EXPECT_EQ(talk.error_code(mcp::testing::request(
                  "1", "tools/call",
                  fmt::format(R"({{"name":"chat","_meta":{{"progressToken":{}}}}})", token))),
              -32602)
        << token;
  }
}

TEST_F(Progress, LogMessagesAreBounded) {
  for (int i = 0; i < 2000; ++i) listener.log(Level::error, "again");
  const std::vector<std::string> sent = lines(mailbox.take());
  ASSERT_EQ(sent.size(), 1001u);
  EXPECT_NE(sent.back().find("left out"), std::string::npos);
}

}  // namespace
}  // namespace helve::mcp::testing

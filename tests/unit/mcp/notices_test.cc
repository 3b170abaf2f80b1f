// What a session is told once counts as told when its answer was sent.
#include "unit/mcp/wire.h"

namespace helve::mcp {
namespace {

using namespace helve::mcp::testing;

struct FakeNotices final : Notices {
  bool is_waiting = true;
  int told = 0, returned = 0;

  bool has_any() const override { return is_waiting; }
  Taken take(const Identity&, Caller) override {
    is_waiting = false;
    return {.lines = {"it has ended"}, .ids = {"j_1"}};
  }
  void arrived(std::string_view, const std::vector<std::string>&) override { ++told; }
  void failed(std::string_view, const std::vector<std::string>&) override { ++returned; }
};

class NoticesTest : public ::testing::Test {
 protected:
  static Result<Product> said(const Json&, Context&) {
    return Product{"{}", {TextContent{"said"}}};
  }
  // Its request is cancelled while it runs, but it takes no notice of that.
  Result<Product> cancelled(const Json&, Context&) {
    Job other;
    session_->take(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})", other);
    return Product{"{}", {TextContent{"said"}}};
  }
  std::string run(std::string_view tool) {
    EXPECT_EQ(
        session_->take(request("1", "tools/call", modern("\"name\":\"" + std::string(tool) + "\"")),
                       job_),
        Session::Taken::to_run);
    session_->run(job_);
    return job_.answer;
  }

  FakeNotices notices_;
  Mailbox mailbox_;
  sys::ManualClock clock_;
  Registry registry_ = *Registry::load(
      {tool_of({.name = "talk", .group = "g"}, said),
       tool_of({.name = "quit", .group = "g"}, [this](const Json& arguments, Context& context) {
         return cancelled(arguments, context);
       })});
  dispatch::Dispatcher dispatcher_{registry_, {}, {.notices = &notices_}};
  Server server_{dispatcher_, clock_, nullptr};
  std::optional<Session> session_;
  Job job_;

  void SetUp() override { session_.emplace(server_, Identity{.session = "s_1"}, mailbox_); }
};

TEST_F(NoticesTest, AreToldWhenTheAnswerWasSent) {
  const std::string answer = run("talk");
  EXPECT_EQ(at(json(answer), "result/content/1/text"), "Note: it has ended") << answer;
  EXPECT_TRUE(job_.tells());
  EXPECT_EQ(notices_.told, 0);
  job_.settle(true);
  EXPECT_EQ(notices_.told, 1);
  EXPECT_FALSE(job_.tells());
}

TEST_F(NoticesTest, AreAlsoInTheValueForClientsThatReadNothingElse) {
  EXPECT_EQ(at(json(run("talk")), "result/structuredContent"),
            (Json{{"helve/notes", JsonArray{"it has ended"}}}));
  EXPECT_EQ(at(json(run("talk")), "result/structuredContent"), json("{}")) << "told once";
}

TEST_F(NoticesTest, ComeBackWhenTheAnswerCouldNotBeSent) {
  run("talk");
  job_.settle(false);
  EXPECT_EQ(notices_.told, 0);
  EXPECT_EQ(notices_.returned, 1);
}

TEST_F(NoticesTest, ComeBackWhenTheCallIsCancelledAndNotAnswered) {
  EXPECT_EQ(run("quit"), "");
  job_.settle(true);
  EXPECT_EQ(notices_.told, 0);
  EXPECT_EQ(notices_.returned, 1);
}

}  // namespace
}  // namespace helve::mcp

#include <gmock/gmock.h>

#include <thread>

#include "app/chat_approver.h"
#include "app/chat_files.h"
#include "app/chat_session.h"
#include "base/base64.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

using Answer = Approver::Answer;
using ::testing::ElementsAre;

TEST(ChatFiles, FindsNamesBehindTheirSign) {
  EXPECT_THAT(references_in("see @a.txt, @\"my file\" (@src/b.cc) and @a.txt."),
              ElementsAre("a.txt", "my file", "src/b.cc"));
  EXPECT_THAT(references_in("me@example.org @ @, a@b"), ElementsAre());
}

TEST(ChatApprover, AsksOneAfterTheOtherAndForgetsWhoStopsWaiting) {
  ChatApprover approver;
  EXPECT_FALSE(approver.first());
  const Approver::Question one{.tool = "one"}, two{.tool = "two"};
  const auto until_open = [&](std::string_view tool) {
    for (;;) {
      const auto open = approver.first();
      if (open && open->question.tool == tool) return open->number;
      std::this_thread::yield();
    }
  };
  Result<Answer> first = Answer::deny, second = Answer::always, third = Answer::deny;
  std::jthread a([&](std::stop_token stop) { first = approver.ask(one, stop); });
  const auto number = until_open("one");
  std::jthread b([&](std::stop_token stop) { second = approver.ask(two, stop); });
  while (approver.first()->behind == 0) std::this_thread::yield();
  a.request_stop();
  a.join();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Code::cancelled);
  approver.answer(number, Answer::once);  // nobody waits for it
  approver.answer(until_open("two"), Answer::session);
  b.join();
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, Answer::session);
  EXPECT_FALSE(approver.first());
}

// What the pieces of a call show as its name.
std::vector<std::string> names_of(std::vector<std::pair<std::string, std::string>> pieces) {
  const Registry registry = *Registry::load({});
  Happenings happenings(registry);
  for (const auto& [name, arguments] : pieces)
    happenings.add({"s_1", agent::CallShaped{0, name, arguments}});
  std::vector<std::string> names;
  for (const terminal::Happening& each : happenings.take()) names.push_back(each.name);
  return names;
}

TEST(ApproverAfterOutput, AsksWhenAllThatWasSaidBeforeIsShown) {
  struct Inner : Approver {
    std::atomic<bool> is_shown = false, was_shown = false, is_asked = false;
    Result<Answer> ask(const Question&, std::stop_token) override {
      was_shown = is_shown.load();
      is_asked = true;
      return Answer::once;
    }
  } inner;
  const Registry registry = Registry::load({}).value();
  Happenings happenings(registry);
  happenings.add({.kind = terminal::Happening::Kind::text, .text = "I ask."});
  ApproverAfterOutput approver(happenings, inner, std::chrono::hours(1));
  std::jthread asking([&] { (void)approver.ask({}, {}); });
  std::vector<terminal::Happening> taken;
  while (taken.empty()) taken = happenings.take();
  inner.is_shown = true;
  while (!inner.is_asked) EXPECT_TRUE(happenings.take().empty());
  EXPECT_TRUE(inner.was_shown);
}

TEST(Happenings, NameTheToolThatACallOfAnotherStandsFor) {
  EXPECT_THAT(names_of({{"read", ""}, {"", R"({"tool": "no"})"}}), ElementsAre("read", ""));
  EXPECT_THAT(
      names_of({{"tool_call", ""}, {"", "{\"to"}, {"", "ol\" : \"tr"}, {"", "ee\", \"arg"}}),
      ElementsAre("tool_call", "", "", "tree"));
  EXPECT_THAT(names_of({{"tool_call", R"({"tool":"tree","arguments":{}})"}, {"read", ""}}),
              ElementsAre("tree", "read"));
  EXPECT_THAT(names_of({{"tool_call", R"({"arguments": {"tool": "no"}})"}, {"", "}"}}),
              ElementsAre("tool_call", ""));
}

TEST(Happenings, TellErrorsToPeople) {
  const Registry registry = *Registry::load({});
  Happenings happenings(registry);
  const model::ToolResult failed{
      "1",
      "read",
      {TextContent{R"({"message":"no file","hint":"ls"})"}, TextContent{"Note: x"}},
      true};
  happenings.add({"s_1", agent::CallEnded{"read", failed, {}, 0}});
  const model::ToolResult ran{"2", "exec", {TextContent{"exit code 3"}}, false};
  happenings.add({"s_1", agent::CallEnded{"exec", ran, {}, 3}});
  const auto seen = happenings.take();
  EXPECT_EQ(seen.at(0).text, "no file\nhint: ls\nNote: x");
  EXPECT_EQ(seen.at(1).status, 3);
}

TEST(Happenings, TellRoomOnlyWhereSomeWasMade) {
  const auto told = [](std::int64_t before, std::int64_t after) {
    return happening_of({"s_1", agent::Compacted{before, after}}, nullptr)->text;
  };
  EXPECT_EQ(told(9'000, 1'200), "made room: 1.2k of 9.0k tokens are left");
  EXPECT_EQ(told(1'210, 1'200), "made a little room: 10 tokens");
  EXPECT_EQ(told(1'200, 1'200), "there is nothing yet that could be shortened");
}

class ChatOnAMachine : public Machine {
 protected:
  void open() {
    put("script.jsonl", "{\"text\":\"x\"}\n");
    World* world = app_.open({}, Purpose::agent).value();
    ModelFlags flags;
    flags.script = at("script.jsonl");
    happenings_.emplace(*world->registry);
    Staff* staff =
        app_.hire({.model = flags,
                   .emit = [this](const agent::Event& event) { happenings_->add(event); }})
            .value();
    session_.emplace(*world, *staff, *happenings_, ChosenSession{"s_1", false});
  }
  App app_{around_, screen_};
  std::optional<Happenings> happenings_;
  std::optional<ChatSession> session_;
};

TEST_F(ChatOnAMachine, NamesFilesAndAttachesImages) {
  put("work/a.txt", "text");
  put("work/dot.png",
      *from_base64(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJR"
          "U5ErkJggg=="));
  open();
  const model::Message message = message_of("@dot.png @a.txt @gone.png @a", *session_);
  ASSERT_EQ(message.parts.size(), 3u);
  EXPECT_EQ(std::get<model::Text>(message.parts[0]).text, "@dot.png @a.txt @gone.png @a");
  EXPECT_EQ(std::get<model::Image>(message.parts[1]).mime_type, "image/png");
  EXPECT_EQ(std::get<model::Text>(message.parts[2]).text,
            "(Behind @ stand names of the workspace that you can read: a.txt)");
}

TEST_F(ChatOnAMachine, CompletesNamesOfFilesAndDirectories) {
  put("work/src/main.cc", "x");
  put("work/src/my file.txt", "x");
  put("work/.ignore", "*.log\n");
  put("work/main.log", "x");
  open();
  const auto names = [&](std::string_view word) {
    std::vector<std::string> all;
    for (const terminal::Candidate& each : files_like(word, *session_)) all.push_back(each.text);
    return all;
  };
  EXPECT_THAT(names("ma"), ElementsAre("@src/main.cc"));
  EXPECT_THAT(names("sr"), ElementsAre("@src/"));
  EXPECT_THAT(names("src/my"), ElementsAre("@\"src/my file.txt\""));
  EXPECT_THAT(names("src/[a"), ElementsAre());
}

TEST_F(ChatOnAMachine, CountsWhatAnswersTookAndAnswersInTheSession) {
  put("script.jsonl", "");
  open();
  put("script.jsonl", R"({"text":"Hi.","usage":{"input":10,"output":2}})");
  session_->staff().change_model({.script = at("script.jsonl")});
  ASSERT_TRUE(session_->post("p_1", "Hello"));
  std::optional<agent::Ending> ending;
  while (!(ending = session_->ended())) happenings_->wait_for(std::chrono::milliseconds(10));
  EXPECT_EQ(ending->text, "Hi.");
  EXPECT_FALSE(session_->is_busy());
  EXPECT_EQ(happenings_->consumption().usage.input, 10);
  EXPECT_EQ(session_->record().value().title, "Hello");
  EXPECT_FALSE(happenings_->take().empty());
}

}  // namespace
}  // namespace helve::app

#include "agent/compaction.h"

#include "unit/agent/loop_fixture.h"

namespace helve::agent {
namespace {

TEST_F(LoopTest, MakesRoomWhenTheWindowFills) {
  setup_.window = 10'000;
  std::string script;
  for (int i = 0; i < 12; ++i)
    script += fmt::format(
        R"({{"calls": [{{"tool": "echo", "arguments": {{"text": "{}", "times": 1000}}}}]}})"
        "\n",
        fmt::format("word{:02}", i));
  post("go");
  // The summary is asked for where it is needed, so it stands in between by what it answers.
  const Ending ending = play("{\"when\": \"Write a summary\", \"text\": \"so far so good\"}\n" +
                             script + "{\"when\": \"never\", \"text\": \"x\"}");
  EXPECT_EQ(ending.end, End::failed) << "the script is over";
  EXPECT_NE(std::ranges::find(events_, "compacted"), events_.end());
  EXPECT_TRUE(said("was removed to save room"));
}

TEST_F(LoopTest, WhatTheModelHasNotSeenIsNotRemoved) {
  setup_.window = 3'000;
  post("go");
  const Ending ending =
      play(R"({"calls": [{"tool": "echo", "arguments": {"text": "word", "times": 2000}}]})"
           "\n{\"text\": \"done\"}");
  EXPECT_EQ(ending.text, "done");
  EXPECT_FALSE(said("was removed to save room"));
}

TEST_F(LoopTest, ASummaryIsToldTheTaskAndTheLastOfWhatWasDone) {
  class Listening final : public model::Model {
   public:
    explicit Listening(std::string& heard) : heard_(heard) {}
    Result<model::Reply> stream(const model::Request& request, const model::Emit&,
                                std::stop_token) override {
      heard_ = model::text_of(request.messages.back());
      model::Reply reply;
      reply.message = {model::Role::assistant, {model::Text{"summary"}}};
      return reply;
    }

   private:
    std::string& heard_;
  };
  post("THE TASK " + std::string(100, 't'));
  std::string script;
  for (int i = 0; i < 40; ++i)
    script += calls({call("echo", fmt::format("step {:02} {}", i, std::string(400, 's')))});
  play(script + R"({"text": "done"})");
  std::string heard;
  setup_.window = 3'000;
  setup_.model = std::make_shared<Listening>(heard);
  Transcript transcript = must(Transcript::open(store_, clock_, kSession));
  EXPECT_TRUE(must(make_room(transcript, setup_, true, [](const Event&) {}, {})).made);
  EXPECT_NE(heard.find("THE TASK"), heard.npos);
  EXPECT_EQ(heard.find("step 01"), heard.npos) << "it does not fit";
  EXPECT_NE(heard.find("step 30"), heard.npos);
  EXPECT_LT(heard.size(), 8'000u);
}

TEST_F(LoopTest, MakesRoomWhenTheProviderSaysSo) {
  post(std::string(4'000, 'x'));
  play(R"({"text": "one"})");
  post(std::string(4'000, 'y'), "p_2");
  const Ending ending = play(
      "{\"error\": {\"code\": \"too_large\", \"message\": \"full\", \"type\": "
      "\"context_overflow\"}}\n{\"when\": \"Write a summary\", \"text\": \"they spoke of x\"}\n"
      "{\"text\": \"two\"}");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(ending.text, "two");
  EXPECT_TRUE(said("they spoke of x"));
}

class SummaryTest : public LoopTest {
 protected:
  // What comes of making room in a conversation of two turns, where the model's summary is this.
  Result<Room> summarise(const std::string& reply) {
    for (const char* id : {"p_1", "p_2"}) {
      post(std::string(2'000, 'x'), id);
      play(R"({"text": "Yes."})");
    }
    setup_.model = must(model::ScriptedModel::parse(reply));
    setup_.cost = [](const model::Usage& usage) { return usage.input; };
    Transcript transcript = must(Transcript::open(store_, clock_, kSession));
    Result<Room> room =
        make_room(transcript, setup_, true, [&](const Event&) { events_.push_back("room"); }, {});
    begins_with_summary_ = transcript.begins_with_summary();
    return room;
  }
  std::int64_t spent() {
    return use([](store::Store& store) { return store.conversation(kSession); }).spent.input;
  }
  bool begins_with_summary_ = false;
};

TEST_F(SummaryTest, ReplacesWhatItIsShorterThan) {
  EXPECT_TRUE(must(summarise(R"({"text": "They talked.", "usage": {"input": 7}})")).made);
  EXPECT_TRUE(begins_with_summary_);
  EXPECT_EQ(spent(), 7);
}

TEST_F(SummaryTest, OneThatWasCutOffReplacesNothing) {
  for (const char* stop : {"length", "refusal"}) {
    const Room room = must(summarise(
        fmt::format(R"({{"text": "They tal", "stop": "{}", "usage": {{"input": 7}}}})", stop)));
    EXPECT_FALSE(room.made) << stop;
    ASSERT_TRUE(room.failure) << stop;
    EXPECT_EQ(room.failure->type, "no_summary") << stop;
    EXPECT_EQ(room.usage.input, 7) << stop;
    EXPECT_FALSE(begins_with_summary_) << stop;
  }
  EXPECT_EQ(spent(), 14) << "that is spent all the same";
}

TEST_F(SummaryTest, OneThatIsNoShorterReplacesNothing) {
  const Room room = must(summarise(
      fmt::format(R"({{"text": "{}", "usage": {{"input": 7}}}})", std::string(5'000, 'y'))));
  EXPECT_FALSE(room.made);
  EXPECT_FALSE(begins_with_summary_);
  EXPECT_EQ(room.usage.input, 7);
  EXPECT_EQ(spent(), 7);
  EXPECT_EQ(std::ranges::count(events_, "room"), 0);
}

}  // namespace
}  // namespace helve::agent

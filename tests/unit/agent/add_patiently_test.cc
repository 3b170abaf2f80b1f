#include "agent/add_patiently.h"

#include "store/sqlite_database.h"
#include "unit/agent/loop_fixture.h"

namespace helve::agent {
namespace {

// Another process writes while the model answers, or while a call is run.
class AddPatiently : public LoopTest {
 protected:
  AddPatiently() { played_in_ = &impatient_; }

  void lock_at(std::string type, std::function<void()> then) {
    on_event_ = [=, this](const Event& event) {
      const std::string now(string_at(to_json(event), "type"));
      if (now == type && !lock_) lock_.emplace(must(begin_writing()));
      if (now == "warning") then();
    };
  }
  Result<store::Transaction> begin_writing() {
    return store::Transaction::begin(*other_, store::Durability::process_death);
  }
  std::uint64_t entries() {
    return use([](store::Store& store) { return store.conversation(kSession); }).entries;
  }

  store::SharedStore impatient_{
      opener_.with({.busy_timeout = std::chrono::milliseconds(1), .sync = false})};
  std::unique_ptr<store::Database> other_ =
      must(store::Database::open(opener_.path(), std::chrono::milliseconds(1'000)));
  std::optional<store::Transaction> lock_;
};

TEST_F(AddPatiently, KeepsAnAnswerWhenTheStoreIsFreeAgain) {
  lock_at("turn", [&] { lock_.reset(); });
  post("hello");
  const Ending ending = play(R"({"text": "Hi."})");
  EXPECT_EQ(ending.end, End::done);
  EXPECT_EQ(said_, (Lines{"user hello", "assistant Hi."}));
  EXPECT_EQ(std::ranges::count(events_, "warning"), 1);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(AddPatiently, KeepsWhatACallCameTo) {
  lock_at("call", [&] { lock_.reset(); });
  post("go");
  EXPECT_EQ(play(calls({call("echo", "a")}) + R"({"text": "ok"})").end, End::done);
  EXPECT_EQ(said_[2], "tool =a");
}

TEST_F(AddPatiently, EndsAtItsLimit) {
  lock_at("turn", [&] { clock_.advance(kLongestWait); });
  post("hello");
  const Ending ending = play(R"({"text": "Hi."})");
  EXPECT_EQ(ending.end, End::failed);
  EXPECT_EQ(ending.error->type, store::kBusy);
  lock_.reset();
  EXPECT_EQ(entries(), 1u);
}

TEST_F(AddPatiently, HearsAStop) {
  std::stop_source stop;
  lock_at("turn", [&] { stop.request_stop(); });
  post("hello");
  EXPECT_EQ(play(R"({"text": "Hi."})", stop.get_token()).end, End::cancelled);
}

}  // namespace
}  // namespace helve::agent

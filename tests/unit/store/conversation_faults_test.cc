// Conversations while things go wrong around them: death at every system call, failing disks, a
// lock that another process holds.
#include <sys/wait.h>

#include <map>
#include <set>
#include <sstream>

#include "unit/store/faults.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

class ConversationFaults : public testing::Test {
 protected:
  ConversationFaults() {
    const std::unique_ptr<Store> store = must(opener_.open());
    for (const char* session : {"s_1", "s_old"}) must(store->begin_conversation(begun(session)));
    const std::array entries{asked(1)};
    must(store->append_entries("s_old", entries, {}, Keep::process_death));
    must(store->post({.id = "p_old", .session = "s_old", .body = "waits"}));
  }
  // A copy of that, for one run.
  std::string copy_to(const TempDir& fresh) {
    copy_files(directory_, fresh);
    return fresh.file("helve.db");
  }

  TempDir directory_;
  sys::ManualClock clock_{kNow};
  const std::string path_ = directory_.file("helve.db");
  const Opener opener_{path_, {.busy_timeout = std::chrono::milliseconds(30)}, clock_};
};

std::vector<std::string> waiting(Store& store, const char* session) {
  std::vector<std::string> ids;
  for (const Post& post : must(store.posts(session))) ids.push_back(post.id);
  return ids;
}

// What the helper told: acts, and for a turn the number of its last entry.
std::map<std::string, std::uint64_t> acts_in(const std::string& acknowledged) {
  std::map<std::string, std::uint64_t> acts;
  std::istringstream lines(acknowledged);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string act, turn;
    std::uint64_t last = 0;
    words >> act >> turn >> last;
    acts.emplace(turn.empty() || act == "error" ? act : act + " " + turn, last);
  }
  return acts;
}

// Turns are there whole, in order, and counted; those that were acknowledged are there once.
std::set<int> check_turns(Store& store, const std::map<std::string, std::uint64_t>& told) {
  const std::vector<Entry> entries = must(store.entries("s_1", 0, kMaxEntriesRead));
  std::set<int> turns;
  EXPECT_EQ(entries.size() % 2, 0u) << "half a turn";
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    const int turn = entries[i].body.empty() ? 0 : entries[i].body.front() - 'a';
    EXPECT_EQ(entries[i].number, i + 1);
    EXPECT_EQ(entries[i].body, asked(turn).body);
    EXPECT_EQ(entries[i + 1].number, i + 2);
    EXPECT_EQ(entries[i + 1].body, answered(turn).body);
    EXPECT_TRUE(turns.insert(turn).second) << "turn " << turn << " is there twice";
    const auto acknowledged = told.find("turn " + std::to_string(turn));
    EXPECT_TRUE(acknowledged == told.end() || acknowledged->second == i + 2);
  }
  const Conversation found = must(store.conversation("s_1"));
  const auto count = static_cast<std::int64_t>(turns.size());
  EXPECT_EQ(found.entries, entries.size());
  EXPECT_EQ(found.spent, (Spent{.input = count * kSpentInATurn.input,
                                .micro_dollars = count * kSpentInATurn.micro_dollars}));
  return turns;
}

// What was acknowledged is there, nothing is half there, and the store goes on working.
void check_conversations(const std::string& path, const std::string& acknowledged) {
  sys::ManualClock clock(kNow);
  const std::unique_ptr<Store> store = must(Opener(path, {}, clock).open());
  const std::map<std::string, std::uint64_t> told = acts_in(acknowledged);
  const std::set<int> turns = check_turns(*store, told);
  const std::vector<std::string> inbox = waiting(*store, "s_1");
  size_t unacknowledged = 0;
  for (int turn = 1; turn <= kTurns; ++turn) {
    const std::string name = std::to_string(turn);
    const bool is_there = turns.contains(turn);
    EXPECT_TRUE(is_there || !told.contains("turn " + name)) << "turn " << turn << " is lost";
    unacknowledged += is_there && !told.contains("turn " + name);
    if (!told.contains("post " + name)) continue;
    EXPECT_EQ(std::ranges::count(inbox, "p_" + name), is_there ? 0 : 1)
        << "what was posted is told once";
    EXPECT_FALSE(must(store->post(posted(turn)))) << "it was posted before";
  }
  EXPECT_LE(unacknowledged, 1u) << "at most the one in flight";

  const Conversation found = must(store->conversation("s_1"));
  EXPECT_TRUE(found.title == "renamed" || (found.title == "begun" && !told.contains("rename")));
  const Result<Conversation> copy = store->conversation("s_copy");
  EXPECT_TRUE(copy || !told.contains("copy"));
  if (copy) {
    EXPECT_EQ(copy->entries, found.entries);
    EXPECT_EQ(must(store->entries("s_copy", 0, kMaxEntriesRead)).size(), found.entries);
  }
  const bool is_old_there = store->conversation("s_old").has_value();
  EXPECT_FALSE(is_old_there && told.contains("remove"));
  EXPECT_EQ(must(store->entries("s_old", 0, 10)).size(), is_old_there ? 1u : 0u);
  EXPECT_EQ(waiting(*store, "s_old").size(), is_old_there ? 1u : 0u);

  EXPECT_FALSE(found.is_at_work) << "who worked on it is gone";
  EXPECT_TRUE(must(store->claim_conversation("s_1")));
  const std::array next{answered(9)};
  EXPECT_EQ(must(store->append_entries("s_1", next, {}, Keep::power_loss)), found.entries + 1);
  check_sound(path);
}

TEST_F(ConversationFaults, WhatWasAcknowledgedSurvivesDeathAtAnySystemCall) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  for (const char* call : kChangingCalls) {
    bool killed = true;
    for (int when = 1; killed && when < kMostCalls; when += kStep) {
      SCOPED_TRACE(std::string("killed at ") + call + " number " + std::to_string(when));
      TempDir fresh;
      const std::string path = copy_to(fresh);
      Helper helper({"converse", path}, injecting(call, "signal=SIGKILL", when, fresh));
      const std::string acknowledged = helper.read_all();
      killed = WIFSIGNALED(helper.wait());
      EXPECT_EQ(killed, was_reached(fresh, when));
      check_conversations(path, acknowledged);
      if (HasFailure()) return;
    }
    EXPECT_FALSE(killed);
  }
}

TEST_F(ConversationFaults, WhatWasAcknowledgedSurvivesDeathAfterAnyAcknowledgement) {
  for (int lines = 0; lines <= kConversationActs; ++lines) {
    SCOPED_TRACE(lines);
    TempDir fresh;
    const std::string path = copy_to(fresh);
    Helper helper({"converse", path});
    std::string acknowledged;
    for (int i = 0; i < lines; ++i) acknowledged += helper.read_line() + "\n";
    ::kill(helper.pid(), SIGKILL);
    helper.wait();
    acknowledged += helper.read_all();
    check_conversations(path, acknowledged);
  }
}

TEST_F(ConversationFaults, AFailingDiskLosesNothingThatWasAcknowledged) {
  ASSERT_TRUE(can_trace()) << kNoTrace;
  for (const char* error : {"error=EIO", "error=ENOSPC"}) {
    for (const char* call : {"pwrite64", "fdatasync", "ftruncate"}) {
      bool reached = true;
      for (int when = 1; reached && when < kMostCalls; when += kStep) {
        SCOPED_TRACE(std::string(error) + " at " + call + " number " + std::to_string(when));
        TempDir fresh;
        const std::string path = copy_to(fresh);
        Helper helper({"converse", path}, injecting(call, error, when, fresh));
        const std::string acknowledged = helper.read_all();
        ASSERT_TRUE(WIFEXITED(helper.wait()));
        const auto acts = std::count(acknowledged.begin(), acknowledged.end(), '\n');
        EXPECT_TRUE(acknowledged.starts_with("error") || acts >= kConversationActs - 1)
            << "only one act may fail:\n"
            << acknowledged;
        reached = was_reached(fresh, when);
        check_conversations(path, acknowledged);
        if (HasFailure()) return;
      }
      EXPECT_FALSE(reached);
    }
  }
}

TEST_F(ConversationFaults, AHeldLockIsToldAndNothingIsLostOrToldTwice) {
  const std::unique_ptr<Store> store = must(opener_.open());
  EXPECT_TRUE(must(store->post(posted(1))));
  Helper holder({"hold", path_});
  ASSERT_EQ(holder.read_line(), "held");
  const std::array entries{asked(1, posted(1).id), answered(1)};
  const auto append = [&] {
    return store->append_entries("s_1", entries, kSpentInATurn, Keep::power_loss);
  };
  EXPECT_EQ(append().error().type, kBusy);
  EXPECT_EQ(store->post(posted(2)).error().type, kBusy);
  EXPECT_EQ(store->claim_conversation("s_1").error().type, kBusy);
  EXPECT_EQ(store->release_conversation("s_1").error().type, kBusy);
  EXPECT_EQ(store->begin_conversation(begun("s_2")).error().type, kBusy);
  EXPECT_EQ(store->rename_conversation("s_1", "renamed").error().type, kBusy);
  EXPECT_EQ(store->copy_conversation("s_old", 1, begun("s_copy")).error().type, kBusy);
  EXPECT_EQ(store->remove_conversation("s_old").error().type, kBusy);
  EXPECT_EQ(store->collect_spent("s_1").error().type, kBusy);
  EXPECT_EQ(waiting(*store, "s_1"), std::vector<std::string>{"p_1"});
  EXPECT_EQ(must(store->conversation("s_1")).entries, 0u);

  holder.release();
  holder.wait();
  EXPECT_TRUE(must(store->claim_conversation("s_1")));
  EXPECT_EQ(must(append()), 2u);
  EXPECT_EQ(append().error().type, "already_taken");
  EXPECT_TRUE(must(store->post(posted(2))));
  must(store->release_conversation("s_1"));
  check_conversations(path_, "claim\npost 1\nturn 1 2\npost 2\n");
}

}  // namespace
}  // namespace helve::store

// Conversations in the store.
#include "store/store.h"
#include "unit/store/support.h"

namespace helve::store {
namespace {

Conversation sample(std::string session) {
  return {.session = std::move(session),
          .title = "A bug",
          .agent = "main",
          .workspace = "/home/ada/engine",
          .purpose = "chat",
          .created_ms = kNow};
}

Entry said(std::string body, std::string post = "") {
  return {.kind = "message", .body = std::move(body), .created_ms = kNow, .post = std::move(post)};
}

class Conversations : public testing::Test {
 protected:
  std::unique_ptr<Store> open() { return must(opener_.open()); }
  Result<std::uint64_t> append(const std::vector<Entry>& entries, const Spent& spent = {}) {
    return store_->append_entries("s_1", entries, spent, Keep::power_loss);
  }
  std::vector<std::string> bodies(std::string_view session = "s_1", std::uint64_t after = 0) {
    std::vector<std::string> out;
    for (const Entry& entry : must(store_->entries(session, after, 100))) out.push_back(entry.body);
    return out;
  }
  using Bodies = std::vector<std::string>;

  TempDir directory_;
  sys::ManualClock clock_{kNow};
  Opener opener_{directory_.file("state/helve.db"), {}, clock_};
  std::unique_ptr<Store> store_ = open();
};

TEST_F(Conversations, AreThereWhenTheyBegin) {
  must(store_->begin_conversation(sample("s_1")));
  const Conversation found = must(open()->conversation("s_1"));
  EXPECT_EQ(found.title, "A bug");
  EXPECT_EQ(found.workspace, "/home/ada/engine");
  EXPECT_EQ(found.entries, 0u);
  EXPECT_EQ(store_->begin_conversation(sample("s_1")).error().type, "session_exists");
  EXPECT_EQ(store_->conversation("s_2").error().type, "unknown_session");
}

TEST_F(Conversations, KeepEntriesInOrderAndEveryByte) {
  must(store_->begin_conversation(sample("s_1")));
  const std::string odd("\0\xff\n", 3);
  EXPECT_EQ(must(append({said("one"), said(odd)})), 2u);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(must(append({said("three")}, {.input = 5, .micro_dollars = 7})), 3u);
  EXPECT_EQ(must(append({}, {.input = 1})), 3u);
  EXPECT_EQ(bodies(), (Bodies{"one", odd, "three"}));
  EXPECT_EQ(bodies("s_1", 2), (Bodies{"three"}));
  const Conversation now = must(open()->conversation("s_1"));
  EXPECT_EQ(now.entries, 3u);
  EXPECT_EQ(now.changed_ms, kNow + 1000);
  EXPECT_EQ(now.spent, (Spent{.input = 6, .micro_dollars = 7}));
}

TEST_F(Conversations, OfAnotherIdTakeNothing) {
  EXPECT_EQ(append({said("x")}).error().type, "unknown_session");
  EXPECT_EQ(store_->post({.id = "p", .session = "s_1"}).error().type, "unknown_session");
}

TEST_F(Conversations, APostIsTakenOnce) {
  must(store_->begin_conversation(sample("s_1")));
  EXPECT_TRUE(must(store_->post({.id = "p_1", .session = "s_1", .sender = "ada", .body = "hi"})));
  EXPECT_FALSE(must(store_->post({.id = "p_1", .session = "s_1", .sender = "ada", .body = "hi"})));
  EXPECT_TRUE(must(store_->post({.id = "p_2", .session = "s_1", .body = "there"})));
  const std::vector<Post> waiting = must(open()->posts("s_1"));
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting[0].body, "hi");
  EXPECT_EQ(waiting[0].sender, "ada");
  EXPECT_EQ(must(store_->sessions_with_posts()), (Bodies{"s_1"}));

  must(append({said("hi", "p_1")}));
  EXPECT_EQ(append({said("new"), said("hi", "p_1")}).error().type, "already_taken");
  EXPECT_EQ(bodies(), (Bodies{"hi"})) << "all or none";
  EXPECT_FALSE(must(store_->post({.id = "p_1", .session = "s_1", .body = "hi"})))
      << "a post that was taken is not posted again";
  must(append({said("there", "p_2")}));
  EXPECT_TRUE(must(store_->posts("s_1")).empty());
  EXPECT_TRUE(must(store_->sessions_with_posts()).empty());
}

TEST_F(Conversations, AnInboxHasAnEnd) {
  must(store_->begin_conversation(sample("s_1")));
  for (size_t i = 0; i < kMaxPosts; ++i)
    must(store_->post({.id = std::to_string(i), .session = "s_1", .body = "x"}));
  EXPECT_EQ(store_->post({.id = "one more", .session = "s_1", .body = "x"}).error().type,
            "inbox_full");
}

TEST_F(Conversations, AreListedByTheirLastChangeAndFound) {
  for (const char* id : {"s_1", "s_2", "s_3"}) must(store_->begin_conversation(sample(id)));
  Conversation child = sample("s_4");
  child.parent = "s_2";
  child.workspace = "/elsewhere";
  clock_.advance(std::chrono::seconds(5));
  must(store_->begin_conversation(child));
  must(append({said(R"({"sender":"user","message":{"parts":[{"type":"text",)"
                    R"("text":"the \"needle\"\nis here"}]}})"),
               said(R"({"message":{"parts":[{"type":"image","data":"aW1hZ2U="}]}})"),
               said("no JSON: hay")}));
  auto listed = [&](ConversationFilter filter) {
    Bodies ids;
    for (const Conversation& each : must(store_->conversations(filter)))
      ids.push_back(each.session);
    return ids;
  };
  EXPECT_EQ(listed({}).front(), "s_1");
  EXPECT_EQ(listed({}).size(), 4u);
  EXPECT_EQ(listed({.limit = 2}).size(), 2u);
  EXPECT_EQ(listed({.parent = "s_2"}), (Bodies{"s_4"}));
  EXPECT_EQ(listed({.workspace = "/elsewhere"}), (Bodies{"s_4"}));
  for (const char* text : {"needle", "\"needle\"\nis"})
    EXPECT_EQ(listed({.text = text}), (Bodies{"s_1"})) << text;
  for (const char* text : {"sender", "parts", "user", "text", "aW1hZ2U", "hay", "Needle"})
    EXPECT_EQ(listed({.text = text}), Bodies{}) << text << ": nobody said that";
  EXPECT_EQ(listed({.text = "A bug"}).size(), 4u);
}

TEST_F(Conversations, CanBeRenamedCopiedAndRemoved) {
  must(store_->begin_conversation(sample("s_1")));
  must(append({said("one"), said("two"), said("three")}, {.input = 5}));
  must(store_->rename_conversation("s_1", "Another"));
  EXPECT_EQ(must(store_->conversation("s_1")).title, "Another");
  must(store_->copy_conversation("s_1", 2, sample("s_2")));
  EXPECT_EQ(bodies("s_2"), (Bodies{"one", "two"}));
  EXPECT_EQ(must(store_->conversation("s_2")).spent, Spent{});
  EXPECT_EQ(must(store_->append_entries("s_2", std::vector{said("new")}, {}, Keep::process_death)),
            3u);
  must(store_->remove_conversation("s_1"));
  EXPECT_TRUE(bodies().empty());
  EXPECT_FALSE(store_->conversation("s_1"));
  EXPECT_EQ(bodies("s_2").size(), 3u);
  for (const auto& failed :
       {store_->remove_conversation("s_1"), store_->rename_conversation("s_1", "x"),
        store_->copy_conversation("s_1", 1, sample("s_9"))})
    EXPECT_EQ(failed.error().type, "unknown_session");
  EXPECT_EQ(store_->copy_conversation("s_2", 1, sample("s_2")).error().type, "session_exists");
}

TEST_F(Conversations, WhatIsSpentBelowCountsOnce) {
  for (const auto& [id, parent] :
       {std::pair{"s_1", ""}, {"s_2", "s_1"}, {"s_3", "s_2"}, {"s_4", "s_2"}, {"s_5", ""}}) {
    Conversation conversation = sample(id);
    conversation.parent = parent;
    must(store_->begin_conversation(conversation));
  }
  const auto spend = [&](std::string_view session, const Spent& spent) {
    must(store_->append_entries(session, {}, spent, Keep::process_death));
  };
  const auto spent = [&](std::string_view session) {
    return must(store_->conversation(session)).spent;
  };
  must(store_->collect_spent("s_1"));
  EXPECT_EQ(spent("s_1"), Spent{});
  const Spent one{1, 2, 3, 4, 5}, two{2, 4, 6, 8, 10}, three{3, 6, 9, 12, 15};
  spend("s_3", one);
  spend("s_4", two);
  spend("s_5", {.input = 99});
  must(store_->collect_spent("s_2"));
  EXPECT_EQ(spent("s_2"), three);
  EXPECT_EQ(spent("s_1"), Spent{}) << "only what was asked about";
  must(store_->collect_spent("s_1"));
  must(store_->collect_spent("s_1"));
  EXPECT_EQ(spent("s_1"), three);
  EXPECT_EQ(spent("s_2"), three);
  must(store_->copy_conversation("s_2", 9, [&] {
    Conversation copy = sample("s_6");
    copy.parent = "s_1";
    return copy;
  }()));
  spend("s_3", one);
  must(store_->remove_conversation("s_3"));
  must(store_->collect_spent("s_1"));
  EXPECT_EQ(spent("s_1"), (Spent{4, 8, 12, 16, 20})) << "also what was removed";
  must(store_->collect_spent("s_none"));
}

TEST_F(Conversations, RememberHowTheirModelWasChosen) {
  store::Conversation conversation = sample("s_1");
  conversation.model = "one";
  must(store_->begin_conversation(conversation));
  must(store_->begin_conversation(sample("s_2")));
  EXPECT_EQ(must(store_->conversation("s_1")).model, "one");
  EXPECT_EQ(must(store_->conversation("s_2")).model, "");
  must(store_->set_conversation_model("s_1", "another"));
  must(store_->copy_conversation("s_1", 1, sample("s_3")));
  for (const char* session : {"s_1", "s_3"})
    EXPECT_EQ(must(store_->conversation(session)).model, "another");
  EXPECT_EQ(must(store_->conversations({.limit = 9})).size(), 3u);
  EXPECT_EQ(store_->set_conversation_model("s_none", "x").error().type, "unknown_session");
  EXPECT_EQ(
      store_->set_conversation_model("s_1", std::string(kMaxModelChoice + 1, 'x')).error().code,
      Code::too_large);
}

TEST_F(Conversations, AreWorkedOnByOneLivingProcess) {
  must(store_->begin_conversation(sample("s_1")));
  EXPECT_TRUE(must(store_->claim_conversation("s_1")));
  EXPECT_TRUE(must(open()->claim_conversation("s_1"))) << "the same process";
  EXPECT_EQ(in_child([&] { return must(open()->claim_conversation("s_1")) ? "claimed" : ""; }), "");
  must(store_->release_conversation("s_1"));
  EXPECT_EQ(in_child([&] { return must(open()->claim_conversation("s_1")) ? "" : "not claimed"; }),
            "");
  EXPECT_FALSE(must(store_->conversation("s_1")).is_at_work) << "the child has died";
  EXPECT_TRUE(must(store_->claim_conversation("s_1"))) << "the child has died";
}

TEST_F(Conversations, AreLeftBehindByWhoDiedOrNeverBegan) {
  must(store_->begin_conversation(sample("s_1")));
  for (const char* id : {"s_died", "s_ended", "s_working", "s_waiting", "s_other"}) {
    Conversation child = sample(id);
    child.parent = child.session == "s_other" ? "s_2" : "s_1";
    must(store_->begin_conversation(child));
    if (child.session != "s_waiting")
      must(store_->append_entries(id, std::array{said("x")}, {}, {}));
  }
  EXPECT_EQ(in_child([&] { return must(open()->claim_conversation("s_died")) ? "" : "busy"; }), "");
  must(store_->claim_conversation("s_ended"));
  must(store_->release_conversation("s_ended"));
  must(store_->claim_conversation("s_working"));
  std::vector<std::string> left;
  for (const Conversation& each : must(store_->left_behind("s_1"))) left.push_back(each.session);
  EXPECT_EQ(left, (std::vector<std::string>{"s_died", "s_waiting"}));
}

TEST_F(Conversations, StayWhileAProcessWorksOnThem) {
  must(store_->begin_conversation(sample("s_1")));
  EXPECT_FALSE(must(store_->conversation("s_1")).is_at_work);
  must(store_->claim_conversation("s_1"));
  EXPECT_TRUE(must(open()->conversations({})).front().is_at_work);
  EXPECT_EQ(store_->remove_conversation("s_1").error().type, "session_busy");
  must(store_->release_conversation("s_1"));
  must(store_->remove_conversation("s_1"));
}

TEST_F(Conversations, CountTheirEntriesByKind) {
  must(store_->begin_conversation(sample("s_1")));
  Entry other = said("x");
  other.kind = "remark";
  must(append({said("one"), other, said("two")}));
  EXPECT_EQ(must(store_->count_entries("s_1", "message")), 2u);
  EXPECT_EQ(must(store_->count_entries("s_1", "remark")), 1u);
  EXPECT_EQ(must(store_->count_entries("s_2", "message")), 0u);
}

}  // namespace
}  // namespace helve::store

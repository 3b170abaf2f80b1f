#include "agent/left_behind.h"

#include <sys/wait.h>
#include <unistd.h>

#include "session/transcript.h"
#include "unit/temp_store.h"

namespace helve::agent {
namespace {

using helve::testing::must;
using session::Item;

class LeftBehind : public helve::testing::TempStore {
 protected:
  LeftBehind() { begin("s_child", kSession); }

  void add(const Item& item) {
    store::Entry entry = to_entry(item);
    use([&](store::Store& store) {
      return store.append_entries("s_child", std::span(&entry, 1), {}, store::Keep::process_death);
    });
  }
  // As a process that dies at work on it.
  void claim_and_die() {
    const pid_t child = fork();
    if (child == 0) {
      store::SharedStore own(opener_);
      const auto claimed =
          own.use([](store::Store& store) { return store.claim_conversation("s_child"); });
      _exit(claimed && *claimed ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }
  void look(bool is_at_work = false) {
    const auto post = [this](const Letter& letter) -> Result<void> {
      use([&](store::Store& store) {
        return store.post({.id = letter.id,
                           .session = letter.session,
                           .sender = letter.sender,
                           .body = to_text(model::to_json(letter.message))});
      });
      return {};
    };
    must(report_left_behind(
        store_, clock_, kSession,
        {.is_at_work = [=](std::string_view) { return is_at_work; }, .post = post}));
  }
  void spend(const std::string& session, const store::Spent& spent) {
    use([&](store::Store& store) {
      return store.append_entries(session, {}, spent, store::Keep::process_death);
    });
  }
  store::Spent spent(const std::string& session = kSession) {
    return use([&](store::Store& store) { return store.conversation(session); }).spent;
  }
  // What the parent is told, also when it is looked at twice.
  std::vector<std::string> told(bool is_at_work = false) {
    for (int i = 0; i < 2; ++i) look(is_at_work);
    std::vector<std::string> texts;
    for (const store::Post& post : use([](store::Store& store) { return store.posts(kSession); })) {
      EXPECT_EQ(post.sender, "s_child");
      texts.push_back(model::text_of(must(model::message_from_json(must(parse_json(post.body))))));
    }
    return texts;
  }
};

TEST_F(LeftBehind, OneThatDiedAtWorkIsLost) {
  add(session::Prompt{kSession, model::user_message("look")});
  claim_and_die();
  const std::vector<std::string> texts = told();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(texts[0].starts_with("Sub-agent s_child was lost in the middle of its work"));
}

TEST_F(LeftBehind, OneThatWasDoneHasFinished) {
  session::Answer answer;
  answer.message = {model::Role::assistant, {model::Text{"all is well"}}};
  add(answer);
  claim_and_die();
  EXPECT_EQ(told(), std::vector<std::string>{"Sub-agent s_child has finished:\n\nall is well"});
}

TEST_F(LeftBehind, OneThatHadFailedSaysHow) {
  add(session::Remark{"ended: failed: no network"});
  claim_and_die();
  EXPECT_EQ(told(), std::vector<std::string>{"Sub-agent s_child ended: failed: no network"});
}

TEST_F(LeftBehind, OneThatNeverBeganIsDoneWith) {
  use([](store::Store& store) {
    return store.post({.id = "p_task", .session = "s_child", .sender = kSession, .body = "{}"});
  });
  EXPECT_TRUE(told(true).empty()) << "it waits for its turn";
  const std::vector<std::string> texts = told();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(texts[0].starts_with("Sub-agent s_child was lost before it began"));
  EXPECT_TRUE(use([](store::Store& store) { return store.posts("s_child"); }).empty());
}

TEST_F(LeftBehind, WhatWasToldBeforeTheProcessDiedIsNotToldAgain) {
  session::Answer answer;
  answer.message = {model::Role::assistant, {model::Text{"all is well"}}};
  add(answer);
  const store::Conversation child =
      use([](store::Store& store) { return store.conversation("s_child"); });
  use([&](store::Store& store) {
    return store.post(
        {.id = report_id(child), .session = kSession, .sender = "s_child", .body = "{}"});
  });
  claim_and_die();
  look();
  EXPECT_EQ(use([](store::Store& store) { return store.posts(kSession); }).size(), 1u);
}

TEST_F(LeftBehind, WhatOneSpentThatWasLostCountsForItsParentOnce) {
  begin("s_grandchild", "s_child");
  spend(kSession, {.input = 1'000});
  spend("s_child", {.input = 30, .output = 15, .micro_dollars = 7});
  spend("s_grandchild", {.input = 4, .cache_read = 2});
  claim_and_die();
  const store::Spent all{.input = 1'034, .output = 15, .cache_read = 2, .micro_dollars = 7};
  for (int i = 0; i < 2; ++i) {
    look();
    EXPECT_EQ(spent(), all);
    EXPECT_EQ(spent("s_child").input, 34);
  }
  spend("s_child", {.output = 1});
  look();
  EXPECT_EQ(spent().output, 16) << "what came since";
}

TEST_F(LeftBehind, WhatOneSpentThatWasToldOfAndNotPassedOnCounts) {
  spend("s_child", {.input = 30});
  look();
  EXPECT_EQ(spent().input, 30);
}

TEST_F(LeftBehind, OneThatRestsIsNotToldOf) {
  add(session::Prompt{kSession, model::user_message("look")});
  EXPECT_TRUE(told().empty());
}

}  // namespace
}  // namespace helve::agent

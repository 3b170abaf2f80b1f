#include "app/kept_facts.h"

#include "app/staff.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

std::string facts(const std::string& lasting, const std::string& top) {
  return "Where you work:\n- date: " + lasting + "\n- git: a repository\n- top level: " + top;
}

TEST(KeptFacts, StayWhileOnlyFilesChange) {
  KeptFacts kept(2);
  EXPECT_EQ(kept.told("s_1", facts("monday", "a")), facts("monday", "a"));
  EXPECT_EQ(kept.told("s_1", facts("monday", "b")), facts("monday", "a"));
  EXPECT_EQ(kept.told("s_2", facts("monday", "b")), facts("monday", "b"));
  EXPECT_EQ(kept.told("s_1", facts("tuesday", "c")), facts("tuesday", "c"));
  EXPECT_EQ(kept.told("s_1", facts("tuesday", "d")), facts("tuesday", "c"));
}

TEST(KeptFacts, GoWithTheSessionThatWasToldLongestAgo) {
  KeptFacts kept(2);
  for (const char* session : {"s_1", "s_2", "s_1", "s_3"}) kept.told(session, facts("monday", "a"));
  EXPECT_EQ(kept.told("s_1", facts("monday", "b")), facts("monday", "a"));
  EXPECT_EQ(kept.told("s_3", facts("monday", "b")), facts("monday", "a"));
  EXPECT_EQ(kept.told("s_2", facts("monday", "b")), facts("monday", "b"));
}

class FactsOfASession : public Machine {
 protected:
  FactsOfASession() {
    put("script.jsonl", "{\"text\":\"x\"}\n");
    ModelFlags flags;
    flags.script = at("script.jsonl");
    world_ = app_.open({}, Purpose::agent).value();
    staff_ = app_.hire({.model = flags}).value();
    EXPECT_TRUE(staff_->begin("s_1", "", "", "run"));
  }
  std::string told() {
    const store::Conversation conversation =
        staff_->store().use([](store::Store& store) { return store.conversation("s_1"); }).value();
    return staff_->prepare(conversation).value()->system;
  }
  void move(const std::vector<std::string>& roots) {
    EXPECT_TRUE(move_world(*world_, roots, {}, around_, [](std::string_view) {}));
  }

  App app_{around_, screen_};
  World* world_;
  Staff* staff_;
};

TEST_F(FactsOfASession, AreOfTheDirectoriesThatItHasNow) {
  put("other/a", "");
  const std::string before = told();
  put("work/new_file", "");
  EXPECT_EQ(told(), before);
  EXPECT_EQ(before.find("other directories"), before.npos);
  move({at("work"), at("other")});
  EXPECT_NE(told().find("- other directories: " + at("other")), std::string::npos);
  move({at("work")});
  EXPECT_EQ(told().find("other directories"), std::string::npos);
}

}  // namespace
}  // namespace helve::app

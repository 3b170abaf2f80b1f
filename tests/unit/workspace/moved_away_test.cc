// Somebody moves or removes a directory right before something in it is changed. What was changed
// elsewhere than was asked for is taken back.
#include <atomic>

#include "unit/workspace/fixture.h"
#include "unit/workspace/meanwhile.h"

namespace helve::workspace {
namespace {

class MovedAway : public WorkspaceTest {
 protected:
  MovedAway() {
    tree.file("in/d/f", "old");
    tree.file("in/d/x", "x");
    tree.file("in/g", "g");
  }

  // For a child: somebody acts right before the change renames something called f, or to f.
  std::string conflict(const std::vector<Change>& changes, const std::function<void()>& meanwhile,
                       long system_call = SYS_renameat2) const {
    const auto files = journaled();
    std::atomic<bool> is_done = false;
    const std::string why = before_each(system_call, [&](const CallArguments& call) {
      if (call.text(1) != "f" && call.text(3) != "f") return;
      if (!is_done.exchange(true)) meanwhile();
    });
    if (!why.empty()) return why;
    const auto applied = files->apply(changes, {});
    if (applied) return "it was applied";
    return applied.error().type == "changed_meanwhile" ? "" : describe(applied.error());
  }
  void move() const { std::filesystem::rename(tree.path("in/d"), tree.path("in/e")); }
  size_t count_changes() const { return journaled()->past({})->changes.size(); }
};

TEST_F(MovedAway, AFileThatWouldBeReplacedThereStaysAsItWas) {
  const std::vector<Change> changes = {{.path = "g", .content = "new"},
                                       {.path = "d/f", .content = "new"}};
  EXPECT_CHILD_OK([&] { return conflict(changes, [&] { move(); }); });
  EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"e", "g"}));
  EXPECT_EQ(tree.names("in/e"), (std::vector<std::string>{"f", "x"}));
  EXPECT_EQ(tree.content("in/e/f"), "old");
  EXPECT_EQ(tree.content("in/g"), "g");
  EXPECT_EQ(count_changes(), 0u);
}

TEST_F(MovedAway, AFileThatWouldBeMadeOrMovedThereIsNot) {
  std::filesystem::remove(tree.path("in/d/f"));
  for (const Change& change : {Change{.path = "d/f", .content = "new"},
                               Change{.kind = Change::Kind::move, .path = "g", .to = "d/f"}}) {
    EXPECT_CHILD_OK([&] { return conflict({change}, [&] { move(); }); });
    EXPECT_EQ(tree.names("in/e"), std::vector<std::string>{"x"});
    EXPECT_EQ(tree.content("in/g"), "g");
    std::filesystem::rename(tree.path("in/e"), tree.path("in/d"));
  }
  EXPECT_EQ(count_changes(), 0u);
}

TEST_F(MovedAway, AFileThatWouldBeRemovedThereStays) {
  const Change change{.kind = Change::Kind::remove, .path = "d/f"};
  EXPECT_CHILD_OK([&] {
    return conflict(
        {change}, [&] { move(); }, SYS_renameat);
  });
  EXPECT_EQ(tree.content("in/e/f"), "old");
  EXPECT_EQ(count_changes(), 0u);
}

TEST_F(MovedAway, WhatIsNotWrittenIntoADirectoryThatIsDeletedComesBackWithIt) {
  const auto other = journaled();
  const Change change{.kind = Change::Kind::remove, .path = "d", .tree = true};
  EXPECT_CHILD_OK([&] {
    return conflict({{.path = "d/f", .content = "new"}}, [&] {
      (void)other->apply({&change, 1}, {});
    });
  });
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"g"});
  EXPECT_EQ(count_changes(), 1u);
  ASSERT_TRUE(journaled()->undo({.any = true}, Rehearsal::no, {}));
  EXPECT_EQ(tree.content("in/d/f"), "old");
}

// Nobody could tell it from a directory that is removed a moment later.
TEST_F(MovedAway, ADirectoryThatIsRemovedAfterItsLastFileWasMayBe) {
  std::filesystem::remove(tree.path("in/d/x"));
  EXPECT_CHILD_OK([&] {
    const auto files = journaled();
    const std::string why = before_each(
        SYS_readlink, [&](const CallArguments&) { ::rmdir(tree.path("in/d").c_str()); });
    if (!why.empty()) return why;
    const Change change{.kind = Change::Kind::remove, .path = "d/f"};
    const auto applied = files->apply({&change, 1}, {});
    return applied ? "" : describe(applied.error());
  });
  EXPECT_EQ(tree.names("in"), std::vector<std::string>{"g"});
  ASSERT_TRUE(journaled()->undo({.any = true}, Rehearsal::no, {}));
  EXPECT_EQ(tree.content("in/d/f"), "old");
}

}  // namespace
}  // namespace helve::workspace

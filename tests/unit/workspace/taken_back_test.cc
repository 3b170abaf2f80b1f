// A change fails at its last file and is taken back, while somebody else saves files of the same
// names. What they saved stays where they saved it.
#include <atomic>

#include "unit/workspace/fixture.h"
#include "unit/workspace/meanwhile.h"

namespace helve::workspace {
namespace {

class TakenBack : public WorkspaceTest {
 protected:
  TakenBack() { tree.file("in/last", "one"); }

  // As editors do it.
  void save(const std::string& name) const {
    tree.file("in/" + name + "~", "theirs");
    std::filesystem::rename(tree.path("in/" + name + "~"), tree.path("in/" + name));
  }

  enum class Saved : unsigned char { before_the_look, after_the_look };
  // For a child. Makes the change and one of in/last, which somebody saves just before it is
  // exchanged. They save `name` then, too, or once it is about to be renamed again.
  std::string fail(const Change& change, const std::string& name, Saved when) const {
    const auto files = journaled();
    std::atomic<int> at_last = 0, at_name = 0;
    const std::string why = before_each(SYS_renameat2, [&](const CallArguments& call) {
      if (call.text(3) == "last" && at_last++ == 0) {
        save("last");
        if (when == Saved::before_the_look) save(name);
      }
      if (call.text(1) == name && at_name++ == 0 && when == Saved::after_the_look) save(name);
    });
    if (!why.empty()) return why;
    const std::vector<Change> changes = {change, {.path = "last", .content = "two"}};
    const auto applied = files->apply(changes, {});
    if (applied) return "it was applied";
    tree.file("hint", applied.error().hint);
    if (when == Saved::after_the_look && at_name == 0) return "it was never renamed";
    return applied.error().type == "changed_meanwhile" ? "" : describe(applied.error());
  }
};

TEST_F(TakenBack, WhatSomebodySavedOverANewFileStays) {
  for (const Saved when : {Saved::before_the_look, Saved::after_the_look}) {
    EXPECT_CHILD_OK([&] { return fail({.path = "new", .content = "new"}, "new", when); });
    EXPECT_EQ(tree.content("in/new"), "theirs");
    EXPECT_EQ(tree.content("in/last"), "theirs");
    EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"last", "new"}));
    std::filesystem::remove(tree.path("in/new"));
  }
}
TEST_F(TakenBack, WhatSomebodySavedOverAMovedFileStays) {
  for (const Saved when : {Saved::before_the_look, Saved::after_the_look}) {
    tree.file("in/from", "moved");
    const Change move{.kind = Change::Kind::move, .path = "from", .to = "to"};
    EXPECT_CHILD_OK([&] { return fail(move, "to", when); });
    EXPECT_EQ(tree.content("in/to"), "theirs");
    EXPECT_EQ(tree.names("in"), (std::vector<std::string>{"last", "to"}));
    EXPECT_TRUE(has(tree.content("hint"), "'from' was not moved back")) << tree.content("hint");
    EXPECT_TRUE(journaled()->notices().empty());
    std::filesystem::remove(tree.path("in/to"));
  }
}

}  // namespace
}  // namespace helve::workspace

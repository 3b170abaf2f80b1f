#include <gmock/gmock.h>

#include <thread>

#include "sys/clock.h"
#include "tools/agent_memories.h"
#include "unit/time_zone.h"
#include "unit/tools/fixture.h"

namespace helve {
namespace {

using testing::HasSubstr;
using testing::Not;

class MemoryToolsTest : public ToolTest {
 protected:
  MemoryToolsTest() {
    context.memories = &memories;
    context.clock = &clock;
  }
  void become(const std::string& agent) { who.agent = agent; }

  TempTree other;  // outside the workspace
  sys::RealClock clock;
  tools::AgentMemories memories{{.files = files.get(),
                                 .directory_of =
                                     [this](std::string_view agent) {
                                       if (agent == "inner") return tree.path("agents/inner");
                                       if (agent == "outer") return other.path("outer");
                                       return agent == "sibling" ? other.path("outer_evil")
                                                                 : std::string();
                                     }},
                                clock};
};

TEST_F(MemoryToolsTest, KeepAgentsApart) {
  for (const std::string agent : {"main", "inner", "outer", "sibling"}) {
    become(agent);
    EXPECT_EQ(call("memory_search", R"({"query": "swordfish"})")["files"], 0) << agent;
    const Answer answer = call("memory_append", R"({"text": "the swordfish of )" + agent + "\"}");
    ASSERT_TRUE(answer.ok) << answer.error.message;
  }
  for (const std::string agent : {"main", "inner", "outer", "sibling"}) {
    become(agent);
    const Answer answer = call("memory_search", R"({"query": "swordfish"})");
    EXPECT_EQ(answer["files"], 1) << agent;
    EXPECT_THAT(answer.text, HasSubstr("the swordfish of " + agent + "\n"));
    EXPECT_EQ(kind_of(call("memory_get", R"({"path": "memory/../../outer/MEMORY.md"})")),
              "invalid_argument not_memory");
  }
}

TEST_F(MemoryToolsTest, RememberByTheLocalDay) {
  const TimeZone kiritimati("KIR-14");
  sys::ManualClock evening;  // 2026-01-01 00:00 in London …
  evening.advance(std::chrono::minutes(10 * 60 + 5));
  context.clock = &evening;
  EXPECT_EQ(call("memory_append", R"({"text": "x"})")["path"], "memory/2026-01-02.md");
  EXPECT_THAT(tree.content("memory/2026-01-02.md"),
              HasSubstr("title: Notes of 2026-01-02\ndate: 2026-01-02\n---\n\n## 00:05\nx\n"));
}

TEST_F(MemoryToolsTest, FollowNoLinkToAnotherAgent) {
  other.file("outer/MEMORY.md", "the swordfish of outer\n");
  other.directory("outer_evil/memory");
  other.link("outer_evil/memory/link.md", other.path("outer/MEMORY.md"));
  other.link("outer_evil/MEMORY.md", "../outer/MEMORY.md");
  become("sibling");
  EXPECT_THAT(call("memory_search", R"({"query": "swordfish"})").text,
              Not(HasSubstr("swordfish of outer")));
  for (const std::string path : {"memory/link.md", "MEMORY.md"})
    EXPECT_EQ(kind_of(call("memory_get", R"({"path": ")" + path + "\"}")), "denied link_refused");
}

TEST_F(MemoryToolsTest, AreDeniedWithoutAWorkspace) {
  tools::AgentMemories none({}, clock);
  context.memories = &none;
  EXPECT_EQ(kind_of(call("memory_search", R"({"query": "x"})")), "denied no_files");
  context.memories = nullptr;
  EXPECT_EQ(kind_of(call("memory_get", R"({"path": "MEMORY.md"})")), "denied no_files");
}

TEST_F(MemoryToolsTest, SaySoWhenADirectoryIsMissing) {
  become("outer");
  const Answer missing = call("memory_get", R"({"path": "MEMORY.md"})");
  EXPECT_EQ(kind_of(missing), "not_found no_memory");
  EXPECT_THAT(missing.error.hint, HasSubstr("memory_append makes it"));
  EXPECT_FALSE(other.exists("outer"));
}

TEST_F(MemoryToolsTest, LoseNothingThatSeveralAddAtOnce) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 10; ++i) {
        const std::string text = "entry " + std::to_string(thread * 10 + i) + " end";
        EXPECT_TRUE(call("memory_append", R"({"text": ")" + text + "\"}").ok);
        EXPECT_TRUE(call("memory_search", R"({"query": "entry"})").ok);
      }
    });
  threads.clear();
  const std::string text =
      call("memory_search", R"({"query": "entry", "mode": "keyword", "max_results": 100})").text;
  for (int i = 0; i < 40; ++i) EXPECT_THAT(text, HasSubstr("entry " + std::to_string(i) + " end"));
}

// Another process writes the same file through a workspace of its own.
TEST_F(MemoryToolsTest, LoseNothingThatAnotherProcessAdds) {
  const auto made = workspace::Workspace::make(
      {.roots = {{tree.path()}}, .durability = workspace::Durability::unsynced});
  ASSERT_TRUE(made.has_value());
  tools::AgentMemories others({.files = made->get()}, clock);
  const Identity their_identity{.agent = "main", .session = "s_other"};
  std::jthread thread([&] {
    Context theirs{.who = their_identity, .memories = &others, .clock = &clock};
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(call(theirs, "memory_append", R"({"text": "theirs"})").ok);
  });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(call("memory_append", R"({"text": "ours"})").ok);
  thread.join();
  const Answer answer =
      call("memory_search", R"({"query": "ours theirs", "mode": "keyword", "max_results": 100})");
  EXPECT_EQ(answer["results"].json.as_array().size(), 40u);
}

}  // namespace
}  // namespace helve

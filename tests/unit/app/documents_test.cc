// Documents of several workspaces.
#include "base/text.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

class Documents : public Machine {
 protected:
  Documents() {
    put("work/notes.md", "mine\n");
    put("other/notes.md", "theirs\n");
  }
  void go_to(const std::string& name) { around_.current_directory = at(name); }
};

TEST_F(Documents, OfAnotherWorkspaceAreNotSeen) {
  EXPECT_EQ(run({"kb", "add", "notes.md"}), 0) << err_;
  go_to("other");
  EXPECT_EQ(run({"kb", "list"}), 0);
  EXPECT_EQ(out_, "no documents\n");
}

TEST_F(Documents, ThatAreSharedAreRefreshedFromTheirOwnWorkspace) {
  put("config/config.yaml", "kb:\n  scope: user\n");
  EXPECT_EQ(run({"kb", "add", "notes.md"}), 0) << err_;
  go_to("other");
  EXPECT_EQ(run({"kb", "refresh"}), 0) << err_;
  EXPECT_NE(out_.find("0 refreshed, 0 unchanged, 1 not read"), std::string::npos) << out_;
  EXPECT_EQ(run({"kb", "read", "notes.md"}), 0);
  EXPECT_EQ(out_, "     1\tmine\n");
  go_to("work");
  put("work/notes.md", "mine, new\n");
  EXPECT_EQ(run({"kb", "refresh"}), 0);
  EXPECT_NE(out_.find("1 refreshed"), std::string::npos) << out_;
}

TEST_F(Documents, ThatCameFromNobodyKnowsWhereAreNotRefreshed) {
  EXPECT_EQ(run({"kb", "add", "notes.md"}), 0) << err_;
  EXPECT_EQ(run({"kb", "export", "all.jsonl"}), 0) << err_;
  put("config/config.yaml", "kb:\n  scope: user\n");
  EXPECT_EQ(run({"kb", "import", "all.jsonl"}), 0) << err_;
  EXPECT_EQ(run({"kb", "refresh", "--force"}), 0) << err_;
  EXPECT_NE(out_.find("nobody knows in which workspace 'notes.md' lies"), std::string::npos)
      << out_;
}

}  // namespace
}  // namespace helve::app

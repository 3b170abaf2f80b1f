#include "config/add_items.h"

#include "unit/config/config_fixture.h"

namespace helve::config {
namespace {

constexpr const char* kRule = R"({tool: write, arguments: {path: "a.txt"}})";

std::string added(std::string_view text, std::string list = "approvals.allow",
                  std::string yaml = kRule) {
  const NewItem item{std::move(list), std::move(yaml)};
  Result<std::string> out = with_items(text, {&item, 1});
  return out ? *out : std::string(out.error().type_name());
}

TEST(AddItems, MakesWhatIsMissing) {
  const std::string list = std::string("approvals:\n  allow:\n    - ") + kRule + "\n";
  EXPECT_EQ(added(""), list);
  EXPECT_EQ(added("# mine\n"), "# mine\n" + list);
  EXPECT_EQ(added("record: true"), "record: true\n" + list);
  EXPECT_EQ(added("", "commands", "{pattern: ls}"), "commands:\n  - {pattern: ls}\n");
}

TEST(AddItems, GoesToTheEndOfAListAndKeepsEverythingElse) {
  EXPECT_EQ(added("approvals:\n"
                  "    # what I allow\n"
                  "    allow:\n"
                  "    - tool: ls   # harmless\n"
                  "\n"
                  "    - tool: read\n"
                  "      arguments: {path: \"*\"}\n"
                  "\n"
                  "# how often\n"
                  "record: true\n"),
            "approvals:\n"
            "    # what I allow\n"
            "    allow:\n"
            "    - tool: ls   # harmless\n"
            "\n"
            "    - tool: read\n"
            "      arguments: {path: \"*\"}\n"
            "    - " +
                std::string(kRule) +
                "\n"
                "\n"
                "# how often\n"
                "record: true\n");
}

TEST(AddItems, JoinsTheOtherMembersOfAMapping) {
  EXPECT_EQ(added("approvals:\n   mode: smart # yes\n   # end\n\nrecord: true\n"),
            "approvals:\n   mode: smart # yes\n   allow:\n     - " + std::string(kRule) +
                "\n   # end\n\nrecord: true\n");
}

TEST(AddItems, FillsAKeyThatHoldsNothing) {
  EXPECT_EQ(added("approvals:\nrecord: true\n"),
            "approvals:\n  allow:\n    - " + std::string(kRule) + "\nrecord: true\n");
  EXPECT_EQ(added("approvals:\n  allow:\n  mode: smart\n"),
            "approvals:\n  allow:\n    - " + std::string(kRule) + "\n  mode: smart\n");
}

TEST(AddItems, StaysWithinBracketsWhereTheUserWroteThem) {
  const std::string rule = kRule;
  EXPECT_EQ(added("approvals: {mode: smart}  # short\n"),
            "approvals: {mode: smart, allow: [" + rule + "]}  # short\n");
  EXPECT_EQ(added("approvals: {}\n"), "approvals: {allow: [" + rule + "]}\n");
  EXPECT_EQ(added("approvals: {allow: [], mode: off}\n"),
            "approvals: {allow: [" + rule + "], mode: off}\n");
  EXPECT_EQ(added("approvals:\n  allow: [{tool: \"x]\"}, {tool: y}]\n"),
            "approvals:\n  allow: [{tool: \"x]\"}, {tool: y}, " + rule + "]\n");
  EXPECT_EQ(added("{record: true}\n"), "{record: true, approvals: {allow: [" + rule + "]}}\n");
}

TEST(AddItems, KeepsTheEndsOfLines) {
  EXPECT_EQ(added("record: true\r\n"),
            "record: true\r\napprovals:\r\n  allow:\r\n    - " + std::string(kRule) + "\r\n");
}

TEST(AddItems, IsNotFooledByTextThatLooksLikeTheEnd) {
  EXPECT_EQ(
      added("approvals:\n  allow:\n    - tool: |\n        a\n        # b\n      beyond: []\n"),
      "approvals:\n  allow:\n    - tool: |\n        a\n        # b\n      beyond: []\n    - " +
          std::string(kRule) + "\n");
}

TEST(AddItems, AddsNothingTwice) {
  const std::string once = added("");
  EXPECT_EQ(added(once), once);
}

TEST(AddItems, AddsNoMoreThanMayBeRead) {
  std::string full = "approvals:\n  allow:\n";
  for (int i = 0; i < kMaxRules; ++i) full += "    - {tool: a" + std::to_string(i) + "}\n";
  EXPECT_EQ(added(full), "cannot_edit");
}

TEST(AddItems, RefusesWhatItCannotChangeSafely) {
  EXPECT_EQ(added("record: true\n...\n"), "cannot_edit");
  EXPECT_EQ(added("approvals: off\n"), "cannot_edit");
  EXPECT_EQ(added("approvals: {allow: none}\n"), "cannot_edit");
  EXPECT_EQ(added("a: [\n"), "cannot_edit");
  EXPECT_EQ(added("", "approvals.allow", "{tool: a}, {tool: b}"), "cannot_edit");
  EXPECT_EQ(added("", "approvals.allow", "{tool: \"a\x7f\"}"), "cannot_edit");
}

TEST(AddItems, SaysWhatToAddByHand) {
  const NewItem item{"approvals.allow", kRule};
  const Result<std::string> out = with_items("...\n...\n", {&item, 1});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().hint, "add this to approvals.allow yourself: - " + std::string(kRule));
}

class AddItemsToFile : public ConfigTest {
 protected:
  std::string content() const {
    std::ifstream in(user_file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  mode_t mode() const {
    struct stat status {};
    stat(user_file_.c_str(), &status);
    return status.st_mode & 07777;
  }
  const NewItem item_{"approvals.allow", kRule};
  const std::string lock_ = base_ + "/state/helve/config.lock";
};

TEST_F(AddItemsToFile, IsReadBackAsARule) {
  user("record: false\n");
  chmod(user_file_.c_str(), 0640);
  const Result<void> done = add_items(user_file_, lock_, {&item_, 1});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(mode(), 0640u);
  const Loaded all = loaded();
  ASSERT_EQ(all.allow.size(), 1u);
  EXPECT_EQ(all.allow[0].rule.tool, "write");
  EXPECT_EQ(all.allow[0].rule.arguments.at("path"), "a.txt");
  EXPECT_FALSE(all.config.record);
}

TEST_F(AddItemsToFile, MakesAFileThatOthersCannotRead) {
  std::filesystem::remove_all(base_ + "/home/.config");
  ASSERT_TRUE(add_items(user_file_, lock_, {&item_, 1}));
  EXPECT_EQ(mode(), 0600u);
  EXPECT_EQ(loaded().allow.size(), 1u);
}

TEST_F(AddItemsToFile, LeavesAFileThatItCannotChange) {
  user("approvals: {allow: [{tool: a}]\n");
  const Result<void> done = add_items(user_file_, lock_, {&item_, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "'" + user_file_ + "': it cannot be changed without changing what else it says");
  EXPECT_EQ(content(), "approvals: {allow: [{tool: a}]\n");
}

TEST_F(AddItemsToFile, RefusesALink) {
  std::filesystem::create_symlink("elsewhere.yaml", user_file_);
  EXPECT_EQ(add_items(user_file_, lock_, {&item_, 1}).error().type, "symbolic_link");
}

}  // namespace
}  // namespace helve::config

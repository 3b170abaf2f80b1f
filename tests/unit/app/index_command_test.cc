#include "base/text.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

TEST_F(Machine, AnIndexIsBuiltShownAndDropped) {
  put("work/a.txt", "some text\n");
  put("work/.hidden", "not searched\n");
  const auto number = [&](const char* name) {
    return parse_json(out_)->at("roots").at(0).at(name).as_int64();
  };
  EXPECT_EQ(run({"index", "--json"}), 0) << err_;
  EXPECT_EQ(number("segments"), 0);
  EXPECT_EQ(run({"index", "build", "--json"}), 0) << err_;
  EXPECT_EQ(number("segments"), 1);
  EXPECT_EQ(number("files"), 1);
  EXPECT_EQ(run({"index"}), 0) << err_;
  EXPECT_NE(out_.find("of 1 files known"), std::string::npos) << out_;
  EXPECT_EQ(run({"index", "drop"}), 0) << err_;
  EXPECT_EQ(out_, at("work") + ": the index was dropped (1 file)\n");
  EXPECT_EQ(run({"index", "drop"}), 0) << err_;
  EXPECT_EQ(out_, at("work") + ": there was no index (1 file)\n");
  EXPECT_EQ(run({"index"}), 0) << err_;
  EXPECT_TRUE(out_.starts_with(at("work") + ": no index (1 file)\nhelve index build makes one"))
      << out_;
}

TEST_F(Machine, EachRootHasAnIndex) {
  put("work/a.txt", "some text\n");
  put("other/b.txt", "more\n");
  EXPECT_EQ(run({"index", "build", "--add-dir", at("other")}), 0) << err_;
  EXPECT_NE(out_.find(at("work") + ": "), std::string::npos) << out_;
  EXPECT_NE(out_.find(at("other") + ": "), std::string::npos) << out_;
}

TEST_F(Machine, SaysThatTheIndexIsOff) {
  put("config/config.yaml", "index: false\n");
  EXPECT_EQ(run({"index"}), 0) << err_;
  EXPECT_TRUE(out_.ends_with("not used: the setting index is off (helve doctor tells where)\n"))
      << out_;
}

TEST_F(Machine, SaysThatTheBareProfileUsesNoIndex) {
  EXPECT_EQ(run({"index", "--profile", "bare"}), 0) << err_;
  EXPECT_TRUE(out_.ends_with("not used: the profile is bare (helve doctor tells where)\n")) << out_;
}

TEST_F(Machine, AnIndexIsNotForOthersToRead) {
  put("work/a.txt", "some text\n");
  EXPECT_EQ(run({"index", "build"}), 0) << err_;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(at("state/index"))) {
    const auto others = entry.status().permissions() &
                        (std::filesystem::perms::group_all | std::filesystem::perms::others_all);
    EXPECT_EQ(others, std::filesystem::perms::none) << entry.path();
  }
}

TEST_F(Machine, AnIndexNeedsAPlaceForIt) {
  around_.state_directory.clear();
  EXPECT_NE(run({"index", "build"}), 0);
  EXPECT_NE(err_.find("XDG_STATE_HOME"), std::string::npos) << err_;
}

}  // namespace
}  // namespace helve::app

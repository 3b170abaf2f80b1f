#include "sandbox/way.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace helve::sandbox {
namespace {

using Names = std::vector<std::string>;

class WayTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "helve-way-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = std::filesystem::canonical(name);
    for (const char* directory : {"a", "b", "c"})
      std::filesystem::create_directory(base_ + "/" + directory);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  void link(const std::string& name, const std::string& target) {
    std::filesystem::create_symlink(target, base_ + "/" + name);
  }
  Way way(const std::string& name) const { return Walker().way_to(base_ + "/" + name); }
  std::string at(const std::string& name) const { return base_ + "/" + name; }

  std::string base_;
};

TEST_F(WayTest, OfAPlainPathHasNoLinks) {
  EXPECT_EQ(way("a").links, Names{});
  EXPECT_EQ(way("a//./../b").end, at("b"));
  EXPECT_EQ(directories_on(way("a")), Names{base_});
}

TEST_F(WayTest, HasEveryLinkByItsRealPath) {
  link("a/one", "../b/two");
  link("b/two", at("c/end"));
  link("d", "a");
  EXPECT_EQ(way("d/one").links, (Names{at("d"), at("a/one"), at("b/two")}));
  EXPECT_EQ(way("d/one").end, at("c/end"));
  EXPECT_EQ(directories_on(way("d/one")), (Names{base_, at("a"), at("b"), at("c")}));
}

TEST_F(WayTest, EndsAtTheFirstNameThatIsMissing) {
  link("a/one", "../b/missing/deeper");
  EXPECT_EQ(way("a/one").end, at("b/missing"));
  EXPECT_FALSE(way("a/one").is_there);
  EXPECT_EQ(directories_on(way("a/one")), (Names{at("a"), at("b")}));
}

TEST_F(WayTest, IsTheSameForAWalkerThatKnowsTheDirectories) {
  link("a/one", "../b");
  Walker walker;
  for (int i = 0; i < 2; ++i) {
    const Way found = walker.way_to(at("a/one/../c"));
    EXPECT_EQ(found.links, Names{at("a/one")});
    EXPECT_EQ(found.end, at("c"));
  }
}

TEST_F(WayTest, OfACircleEnds) {
  link("a/one", "two");
  link("a/two", "one");
  EXPECT_EQ(way("a/one").links.size(), 40u);
  EXPECT_FALSE(way("a/one").is_there);
}

}  // namespace
}  // namespace helve::sandbox

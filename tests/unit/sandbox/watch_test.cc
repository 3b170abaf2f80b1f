#include "sandbox/watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace helve::sandbox {
namespace {

class WatchTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(base_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(base_); }

  // Whether all that there is was watched already.
  bool add(const std::vector<std::string>& names) {
    std::vector<std::string> directories;
    for (const std::string& name : names) directories.push_back(base_ + "/" + name);
    const Result<bool> added = watch_.add(directories);
    EXPECT_TRUE(added);
    return added && *added;
  }
  bool has_changed() {
    pollfd event{watch_.descriptor(), POLLIN, 0};
    return poll(&event, 1, 0) > 0;
  }

  std::string base_ = "/dev/shm/helve-watch-XXXXXX";
  Watch watch_ = *Watch::make(Watch::Of::names);
};

TEST_F(WatchTest, TellsThatADirectoryWasNotWatchedBefore) {
  EXPECT_FALSE(add({"one"}));  // but what is above it
  EXPECT_TRUE(add({"one"}));
  std::filesystem::create_directory(base_ + "/one");
  EXPECT_FALSE(add({"one"}));
  EXPECT_TRUE(add({"one"}));
}

TEST_F(WatchTest, TellsAnotherDirectoryOfTheSameNameApart) {
  std::filesystem::create_directory(base_ + "/one");
  EXPECT_FALSE(add({"one"}));
  std::filesystem::rename(base_ + "/one", base_ + "/two");
  std::filesystem::create_directory(base_ + "/one");
  EXPECT_FALSE(add({"one"}));
}

TEST_F(WatchTest, TellsChangesUntilTheyAreForgotten) {
  EXPECT_FALSE(add({"."}));
  EXPECT_FALSE(has_changed());
  std::ofstream(base_ + "/file") << "x";
  EXPECT_TRUE(has_changed());
  watch_.forget_changes();
  EXPECT_FALSE(has_changed());
}

TEST(BlindWatch, IsSoWhereNobodyIsToldOfChanges) {
  const std::vector<std::string> places{"/sys"};
  Watch names = *Watch::make(Watch::Of::names);
  EXPECT_TRUE(names.add(places));
  EXPECT_FALSE(names.is_blind());
  Watch everything = *Watch::make(Watch::Of::everything);
  EXPECT_FALSE(everything.add(places));
  EXPECT_TRUE(everything.is_blind());
}

}  // namespace
}  // namespace helve::sandbox

#include "sandbox/other_names.h"

#include <gtest/gtest.h>

namespace helve::sandbox {
namespace {

using Names = std::vector<std::string>;

MountEntry entry(const char* device, const char* root, const char* point) {
  return {.device = device, .root = root, .point = point, .type = "ext4", .options = ""};
}

Names names_of(const std::string& path, const std::vector<MountEntry>& mounts) {
  return other_names(Names{path}, mounts);
}

TEST(OtherNames, AreThoseOfEveryMountThatShowsThePlace) {
  const std::vector<MountEntry> mounts{
      entry("8:1", "/", "/"), entry("8:1", "/home", "/mnt/all"), entry("8:1", "/", "/host"),
      entry("8:1", "/home/u/.ssh", "/keys"), entry("8:1", "/srv", "/mnt/srv")};
  EXPECT_EQ(names_of("/home/u/.ssh", mounts),
            (Names{"/mnt/all/u/.ssh", "/host/home/u/.ssh", "/keys"}));
  EXPECT_EQ(names_of("/mnt/all/u/.ssh", mounts),
            (Names{"/home/u/.ssh", "/host/home/u/.ssh", "/keys"}));
}

TEST(OtherNames, AreMountsOfWhatLiesWithin) {
  const std::vector<MountEntry> mounts{entry("8:1", "/", "/"),
                                       entry("8:1", "/home/u/.ssh/work", "/mnt/work")};
  EXPECT_EQ(names_of("/home/u/.ssh", mounts), Names{"/mnt/work"});
  EXPECT_EQ(names_of("/home/u/.ssh-not", mounts), Names{});
}

TEST(OtherNames, AreNoneOnOtherFileSystems) {
  const std::vector<MountEntry> mounts{entry("8:1", "/", "/"), entry("8:2", "/", "/home"),
                                       entry("8:1", "/home", "/mnt/below"),
                                       entry("8:3", "/", "/mnt/other")};
  EXPECT_EQ(names_of("/home/u/.ssh", mounts), Names{}) << "what /home covers is another place";
  EXPECT_EQ(names_of("/home/u/.ssh", {}), Names{});
}

TEST(OtherNames, KnowMountsThatAreNotTheRootOfTheirFileSystem) {
  const std::vector<MountEntry> mounts{entry("0:30", "/@", "/"), entry("0:30", "/@home", "/home"),
                                       entry("0:30", "/", "/mnt/pool")};
  EXPECT_EQ(names_of("/home/u/.ssh", mounts), Names{"/mnt/pool/@home/u/.ssh"});
  EXPECT_EQ(names_of("/etc/shadow", mounts), Names{"/mnt/pool/@/etc/shadow"});
}

}  // namespace
}  // namespace helve::sandbox

#include "sandbox/policy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace helve::sandbox {
namespace {

Policy example() {
  Policy policy;
  policy.level = Level::read_only;
  policy.backend = Backend::own;
  policy.network = true;
  policy.roots = {"/work", "/with space\nand line"};
  policy.read_only_roots = {"/lib"};
  policy.protected_names = default_protected_names();
  policy.protected_paths = {"/etc/helve"};
  policy.protected_files = {"/home/u/.gitconfig"};
  policy.hidden = system_secrets();
  policy.homes = {"/home/u", "/srv/v/"};
  policy.visible = {"/home/u/.npmrc"};
  policy.scratch = "/state/scratch";
  policy.limits = {.processes = 7,
                   .memory_bytes = 1u << 30,
                   .file_bytes = 5,
                   .tmp_bytes = 6,
                   .cpu_seconds = 8,
                   .open_files = 9};
  return policy;
}

TEST(SandboxPolicy, SurvivesTheWayToTheHelper) {
  const auto decoded = decode(encode(example()));
  ASSERT_TRUE(decoded) << describe(decoded.error());
  EXPECT_EQ(*decoded, example());
}

TEST(SandboxPolicy, RefusesEveryCutOfItsText) {
  const std::string text = encode(example());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(decode(std::string_view(text).substr(0, length))) << length;
  }
}

TEST(SandboxPolicy, RefusesPathsThatCouldMeanAnotherPlace) {
  for (const char* path : {"relative", "/a/../b", "/a//b", "/a/./b", "", "/a/"}) {
    Policy policy;
    policy.roots = {path};
    EXPECT_FALSE(decode(encode(policy))) << path;
  }
  Policy hidden;
  hidden.hidden = {"/a/../b/"};
  EXPECT_TRUE(decode(encode(hidden)));
  for (const char* name : {"/absolute", "../up", "a//b", ""}) {
    Policy policy;
    policy.protected_names = {name};
    EXPECT_FALSE(decode(encode(policy))) << name;
  }
}

TEST(SandboxPolicy, RefusesUnknownFieldsAndNumbersOutOfRange) {
  EXPECT_FALSE(decode("helve-policy 1\nsurprise 1:x\nend\n"));
  EXPECT_FALSE(decode("helve-policy 1\nlevel 1:9\nend\n"));
  EXPECT_FALSE(decode("helve-policy 1\nprocesses 10:4294967296\nend\n"));
  EXPECT_TRUE(decode("helve-policy 1\nlevel 1:1\nend\n"));
  EXPECT_FALSE(decode("helve-policy 2\nend\n"));
}

TEST(SandboxPolicy, BoundsTheNumberOfPaths) {
  Policy policy;
  policy.hidden.assign(5000, "/x");
  EXPECT_FALSE(decode(encode(policy)));
}

TEST(SandboxPolicy, HidesKeysBelowEveryHomeAndOfTheSystem) {
  const auto paths = hidden_places(example());
  for (const char* path : {"/home/u/.ssh", "/srv/v/.ssh", "/srv/v/.npmrc", "/etc/shadow"})
    EXPECT_NE(std::ranges::find(paths, path), paths.end()) << path;
  EXPECT_EQ(std::ranges::find(paths, "/home/u/.npmrc"), paths.end());
}

TEST(SandboxPolicy, HidesNothingBelowAHomeThatIsNotSet) {
  for (const char* home : {"", "/", "relative"}) EXPECT_TRUE(secrets_below(home).empty()) << home;
}

TEST(SandboxPolicy, HidesWhatProgramsForMailAndVersionsKeep) {
  const std::vector<std::string> secrets = secrets_below("/home/a");
  for (const char* name : {".authinfo", ".authinfo.gpg", ".msmtprc", ".config/msmtp",
                           ".fetchmailrc", ".subversion/auth", ".cvspass"}) {
    EXPECT_EQ(std::ranges::count(secrets, std::string("/home/a/") + name), 1) << name;
  }
}

}  // namespace
}  // namespace helve::sandbox

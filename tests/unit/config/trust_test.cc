#include "config/trust.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/hash.h"
#include "config/files.h"
#include "unit/config/config_fixture.h"

namespace helve::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TrustTest : public ConfigTest {
 protected:
};

TEST_F(TrustTest, AnUntrustedFileCanOnlyNarrow) {
  workspace(R"(tools:
  load: [fs]
  allow: [exec]
  deny: [write]
  ask: [read]
  effects: {read: allow, network: deny}
agents:
  - id: coder
    tools: {allow: [exec], deny: [ls]}
default_agent: coder
roots: [{path: /, access: writable}]
hooks: {enabled: false}
record: false
sync: false
profile: bare
)");
  const Loaded all = loaded();
  EXPECT_EQ(all.config.load.kind, Load::Kind::all);
  EXPECT_THAT(all.config.agents, IsEmpty());
  EXPECT_EQ(all.config.default_agent, "");
  EXPECT_THAT(all.config.roots, IsEmpty());
  EXPECT_TRUE(all.config.hooks.enabled);
  EXPECT_TRUE(all.config.record);
  EXPECT_TRUE(all.config.sync);
  EXPECT_EQ(all.config.profile, Profile::default_);
  ASSERT_EQ(all.rules.size(), 2u);
  EXPECT_THAT(all.rules[0].allow, ElementsAre("exec"));
  EXPECT_THAT(all.rules[0].deny, ElementsAre("write"));
  EXPECT_THAT(all.rules[0].ask, ElementsAre("read"));
  EXPECT_THAT(all.rules[0].effects,
              ElementsAre(Verdict::allow, Verdict::allow, Verdict::allow, Verdict::deny));
  EXPECT_EQ(all.rules[1].agent, "coder");
  EXPECT_THAT(all.rules[1].deny, ElementsAre("ls"));
  EXPECT_THAT(all.rules[1].allow, ElementsAre("exec"));
  ASSERT_EQ(all.files.size(), 1u);
  EXPECT_FALSE(all.files[0].trusted);

  auto ignored = [&](int line, const std::string& key) {
    return workspace_file_ + ":" + std::to_string(line) + ": '" + key +
           "' is ignored until you trust this file (helve trust)";
  };
  EXPECT_THAT(all.notices,
              ElementsAre(ignored(2, "tools.load"), ignored(6, "tools.effects.read"),
                          ignored(10, "default_agent"), ignored(11, "roots"), ignored(12, "hooks"),
                          ignored(13, "record"), ignored(14, "sync"), ignored(15, "profile")));
}

TEST_F(TrustTest, AnUntrustedFileCanForbidHardLinksButNotAllowThem) {
  workspace("read_hard_links: false\n");
  EXPECT_FALSE(loaded().config.read_hard_links);
  user("read_hard_links: false\n");
  workspace("read_hard_links: true\n");
  EXPECT_FALSE(loaded().config.read_hard_links);
}

TEST_F(TrustTest, AnUntrustedFileCanOnlyMakeLimitsSmaller) {
  user("limits: {inline_chars: 1000}\n");
  workspace("limits: {inline_chars: 2000, timeout_seconds: 3, max_frame_bytes: 1000000000}\n");
  Loaded all = loaded();
  EXPECT_EQ(all.config.limits.inline_chars, 1000);
  EXPECT_EQ(all.config.limits.timeout_seconds, 3);
  EXPECT_EQ(all.config.limits.max_frame_bytes, 64 << 20);
  EXPECT_EQ(all.notices.size(), 2u);
  workspace("limits: {inline_chars: 500, max_frame_bytes: 8192}\n");
  all = loaded();
  EXPECT_EQ(all.config.limits.inline_chars, 500);
  EXPECT_EQ(all.config.limits.max_frame_bytes, 8192);
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST_F(TrustTest, AnUntrustedFileMustStillBeRight) {
  workspace("rots: []\n");
  EXPECT_EQ(failure(), workspace_file_ + ":1: rots: unknown key (did you mean 'roots'?)");
  workspace("tools: {load: []}\n");
  EXPECT_THAT(failure(), HasSubstr("tools.load"));
}

TEST_F(TrustTest, ATrustedFileIsTakenWhole) {
  workspace(
      "record: false\nroots: [{path: ../data}, {path: /abs}]\nagents: [{id: "
      "coder}]\ndefault_agent: "
      "coder\ntools: {allow: [read]}\n");
  trust_workspace();
  const Loaded all = loaded();
  EXPECT_FALSE(all.config.record);
  EXPECT_EQ(all.config.roots.at(0).path, base_ + "/project/../data");
  EXPECT_EQ(all.config.roots.at(1).path, "/abs");
  EXPECT_EQ(all.config.default_agent, "coder");
  EXPECT_THAT(all.rules.at(0).allow, ElementsAre("read"));
  EXPECT_TRUE(all.files.at(0).trusted);
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST_F(TrustTest, EndsWhenTheContentChanges) {
  workspace("record: false\n");
  trust_workspace();
  EXPECT_FALSE(loaded().config.record);
  workspace("record: false\nprofile: bare\n");
  const Loaded all = loaded();
  EXPECT_TRUE(all.config.record);
  EXPECT_EQ(all.config.profile, Profile::default_);
  EXPECT_FALSE(all.files.at(0).trusted);
}

TEST_F(TrustTest, DoesNotMoveWithTheContent) {
  workspace("record: false\n");
  trust_workspace();
  std::filesystem::create_directories(base_ + "/other/.helve");
  std::filesystem::copy(workspace_file_, base_ + "/other/.helve/config.yaml");
  sources_.workspace = base_ + "/other";
  EXPECT_TRUE(loaded().config.record);
}

TEST_F(TrustTest, HoldsWhenTheWorkspaceIsReachedThroughALink) {
  workspace("record: false\n");
  trust_workspace();
  std::filesystem::create_symlink(base_ + "/project", base_ + "/link");
  sources_.workspace = base_ + "/link";
  EXPECT_FALSE(loaded().config.record);
}

TEST_F(TrustTest, LosesNothingWhenSeveralAgreeAtOnce) {
  constexpr int kThreads = 4, kEach = 10;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        const auto done = TrustStore(sources_.trust_file)
                              .trust("/" + std::to_string(thread) + "/" + std::to_string(i), "x");
        EXPECT_TRUE(done) << describe(done.error());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(TrustStore(sources_.trust_file).list()->size(), kThreads * kEach);
}

TEST_F(TrustTest, CanBeTakenBack) {
  workspace("record: false\n");
  trust_workspace();
  TrustStore store(sources_.trust_file);
  EXPECT_TRUE(store.untrust(workspace_file_).value());
  EXPECT_FALSE(store.untrust(workspace_file_).value());
  EXPECT_TRUE(loaded().config.record);
}

TEST_F(TrustTest, NothingIsMadeToTakeBackWhatWasNeverGiven) {
  const std::string directory = base_ + "/never";
  EXPECT_FALSE(TrustStore(directory + "/trust").untrust(workspace_file_).value());
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(TrustTest, IsKeptInAPrivateFileOneLineEach) {
  TrustStore store(sources_.trust_file);
  EXPECT_THAT(store.list().value(), IsEmpty());
  ASSERT_TRUE(store.trust("/a/.helve/config.yaml", "one"));
  ASSERT_TRUE(store.trust("/b b/.helve/config.yaml", "two"));
  ASSERT_TRUE(store.trust("/a/.helve/config.yaml", "three"));
  std::ifstream in(sources_.trust_file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, sha256_hex("two") + "  /b b/.helve/config.yaml\n" + sha256_hex("three") +
                      "  /a/.helve/config.yaml\n");
  struct stat info;
  ASSERT_EQ(stat(sources_.trust_file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(store.list().value().size(), 2u);
  EXPECT_TRUE(store.is_trusted("/a/.helve/config.yaml", "three").value());
  EXPECT_FALSE(store.is_trusted("/a/.helve/config.yaml", "one").value());
  EXPECT_FALSE(store.is_trusted("/c/.helve/config.yaml", "three").value());
}

TEST_F(TrustTest, RefusesAPathThatWouldForgeALine) {
  TrustStore store(sources_.trust_file);
  EXPECT_EQ(store.trust("/a\n" + std::string(64, 'a') + "  /b", "x").error().code,
            Code::invalid_argument);
  EXPECT_EQ(store.trust("relative", "x").error().code, Code::invalid_argument);
}

TEST_F(TrustTest, IsNotBelievedFromAFileThatEverybodyMayWrite) {
  workspace("record: false\n");
  trust_workspace();
  chmod(sources_.trust_file.c_str(), 0666);
  const Loaded all = loaded();
  EXPECT_TRUE(all.config.record);
  EXPECT_THAT(all.notices, Contains(HasSubstr("nothing is trusted: '" + sources_.trust_file +
                                              "' can be written by everybody")));
}

TEST_F(TrustTest, IsNotBelievedFromAFileThatAGroupMayWrite) {
  workspace("record: false\n");
  trust_workspace();
  chmod(sources_.trust_file.c_str(), 0660);
  const Loaded all = loaded();
  EXPECT_TRUE(all.config.record);
  EXPECT_THAT(all.notices, Contains(HasSubstr("can be written by its group")));
}

TEST_F(TrustTest, IsNotBelievedFromABrokenFile) {
  workspace("record: false\n");
  trust_workspace();
  std::ofstream(sources_.trust_file, std::ios::app) << "garbage\n";
  const Loaded all = loaded();
  EXPECT_TRUE(all.config.record);
  EXPECT_THAT(all.notices, Contains(HasSubstr("line 2, is not an entry of trust")));
}

TEST_F(TrustTest, IsNotAskedForAWorkspaceFileThatIsALink) {
  write(base_ + "/elsewhere.yaml", "tools: {deny: [read]}\n");
  std::filesystem::create_symlink(base_ + "/elsewhere.yaml", workspace_file_);
  Loaded all = loaded();
  EXPECT_THAT(all.rules, IsEmpty());
  EXPECT_THAT(all.notices, ElementsAre(HasSubstr("'" + workspace_file_ +
                                                 "' is a symbolic link; it is ignored")));

  std::filesystem::remove_all(base_ + "/project/.helve");
  std::filesystem::create_directory(base_ + "/real");
  write(base_ + "/real/config.yaml", "tools: {deny: [read]}\n");
  std::filesystem::create_directory_symlink(base_ + "/real", base_ + "/project/.helve");
  all = loaded();
  EXPECT_THAT(all.rules, IsEmpty());
  EXPECT_THAT(all.notices, ElementsAre(HasSubstr("is a symbolic link")));
}

}  // namespace
}  // namespace helve::config

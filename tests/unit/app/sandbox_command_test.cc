#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

class SandboxCommand : public Machine {
 protected:
  bool hides(const std::string& path) {
    EXPECT_EQ(run({"--json", "sandbox", "explain"}), 0) << err_;
    const Json policy = *parse_json(out_);
    return std::ranges::find(policy.at("hidden").as_array(), Json(path)) !=
           policy.at("hidden").as_array().end();
  }
};

TEST_F(SandboxCommand, ExplainsThePolicy) {
  EXPECT_EQ(run({"sandbox", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("workspace_write"), std::string::npos) << out_;
  EXPECT_NE(out_.find((base_ / "work").string()), std::string::npos) << out_;
}

TEST_F(SandboxCommand, SaysWhatToDoWhereThereIsNoSuchCommand) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"sandbox", "--", "nosuchcommand"}), 127);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("helve: there is no command 'nosuchcommand' in the sandbox\n  hint: name"),
            std::string::npos)
      << said;
}

TEST_F(SandboxCommand, ExplainsItToPrograms) {
  EXPECT_EQ(run({"--json", "sandbox", "--level", "read_only", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("read_only"), std::string::npos) << out_;
}

TEST_F(SandboxCommand, KnowsTheLevelsByBothSpellings) {
  EXPECT_EQ(run({"--json", "sandbox", "--level", "read-only", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("read_only"), std::string::npos) << out_;
  put("config/config.yaml", "sandbox: {level: read-only}\n");
  EXPECT_EQ(run({"--json", "sandbox", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("read_only"), std::string::npos) << out_;
  around_.environment["HELVE_SANDBOX_LEVEL"] = "workspace-write";
  EXPECT_EQ(run({"--json", "sandbox", "explain"}), 0) << err_;
  EXPECT_NE(out_.find("workspace_write"), std::string::npos) << out_;
}

TEST_F(SandboxCommand, HidesTheConfigurationAndTheKeysOfRoutes) {
  put("config/config.yaml",
      "routes:\n  - {name: there, commands: [git], via: ssh, host: h, key: ~/keys/there}\n");
  EXPECT_TRUE(hides(at("config")));
  EXPECT_TRUE(hides(at("state")));
  EXPECT_TRUE(hides(at("home/keys/there")));
}

TEST_F(SandboxCommand, HidesTheSecretsOfEveryHomeWithinReach) {
  around_.other_homes = {at("home"), "/srv/other/", ""};
  EXPECT_TRUE(hides(at("home/.ssh")));
  EXPECT_TRUE(hides("/srv/other/.ssh"));
  EXPECT_TRUE(hides("/etc/shadow"));
  EXPECT_FALSE(hides("/.ssh"));
}

TEST_F(SandboxCommand, ShowsTheSecretsThatTheConfigurationNames) {
  around_.other_homes = {"/srv/other"};
  put("config/config.yaml",
      "sandbox:\n  visible: [~/.npmrc, /etc/ppp, " + at("config") + "]\n  hidden: [~/mine]\n");
  EXPECT_FALSE(hides(at("home/.npmrc")));
  EXPECT_FALSE(hides("/etc/ppp"));
  EXPECT_FALSE(hides(at("config")));
  EXPECT_TRUE(hides("/srv/other/.npmrc"));
  EXPECT_TRUE(hides(at("home/mine")));
}

TEST_F(SandboxCommand, HidesAKeyWhereverItStands) {
  const std::string key = "model: {provider: openai, key: sk-canary}\n";
  put("config/config.yaml", key, 0600);
  EXPECT_TRUE(hides(at("config/config.yaml")));
  EXPECT_EQ(run({"sandbox", "--", "true"}), 0) << err_;
  put("work/own.yaml", key, 0600);
  EXPECT_NE(
      run({"--config", at("work/own.yaml"), "sandbox", "--", "grep", "-q", "canary", "own.yaml"}),
      0);
  put("work/own.yaml", "index: false # canary\n", 0600);
  EXPECT_EQ(
      run({"--config", at("work/own.yaml"), "sandbox", "--", "grep", "-q", "canary", "own.yaml"}),
      0)
      << err_;
}

TEST_F(SandboxCommand, PassesTheExitCodeOn) {
  EXPECT_EQ(run({"sandbox", "--", "sh", "-c", "exit 5"}), 5) << err_;
  EXPECT_EQ(run({"sandbox", "--", "sh", "-c", "kill -9 $$"}), 128 + 9);
  EXPECT_EQ(run({"sandbox", "--", "no-such-program"}), 127);
}

TEST_F(SandboxCommand, NamesTheSignalUnlessItsReaderHadEnough) {
  EXPECT_EQ(run({"sandbox", "--", "sh", "-c", "kill -TERM $$"}), 128 + 15);
  EXPECT_EQ(err_, "helve: killed by SIGTERM\n");
  EXPECT_EQ(run({"sandbox", "--", "sh", "-c", "kill -PIPE $$"}), 128 + 13);
  EXPECT_EQ(err_, "");
}

TEST_F(SandboxCommand, WritesInTheWorkspaceUnlessTheLevelForbidsIt) {
  EXPECT_EQ(run({"sandbox", "--", "touch", "made"}), 0) << err_;
  EXPECT_TRUE(exists("work/made"));
  EXPECT_NE(run({"sandbox", "--level", "read_only", "--", "touch", "other"}), 0);
  EXPECT_FALSE(exists("work/other"));
}

// Takes the place of standard input for the length of a test.
class Input {
 public:
  Input(const char* path, int flags) : before_(dup(STDIN_FILENO)) {
    const int file = open(path, flags | O_CLOEXEC);
    dup2(file, STDIN_FILENO);
    close(file);
  }
  ~Input() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  Input(const Input&) = delete;

 private:
  int before_;
};

TEST_F(SandboxCommand, TakesNoDirectoryForAStream) {
  {
    const Input directory("/usr", O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(run({"sandbox", "--", "true"}), 2);
    EXPECT_NE(err_.find("standard input is a directory"), std::string::npos) << err_;
  }
  {
    const Input place("/etc/passwd", O_PATH);
    EXPECT_EQ(run({"sandbox", "--", "true"}), 2);
  }
  const Input file("/etc/passwd", O_RDONLY);
  EXPECT_EQ(run({"sandbox", "--", "true"}), 0) << err_;
}

TEST_F(SandboxCommand, ExplainsItWithinTheWidthOfTheScreen) {
  EXPECT_EQ(run({"sandbox", "explain"}), 0) << err_;
  for (const std::string_view line : split(out_, '\n')) EXPECT_LE(count_chars(line), 80u) << line;
}

TEST_F(SandboxCommand, SaysThatACommandIsMissing) {
  EXPECT_EQ(run({"sandbox"}), 2);
  EXPECT_NE(err_.find("helve sandbox explain"), std::string::npos) << err_;
}

}  // namespace
}  // namespace helve::app

// One command leaves the sandbox when a rule or a person allows that, and never otherwise.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "sys/file_descriptor.h"
#include "unit/app/fixture.h"
#include "unit/person.h"

namespace helve::app {
namespace {

class Leaving : public Machine {
 protected:
  Leaving() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), generic, size), 0);
    EXPECT_EQ(listen(listener_.get(), 5), 0);
    EXPECT_EQ(getsockname(listener_.get(), generic, &size), 0);
    connect_ = "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port)) +
               " && echo connected";
  }

  int exec(const std::string& command, std::vector<std::string> flags = {}) {
    std::vector<std::string> words{"exec", command, "--shell", "bash"};
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  }

  sys::Fd listener_;
  std::string connect_;
};

TEST_F(Leaving, WhatRunsNothingLeavesNoSandboxEither) {
  put("home/secret", "secret");
  EXPECT_EQ(exec("z=${x:?$(<" + at("home/secret") + ")}", {"--full"}), 5);
  EXPECT_EQ(err_.find("x: secret"), std::string::npos) << err_;
  EXPECT_EQ(run({"exec", "eval '[[ 1 || touch " + at("home/made") + " ]]'", "--full"}), 5);
  EXPECT_FALSE(exists("home/made"));
}

TEST_F(Leaving, NobodyToAskMeansNoNetworkAndTellsTheRule) {
  EXPECT_NE(exec(connect_), 0);
  EXPECT_EQ(exec(connect_, {"--network"}), 5);
  EXPECT_NE(err_.find("it leaves the sandbox: the network"), std::string::npos) << err_;
  EXPECT_NE(err_.find("beyond: [network]"), std::string::npos) << err_;
}

TEST_F(Leaving, ARuleGivesOneCommandTheNetworkAndNoOther) {
  put("config/config.yaml", "approvals: {allow: [{tool: exec, beyond: [network]}]}\n");
  EXPECT_EQ(exec(connect_, {"--network"}), 0) << err_;
  EXPECT_EQ(out_, "connected\n");
  EXPECT_NE(exec(connect_), 0) << "who does not ask for it does not get it";
}

TEST_F(Leaving, ATrialMayHaveTheNetwork) {
  EXPECT_EQ(exec(connect_, {"--network", "--dry-run"}), 5);
  put("config/config.yaml", "approvals: {allow: [{tool: exec, beyond: [network]}]}\n");
  EXPECT_EQ(exec(connect_ + " > made", {"--network", "--dry-run"}), 0) << err_;
  EXPECT_NE(out_.find("+connected"), std::string::npos) << out_;
  EXPECT_FALSE(exists("work/made"));
}

TEST_F(Leaving, TheNetworkOpensNoFiles) {
  put("config/config.yaml", "approvals: {allow: [{tool: exec, beyond: [network]}]}\n");
  EXPECT_NE(exec("touch " + at("home/made"), {"--network"}), 0);
  EXPECT_FALSE(exists("home/made"));
}

TEST_F(Leaving, SettingsThatGrantTheNetworkSpareTheQuestion) {
  put("config/config.yaml", "sandbox: {network: true}\n");
  EXPECT_EQ(exec(connect_, {"--network"}), 0) << err_;
  EXPECT_EQ(exec(connect_), 0) << err_;
}

TEST_F(Leaving, WithoutASandboxACommandWritesAnywhere) {
  const std::string command = "touch " + at("home/made");
  EXPECT_EQ(exec(command, {"--full"}), 5);
  EXPECT_NE(err_.find("it leaves the sandbox: no sandbox"), std::string::npos) << err_;
  put("config/config.yaml", "approvals: {allow: [{tool: exec, beyond: [network]}]}\n");
  EXPECT_EQ(exec(command, {"--full"}), 5) << "the network is not everything";
  EXPECT_FALSE(exists("home/made"));
  put("config/config.yaml", "commands: [{pattern: 'touch *', verdict: allow, beyond: [full]}]\n");
  EXPECT_EQ(exec(command, {"--full"}), 0) << err_;
  EXPECT_TRUE(exists("home/made"));
  EXPECT_EQ(exec("true; mkdir " + at("home/other"), {"--full"}), 5) << "every part must pass";
}

TEST_F(Leaving, OutsideNoProgramIsTakenFromWhereCommandsCanWrite) {
  put("work/bin/tool", "#!/bin/sh\necho from the workspace\n", 0755);
  std::filesystem::create_directory_symlink(at("work/bin"), at("home/link"));
  const std::string allow = "commands: [{pattern: tool, verdict: allow, beyond: [full]}]\n";
  put("config/config.yaml", allow);
  for (const std::string& directory : {at("work/bin"), at("home/link"), std::string("./bin")}) {
    around_.environment["PATH"] = directory + ":/usr/bin:/nowhere:/bin";
    EXPECT_EQ(exec("tool", {"--full"}), 127) << out_;
    EXPECT_NE(out_.find("PATH was used without " + directory + ":"), std::string::npos) << out_;
  }
  around_.environment["PATH"] = at("work/bin");
  EXPECT_EQ(exec("tool"), 0) << out_;
  EXPECT_EQ(exec("tool", {"--full"}), 127) << out_;
  put("work/tool", "#!/bin/sh\necho from the workspace\n", 0755);
  around_.environment["PATH"] = "";
  EXPECT_EQ(exec("tool", {"--full"}), 127) << "nothing means the current directory, too";
  put("config/config.yaml", allow + "sandbox: {level: full}\n");
  around_.environment["PATH"] = at("work/bin");
  EXPECT_EQ(exec("tool", {"--full"}), 0) << "where there is no sandbox, nothing leaves one";
}

TEST_F(Leaving, APersonMayAllowItOnce) {
  Person person("[y/s/a/N] ", "y\n");
  around_.terminal = person.terminal();
  EXPECT_EQ(exec("touch " + at("home/made"), {"--full"}), 0) << err_;
  EXPECT_TRUE(exists("home/made"));
  EXPECT_NE(person.shown().find("it leaves the sandbox: no sandbox"), std::string::npos)
      << person.shown();
}

TEST_F(Leaving, ATrialStaysInTheSandbox) {
  EXPECT_EQ(exec("true", {"--full", "--dry-run"}), 2);
  EXPECT_NE(err_.find("nor full"), std::string::npos) << err_;
}

TEST_F(Leaving, RulesReadACommandAsTheConfiguredShellDoes) {
  const std::string rules = "commands: [{pattern: 'rm *', verdict: deny}]\n";
  put("config/config.yaml", rules);
  EXPECT_EQ(run({"exec", "[[ a == a ]] && true"}), 5) << "sh takes it for something else";
  put("config/config.yaml", rules + "exec: {shell: /bin/bash}\n");
  EXPECT_EQ(run({"exec", "[[ a == a ]] && true"}), 0) << err_;
}

TEST_F(Leaving, TheBackendOfTheSandboxCanBeChosen) {
  for (const char* backend : {"auto", "own", "bubblewrap"}) {
    put("config/config.yaml", std::string("sandbox: {backend: ") + backend + "}\n");
    EXPECT_EQ(exec("touch " + at("home/made")), 1) << backend;
    EXPECT_EQ(exec("touch made"), 0) << backend << err_;
  }
  EXPECT_FALSE(exists("home/made"));
}

}  // namespace
}  // namespace helve::app

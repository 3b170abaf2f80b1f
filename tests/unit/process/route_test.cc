#include "process/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::process {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Route ssh_route() {
  return {.name = "builder",
          .commands = {"git"},
          .via = Route::Via::ssh,
          .environment = {"PATH=/usr/bin:/bin"},
          .host = "build.example"};
}

std::vector<std::string> argv_of(const Route& route, std::vector<std::string> words) {
  const Result<RoutedStart> start = start_of(route, {.words = std::move(words)}, {});
  EXPECT_TRUE(start) << start.error().message;
  return start ? start->argv : std::vector<std::string>{};
}

TEST(Route, SshAsksNobodyTrustsNoStrangerAndLendsNothing) {
  const std::vector<std::string> argv = argv_of(ssh_route(), {"git", "status"});
  for (const char* option :
       {"BatchMode=yes", "StrictHostKeyChecking=yes", "IdentityAgent=none", "ForwardAgent=no",
        "ClearAllForwardings=yes", "ControlPath=none", "PermitLocalCommand=no", "-T"})
    EXPECT_THAT(argv, Contains(option));
  ASSERT_GE(argv.size(), 3u);
  EXPECT_EQ(argv[argv.size() - 3], "--");
  EXPECT_EQ(argv[argv.size() - 2], "build.example");
  EXPECT_EQ(argv.back(), "git status");
}

TEST(Route, WordsAreQuotedOnlyWhereAShellWouldReadMoreIntoThem) {
  EXPECT_EQ(argv_of(ssh_route(), {"git", "log", "-1", "a/b.c@{0}"}).back(),
            "git log -1 'a/b.c@{0}'");
  EXPECT_EQ(argv_of(ssh_route(), {"git", "", "it's", "$(x)", "a=b", "~"}).back(),
            R"(git '' 'it'\''s' '$(x)' 'a=b' '~')");
}

TEST(Route, ThePercentSignOfAPathIsNoTokenOfSsh) {
  Route route = ssh_route();
  route.known_hosts = "/dev/null";
  EXPECT_THAT(argv_of(route, {"git"}), Contains("UserKnownHostsFile=\"/dev/null\""));
  route.known_hosts = "/dev/%h";
  const Result<RoutedStart> start = start_of(route, {.words = {"git"}}, {});
  ASSERT_FALSE(start) << "there is no such file, whatever %h means";
  EXPECT_THAT(start.error().message, HasSubstr("/dev/%h"));
}

TEST(Route, ATerminalHasOneName) {
  Route route = ssh_route();
  route.variables = {"TERM"};
  route.environment = {"TERM=dumb", "PATH=/usr/bin:/bin"};
  const auto environment = [&](const std::map<std::string, std::string>& variables) {
    return start_of(route, {.words = {"git"}, .variables = variables, .has_terminal = true}, {})
        ->env;
  };
  EXPECT_THAT(environment({}), ElementsAre("PATH=/usr/bin:/bin", "TERM=xterm-256color"));
  EXPECT_THAT(environment({{"TERM", "vt100"}}), ElementsAre("PATH=/usr/bin:/bin", "TERM=vt100"));
}

TEST(Route, FilesThatCommandsCouldChangeAreRefused) {
  Route route = ssh_route();
  route.key = "/dev/null";
  const Result<RoutedStart> start = start_of(route, {.words = {"git"}}, {"/dev"});
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().code, Code::denied);
  EXPECT_TRUE(start_of(route, {.words = {"git"}}, {"/de"})) << "that is another directory";
}

TEST(Route, OnlyTheLastWordsOfSshItselfMakeAFailure) {
  const Route route = ssh_route();
  EXPECT_TRUE(failure_of(route, 255, "ssh: connect to host h port 22: Connection refused\r\n"));
  EXPECT_TRUE(failure_of(route, 255, "noise\nHost key verification failed.\r\n"));
  EXPECT_TRUE(failure_of(route, 255, "a@h: Permission denied (publickey).\r\n"));
  EXPECT_FALSE(failure_of(route, 1, "ssh: connect to host h port 22: Connection refused\n"));
  EXPECT_FALSE(failure_of(route, 255, "Host key verification failed.\nand then more\n"));
  EXPECT_FALSE(failure_of(route, 255, ""));
  const auto failure = failure_of(route, 255, "Host key verification failed.\r\n");
  EXPECT_THAT(failure->message, HasSubstr("'builder'"));
  EXPECT_THAT(failure->hint, HasSubstr("ssh-keyscan build.example"));
}

TEST(Route, DockerThatCannotBeReachedIsToldApartFromItsContainers) {
  const Route route{.name = "box", .via = Route::Via::docker, .container = "web-1"};
  const auto daemon =
      failure_of(route, 1, "Cannot connect to the Docker daemon at unix:///x. Is it running?\n");
  ASSERT_TRUE(daemon);
  EXPECT_THAT(daemon->hint, HasSubstr("DOCKER_HOST"));
  const auto container =
      failure_of(route, 1, "Error response from daemon: No such container: web-1\n");
  ASSERT_TRUE(container);
  EXPECT_THAT(container->hint, HasSubstr("start the container"));
  EXPECT_FALSE(failure_of(route, 1, "no rule to make target\n"));
}

}  // namespace
}  // namespace helve::process

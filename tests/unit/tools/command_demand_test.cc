#include "tools/command_demand.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "tool/context.h"
#include "tool/registry.h"

namespace helve::tools {
namespace {

TEST(CommandDemand, VariablesStandInFrontOfTheCommand) {
  EXPECT_EQ(command_demand("make", {}).command, "make");
  EXPECT_EQ(command_demand("make", {{"CC", "clang"}, {"X", "a b; rm"}}).command,
            "export CC='clang'\nexport X='a b; rm'\nmake");
}

TEST(CommandDemand, WhatIsNoNameCannotHideTheCommand) {
  EXPECT_EQ(command_demand("make", {{"A=1; ls #", "x"}}).command, "export 'A=1; ls #=x'\nmake");
}

TEST(CommandDemand, OnlyWhatNobodyCanWriteToStaysInPath) {
  std::vector<std::string> environment{"A=/usr/bin", "PATH=bin:/usr/lib:/usr/bin:::/nowhere"};
  EXPECT_EQ(keep_path_outside(environment, {"/usr/lib"}),
            (std::vector<std::string>{"bin", "/usr/lib"}));
  EXPECT_EQ(environment, (std::vector<std::string>{"A=/usr/bin", "PATH=/usr/bin"}));
  EXPECT_EQ(keep_path_outside(environment, {"/"}), std::vector<std::string>{"/usr/bin"});
  EXPECT_EQ(environment.back(), "PATH=/usr/local/bin:/usr/bin:/bin");
}

Demand demand_of(std::string_view tool, std::string_view arguments) {
  const Registry registry = *Registry::load(builtin_tools());
  const Tool* found = registry.find(tool).tool;
  EXPECT_TRUE(found);
  const Identity who;
  return (*found->bind(*parse_json(arguments)))->demand({.who = who});
}

TEST(CommandDemand, ToolsThatRunACommandTellIt) {
  const Demand exec = demand_of("exec", R"({"command":"npm test","env":{"CI":"1"}})");
  EXPECT_EQ(exec.command, "export CI='1'\nnpm test");
  EXPECT_TRUE(exec.beyond.empty());
  EXPECT_EQ(demand_of("bash", R"({"command":"cd src && make"})").command, "cd src && make");
  EXPECT_TRUE(demand_of("bash", R"({"restart":true})").is_plain());
}

}  // namespace
}  // namespace helve::tools

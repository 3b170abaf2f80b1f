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

TEST(CommandDemand, ExecTellsItsCommand) {
  const Registry registry = *Registry::load(builtin_tools());
  const Tool* exec = registry.find("exec").tool;
  ASSERT_TRUE(exec);
  const Json arguments = *parse_json(R"({"command":"npm test","env":{"CI":"1"}})");
  const Identity who;
  const Demand demand = (*exec->bind(arguments))->demand({.who = who});
  EXPECT_EQ(demand.command, "export CI='1'\nnpm test");
  EXPECT_TRUE(demand.beyond.empty());
}

}  // namespace
}  // namespace helve::tools

#include "tool/registry.h"

#include <gtest/gtest.h>

#include "unit/dispatch/test_tools.h"

namespace helve {
namespace {

using testing::echo_tool;
using testing::test_tools;

std::string load(std::vector<Tool> tools, const Selection& selection) {
  Result<Registry> registry = Registry::load(std::move(tools), selection);
  if (!registry) return registry.error().message;
  std::string names;
  for (const Tool& tool : registry->tools()) names += tool.spec.name + " ";
  return names;
}

TEST(Registry, LoadsNoneAllOrNames) {
  EXPECT_EQ(load(test_tools(), LoadNone{}), "");
  EXPECT_EQ(load(test_tools(), LoadAll{}), "echo save maybe throwing waiting lying ");
  EXPECT_EQ(load(test_tools(), LoadNames{{"say", "maybe"}}), "echo maybe ");
  EXPECT_EQ(load(test_tools(), LoadNames{{"talk"}}), "echo save ");
  EXPECT_EQ(load(test_tools(), LoadNames{{}}), "");
}

TEST(Registry, FailsAsAWholeOnAnUnknownOrBrokenTool) {
  EXPECT_EQ(load(test_tools(), LoadNames{{"echo", "shout"}}), "no tool 'shout'");
  std::vector<Tool> broken = test_tools();
  broken[3].bind = nullptr;
  EXPECT_EQ(load(std::move(broken), LoadNames{{"echo"}}),
            "tool 'throwing' cannot be loaded: it has no function");
}

TEST(Registry, RefusesDuplicates) {
  std::vector<Tool> tools;
  tools.push_back(echo_tool());
  tools.push_back(echo_tool());
  EXPECT_EQ(load(std::move(tools), LoadAll{}), "tool 'echo' cannot be loaded: the name is taken");
  tools.clear();
  tools.push_back(echo_tool());
  tools.push_back(testing::save_tool());
  tools[1].spec.aliases = {"say"};
  EXPECT_EQ(load(std::move(tools), LoadAll{}),
            "tool 'save' cannot be loaded: its alias 'say' is taken");
}

TEST(Registry, SuggestsAToolsOwnNameBeforeOthersThatAreAsNear) {
  std::vector<Tool> tools;
  tools.push_back(echo_tool());
  tools[0].spec.aliases = {"Echo", "achoo"};
  const Registry registry = std::move(*Registry::load(std::move(tools)));
  EXPECT_EQ(registry.resolve("ehco").error().hint, "did you mean 'echo'?");
}

TEST(Registry, RefusesNamesThatNoProviderTakes) {
  for (const std::string& name :
       std::vector<std::string>{"", "a b", "a/b", "a\nb", std::string(65, 'a')}) {
    std::vector<Tool> tools;
    tools.push_back(echo_tool());
    tools[0].spec.name = name;
    EXPECT_NE(load(std::move(tools), LoadAll{}).find("cannot be loaded"), std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace helve

// What make_tool finds out about an input by itself.
#include "tool/make.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

struct Output {
  static constexpr auto schema() { return object(""); }
};
struct PlainInput {
  static constexpr auto schema() { return object("Does nothing."); }
};
struct DemandingInput {
  std::string command;
  bool network = false;

  Demand demand(const Context& context) const {
    Demand demand{.command = command};
    if (network) demand.beyond.emplace_back(kBeyondNetwork);
    if (context.caller == Caller::cli) demand.beyond.emplace_back(kBeyondFull);
    return demand;
  }
  static constexpr auto schema() {
    return object("Runs a command.", arg<&DemandingInput::command>("It"),
                  opt<&DemandingInput::network>("Whether it may reach the network"));
  }
};

template <class Input>
Demand demand_of(std::string_view arguments, Caller caller = Caller::test) {
  const Tool tool = make_tool(
      {.name = "tool", .group = "test"}, +[](const Input&, Context&) { return Result<Output>{}; });
  const Identity who;
  return (*tool.bind(*parse_json(arguments)))->demand({.who = who, .caller = caller});
}

TEST(MakeTool, AnInputTellsWhatItsCallDemands) {
  const Demand demand = demand_of<DemandingInput>(R"({"command":"npm test","network":true})");
  EXPECT_EQ(demand.command, "npm test");
  EXPECT_EQ(demand.beyond, std::vector<std::string>{"network"});
}

TEST(MakeTool, ADemandMayDependOnWhereTheCallRuns) {
  EXPECT_EQ(demand_of<DemandingInput>(R"({"command":"ls"})", Caller::cli).beyond,
            std::vector<std::string>{"full"});
}

TEST(MakeTool, AnInputThatTellsNothingDemandsNothing) {
  EXPECT_TRUE(demand_of<PlainInput>("{}").is_plain());
}

TEST(Demand, HasAWordForEachWayOutOfTheSandbox) {
  for (const char* word : {"network", "full", "host:build", "root:/data"})
    EXPECT_TRUE(check_beyond(word)) << word;
  for (const char* word : {"", "net", "host:", "root:", "root:data", "full "})
    EXPECT_FALSE(check_beyond(word)) << word;
}

}  // namespace
}  // namespace helve

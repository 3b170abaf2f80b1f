#include "dispatch/policy.h"

#include <gtest/gtest.h>

#include "unit/dispatch/test_tools.h"

namespace helve::dispatch {
namespace {

class PolicyTest : public ::testing::Test {
 protected:
  Registry registry = *Registry::load(helve::testing::test_tools());

  // The names of the tools that the layers leave.
  std::string allowed(const Policy& policy) {
    std::string names;
    for (size_t i = 0; i < registry.tools().size(); ++i)
      if (policy.allows(i)) names += (names.empty() ? "" : " ") + registry.tools()[i].spec.name;
    return names;
  }
  std::string allowed(const std::vector<Rules>& layers) {
    Result<Policy> policy = Policy::make(registry, layers);
    return policy ? allowed(*policy) : "error: " + describe(policy.error());
  }
};

TEST_F(PolicyTest, AllowsEverythingByDefault) {
  EXPECT_EQ(allowed({{}}), "echo save maybe throwing waiting lying");
}

TEST_F(PolicyTest, TakesOnlyWhatIsAllowedWhenTheListIsNotEmpty) {
  EXPECT_EQ(allowed({{.source = "a", .allow = {"say", "maybe"}}}), "echo maybe");
}

TEST_F(PolicyTest, LetsDenyWinWhateverTheOrder) {
  EXPECT_EQ(allowed({{.source = "a", .allow = {"echo", "save"}, .deny = {"echo"}}}), "save");
  EXPECT_EQ(allowed({{.source = "global", .deny = {"save"}},
                     {.source = "agent", .allow = {"save", "echo"}}}),
            "echo");
  EXPECT_EQ(allowed({{.source = "agent", .allow = {"save", "echo"}},
                     {.source = "global", .deny = {"save"}}}),
            "echo");
}

TEST_F(PolicyTest, UnderstandsGroupsAndWildcards) {
  EXPECT_EQ(allowed({{.source = "a", .allow = {"group:talk"}}}), "echo save");
  EXPECT_EQ(allowed({{.source = "a", .deny = {"other/*"}}}), "echo save");
  EXPECT_EQ(allowed({{.source = "a", .deny = {"*ing"}}}), "echo save maybe");
  EXPECT_EQ(allowed({{.source = "a", .deny = {"*"}}}), "");
  EXPECT_EQ(allowed({{.source = "a", .deny = {"sa*"}}}),
            "maybe throwing waiting lying");  // save, and echo by its alias say
  EXPECT_EQ(allowed({{.source = "a", .deny = {"other"}}}), "echo save");
}

TEST_F(PolicyTest, RefusesNamesThatNothingKnows) {
  EXPECT_EQ(allowed({{.source = "config.yaml", .deny = {"saev"}}}),
            "error: config.yaml: tools.deny: no tool 'saev' (did you mean 'save'?)");
  EXPECT_EQ(allowed({{.source = "c", .deny = {"sev*"}}}),
            "error: c: tools.deny: no tool matches 'sev*' (`helve tools` lists the tools and their "
            "groups)");
  EXPECT_EQ(allowed({{.source = "c", .allow = {"group:talks"}}}),
            "error: c: tools.allow: no group 'talks' of tools (did you mean "
            "'talk'?)");
}

TEST_F(PolicyTest, GivesSubAgentsTheIntersectionAfterExpansion) {
  Policy parent = *Policy::make(
      registry, {{.source = "parent", .deny = {"save"}}});  // empty allow: all but save
  Policy child = *Policy::spawn(registry, parent,
                                {{.source = "child", .allow = {"echo", "save", "maybe"}}}, {});
  EXPECT_EQ(allowed(child), "echo maybe");
  Policy preset = *Policy::spawn(registry, parent, {{}}, {"echo", "save"});
  EXPECT_EQ(allowed(preset), "echo");
  Policy narrow = *Policy::make(registry, {{.source = "parent", .allow = {"echo"}}});
  EXPECT_EQ(allowed(*Policy::spawn(registry, narrow, {{}}, {})),
            "echo");  // an empty allow of the child is not "all"
}

TEST_F(PolicyTest, HidesToolsWhoseOnlyEffectIsDenied) {
  Rules rules{.source = "a",
              .effects = {Verdict::allow, Verdict::deny, Verdict::allow, Verdict::allow}};
  EXPECT_EQ(allowed({rules}), "echo maybe throwing waiting lying");  // `maybe` can also just read
  Policy policy = *Policy::make(registry, {rules});
  EXPECT_EQ(policy.decide(2, Effect::write).verdict, Verdict::deny);
  EXPECT_EQ(policy.decide(2, Effect::read).verdict, Verdict::allow);
}

}  // namespace
}  // namespace helve::dispatch

#include <gmock/gmock.h>

#include <set>

#include "config/keys.h"
#include "unit/config/config_fixture.h"

namespace helve::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Environment = ConfigTest;

TEST_F(Environment, SetsEveryKindOfKey) {
  sources_.environment = {{"HELVE_TOOLS_LOAD", "fs,results"},
                          {"HELVE_TOOLS_ASK", "write"},
                          {"HELVE_LIMITS_TIMEOUT_SECONDS", "2.5"},
                          {"HELVE_LIMITS_MAX_FRAME_BYTES", "0x10000"},
                          {"HELVE_HOOKS_ENABLED", "off"},
                          {"HELVE_RECORD", "0"},
                          {"HELVE_VERBOSE", "Yes"},
                          {"HELVE_PROFILE", "bare"},
                          {"HELVE_DIALECT", "claw"},
                          {"HELVE_ROOTS", R"([{"path": "/data", "access": "writable"}])"}};
  const Loaded all = loaded();
  EXPECT_THAT(all.config.load.names, ElementsAre("fs", "results"));
  EXPECT_THAT(all.rules.at(0).ask, ElementsAre("write"));
  EXPECT_EQ(all.config.limits.timeout_seconds, 2.5);
  EXPECT_EQ(all.config.limits.max_frame_bytes, 65536);
  EXPECT_FALSE(all.config.hooks.enabled);
  EXPECT_FALSE(all.config.record);
  EXPECT_TRUE(all.config.verbose);
  EXPECT_EQ(all.config.profile, Profile::bare);
  EXPECT_EQ(all.config.dialect, "claw");
  ASSERT_EQ(all.config.roots.size(), 1u);
  EXPECT_EQ(all.config.roots[0].path, "/data");
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST_F(Environment, KnowsAllAndNone) {
  sources_.environment = {{"HELVE_TOOLS_LOAD", "none"}};
  EXPECT_EQ(loaded().config.load.kind, Load::Kind::none);
  sources_.environment = {{"HELVE_TOOLS_LOAD", "all"}};
  EXPECT_EQ(loaded().config.load.kind, Load::Kind::all);
}

TEST_F(Environment, TakesAnEmptyVariableForUnset) {
  user("record: false\ntools: {load: none}\n");
  sources_.environment = {{"HELVE_RECORD", ""}, {"HELVE_TOOLS_LOAD", " "}, {"HELVE_CONFIG", ""}};
  const Loaded all = loaded();
  EXPECT_FALSE(all.config.record);
  EXPECT_EQ(all.config.load.kind, Load::Kind::none);
  EXPECT_THAT(all.notices, IsEmpty());
}

TEST_F(Environment, NamesTheVariableOfAWrongValue) {
  sources_.environment = {{"HELVE_LIMITS_INLINE_CHARS", "lots"},
                          {"HELVE_TOOLS_EFFECTS_READ", "dney"},
                          {"HELVE_ROOTS", "[{"}};
  const std::string message = failure();
  EXPECT_THAT(message, HasSubstr("HELVE_LIMITS_INLINE_CHARS: expected an integer, got \"lots\""));
  EXPECT_THAT(message, HasSubstr("HELVE_TOOLS_EFFECTS_READ: expected one of allow, ask, deny, got "
                                 "\"dney\" (did you mean 'deny'?)"));
  EXPECT_THAT(message, HasSubstr("HELVE_ROOTS: expected an array"));
}

TEST_F(Environment, ReportsAnUnknownVariableWithoutFailing) {
  sources_.environment = {{"HELVE_TOOLS_DENNY", "x"},
                          {"HELVE_SOMETHING_ELSE", "x"},
                          {"HELVELLYN", "x"},
                          {"PATH", "/bin"}};
  EXPECT_THAT(
      loaded().notices,
      ElementsAre(
          "HELVE_SOMETHING_ELSE: no such setting; it is ignored",
          "HELVE_TOOLS_DENNY: no such setting; it is ignored (did you mean 'HELVE_TOOLS_DENY'?)"));
}

TEST_F(Environment, OfAHookScriptIsNotReported) {
  sources_.environment = {{"HELVE_HOOK_POINT", "before_tool"}, {"HELVE_HOOK_TOOL", "read"}};
  EXPECT_THAT(loaded().notices, IsEmpty());
}

TEST(Keys, ListTypeDefaultDescriptionAndVariable) {
  const std::vector<Key> all = keys();
  auto find = [&](std::string_view path) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Key& key) { return key.path == path; });
    return found == all.end() ? Key{} : *found;
  };
  EXPECT_EQ(find("tools.deny").type, "list of text");
  EXPECT_EQ(find("tools.deny").default_value, "[]");
  EXPECT_EQ(find("tools.deny").variable, "HELVE_TOOLS_DENY");
  EXPECT_EQ(find("tools.load").default_value, "all");
  EXPECT_EQ(find("tools.effects.write").type, "allow|ask|deny");
  EXPECT_EQ(find("tools.effects.write").default_value, "allow");
  EXPECT_EQ(find("limits.timeout_seconds").default_value, "");
  EXPECT_EQ(find("limits.max_frame_bytes").default_value, "67108864");
  EXPECT_EQ(find("profile").type, "default|bare");
  EXPECT_EQ(find("color").default_value, "auto");
  EXPECT_EQ(find("agents[].tools.allow").type, "list of text");
  EXPECT_EQ(find("agents[].tools.allow").variable, "");
  for (const Key& key : all) EXPECT_FALSE(key.description.empty()) << key.path;
}

TEST(Keys, HaveVariablesThatDoNotCollide) {
  std::set<std::string> variables = {"HELVE_CONFIG"};
  visit_keys([&](const std::string& path, const schema::Field&) {
    EXPECT_TRUE(variables.insert(variable_of(path)).second) << path;
    EXPECT_FALSE(variable_of(path).starts_with("HELVE_HOOK_")) << path;
  });
}

}  // namespace
}  // namespace helve::config

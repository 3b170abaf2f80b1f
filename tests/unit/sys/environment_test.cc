#include "sys/environment.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "unit/workspace/temp_tree.h"

namespace helve::sys {
namespace {

// Sets variables for the length of a test; an empty optional unsets.
class Environment : public testing::Test {
 protected:
  void set(const std::string& name, const std::optional<std::string>& value) {
    if (!before_.contains(name)) before_[name] = environment(name);
    apply(name, value);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) apply(name, value);
  }

 private:
  static void apply(const std::string& name, const std::optional<std::string>& value) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(Environment, TellsAnEmptyVariableFromNone) {
  set("HELVE_TEST_VARIABLE", "");
  EXPECT_EQ(environment("HELVE_TEST_VARIABLE"), "");
  set("HELVE_TEST_VARIABLE", std::nullopt);
  EXPECT_EQ(environment("HELVE_TEST_VARIABLE"), std::nullopt);
}

TEST_F(Environment, FindsTheDirectoriesBelowHome) {
  set("HOME", "/home/me");
  set("XDG_CONFIG_HOME", std::nullopt);
  set("XDG_STATE_HOME", std::nullopt);
  EXPECT_EQ(home_directory(), "/home/me");
  EXPECT_EQ(config_directory().value(), "/home/me/.config/helve");
  EXPECT_EQ(state_directory().value(), "/home/me/.local/state/helve");
}

TEST_F(Environment, KnowsTheHomeOfTheUserWhateverTheVariableSays) {
  const struct passwd* entry = ::getpwuid(::geteuid());
  if (!entry) GTEST_SKIP() << "the user has no entry";
  set("HOME", "/home/me");
  const std::vector<std::string> homes = home_directories();
  EXPECT_NE(std::ranges::find(homes, entry->pw_dir), homes.end());
  set("HOME", entry->pw_dir);
  const std::vector<std::string> others = home_directories();
  EXPECT_EQ(std::ranges::find(others, entry->pw_dir), others.end());
}

TEST_F(Environment, PrefersTheXdgDirectories) {
  set("XDG_CONFIG_HOME", "/config");
  set("XDG_STATE_HOME", "/state");
  EXPECT_EQ(config_directory().value(), "/config/helve");
  EXPECT_EQ(state_directory().value(), "/state/helve");
}

TEST_F(Environment, IgnoresARelativeXdgDirectory) {
  set("HOME", "/home/me");
  set("XDG_STATE_HOME", "state");
  EXPECT_EQ(state_directory().value(), "/home/me/.local/state/helve");
}

TEST_F(Environment, AsksTheUserDatabaseWhenHomeIsNotSet) {
  set("HOME", std::nullopt);
  EXPECT_TRUE(home_directory().starts_with("/")) << home_directory();
}

TEST_F(Environment, KnowsTheUser) {
  set("USER", "ana");
  EXPECT_EQ(user_name(), "ana");
  set("USER", std::nullopt);
  EXPECT_NE(user_name(), "");
}

TEST_F(Environment, NamesTheProblemWhenTheCurrentDirectoryIsGone) {
  TempTree tree;
  tree.directory("gone");
  EXPECT_CHILD_OK([&]() -> std::string {
    const std::string gone = tree.path("gone");
    if (::chdir(gone.c_str()) != 0 || ::rmdir(gone.c_str()) != 0) return "cannot prepare";
    const auto directory = current_directory();
    return !directory && directory.error().code == Code::not_found ? "" : "no error";
  });
}

TEST_F(Environment, TellsATerminalFromAFile) { EXPECT_FALSE(is_terminal(-1)); }

}  // namespace
}  // namespace helve::sys

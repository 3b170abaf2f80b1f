#include "sandbox/report.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sandbox/failure.h"

namespace helve::sandbox {
namespace {

Policy example() {
  Policy policy;
  policy.level = Level::read_only;
  policy.protected_names = default_protected_names();
  policy.hidden = {"/etc/shadow", "/nowhere"};
  return policy;
}

std::string line(const std::vector<Line>& lines, std::string_view topic) {
  const auto found = std::ranges::find(lines, topic, &Line::topic);
  return found == lines.end() ? "(none)" : found->text;
}

TEST(SandboxReport, TellsWhyNoCommandCanRun) {
  const Facts facts = find_facts(Error{.code = Code::unavailable, .message = "no '/nowhere'"});
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_NE(line(explain(example(), facts), "refused").find("/nowhere"), std::string::npos);
}

TEST(SandboxReport, NamesWhatBoundsProcesses) {
  const Policy policy = example();
  EXPECT_EQ(line(explain(policy, {.holds = {.group_processes = true}, .root = true}), "processes"),
            "at most 4096, by a control group (all commands together)");
  EXPECT_NE(line(explain(policy, {.root = true}), "processes").find("nothing on this machine"),
            std::string::npos);
}

TEST(SandboxReport, SaysThatALimitOfDataCountsForEachProcess) {
  Policy policy = example();
  policy.limits.memory_bytes = 1u << 30;
  EXPECT_NE(line(explain(policy, {}), "memory").find("each process"), std::string::npos);
  EXPECT_NE(line(explain(policy, {.holds = {.group_processor = true}}), "processor time")
                .find("together"),
            std::string::npos);
  EXPECT_NE(line(explain(policy, {.holds = {.group_memory = true}}), "memory").find("together"),
            std::string::npos);
}

TEST(SandboxReport, NamesOnlyTheSecretsThatExist) {
  EXPECT_EQ(line(explain(example(), {}), "unreadable"), "1 of 2 places exist: /etc/shadow");
}

TEST(SandboxReport, NamesTheWallsThatStand) {
  Policy policy = example();
  EXPECT_EQ(line(explain(policy, {.landlock = 7, .holds = {.user_namespace = true}}), "walls"),
            "user, mount, network, IPC, host name, control group and process namespaces; Landlock "
            "7; system call filter; no capabilities; no new privileges");
  policy.network = true;
  EXPECT_EQ(line(explain(policy, {.holds = {.bubblewrap = true}}), "walls"),
            "mount, IPC, host name, control group and process namespaces (made by bubblewrap); "
            "system call filter; no capabilities; no new privileges");
}

TEST(SandboxReport, TellsWhatDoesNotHold) {
  Policy policy = example();
  EXPECT_EQ(line(explain(policy, {.landlock = 7}), "does not hold"), "(none)");
  EXPECT_NE(line(explain(policy, {}), "does not hold").find("named pipe"), std::string::npos);
  policy.network = true;
  EXPECT_EQ(line(explain(policy, {.landlock = 6}), "does not hold"),
            "sockets of the host that lie in a root can be reached");
  EXPECT_NE(line(explain(policy, {.landlock = 5}), "does not hold").find("abstract sockets"),
            std::string::npos);
}

TEST(SandboxReport, NamesWhatIsWritableAndWhatNever) {
  Policy policy = example();
  EXPECT_TRUE(
      line(explain(policy, {}), "writable").starts_with("/tmp, /var/tmp, /dev/shm (private"));
  EXPECT_EQ(line(explain(policy, {}), "never writable"), "(none)") << "there is no writable root";
  policy.level = Level::workspace_write;
  policy.roots = {"/work", "/with\nline"};
  policy.read_only_roots = {"/lib/a", "/lib/b"};
  EXPECT_TRUE(line(explain(policy, {}), "writable").starts_with("/work\n/with\\nline\n/tmp, "));
  EXPECT_EQ(line(explain(policy, {}), "never writable"),
            ".git/hooks, .git/config, .git/info, .helve in each root");
  policy.protected_paths = {"/etc/helve"};
  EXPECT_EQ(line(explain(policy, {}), "never writable"),
            ".git/hooks, .git/config, .git/info, .helve in each root\n/etc/helve");
  policy.protected_files = {"/home/u/.gitconfig"};
  EXPECT_TRUE(
      line(explain(policy, {}), "never writable").ends_with("\n/etc/helve\n/home/u/.gitconfig"));
  EXPECT_EQ(line(explain(policy, {}), "read-only roots"), "/lib/a\n/lib/b");
}

TEST(SandboxReport, HasNoWallsAtTheFullLevel) {
  Policy policy;
  policy.level = Level::full;
  const auto lines = explain(policy, {});
  EXPECT_EQ(line(lines, "walls"), "none");
  EXPECT_EQ(line(lines, "network"), "(none)");
  EXPECT_EQ(line(explain(policy, {.namespace_processes = true}), "processes"),
            "at most 4096, by RLIMIT_NPROC (all of this user)");
}

TEST(SandboxReport, NamesTheWayOutOfWhatIsRefused) {
  EXPECT_NE(line(explain(example(), {.failure = failure("mount", EPERM)}), "way out").find("full"),
            std::string::npos);
  EXPECT_EQ(line(explain(example(), {.failure = unfit("a link", "remove it")}), "way out"),
            "remove it");
}

TEST(SandboxReport, IsJsonForPrograms) {
  const JsonObject object = to_json(example(), {.failure = Error{.message = "no"}, .landlock = 3});
  EXPECT_EQ(object.at("level").as_string(), "read_only");
  EXPECT_FALSE(object.at("works").as_bool());
  EXPECT_EQ(object.at("machine").at("landlock").as_int64(), 3);
}

}  // namespace
}  // namespace helve::sandbox

#include "hooks/script_hooks.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "hooks/answer.h"
#include "hooks/payload.h"

namespace helve::hooks {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Decision = HookAnswer::Decision;

class HooksTest : public ::testing::Test {
 protected:
  HooksTest() {
    std::string pattern = ::testing::TempDir() + "hooks_XXXXXX";
    base_ = std::filesystem::canonical(mkdtemp(pattern.data())).string();
    directory_ = base_ + "/hooks";
    std::filesystem::create_directory(directory_);
    chmod(directory_.c_str(), 0755);
    options_.environment = {{"PATH", getenv("PATH")}, {"HOME", base_}};
    arguments_ = {{"path", "a.txt"}};
  }
  ~HooksTest() override { std::filesystem::remove_all(base_); }

  void script(const std::string& name, const std::string& content, mode_t mode = 0644) {
    std::ofstream(directory_ + "/" + name) << content;
    chmod((directory_ + "/" + name).c_str(), mode);
  }
  ScriptHooks::Found find() const {
    auto found = ScriptHooks::find(directory_, options_);
    EXPECT_TRUE(found) << (found ? "" : describe(found.error()));
    return found ? std::move(*found) : ScriptHooks::Found{};
  }
  HookAnswer before() const { return before(arguments_); }
  HookAnswer before(const Json& arguments) const {
    const ScriptHooks::Found found = find();
    EXPECT_TRUE(found.hooks);
    if (!found.hooks) return {};
    return found.hooks->before({who_, "c_1", Caller::mcp, "write", arguments, Effect::write}, {});
  }
  HookAnswer after(std::string_view result, bool is_error = false) const {
    const ScriptHooks::Found found = find();
    EXPECT_TRUE(found.hooks);
    if (!found.hooks) return {};
    return found.hooks->after(
        {who_, "c_1", Caller::mcp, "write", arguments_, Effect::write, result, is_error}, {});
  }
  std::string read(const std::string& name) const {
    std::ifstream in(base_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string base_, directory_;
  Options options_;
  Identity who_{"coder", "ana", "/project", "s_1"};
  Json arguments_;
};

TEST_F(HooksTest, AreAbsentWithoutScripts) {
  EXPECT_FALSE(find().hooks);
  directory_ = base_ + "/missing";
  EXPECT_FALSE(find().hooks);
  EXPECT_THAT(find().notices, IsEmpty());
}

TEST_F(HooksTest, AreFoundByNameAndSorted) {
  script("before_tool.b.sh", "");
  script("before_tool.a.with.dots.sh", "");
  script("before_tool.c.js", "");
  script("after_tool.x.sh", "", 0755);
  script("before_prompt.x.sh", "");
  script("after_response.x.js", "");
  script(".hidden", "");
  const ScriptHooks::Found found = find();
  ASSERT_TRUE(found.hooks);
  auto argv_at = [&](Point point, size_t index) {
    return found.hooks->scripts(point).at(index).argv;
  };
  ASSERT_EQ(found.hooks->scripts(Point::before_tool).size(), 3u);
  EXPECT_EQ(found.hooks->scripts(Point::before_tool)[0].name, "before_tool.a.with.dots.sh");
  EXPECT_THAT(argv_at(Point::before_tool, 0),
              ElementsAre("/bin/sh", directory_ + "/before_tool.a.with.dots.sh"));
  EXPECT_THAT(argv_at(Point::before_tool, 2),
              ElementsAre("node", directory_ + "/before_tool.c.js"));
  EXPECT_THAT(argv_at(Point::after_tool, 0), ElementsAre(directory_ + "/after_tool.x.sh"));
  EXPECT_THAT(argv_at(Point::before_prompt, 0),
              ElementsAre("/bin/sh", directory_ + "/before_prompt.x.sh"));
  EXPECT_THAT(argv_at(Point::after_response, 0),
              ElementsAre("node", directory_ + "/after_response.x.js"));
  EXPECT_THAT(found.notices, IsEmpty());
}

TEST_F(HooksTest, ReportFilesThatAreNoHooks) {
  script("README.md", "");
  script("before_tol.x.sh", "");
  script("before_tool..sh", "");
  const ScriptHooks::Found found = find();
  EXPECT_FALSE(found.hooks);
  EXPECT_THAT(found.notices,
              ElementsAre("'" + directory_ +
                              "/README.md' is not a hook: name it POINT.NAME.sh or POINT.NAME.js",
                          HasSubstr("before_tol.x.sh' is not a hook: name it POINT.NAME.sh or "
                                    "POINT.NAME.js (did you mean 'before_tool'?)"),
                          HasSubstr("before_tool..sh")));
}

TEST_F(HooksTest, AreNotFoundAtAllWhenAGuardIsRefused) {
  auto refused_as = [&](const std::string& name) {
    const auto found = ScriptHooks::find(directory_, options_);
    const std::string error = found ? "found" : describe(found.error());
    std::filesystem::remove(directory_ + "/" + name);
    return error;
  };
  script("after_tool.fine.sh", "");
  script("before_tool.group.sh", "exit 2", 0664);
  EXPECT_THAT(refused_as("before_tool.group.sh"),
              AllOf(HasSubstr("before_tool.group.sh' can be written by its group"),
                    HasSubstr("chmod go-w '" + directory_ + "/before_tool.group.sh'")));
  script("before_tool.world.js", "", 0646);
  EXPECT_THAT(refused_as("before_tool.world.js"),
              HasSubstr("before_tool.world.js' can be written by everybody"));
  script("before_prompt.world.sh", "", 0646);
  EXPECT_THAT(refused_as("before_prompt.world.sh"),
              HasSubstr("before_prompt.world.sh' can be written by everybody"));
  std::filesystem::create_symlink(base_ + "/elsewhere", directory_ + "/before_tool.link.sh");
  EXPECT_THAT(refused_as("before_tool.link.sh"), HasSubstr("before_tool.link.sh' is a symlink"));
  std::filesystem::create_directory(directory_ + "/before_tool.directory.sh");
  EXPECT_THAT(refused_as("before_tool.directory.sh"),
              HasSubstr("before_tool.directory.sh' is a directory"));
  EXPECT_TRUE(find().hooks);
}

TEST_F(HooksTest, PassOverARefusedScriptThatOnlyObserves) {
  script("after_tool.group.sh", "", 0664);
  script("after_tool.world.sh", "", 0646);
  script("after_response.world.sh", "", 0646);
  const ScriptHooks::Found found = find();
  EXPECT_FALSE(found.hooks);
  EXPECT_THAT(found.notices,
              ElementsAre(HasSubstr("after_response.world.sh' can be written by everybody"),
                          HasSubstr("after_tool.group.sh' can be written by its group"),
                          HasSubstr("after_tool.world.sh' can be written by everybody")));
}

TEST_F(HooksTest, AreNotFoundAtAllWhenTheDirectoryOfAGuardIsRefused) {
  script("before_tool.x.sh", "exit 2");
  chmod(directory_.c_str(), 0777);
  const auto found = ScriptHooks::find(directory_, options_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::denied);
  EXPECT_THAT(found.error().message,
              AllOf(HasSubstr("before_tool.x.sh"),
                    HasSubstr("'" + directory_ + "' can be written by everybody")));
  EXPECT_EQ(found.error().hint, "chmod go-w '" + directory_ + "'");
}

TEST_F(HooksTest, PassOverARefusedDirectoryWithoutGuards) {
  script("after_tool.x.sh", "exit 2");
  script("README.md", "");
  chmod(directory_.c_str(), 0777);
  const ScriptHooks::Found found = find();
  EXPECT_FALSE(found.hooks);
  EXPECT_THAT(found.notices, ElementsAre(StartsWith("no hooks are run: '" + directory_ +
                                                    "' can be written by everybody")));
}

TEST_F(HooksTest, AreNotRunByAHookThatCallsHelve) {
  script("before_tool.x.sh", "exit 2");
  options_.environment["HELVE_HOOK_POINT"] = "before_tool";
  EXPECT_FALSE(find().hooks);
}

TEST_F(HooksTest, SayNothingByEndingQuietly) {
  script("before_tool.x.sh", "exit 0");
  script("before_tool.y.sh", "echo all fine");
  script("before_tool.z.sh", "echo '[1]'");
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::none);
  EXPECT_FALSE(answer.arguments);
  EXPECT_THAT(answer.failures, IsEmpty());
}

TEST_F(HooksTest, BlockWithExitCodeTwoAndStandardErrorAsReason) {
  script("before_tool.x.sh", "echo '  not on Fridays' >&2; exit 2");
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_EQ(answer.reason, "not on Fridays");
  EXPECT_THAT(answer.failures, IsEmpty());
}

TEST_F(HooksTest, NameThemselvesWhenTheyBlockWithoutAReason) {
  script("before_tool.x.sh", "exit 2");
  EXPECT_EQ(before().reason, "the hook before_tool.x.sh says so");
}

TEST_F(HooksTest, CutALongReasonBetweenCharacters) {
  script("before_tool.x.sh",
         "i=0; while [ $i -lt 3000 ]; do printf ä >&2; i=$((i+1)); done; exit 2");
  const std::string reason = before().reason;
  EXPECT_EQ(count_chars(reason), kMaxReasonChars + 1);
  EXPECT_TRUE(reason.ends_with("ä…"));
}

TEST_F(HooksTest, MayAnswerInJson) {
  script("before_tool.x.sh", R"(echo '{"decision": "deny", "reason": "no"}')");
  HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_EQ(answer.reason, "no");
  script("before_tool.x.sh", R"(echo '{"decision": "allow"}')");
  EXPECT_EQ(before().decision, Decision::allow);
  script("before_tool.x.sh", R"(echo '{"decision": "none", "other": 1}')");
  answer = before();
  EXPECT_EQ(answer.decision, Decision::none);
  EXPECT_THAT(answer.failures, IsEmpty());
}

TEST_F(HooksTest, DenyOverAllowOverNone) {
  script("before_tool.1.sh", R"(echo '{"decision": "none"}')");
  script("before_tool.2.sh", R"(echo '{"decision": "allow", "reason": "fine"}')");
  script("before_tool.3.sh", R"(echo '{"decision": "none", "reason": "hm"}')");
  HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::allow);
  EXPECT_EQ(answer.reason, "fine");
  script("before_tool.4.sh", R"(echo '{"decision": "deny", "reason": "no"}')");
  script("before_tool.5.sh", "touch " + base_ + "/ran");
  answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_EQ(answer.reason, "no");
  EXPECT_FALSE(std::filesystem::exists(base_ + "/ran")) << "a deny ends the chain";
}

TEST_F(HooksTest, RewriteTheArgumentsForTheNextScript) {
  script("before_tool.1.sh", R"(echo '{"arguments": {"path": "b.txt"}}')");
  script("before_tool.2.sh",
         "cat > " + base_ + "/seen; printf %s \"$HELVE_HOOK_TOOL_ARGS\" > " + base_ + "/env");
  script("before_tool.3.sh", R"(echo '{"decision": "allow", "input": {"path": "c.txt", "n": 1}}')");
  const HookAnswer answer = before();
  ASSERT_TRUE(answer.arguments);
  EXPECT_EQ(to_text(*answer.arguments), R"({"path":"c.txt","n":1})");
  EXPECT_THAT(read("seen"), HasSubstr(R"("arguments":{"path":"b.txt"})"));
  EXPECT_EQ(read("env"), R"({"path":"b.txt"})");
}

TEST_F(HooksTest, DropARewriteWhenTheCallIsDenied) {
  script("before_tool.1.sh", R"(echo '{"decision": "deny", "arguments": {"path": "b.txt"}}')");
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_FALSE(answer.arguments);
}

TEST_F(HooksTest, ReportFailuresWithoutBlocking) {
  script("before_tool.1.sh", "echo broken >&2; exit 1");
  script("before_tool.2.sh", "kill -SEGV $$");
  script("before_tool.3.sh", R"(echo '{"decision": "perhaps"}')");
  script("before_tool.4.sh", "echo '{\"decision\": '");
  script("before_tool.5.sh", R"(echo '{"arguments": [1]}')");
  script("before_tool.6.sh", "#!/no/such/interpreter\n", 0755);
  script("before_tool.7.sh", R"(echo '{"decision": "allow"}')");
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::allow);
  EXPECT_FALSE(answer.arguments);
  EXPECT_THAT(
      answer.failures,
      ElementsAre("before_tool.1.sh: exit code 1: broken", "before_tool.2.sh: ended by SIGSEGV",
                  "before_tool.3.sh: the decision must be allow, deny or none, not \"perhaps\"",
                  StartsWith("before_tool.4.sh: invalid JSON"),
                  "before_tool.5.sh: the arguments must be an object, not [1]",
                  AllOf(StartsWith("before_tool.6.sh: "), HasSubstr("interpreter"))));
}

TEST_F(HooksTest, AreEndedAtTheirLimit) {
  script("before_tool.slow.sh", "exec sleep 1000");
  options_.timeout = 50ms;
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::none);
  EXPECT_THAT(answer.failures, ElementsAre("before_tool.slow.sh: ended after 50 ms, its limit"));
}

TEST_F(HooksTest, DoNotWaitForAGrandchildThatHoldsThePipe) {
  script("before_tool.x.sh", "sleep 1000 & echo $! > " + base_ +
                                 "/pid; echo '{\"decision\": \"deny\", \"reason\": \"no\"}'");
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_THAT(answer.failures, IsEmpty());
  kill(std::stoi(read("pid")), SIGKILL);
}

TEST_F(HooksTest, StopWhenTheCallIsCancelled) {
  script("before_tool.1.sh", "exec sleep 1000");
  script("before_tool.2.sh", "touch " + base_ + "/ran");
  std::stop_source source;
  source.request_stop();
  const ScriptHooks::Found found = find();
  const HookAnswer answer = found.hooks->before(
      {who_, "c_1", Caller::cli, "write", arguments_, Effect::write}, source.get_token());
  EXPECT_EQ(answer.failures.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(base_ + "/ran"));
}

TEST_F(HooksTest, ObserveACallThatWasCancelled) {
  script("after_tool.1.sh", "touch " + base_ + "/ran");
  std::stop_source source;
  source.request_stop();
  const ScriptHooks::Found found = find();
  const HookAnswer answer = found.hooks->after(
      {who_, "c_1", Caller::cli, "write", arguments_, Effect::write, "cancelled", true},
      source.get_token());
  EXPECT_THAT(answer.failures, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(base_ + "/ran"));
}

TEST_F(HooksTest, RunAnExecutableScriptWithItsOwnInterpreter) {
  script("before_tool.x.sh", "#!/usr/bin/tail -n1\n{\"decision\": \"deny\"}\n", 0755);
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_THAT(answer.failures, IsEmpty());
}

TEST_F(HooksTest, RunAnExecutableScriptThatNamesNoInterpreterWithTheShell) {
  script("before_tool.x.sh", "echo no >&2; exit 2", 0755);
  const HookAnswer answer = before();
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_THAT(answer.failures, IsEmpty());
}

TEST_F(HooksTest, RunJavaScriptWithNode) {
  std::filesystem::create_directory(base_ + "/bin");
  std::ofstream(base_ + "/bin/node")
      << "#!/bin/sh\necho \"{\\\"decision\\\": \\\"deny\\\", \\\"reason\\\": \\\"node $1\\\"}\"\n";
  chmod((base_ + "/bin/node").c_str(), 0755);
  options_.environment["PATH"] = base_ + "/bin:/usr/bin:/bin";
  script("before_tool.x.js", "");
  EXPECT_EQ(before().reason, "node " + directory_ + "/before_tool.x.js");
  options_.environment["PATH"] = base_;
  EXPECT_THAT(
      before().failures,
      ElementsAre(
          "before_tool.x.js: no program 'node' in PATH (install it, or name it by its path)"));
}

TEST_F(HooksTest, RunNothingThatACommandPutIntoPath) {
  std::filesystem::create_directories(base_ + "/project/bin");
  std::ofstream(base_ + "/project/bin/seq") << "#!/bin/sh\ntouch " << base_ << "/planted\n";
  chmod((base_ + "/project/bin/seq").c_str(), 0755);
  options_.environment["PATH"] = base_ + "/project/bin:bin:/usr/bin:/bin";
  options_.writable = {base_ + "/project"};
  script("before_tool.x.sh", "seq 1 >&2; echo $PATH > " + base_ + "/path; exit 2");
  EXPECT_EQ(before().reason, "1");
  EXPECT_FALSE(std::filesystem::exists(base_ + "/planted"));
  EXPECT_EQ(read("path"), "/usr/bin:/bin\n");
}

TEST_F(HooksTest, GetTheCallInTheirEnvironment) {
  script("before_tool.x.sh", "env | grep _HOOK_ | sort > " + base_ + "/env");
  before();
  EXPECT_EQ(
      read("env"),
      "CAMELAGI_HOOK_POINT=before_tool\nCAMELAGI_HOOK_SESSION=s_1\nCAMELAGI_HOOK_TOOL=write\n"
      "CAMELAGI_HOOK_TOOL_ARGS={\"path\":\"a.txt\"}\n"
      "HELVE_HOOK_CALL=c_1\nHELVE_HOOK_CALLER=mcp\nHELVE_HOOK_EFFECT=write\nHELVE_HOOK_POINT="
      "before_tool\n"
      "HELVE_HOOK_SESSION=s_1\nHELVE_HOOK_TOOL=write\nHELVE_HOOK_TOOL_ARGS={\"path\":\"a.txt\"}\n");
}

TEST_F(HooksTest, GetTheCallAsJsonOnStandardInput) {
  script("before_tool.x.sh", "cat > " + base_ + "/in");
  script("after_tool.x.sh",
         "cat > " + base_ + "/out; printf %s \"$HELVE_HOOK_TOOL_RESULT\" > " + base_ + "/env");
  before();
  EXPECT_EQ(
      read("in"),
      R"({"point":"before_tool","session":"s_1","agent":"coder","user":"ana","workspace":"/project","call":"c_1",)"
      R"("caller":"mcp","tool":"write","arguments":{"path":"a.txt"},"effect":"write"})");
  after("it\nis \"done\"", true);
  EXPECT_THAT(read("out"), HasSubstr(R"("point":"after_tool")"));
  EXPECT_THAT(read("out"), HasSubstr(R"("result":"it\nis \"done\"","is_error":true})"));
  EXPECT_EQ(read("env"), "it\nis \"done\"");
}

TEST_F(HooksTest, SeeArgumentsWithQuotesAndNewlinesUnharmed) {
  const std::string text = "a'b\"c\n$(touch /tmp/x) `id` \\ \xC3\xA4";
  script("before_tool.x.sh",
         "printf %s \"$HELVE_HOOK_TOOL_ARGS\" > " + base_ + "/env; cat > " + base_ + "/in");
  before(Json{{"text", text}});
  EXPECT_EQ(string_at(parse_json(read("env")).value(), "text"), text);
  EXPECT_EQ(string_at(*helve::find(parse_json(read("in")).value(), "arguments"), "text"), text);
}

TEST_F(HooksTest, GetNothingElseOfOurEnvironment) {
  setenv("HELVE_TEST_API_KEY", "canary", 1);
  options_.environment["OPENAI_API_KEY"] = "canary";
  options_.environment["LANG"] = "C.UTF-8";
  options_.environment["USER"] = "ana";
  options_.environment["TMPDIR"] = base_;
  script(
      "before_tool.x.sh",
      "env | grep -v _HOOK_ | cut -d= -f1 | grep -v '^PWD$\\|^OLDPWD$\\|^SHLVL$\\|^_$' | sort > " +
          base_ + "/env; env > " + base_ + "/all");
  before();
  unsetenv("HELVE_TEST_API_KEY");
  EXPECT_EQ(read("env"), "HOME\nLANG\nPATH\nTMPDIR\nUSER\n");
  EXPECT_THAT(read("all"), Not(HasSubstr("canary")));
}

TEST_F(HooksTest, RunInTheirOwnDirectoryUnlessToldOtherwise) {
  script("before_tool.x.sh", "pwd -P > " + base_ + "/cwd");
  before();
  EXPECT_EQ(read("cwd"), directory_ + "\n");
  options_.cwd = base_;
  before();
  EXPECT_EQ(read("cwd"), base_ + "\n");
}

TEST_F(HooksTest, GetLongTextsWholeOnStandardInputAndShortInTheEnvironment) {
  std::string result;
  for (int i = 0; i < 15'000; ++i) result += "ä";
  script("after_tool.x.sh",
         "cat > " + base_ + "/in; printf %s \"$HELVE_HOOK_TOOL_RESULT\" > " + base_ + "/env");
  EXPECT_THAT(after(result).failures, IsEmpty());
  EXPECT_EQ(string_at(parse_json(read("in")).value(), "result"), result);
  EXPECT_EQ(read("env"), result.substr(0, 2 * kMaxTextChars) + "…");
}

TEST_F(HooksTest, SurviveResultsOfAnyBytes) {
  script("after_tool.x.sh", "printf %s \"$HELVE_HOOK_TOOL_RESULT\" > " + base_ + "/env");
  EXPECT_THAT(after(std::string("a\0b\xff", 4)).failures, IsEmpty());
  EXPECT_EQ(read("env"), "a\\x00b\\xff");
  EXPECT_THAT(after(std::string(1'000'000, '\x80')).failures, IsEmpty());
}

TEST_F(HooksTest, GetALongResultCutAndAreToldSo) {
  script("after_tool.x.sh", "wc -c > " + base_ + "/size");
  EXPECT_THAT(after(std::string(20u << 20, 'x')).failures, IsEmpty());
  EXPECT_LE(std::stoul(read("size")), kMaxPayload);
  EXPECT_GT(std::stoul(read("size")), kMaxPayload / 8);
  const HookCall call{who_,       "c_1",         Caller::mcp,          "write",
                      arguments_, Effect::write, std::string_view("x")};
  EXPECT_THAT(told_of(Point::after_tool, call, "{}")->payload, Not(HasSubstr("result_cut")));
  const std::string control(kMaxPayload / 2, '\x01');
  const HookCall escaped{who_, "c_1", Caller::mcp, "write", arguments_, Effect::write, control};
  const std::string payload = told_of(Point::after_tool, escaped, "{}")->payload;
  EXPECT_LE(payload.size(), kMaxPayload);
  EXPECT_THAT(payload, HasSubstr("\"result_cut\":true"));
}

TEST_F(HooksTest, AreNotPassedByWithArgumentsTooLargeToShow) {
  script("before_tool.x.sh", "exit 0");
  const HookAnswer answer = before(Json{{"text", std::string(kMaxPayload, 'x')}});
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_EQ(answer.reason, "the call is larger than 7.0 MB, more than hooks can be shown");
}

TEST_F(HooksTest, OnlyObserveAfterTheCall) {
  script("after_tool.1.sh", "echo too late >&2; exit 2");
  script("after_tool.2.sh", R"(echo '{"decision": "deny", "reason": "no", "arguments": {}}')");
  script("after_tool.3.sh", "exit 1");
  script("after_tool.4.sh", "exit 2");
  script("after_tool.5.sh", "touch " + base_ + "/ran");
  const HookAnswer answer = after("ok");
  EXPECT_EQ(answer.decision, Decision::none);
  EXPECT_FALSE(answer.arguments);
  EXPECT_THAT(answer.failures,
              ElementsAre("after_tool.1.sh: a deny has no effect after the call: too late",
                          "after_tool.2.sh: a deny has no effect after the call: no",
                          "after_tool.2.sh: new arguments have no effect after the call",
                          "after_tool.3.sh: exit code 1",
                          "after_tool.4.sh: a deny has no effect after the call"));
  EXPECT_TRUE(std::filesystem::exists(base_ + "/ran"));
}

}  // namespace
}  // namespace helve::hooks

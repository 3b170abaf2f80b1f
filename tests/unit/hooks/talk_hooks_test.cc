// The points around what is said in a session. What all points have in common is tested with those
// around calls.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "hooks/payload.h"
#include "hooks/script_hooks.h"

namespace helve::hooks {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Decision = HookAnswer::Decision;

class TalkHooksTest : public ::testing::Test {
 protected:
  TalkHooksTest() {
    std::string pattern = ::testing::TempDir() + "talk_hooks_XXXXXX";
    base_ = std::filesystem::canonical(mkdtemp(pattern.data())).string();
    std::filesystem::create_directory(base_ + "/hooks");
    chmod((base_ + "/hooks").c_str(), 0755);
  }
  ~TalkHooksTest() override { std::filesystem::remove_all(base_); }

  void script(const std::string& name, const std::string& content) const {
    const std::string path = base_ + "/hooks/" + name;
    std::ofstream(path) << content;
    chmod(path.c_str(), 0644);
  }
  std::unique_ptr<ScriptHooks> hooks() const {
    auto found = ScriptHooks::find(
        base_ + "/hooks", {.environment = {{"PATH", getenv("PATH")}, {"HOME", base_}}, .cwd = ""});
    EXPECT_TRUE(found && found->hooks) << (found ? "none" : describe(found.error()));
    return std::move(found->hooks);
  }
  HookAnswer before(std::string_view prompt, std::stop_token stop = {}) const {
    return hooks()->before_prompt({who_, prompt}, stop);
  }
  HookAnswer after(std::string_view response, std::stop_token stop = {}) const {
    return hooks()->after_response({who_, response}, stop);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(base_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string told() const {
    return "env | grep _HOOK_ | sort > " + base_ + "/env; cat > " + base_ + "/in";
  }

  std::string base_;
  const Identity who_{"coder", "ana", "/project", "s_1"};
};

TEST_F(TalkHooksTest, AreToldThePrompt) {
  script("before_prompt.x.sh", told());
  EXPECT_THAT(before("hello \"you\"").failures, IsEmpty());
  EXPECT_EQ(read("env"),
            "CAMELAGI_HOOK_MESSAGE=hello \"you\"\nCAMELAGI_HOOK_POINT=before_prompt\n"
            "CAMELAGI_HOOK_SESSION=s_1\nHELVE_HOOK_MESSAGE=hello \"you\"\n"
            "HELVE_HOOK_POINT=before_prompt\nHELVE_HOOK_SESSION=s_1\n");
  EXPECT_EQ(read("in"), R"({"point":"before_prompt","session":"s_1","agent":"coder","user":"ana",)"
                        R"("workspace":"/project","message":"hello \"you\""})");
}

TEST_F(TalkHooksTest, AreToldTheResponse) {
  script("after_response.x.sh", told());
  EXPECT_THAT(after("done").failures, IsEmpty());
  EXPECT_EQ(read("env"),
            "CAMELAGI_HOOK_POINT=after_response\nCAMELAGI_HOOK_RESPONSE=done\n"
            "CAMELAGI_HOOK_SESSION=s_1\nHELVE_HOOK_POINT=after_response\n"
            "HELVE_HOOK_RESPONSE=done\nHELVE_HOOK_SESSION=s_1\n");
  EXPECT_THAT(read("in"), HasSubstr(R"("workspace":"/project","response":"done"})"));
}

TEST_F(TalkHooksTest, BlockAPromptWithExitCodeTwoOnly) {
  script("before_prompt.1.sh", "echo broken >&2; exit 1");
  script("before_prompt.2.sh", "kill -SEGV $$");
  HookAnswer answer = before("hello");
  EXPECT_EQ(answer.decision, Decision::none);
  EXPECT_THAT(answer.failures, ElementsAre("before_prompt.1.sh: exit code 1: broken",
                                           "before_prompt.2.sh: ended by SIGSEGV"));
  script("before_prompt.3.sh", "echo 'not on Fridays' >&2; exit 2");
  script("before_prompt.4.sh", "touch " + base_ + "/ran");
  answer = before("hello");
  EXPECT_EQ(answer.decision, Decision::deny);
  EXPECT_EQ(answer.reason, "not on Fridays");
  EXPECT_FALSE(std::filesystem::exists(base_ + "/ran"));
}

TEST_F(TalkHooksTest, DoNotRewriteAPrompt) {
  script("before_prompt.x.sh", R"(echo '{"arguments": {"message": "other"}}')");
  const HookAnswer answer = before("hello");
  EXPECT_FALSE(answer.arguments);
  EXPECT_THAT(answer.failures,
              ElementsAre("before_prompt.x.sh: arguments have no effect on a prompt"));
}

TEST_F(TalkHooksTest, OnlyObserveAResponse) {
  script("after_response.1.sh", "echo too late >&2; exit 2");
  script("after_response.2.sh", "touch " + base_ + "/ran");
  const HookAnswer answer = after("done");
  EXPECT_EQ(answer.decision, Decision::none);
  EXPECT_THAT(
      answer.failures,
      ElementsAre("after_response.1.sh: a deny has no effect after the response: too late"));
  EXPECT_TRUE(std::filesystem::exists(base_ + "/ran"));
}

TEST_F(TalkHooksTest, LeaveCallsAlone) {
  script("before_prompt.x.sh", "exit 2");
  script("after_response.x.sh", "exit 2");
  const std::unique_ptr<ScriptHooks> hooks = this->hooks();
  const Json arguments = JsonObject{};
  const HookCall call{who_, "c_1", Caller::mcp, "write", arguments, Effect::write, "ok"};
  EXPECT_EQ(hooks->before(call, {}).decision, Decision::none);
  EXPECT_THAT(hooks->after(call, {}).failures, IsEmpty());
}

TEST_F(TalkHooksTest, StopBeforeAPromptButObserveAnAnswerOfACancelledRun) {
  script("before_prompt.1.sh", "exec sleep 1000");
  script("before_prompt.2.sh", "touch " + base_ + "/before");
  script("after_response.1.sh", "touch " + base_ + "/after");
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(before("hello", source.get_token()).failures.size(), 1u);
  EXPECT_THAT(after("half", source.get_token()).failures, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(base_ + "/before"));
  EXPECT_TRUE(std::filesystem::exists(base_ + "/after"));
}

TEST_F(TalkHooksTest, AreNotPassedByWithAPromptTooLargeToShow) {
  script("before_prompt.x.sh", "exit 0");
  for (const std::string& prompt :
       {std::string(kMaxGuarded + 1, 'x'), std::string(kMaxGuarded / 2, '\x01')}) {
    const HookAnswer answer = before(prompt);
    EXPECT_EQ(answer.decision, Decision::deny);
    EXPECT_EQ(answer.reason, "the prompt is larger than 7.0 MB, more than hooks can be shown");
  }
}

TEST_F(TalkHooksTest, GetALongTextCutAndBrokenBytesReplaced) {
  script("after_response.x.sh",
         "wc -c > " + base_ + "/in; printf %s \"$HELVE_HOOK_RESPONSE\" > " + base_ + "/env");
  EXPECT_THAT(after(std::string(20u << 20, 'x')).failures, IsEmpty());
  EXPECT_LE(std::stoul(read("in")), kMaxPayload);
  EXPECT_EQ(read("env"), std::string(kMaxTextChars, 'x') + "…");
  const HookTalk broken{who_, std::string_view("a\0\xff", 3)};
  EXPECT_THAT(told_of(Point::after_response, broken)->variables,
              testing::Contains("HELVE_HOOK_RESPONSE=a\\x00\\xff"));
  EXPECT_THAT(told_of(Point::after_response, broken)->payload,
              AllOf(HasSubstr("\xEF\xBF\xBD"), Not(HasSubstr("response_cut"))));
}

}  // namespace
}  // namespace helve::hooks

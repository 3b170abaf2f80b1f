// helve capabilities, with a model that tells a script and without one.
#include "base/text.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

class Capabilities : public Machine {
 protected:
  Json json(std::vector<std::string> words) {
    words.push_back("--json");
    EXPECT_EQ(run(words), 0) << err_ << out_;
    return parse_json(out_).value();
  }
  void script(const std::string& text) {
    put("script.jsonl", text);
    around_.environment["HELVE_MODEL_PROVIDER"] = "scripted";
    around_.environment["HELVE_MODEL_SCRIPT"] = at("script.jsonl");
  }
  static std::vector<std::string> themes(const Json& answer) {
    std::vector<std::string> themes;
    for (const Json& each : answer.at("themes").get_array()) themes.emplace_back(each.get_string());
    return themes;
  }
};

TEST_F(Capabilities, AreWhatTheModelMakesOfTheTools) {
  script(R"({"text":"- Look at files\n- Use exec or read_large_result\n"})");
  const Json answer = json({"capabilities"});
  EXPECT_EQ(themes(answer), std::vector<std::string>{"Look at files"});
  EXPECT_EQ(answer.at("by").get_string(), "model");
  EXPECT_TRUE(content("work/.helve/prompts/capabilities.md").ends_with("\n- Look at files\n"));
  EXPECT_EQ(run({"undo"}), 0) << err_;
  EXPECT_FALSE(exists("work/.helve"));
}

TEST_F(Capabilities, AreToldWithoutTheNamesOfTools) {
  script(R"({"text":"- Search with `grep`\n- Call exec(command)\n- Use membot_write.\n- **glob**\n)"
         R"(- Read, edit and move files; run a command\n- \"undo\" what was done"})");
  EXPECT_EQ(themes(json({"capabilities"})),
            std::vector<std::string>{"Read, edit and move files; run a command"});
}

TEST_F(Capabilities, AreCountedWhereNoModelAnswers) {
  script("");
  const Json answer = json({"capabilities", "refresh"});
  EXPECT_EQ(answer.at("by").get_string(), "groups");
  EXPECT_EQ(themes(answer)[0], "capabilities: 1 tool");
  EXPECT_EQ(answer.at("notes").get_array().size(), 1u);
  EXPECT_EQ(json({"capabilities"}).at("changed").get_bool(), false);
}

TEST_F(Capabilities, StayAsTheModelWroteThemWhenItFails) {
  script(R"({"text":"- Look at files\n"})");
  EXPECT_EQ(json({"capabilities"}).at("by").get_string(), "model");
  const std::string written = content("work/.helve/prompts/capabilities.md");
  for (const char* failure : {"", R"({"text":"I cannot."})"}) {
    script(failure);
    const Json answer = json({"capabilities"});
    EXPECT_EQ(themes(answer), std::vector<std::string>{"Look at files"});
    EXPECT_EQ(answer.at("by").get_string(), "model");
    EXPECT_FALSE(answer.at("changed").get_bool());
    EXPECT_EQ(answer.at("notes").at(1).get_string(), "what was written before is kept");
  }
  EXPECT_EQ(content("work/.helve/prompts/capabilities.md"), written);
}

TEST_F(Capabilities, AreCountedAnewWhereTheyWereCounted) {
  put("work/.helve/prompts/capabilities.md", "---\nloading: always\n---\n- fs: 2 tools\n");
  script("");
  const Json answer = json({"capabilities"});
  EXPECT_EQ(answer.at("by").get_string(), "groups");
  EXPECT_TRUE(answer.at("changed").get_bool());
}

TEST_F(Capabilities, LackWhatIsDenied) {
  script("");
  put("config/config.yaml", "tools:\n  deny: [sessions/*, exec]\n");
  const std::vector<std::string> all = themes(json({"capabilities"}));
  for (const std::string& theme : all) EXPECT_FALSE(theme.starts_with("sessions")) << theme;
  EXPECT_NE(std::ranges::find(all, "shell: 2 tools"), all.end()) << join(all, "\n");
}

TEST_F(Capabilities, AreToldToEverySession) {
  script(R"({"text":"- Look at files"})");
  EXPECT_EQ(run({"capabilities"}), 0) << err_;
  const Json report = json({"context"});
  const std::string parts = to_text(report.at("system").at("parts"));
  EXPECT_NE(parts.find("project prompts"), parts.npos) << parts;
}

TEST_F(Capabilities, NeedTheRightToWrite) {
  script(R"({"text":"- Look at files"})");
  EXPECT_NE(run({"--read-only", "capabilities"}), 0);
  EXPECT_FALSE(exists("work/.helve"));
}

TEST_F(Capabilities, ContextShowsWhatAMessageBrings) {
  put("work/.helve/prompts/release.md", "---\nloading: contextual\n---\nA release has a tag.\n");
  auto parts = [&](std::vector<std::string> words) {
    return to_text(json(std::move(words)).at("system").at("parts"));
  };
  EXPECT_EQ(parts({"context"}).find("for the message"), std::string::npos);
  EXPECT_NE(parts({"context", "-m", "the release"}).find("project prompts for the message"),
            std::string::npos);
}

}  // namespace
}  // namespace helve::app

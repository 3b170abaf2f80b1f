// Command lines through everything that is wired: policy, hooks, records, stored results.
#include "app/doctor.h"
#include "base/text.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

TEST_F(Machine, ReadsAndWritesInTheWorkspace) {
  EXPECT_EQ(run({"fs", "write", "a.txt", "hello\n"}), 0) << err_;
  EXPECT_EQ(content("work/a.txt"), "hello\n");
  EXPECT_EQ(run({"--json", "fs", "read", "a.txt"}), 0);
  EXPECT_EQ(string_at(*parse_json(out_), "content"), "hello\n");
}

TEST_F(Machine, GrepTakesTheLettersOfRipgrep) {
  put("work/a.txt", "one\nOne\ntwo\n");
  put("work/b.txt", "two\n");
  EXPECT_EQ(run({"fs", "grep", "-n", "two", "a.txt"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt:3:two\n");
  EXPECT_EQ(run({"fs", "grep", "-i", "ONE"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt:1:one\na.txt:2:One\n");
  EXPECT_EQ(run({"fs", "grep", "-l", "two"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt\nb.txt\n");
  EXPECT_EQ(run({"fs", "grep", "-ic", "one", "--sort", "path"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt:2\n");
  EXPECT_EQ(run({"fs", "grep", "-rn", "One", "."}), 0) << err_;
  EXPECT_EQ(out_, "a.txt:2:One\n");
  EXPECT_EQ(run({"fs", "grep", "-wA", "1", "One"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt:2:One\na.txt-3-two\n");
  EXPECT_EQ(run({"fs", "grep", "--help"}), 0);
  EXPECT_NE(out_.find("-i: insensitive"), std::string::npos) << out_;
}

TEST_F(Machine, OneOfSeveralFilesThatCannotBeReadIsSeenInTheExitCode) {
  put("work/a.txt", "one\n");
  EXPECT_EQ(run({"fs", "read", "--paths", "a.txt", "--paths", "a.txt"}), 0);
  EXPECT_EQ(run({"fs", "read", "--paths", "a.txt", "--paths", "none"}), 8);
  EXPECT_NE(out_.find("one"), std::string::npos) << out_;
  EXPECT_EQ(run({"--json", "fs", "read", "--paths", "a.txt", "--paths", "none"}), 8);
}

TEST_F(Machine, ADenyOfTheConfigRefusesTheToolByEveryName) {
  put("config/config.yaml", "tools:\n  deny: [Write]\n");
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 5);
  EXPECT_EQ(run({"call", "Write", R"({"file_path":"a.txt","content":"x"})"}), 5);
  EXPECT_NE(err_.find("config.yaml"), std::string::npos) << err_;
  EXPECT_FALSE(exists("work/a.txt"));
}

TEST_F(Machine, ReadOnlyRefusesToWrite) {
  EXPECT_EQ(run({"--read-only", "fs", "write", "a.txt", "x"}), 5);
  EXPECT_FALSE(exists("work/a.txt"));
  EXPECT_NE(err_.find("tool 'write' is denied: --read-only\n"), std::string::npos) << err_;
}

TEST_F(Machine, AHookBlocksACall) {
  put("config/hooks/before_tool.guard.sh", "#!/bin/sh\necho not today >&2\nexit 2\n", 0700);
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 5);
  EXPECT_NE(err_.find("not today"), std::string::npos) << err_;
  EXPECT_FALSE(exists("work/a.txt"));
}

TEST_F(Machine, AHookRunsNoProgramOfTheWorkspace) {
  put("work/bin/true", "#!/bin/sh\ntouch planted\n", 0755);
  around_.environment["PATH"] = at("work/bin") + ":/usr/bin:/bin";
  put("config/hooks/before_tool.guard.sh", "#!/bin/sh\necho \"$PATH\" >&2\nexit 2\n", 0700);
  EXPECT_EQ(run({"fs", "write", "a.txt", "x"}), 5);
  EXPECT_NE(err_.find("/usr/bin:/bin"), std::string::npos) << err_;
  EXPECT_EQ(err_.find("work/bin"), std::string::npos) << err_;
}

TEST_F(Machine, NoToolWritesWhatRunsOutside) {
  put("work/node_modules/helve/helve-spawn", "program", 0755);
  std::filesystem::create_symlink("node_modules", base_ / "work/modules");
  around_.program_directory = at("work/node_modules/helve");
  EXPECT_EQ(run({"fs", "write", "node_modules/helve/helve-spawn", "evil"}), 5) << out_;
  EXPECT_EQ(run({"fs", "write", "node_modules/helve/helve-media", "evil"}), 5) << out_;
  EXPECT_EQ(run({"fs", "write", "modules/helve/helve", "evil"}), 5) << out_;
  EXPECT_EQ(run({"fs", "write", "node_modules/helve/README.md", "x"}), 0) << err_;
  around_.home = at("work");
  put("work/.bashrc", "");
  EXPECT_EQ(run({"--root", at("work"), "fs", "write", ".gitconfig", "evil"}), 5) << out_;
  EXPECT_EQ(run({"--root", at("work"), "fs", "write", ".bashrc", "evil"}), 5) << out_;
}

TEST_F(Machine, NoCommandWritesWhatRunsOutside) {
  put("work/node_modules/helve/helve-spawn", "program", 0755);
  around_.program_directory = at("work/node_modules/helve");
  for (const char* command :
       {"cp /bin/true node_modules/helve/helve-spawn", "mv node_modules/helve node_modules/other",
        "mv node_modules other", "echo evil > node_modules/helve/helve-media"})
    EXPECT_NE(run({"exec", command}), 0) << command;
  EXPECT_EQ(run({"exec", "echo x > node_modules/helve/README.md"}), 0) << err_;
  EXPECT_EQ(out_.find("helve-media"), std::string::npos) << "is only reserved: " << out_;
  EXPECT_EQ(content("work/node_modules/helve/helve-spawn"), "program");
  EXPECT_FALSE(exists("work/node_modules/helve/helve-media"));
}

TEST_F(Machine, AHookThatOthersCouldHaveWrittenIsRefusedAloud) {
  put("config/hooks/after_tool.look.sh", "#!/bin/sh\n", 0722);
  EXPECT_EQ(run({"fs", "ls"}), 0);
  EXPECT_NE(err_.find("helve: note: a hook is not run"), std::string::npos) << err_;
}

TEST_F(Machine, NothingRunsPastAGuardThatOthersCouldHaveWritten) {
  put("config/hooks/before_tool.guard.sh", "#!/bin/sh\n", 0722);
  EXPECT_NE(run({"fs", "ls"}), 0);
  EXPECT_NE(err_.find("before_tool.guard.sh"), std::string::npos) << err_;
}

TEST_F(Machine, EveryCallIsRecorded) {
  EXPECT_EQ(run({"fs", "write", "a.txt", "x", "--session", "s_1"}), 0);
  EXPECT_EQ(run({"fs", "read", "none.txt", "--session", "s_2"}), 3);
  EXPECT_EQ(run({"log", "--json"}), 0);
  const Json calls = *parse_json(out_);
  ASSERT_EQ(calls.as_array().size(), 2u) << out_;
  EXPECT_EQ(string_at(calls.as_array()[0], "outcome"), "not_found");
  EXPECT_EQ(string_at(calls.as_array()[1], "tool"), "write");
  EXPECT_EQ(string_at(calls.as_array()[1], "outcome"), "ok");
  EXPECT_EQ(run({"log", "--session", "s_1"}), 0);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 1) << out_;
  EXPECT_EQ(run({"log", "--tool", "read"}), 0);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 1) << out_;
}

TEST_F(Machine, ANamedSessionIsTheOneWhoseChangesAreMeant) {
  EXPECT_EQ(run({"fs", "write", "a.txt", "x", "--session", "s_1"}), 0);
  EXPECT_EQ(run({"fs", "write", "b.txt", "x", "--session", "s_2"}), 0);
  EXPECT_EQ(run({"--session", "s_1", "changes"}), 0);
  EXPECT_NE(out_.find("A a.txt"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("A b.txt"), std::string::npos) << out_;
  EXPECT_EQ(run({"--session", "s_3", "changes"}), 0);
  EXPECT_EQ(out_, "No changes.\n");
  EXPECT_EQ(run({"--session", "s_3", "undo"}), 3);
  EXPECT_NE(err_.find("this session changed nothing"), std::string::npos) << err_;
  EXPECT_EQ(run({"--session", "s_1", "undo"}), 0);
  EXPECT_FALSE(exists("work/a.txt"));
  EXPECT_TRUE(exists("work/b.txt"));
}

TEST_F(Machine, NothingIsRecordedWhenThatIsUnwanted) {
  EXPECT_EQ(run({"fs", "ls", "--no-record"}), 0);
  EXPECT_FALSE(exists("state/helve.db"));
  EXPECT_EQ(run({"log"}), 0);
  EXPECT_FALSE(exists("state/helve.db")) << "looking must not make a database";
}

TEST_F(Machine, LongOutputIsKeptWhenCapped) {
  for (int i = 0; i < 600; ++i) put("work/file-with-a-long-name-" + std::to_string(i), "");
  EXPECT_EQ(run({"fs", "ls", "--cap", "--session", "s_1"}), 0);
  EXPECT_NE(out_.find("lr_1"), std::string::npos) << out_.substr(0, 300);
  EXPECT_EQ(run({"results", "read-large-result", "lr_1", "--session", "s_1"}), 0) << err_;
  EXPECT_NE(out_.find("file-with-a-long-name-0"), std::string::npos);
  EXPECT_EQ(run({"results", "read-large-result", "lr_1", "--session", "s_other"}), 3);
  EXPECT_EQ(run({"fs", "ls"}), 0);
  EXPECT_EQ(out_.find("lr_"), std::string::npos) << "people get everything";
}

TEST_F(Machine, AnAnswerThatIsKeptEndsWithTheCommandThatReadsIt) {
  for (int i = 0; i < 600; ++i) put("work/file-with-a-long-name-" + std::to_string(i), "");
  EXPECT_EQ(run({"fs", "ls", "--cap"}), 0);
  const size_t begin = out_.rfind("[helve "), end = out_.rfind(" reads it page by page.]");
  ASSERT_NE(begin, std::string::npos) << out_;
  const std::string command = out_.substr(begin + 7, end - begin - 7);
  std::vector<std::string> words;
  for (std::string_view word : split(command, ' ')) words.emplace_back(word);
  EXPECT_EQ(run(words), 0) << err_;
  EXPECT_NE(out_.find("file-with-a-long-name-0"), std::string::npos);
  EXPECT_EQ(run({"results", "read-large-result", "lr_1"}), 3);
  EXPECT_NE(err_.find("hint: pass the --session that it belongs to; helve log --json shows it"),
            std::string::npos)
      << err_;
}

TEST_F(Machine, VerboseShowsCallsAndResults) {
  put("work/a.txt", std::string(500, 'a'));
  EXPECT_EQ(run({"-v", "fs", "read", "a.txt"}), 0);
  EXPECT_NE(err_.find("  → read({\"path\":\"a.txt\"})\n"), std::string::npos) << err_;
  EXPECT_NE(err_.find("  ← "), std::string::npos);
  for (std::string_view line : split(err_, '\n')) EXPECT_LE(count_chars(line), 4 + 151u);
}

TEST_F(Machine, ReportsEveryProblemOfTheConfigWithItsPlace) {
  put("config/config.yaml", "tools:\n  alow: [read]\nrecord: perhaps\n");
  EXPECT_EQ(run({"fs", "ls"}), 2);
  EXPECT_NE(err_.find("config.yaml:2:"), std::string::npos) << err_;
  EXPECT_NE(err_.find("config.yaml:3:"), std::string::npos) << err_;
  EXPECT_GE(std::ranges::count(err_, '\n'), 2);
}

TEST_F(Machine, ServingReportsABadConfigOnStandardErrorAndReadsNothing) {
  put("config/config.yaml", "tools: 3\n");
  EXPECT_EQ(run({"mcp", "--json"}), 2);
  EXPECT_EQ(out_, "");
  EXPECT_NE(err_.find("config.yaml:1"), std::string::npos) << err_;
}

TEST_F(Machine, TrustIsBoundToTheContent) {
  put("work/.helve/config.yaml", "limits:\n  inline_chars: 50000\n");
  EXPECT_EQ(run({"fs", "ls"}), 0);
  EXPECT_NE(err_.find("inline_chars"), std::string::npos) << err_;
  EXPECT_EQ(run({"trust"}), 0);
  EXPECT_EQ(out_, "limits:\n  inline_chars: 50000\n");
  EXPECT_EQ(run({"fs", "ls"}), 0);
  EXPECT_EQ(err_, "");
  EXPECT_EQ(run({"trust", "--list", "--json"}), 0);
  EXPECT_EQ(parse_json(out_)->as_array().size(), 1u);
  put("work/.helve/config.yaml", "limits:\n  inline_chars: 60000\n");
  EXPECT_EQ(run({"fs", "ls"}), 0);
  EXPECT_NE(err_, "");
  EXPECT_EQ(run({"trust", at("work"), "--remove"}), 0);
  EXPECT_NE(err_.find("config.yaml is no longer trusted\n"), std::string::npos) << err_;
  EXPECT_EQ(run({"trust", at("work"), "--remove"}), 0);
  EXPECT_NE(err_.find("config.yaml was not trusted\n"), std::string::npos) << err_;
  EXPECT_EQ(run({"trust", "--list"}), 0);
  EXPECT_EQ(out_, "");
}

TEST_F(Machine, ThereIsNothingToTrustWithoutAConfigFile) { EXPECT_EQ(run({"trust"}), 3); }

TEST_F(Machine, DoctorIsContentWithAFreshMachine) {
  EXPECT_EQ(run({"doctor"}), 0) << out_;
  EXPECT_EQ(out_.find("fail"), std::string::npos) << out_;
  EXPECT_FALSE(exists("state")) << "looking must not make anything";
}

TEST_F(Machine, DoctorTellsWhatHoldsCommands) {
  EXPECT_EQ(run({"doctor"}), 0) << out_;
  EXPECT_NE(out_.find("helve-spawn"), std::string::npos) << out_;
  EXPECT_NE(out_.find("walls: "), std::string::npos) << out_;
  EXPECT_NE(out_.find("processes: at most"), std::string::npos) << out_;
}

TEST_F(Machine, ShowsWhatACommandWritesWhileItRunsAndOnlyOnce) {
  screen_.out.flush = [this] {
    if (out_ == "begun\n") put("work/go", "");
  };
  EXPECT_EQ(run({"exec",
                 "echo begun; until [ -e go ]; do sleep 0.01; done; printf '\\303'; "
                 "printf '\\244'; exit 3",
                 "--timeout", "60"}),
            3)
      << err_;
  EXPECT_TRUE(out_.starts_with("begun\nä\nexit code 3\n")) << out_;
  screen_.out.flush = [] { FAIL() << "what is for programs is not shown by pieces"; };
  EXPECT_EQ(run({"--json", "exec", "echo a"}), 0) << err_;
}

TEST_F(Machine, ATrialSaysHowItIsAppliedAndDropped) {
  EXPECT_EQ(run({"exec", "--dry-run", "echo x > made"}), 0) << err_;
  const size_t at = out_.find("helve exec --apply t_");
  ASSERT_NE(at, std::string::npos) << out_;
  const std::string trial = out_.substr(at + 19, out_.find(';', at) - at - 19);
  EXPECT_NE(out_.find("drop it: helve exec --discard " + trial + "; it is kept for 7 days"),
            std::string::npos)
      << out_;
  EXPECT_EQ(run({"exec", "--apply", trial}), 0) << err_;
  EXPECT_EQ(content("work/made"), "x\n");
}

TEST_F(Machine, NamesTheLimitOfMemoryThatEndedACommand) {
  around_.environment["HELVE_SANDBOX_LIMITS_MEMORY_MB"] = "60";
  EXPECT_EQ(run({"--json", "sandbox", "explain"}), 0) << err_;
  if (out_.find(R"("group_memory":true)") == std::string::npos)
    GTEST_SKIP() << "there is no control group to be had";
  EXPECT_NE(run({"exec", "head -c 500M /dev/zero | tail"}), 0);
  EXPECT_NE(out_.find("sandbox.limits.memory_mb"), std::string::npos) << out_;
}

TEST_F(Machine, DoctorFailsOnABadConfig) {
  put("config/config.yaml", "tolls: {}\n");
  EXPECT_EQ(run({"doctor", "--json"}), 1);
  const Json report = *parse_json(out_);
  EXPECT_EQ(*find(report, "ok"), Json(false));
  bool found = false;
  for (const Json& check : find(report, "checks")->as_array())
    found =
        found || (string_at(check, "topic") == "config" && string_at(check, "status") == "fail");
  EXPECT_TRUE(found) << out_;
  EXPECT_TRUE(find(report, "mcp"));
}

TEST_F(Machine, DoctorTellsWhatIsDeniedAndByWhom) {
  put("config/config.yaml", "tools:\n  deny: [write]\n");
  EXPECT_EQ(run({"doctor"}), 0);
  EXPECT_NE(out_.find("write is denied: tools.deny 'write'"), std::string::npos) << out_;
}

TEST_F(Machine, DoctorNamesBadPromptsAndOpenState) {
  put("config/prompts/bad.md", "---\ntitle: [\n---\n");
  std::filesystem::create_directories(base_ / "state");
  chmod(at("state").c_str(), 0755);
  EXPECT_EQ(run({"doctor"}), 0);
  EXPECT_NE(out_.find("bad.md"), std::string::npos) << out_;
  EXPECT_NE(out_.find("chmod 700"), std::string::npos) << out_;
}

class Doctor : public Machine {
 protected:
  // What is found about a topic.
  Finding finding(std::string_view topic) {
    for (const Finding& each : examine({}, around_).findings) {
      if (each.topic == topic) return each;
    }
    ADD_FAILURE() << "nothing about " << topic;
    return {};
  }
};

TEST_F(Doctor, TellsThatHooksAreOffInsideOfAHook) {
  put("config/hooks/before_tool.a.sh", "#!/bin/sh\n", 0700);
  EXPECT_EQ(finding("hooks").text, "before_tool.a.sh");
  around_.environment["HELVE_HOOK_POINT"] = "before_tool";
  EXPECT_NE(finding("hooks").text.find("HELVE_HOOK_POINT"), std::string::npos)
      << finding("hooks").text;
}

TEST_F(Doctor, TellsWhereEverySettingComesFrom) {
  put("config/config.yaml",
      "default_agent: reader\nagents:\n  - id: reader\n    tools: {ask: [ls]}\ntools:\n  effects: "
      "{write: "
      "ask}\nlimits:\n  timeout_seconds: 5\n");
  around_.environment["HELVE_LIMITS_TIMEOUT_SECONDS"] = "7";
  EXPECT_EQ(run({"doctor", "--dialect", "claude", "--add-dir", at("home"), "--json"}), 0) << out_;
  const std::string file = at("config/config.yaml");
  for (const std::string& part :
       {"reader (" + file + ":1)", "agents[0].tools.ask: [\\\"ls\\\"] (" + file + ":4)",
        "tools.effects.write: \\\"ask\\\" (" + file + ":6)",
        std::string("limits.timeout_seconds: 7 (HELVE_LIMITS_TIMEOUT_SECONDS)"),
        std::string("dialect: \\\"claude\\\" (the command line)"), at("home") + " (--add-dir)",
        std::string("write needs approval: tools.effects.write of "),
        "ls needs approval: tools.ask 'ls' of agent 'reader' in " + file}) {
    EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
  }
  EXPECT_EQ(out_.find("timeout_seconds: 5"), std::string::npos) << "it was replaced";
}

TEST_F(Doctor, ShowsAPathOnOneLine) {
  const std::string forged = "x\n  ok    config    all is well";
  around_.current_directory = base_ / forged;
  around_.config_directory = base_ / forged / "config";
  around_.state_directory = base_ / forged / "state";
  for (const char* config : {"default_agent: reader\nagents: [{id: reader}]\n", "tolls: {}\n"}) {
    put(forged + "/config/config.yaml", config);
    put(forged + "/.helve/config.yaml", "record: false\n");
    run({"doctor"});
    EXPECT_EQ(out_.find("\n  ok    config    all is well"), std::string::npos) << out_;
    for (const Finding& each : examine({}, around_).findings)
      EXPECT_EQ(each.text.find('\n'), std::string::npos) << each.text;
  }
}

TEST_F(Doctor, LooksAtTheJournalTheIndexAndTheHelper) {
  EXPECT_NE(finding("journal").text.find(at("state/journal")), std::string::npos);
  EXPECT_NE(finding("index").text.find("none yet"), std::string::npos);
  EXPECT_EQ(run({"index", "build"}), 0) << err_;
  EXPECT_NE(finding("index").text.find(at("state/index")), std::string::npos);
  EXPECT_NE(finding("media").text.find("/helve-media"), std::string::npos);
  put("config/config.yaml", "journal: {enabled: false}\nindex: false\n");
  EXPECT_EQ(finding("journal").mark, Mark::warn);
  EXPECT_NE(finding("index").text.find("not used"), std::string::npos);
}

TEST_F(Doctor, TellsTheDefaultAgent) { EXPECT_EQ(finding("agent").text, "main (the default)"); }

TEST_F(Doctor, NamesTheLineOfAToolThatDoesNotExist) {
  put("config/config.yaml", "tools:\n  deny:\n    - wrte\n  ask: [raed]\n");
  const std::string file = at("config/config.yaml");
  EXPECT_EQ(run({"doctor", "--json"}), 1);
  for (const std::string& part :
       {file + ":3: tools.deny[0]: no tool 'wrte' (did you mean 'write'?)",
        file + ":4: tools.ask[0]: no tool 'raed' (did you mean 'read'?)"}) {
    EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
  }
  put("config/config.yaml", "dialect: claud\n");
  EXPECT_EQ(finding("config").text, file +
                                        ":1: dialect: there is no dialect 'claud' (did you mean "
                                        "'claude'?)");
}

TEST_F(Doctor, ShowsTheWorkspaceToMcpClients) {
  EXPECT_EQ(run({"doctor", "--json"}), 0);
  EXPECT_NE(out_.find(at("work")), std::string::npos);
  const Json server = find(*find(*parse_json(out_), "mcp"), "mcpServers")->at("helve");
  EXPECT_EQ(to_text(server.at("args")), R"(["mcp","--root",")" + at("work") + R"("])");
}

TEST_F(Doctor, DescribesEverySetting) {
  EXPECT_EQ(run({"doctor", "--settings"}), 0) << err_;
  EXPECT_NE(out_.find("| `tools.deny` | `list of text` | `[]` | `HELVE_TOOLS_DENY` | "),
            std::string::npos)
      << out_;
  EXPECT_EQ(run({"doctor", "--settings", "--json"}), 0);
  EXPECT_EQ(string_at(parse_json(out_)->as_array().at(0), "key"), "tools.load");
}

TEST_F(Doctor, QuotesPathsForTheShell) {
  around_.state_directory = at("my state; rm");
  std::filesystem::create_directories(around_.state_directory);
  chmod(around_.state_directory.c_str(), 0755);
  EXPECT_EQ(finding("state").hint, "chmod 700 '" + around_.state_directory + "'");
}

TEST_F(Doctor, DoesNotTouchTheDatabase) {
  ASSERT_EQ(run({"fs", "ls"}), 0);
  const std::string older = content("state/helve.db").substr(0, 60) + std::string(4, '\0') +
                            content("state/helve.db").substr(64);
  put("state/helve.db", older, 0600);
  EXPECT_EQ(finding("database").mark, Mark::ok);
  EXPECT_EQ(content("state/helve.db"), older);
}

TEST_F(Machine, DoctorRefusesAFileThatIsNoDatabase) {
  put("state/helve.db", "this is no database, and it must stay as it is", 0600);
  chmod(at("state").c_str(), 0700);
  EXPECT_EQ(run({"doctor"}), 1) << out_;
  EXPECT_EQ(content("state/helve.db"), "this is no database, and it must stay as it is");
}

TEST_F(Machine, OverviewShowsTheWorkspaceTheToolsAndHowToConnect) {
  EXPECT_EQ(run({}), 0);
  for (const std::string& part : {at("work"), std::string("fs read"), std::string("mcpServers"),
                                  std::string("helve doctor")}) {
    EXPECT_NE(out_.find(part), std::string::npos) << part;
  }
}

TEST_F(Machine, ToolsLeavesOutWhatIsDeniedAndSaysSo) {
  put("config/config.yaml", "tools:\n  deny: [write]\n");
  EXPECT_EQ(run({"tools", "--json"}), 0);
  EXPECT_EQ(out_.find("\"name\":\"write\""), std::string::npos);
  EXPECT_NE(err_.find("helve: write is left out: tools.deny"), std::string::npos) << err_;
}

TEST_F(Machine, ToolsShowsOnlyWhatIsNamed) {
  EXPECT_EQ(run({"tools", "read", "--format", "mcp"}), 0);
  const Json tools = *parse_json(out_);
  ASSERT_EQ(tools.as_array().size(), 1u);
  EXPECT_EQ(string_at(tools.as_array()[0], "name"), "read");
  EXPECT_EQ(run({"tools", "results"}), 0);
  EXPECT_EQ(out_.find("write"), std::string::npos);
  EXPECT_EQ(run({"tools", "raed"}), 3);
}

TEST_F(Machine, ToolsSpeaksADialect) {
  EXPECT_EQ(run({"tools", "read", "--format", "mcp", "--dialect", "claude"}), 0);
  const Json tool = parse_json(out_)->as_array()[0];
  EXPECT_EQ(string_at(tool, "name"), "Read");
  const Json* properties = find(*find(tool, "inputSchema"), "properties");
  EXPECT_TRUE(find(*properties, "file_path"));
  EXPECT_FALSE(find(*properties, "path"));
  EXPECT_EQ(to_text(*find(*find(*properties, "offset"), "minimum")), "0");
  EXPECT_EQ(string_at(*find(*properties, "offset"), "description"),
            "Line to start at, counted from 1");
}

TEST_F(Machine, MarkdownSaysHowItIsMade) {
  EXPECT_EQ(run({"tools", "--format", "markdown"}), 0);
  EXPECT_TRUE(out_.starts_with("# Tools\n"));
}

TEST_F(Machine, EveryExampleOfACommandIsUnderstood) {
  App app(around_, screen_);
  const cli::Program program = app.program();
  for (const cli::Command& command : program.commands) {
    for (const cli::CommandExample& example : command.examples) {
      std::string line(example.line);
      if (line.starts_with("source <(")) line = line.substr(9, line.size() - 10);
      std::vector<std::string> words;
      for (std::string_view word : split(line, ' ')) words.emplace_back(word);
      ASSERT_EQ(words.front(), "helve") << line;
      words.erase(words.begin());
      const Result<cli::Parsed> parsed = cli::parse(program, words);
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      EXPECT_EQ(parsed->command, &command) << line;
    }
  }
}

TEST_F(Machine, NobodyIsAskedAboutArgumentsThatDoNotGoTogether) {
  EXPECT_EQ(run({"exec", "true", "--dry-run", "--full"}), 2) << err_;
  EXPECT_NE(err_.find("dry_run goes with neither"), std::string::npos) << err_;
}

TEST_F(Machine, EveryExampleOfAToolCanBeRunAtAShell) {
  put("work/web/package.json", "{}");
  put("work/a.md", "colour\n");
  for (const Tool& tool : builtin_tools()) {
    for (const Example& example : tool.spec.examples) {
      run({"--json", "call", tool.spec.name, example.arguments});
      const Result<Json> answer = parse_json(out_);
      ASSERT_TRUE(answer) << out_ << err_;
      // The things that it names need not be here.
      const Json* const error = find(*answer, "error");
      const std::string_view code = error ? string_at(*error, "code") : "";
      EXPECT_TRUE(code != "invalid_argument" && code != "unsupported")
          << tool.spec.name << " " << example.arguments << "\n"
          << out_;
    }
  }
}

TEST_F(Machine, ChoicesAreNamedAsTheyAreTyped) {
  EXPECT_EQ(run({"tools", "--format", "openai-stric"}), 2);
  EXPECT_NE(err_.find("gemini, json-tags, got \"openai-stric\""), std::string::npos) << err_;
  EXPECT_NE(err_.find("did you mean 'openai-strict'?"), std::string::npos) << err_;
}

TEST_F(Machine, AnUnknownDialectNamesTheOthersAndWhoseTheyAre) {
  EXPECT_EQ(run({"tools", "--dialect", "nope"}), 2);
  EXPECT_NE(err_.find("codex (Codex)"), std::string::npos) << err_;
}

TEST_F(Machine, NamesTheFlagThatNamesNoDirectory) {
  EXPECT_EQ(run({"--root", "/nope", "fs", "ls"}), 3);
  EXPECT_TRUE(err_.starts_with("helve: --root: ")) << err_;
  EXPECT_NE(err_.find("hint: "), std::string::npos) << err_;
  EXPECT_EQ(run({"--add-dir", "nope", "fs", "ls"}), 3);
  EXPECT_TRUE(err_.starts_with("helve: --add-dir: ")) << err_;
  EXPECT_NE(err_.find("hint: "), std::string::npos) << err_;
}

TEST_F(Machine, SaysWhereAnAgentWouldBe) {
  EXPECT_EQ(run({"--agent", "nope", "fs", "ls"}), 2);
  EXPECT_EQ(err_, "helve: no agent 'nope'\n  hint: add it under agents: in " +
                      at("config/config.yaml") + "\n");
}

}  // namespace
}  // namespace helve::app

// The dialects against the tools that are built in: no table may name what a tool does not have,
// and a call in their words must do what ours does.

#include "app/dialect_face.h"
#include "app/wire.h"
#include "schema/validate.h"
#include "unit/app/fixture.h"

namespace helve::app {
namespace {

struct Pair {
  std::string_view name, theirs, tool, ours;
};

// Every name of a built-in tool in a dialect; Dialects.HasARowForEveryName keeps it whole.
constexpr Pair kPairs[] = {
    {"Read", R"({"file_path":"a.txt","offset":3,"limit":1})", "read",
     R"({"path":"a.txt","start_line":3,"end_line":3})"},
    {"Write", R"({"file_path":"new/b.txt","content":"x"})", "write",
     R"({"path":"new/b.txt","content":"x"})"},
    {"Edit", R"({"file_path":"a.txt","old_string":"two","new_string":"2"})", "edit",
     R"({"path":"a.txt","old_text":"two","new_text":"2"})"},
    {"Edit", R"({"file_path":"a.txt","old_string":"o","new_string":"0","replace_all":true})",
     "edit", R"({"path":"a.txt","old_text":"o","new_text":"0","replace_all":true})"},
    {"MultiEdit",
     R"({"file_path":"a.txt","edits":[{"old_string":"one","new_string":"1"},)"
     R"({"old_string":"t","new_string":"T","replace_all":true}]})",
     "edit",
     R"({"path":"a.txt","edits":[{"old_text":"one","new_text":"1"},)"
     R"({"old_text":"t","new_text":"T","replace_all":true}]})"},
    {"LS", R"({"path":"sub"})", "ls", R"({"path":"sub"})"},
    {"Glob", R"({"pattern":"*.c","path":"sub"})", "glob", R"({"pattern":"*.c","path":"sub"})"},
    {"Grep", R"({"pattern":"ONE","-i":true,"glob":"*.txt","-n":true,"head_limit":0})", "grep",
     R"({"pattern":"ONE","case":"insensitive","include":["*.txt"],)"
     R"("output_mode":"files_with_matches","max_results":1000000})"},
    {"Grep", R"({"pattern":"two","output_mode":"content","-A":1,"-B":0,"type":"txt"})", "grep",
     R"({"pattern":"two","after":1,"before":0,"type":"txt"})"},
    {"Grep", R"({"pattern":"one.two","multiline":true,"output_mode":"count"})", "grep",
     R"({"pattern":"one.two","multiline":true,"dotall":true,"output_mode":"count"})"},
    {"Agent", R"({"prompt":"p","description":"d","subagent_type":"general-purpose"})", "agent",
     R"({"prompt":"p","description":"d"})"},
    {"Task", R"({"prompt":"p","run_in_background":false,"model":"opus"})", "agent",
     R"({"prompt":"p","background":false})"},
    {"subagent_list", "{}", "subagents", "{}"},
    {"session_status", "{}", "sessions_status", "{}"},
    {"str_replace_based_edit_tool", R"({"command":"view","path":"a.txt","view_range":[1,2]})",
     "editor", R"({"command":"view","path":"a.txt","view_range":[1,2]})"},
    {"str_replace_editor",
     R"({"command":"insert","path":"a.txt","insert_line":0,"new_str":"zero\n"})", "editor",
     R"({"command":"insert","path":"a.txt","insert_line":0,"insert_text":"zero\n"})"},
    {"editor", R"({"command":"create","path":"c.txt","file_text":"x"})", "editor",
     R"({"command":"create","path":"c.txt","file_text":"x"})"},
    {"grep", R"({"pattern":"two","context_lines":1,"include":"*.txt","exclude":"sub"})", "grep",
     R"({"pattern":"two","context":1,"include":["*.txt"],"exclude":["sub"]})"},
    {"ls", R"({"show_hidden":true})", "ls", R"({"hidden":true})"},
    {"file_read", R"({"path":"a.txt","offset":1})", "read", R"({"path":"a.txt","offset":1})"},
    {"file_write", R"({"path":"a.txt","content":"y"})", "write",
     R"({"path":"a.txt","content":"y"})"},
    {"file_edit", R"({"path":"a.txt","old_text":"one","new_text":""})", "edit",
     R"({"path":"a.txt","old_text":"one","new_text":""})"},
    {"file_list", R"({"depth":2})", "ls", R"({"depth":2})"},
    {"file_delete", R"({"path":"a.txt"})", "delete", R"({"path":"a.txt"})"},
    {"search_grep",
     R"({"pattern":"INT","path":"sub","glob":"*.c","ignore_case":true,"context":1,"max_results":5})",
     "grep",
     R"({"pattern":"INT","path":"sub","include":["*.c"],"case":"insensitive","context":1,)"
     R"("max_results":5})"},
    {"read_file", R"({"file_path":"a.txt","offset":3,"limit":1,"mode":"slice"})", "read",
     R"({"path":"a.txt","offset":2,"limit":1})"},
    {"view_image", R"({"path":"a.txt"})", "read", R"({"path":"a.txt"})"},
    {"list_dir", R"({"dir_path":".","offset":1,"limit":25})", "ls", R"({"depth":2})"},
    {"grep_files", R"({"pattern":"one","include":"*.txt","path":".","limit":3})", "grep",
     R"({"pattern":"one","include":["*.txt"],"output_mode":"files_with_matches","max_results":3})"},
    {"Bash", R"({"command":"echo $BASH; pwd; cat a.txt","description":"Shows","timeout":30000})",
     "exec",
     R"({"command":"echo $BASH; pwd; cat a.txt","shell":"bash","keep_directory":true,)"
     R"("timeout":30})"},
    {"bash", R"({"command":"x=1; echo $x; pwd"})", "bash", R"({"command":"x=1; echo $x; pwd"})"},
    {"process", R"({"action":"list"})", "process", R"({"action":"list"})"},
    {"shell_exec", R"({"command":"echo x > new"})", "exec", R"({"command":"echo x > new"})"},
    {"exec_command", R"({"cmd":"tty","workdir":"sub","tty":true})", "exec",
     R"({"command":"tty","workdir":"sub","terminal":true})"},
    {"exec_command", R"({"cmd":"true","sandbox_permissions":"require_escalated"})", "exec",
     R"({"command":"true","full":true})"},
    {"shell_command",
     R"({"command":"true","sandbox_permissions":"use_default","justification":"why not"})", "exec",
     R"({"command":"true"})"},
    {"Bash", R"({"command":"true","dangerouslyDisableSandbox":true})", "exec",
     R"({"command":"true","shell":"bash","keep_directory":true,"timeout":120,"full":true})"},
    {"shell_command", R"({"command":"echo x","timeout_ms":20000})", "exec",
     R"({"command":"echo x","timeout":20})"},
    {"apply_patch", R"({"input":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"})",
     "apply_patch", R"({"patch":"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"})"},
    {"memory_search", R"({"query":"tea","maxResults":1})", "memory_search",
     R"({"query":"tea","max_results":1})"},
    {"memory_get", R"({"filePath":"MEMORY.md"})", "memory_get", R"({"path":"MEMORY.md"})"},
    {"membot_add", R"({"source":"a.txt","logical_path":"new"})", "kb_add",
     R"({"source":"a.txt","path":"new"})"},
    {"membot_list", "{}", "kb_list", "{}"},
    {"membot_tree", "{}", "kb_tree", "{}"},
    {"membot_read", R"({"logical_path":"d.json","offset":3})", "kb_read",
     R"({"path":"d.json","offset":2})"},
    {"membot_search", R"({"pattern":"2"})", "kb_search", R"({"pattern":"2"})"},
    {"membot_info", R"({"logical_path":"d.json"})", "kb_info", R"({"path":"d.json"})"},
    {"membot_stats", "{}", "kb_stats", "{}"},
    {"membot_versions", R"({"logical_path":"d.json"})", "kb_versions", R"({"path":"d.json"})"},
    {"membot_diff", R"({"logical_path":"d.json"})", "kb_diff", R"({"path":"d.json"})"},
    {"membot_write", R"({"path":"new","content":"x"})", "kb_write",
     R"({"path":"new","content":"x"})"},
    {"membot_edit",
     R"({"logical_path":"d.json","patches":[{"start_line":2,"end_line":2,"content":"5,"}]})",
     "kb_edit", R"({"path":"d.json","patches":[{"start_line":2,"end_line":2,"content":"5,"}]})"},
    {"membot_copy", R"({"from":"d.json","to":"new"})", "kb_copy",
     R"({"from":"d.json","to":"new"})"},
    {"membot_move", R"({"from":"d.json","to":"new"})", "kb_move",
     R"({"from":"d.json","to":"new"})"},
    {"membot_remove", R"({"logical_path":"d.json"})", "kb_remove", R"({"path":"d.json"})"},
    {"membot_exists", R"({"logical_path":"d.json"})", "kb_exists", R"({"path":"d.json"})"},
    {"membot_count_lines", R"({"logical_path":"d.json"})", "kb_count_lines",
     R"({"path":"d.json"})"},
    {"membot_refresh", "{}", "kb_refresh", "{}"},
    {"membot_prune", R"({"keep_versions":1})", "kb_prune", R"({"keep_versions":1})"},
    {"membot_sources", "{}", "kb_sources", "{}"},
    {"membot_pipe", R"({"tool_name":"Read","tool_input":{"file_path":"a.txt"},"path":"p"})",
     "kb_pipe", R"({"tool_name":"read","tool_input":{"path":"a.txt"},"path":"p"})"},
    {"membot_query",
     R"({"logical_path":"d.json","expression":"$[0]","output_logical_path":"s.json"})", "kb_query",
     R"({"path":"d.json","expression":"$[0]","output_path":"s.json"})"},
};

class Dialects : public Machine {
 protected:
  // What a call answers and leaves behind, in a workspace of its own.
  std::string answer(std::string_view name, std::string_view arguments) {
    std::filesystem::remove_all(base_ / "work");
    std::filesystem::remove_all(base_ / "state");
    put("work/a.txt", "one\ntwo\nthree\n");
    put("work/.hidden", "x\n");
    put("work/MEMORY.md", "Ann drinks tea.\n");
    put("work/sub/b.c", "int x;\none\n");
    run({"kb", "write", "d.json", "[1,\n2,\n3]\n"});
    const int code =
        run({"--json", "--session", "s_1", "call", std::string(name), std::string(arguments)});
    std::string text = std::to_string(code) + out_ + err_;
    for (const char* file : {"work/a.txt", "work/c.txt", "work/new/b.txt"})
      text += exists(file) ? content(file) : "absent\n";
    // Ids differ from call to call.
    constexpr size_t kIdSize = 38;
    for (const char* begin : {"\"c_", "\"s_0"}) {
      for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1))
        text.replace(at + 1, std::min(kIdSize, text.size() - at - 1), "ID");
    }
    // And times from second to second.
    constexpr std::string_view kTime = "2026-01-31 12:00:00";
    for (const std::string begin : {"\"written\":\"", "\"read\":\""}) {
      for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1))
        text.replace(at + begin.size(), kTime.size(), "TIME");
    }
    return text;
  }
  const Registry& tools() {
    if (!world_) world_ = *make_world({}, around_, Purpose::inspect, [](std::string_view) {});
    return *world_->registry;
  }

  std::unique_ptr<World> world_;
};

TEST_F(Dialects, DoWhatOursDo) {
  // So that words for leaving the sandbox can be seen to work.
  put("config/config.yaml",
      "approvals: {allow: [{tool: exec, beyond: [full]}]}\n"
      "model: {provider: scripted, script: \"" +
          (base_ / "script").string() + "\"}\n");
  put("script", "{\"text\": \"done\"}\n");
  for (const Pair& pair : kPairs) {
    const std::string ours = answer(pair.tool, pair.ours);
    EXPECT_TRUE(ours.starts_with("0")) << pair.tool << " " << pair.ours << "\n" << ours;
    EXPECT_EQ(answer(pair.name, pair.theirs), ours) << pair.name << " " << pair.theirs;
  }
}

TEST_F(Dialects, HasARowForEveryName) {
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      if (!tools().find(entry.tool).tool) continue;
      EXPECT_NE(std::ranges::find(kPairs, entry.name, &Pair::name), std::end(kPairs)) << entry.name;
    }
  }
}

// Looks at one table beside the schema of the object that it names.
void check_table(const Dialect::Entry& entry, const Json& schema) {
  const JsonObject& properties = find(schema, "properties")->get_object();
  const auto fits = [&](std::string_view ours, std::string_view value) {
    if (ours.empty() || value.empty()) return true;
    const Result<Json> json = parse_json(value);
    return json && schema::validate(properties.at(ours), *json).empty();
  };
  for (const Dialect::Parameter& parameter : entry.parameters) {
    const std::string name = std::string(entry.name) + "." + std::string(parameter.theirs);
    if (parameter.ours.empty()) {
      EXPECT_FALSE(properties.contains(parameter.theirs)) << name << " drops one of ours";
      continue;
    }
    const Json* property = properties.if_contains(parameter.ours);
    ASSERT_TRUE(property) << name << ": the tool has no " << parameter.ours;
    for (const Dialect::Meaning& meaning : parameter.values)
      EXPECT_TRUE(fits(parameter.ours, meaning.ours)) << name << " " << meaning.ours;
    const Json* items = find(*property, "items");
    ASSERT_TRUE(items || (!parameter.single && !parameter.inside)) << name << " is no list of ours";
    if (parameter.inside) check_table(*parameter.inside, *items);
    if (entry.name == entry.tool && parameter.theirs != parameter.ours) {
      EXPECT_FALSE(properties.contains(parameter.theirs)) << name << " hides one of ours";
    }
  }
  for (const Dialect::Default& standard : entry.defaults) {
    ASSERT_TRUE(properties.contains(standard.ours)) << entry.name << " " << standard.ours;
    EXPECT_TRUE(fits(standard.ours, standard.value)) << entry.name << " " << standard.value;
  }
}

TEST_F(Dialects, NameOnlyWhatTheToolsHave) {
  size_t checked = 0;
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      const Tool* tool = tools().find(entry.tool).tool;
      if (!tool) continue;
      check_table(entry, Json(tool->input_schema()));
      ++checked;
    }
  }
  EXPECT_GE(checked, 20u);
}

TEST_F(Dialects, ShowModelsSchemasInTheirWords) {
  const DialectFace face(tools(), find_dialect("claude"));
  const auto property = [&](std::string_view tool, std::string_view name) {
    const JsonObject schema = face.input_schema(*tools().find(tool).tool);
    const Json* found = find(schema.at("properties"), name);
    return found ? to_text(*found) : "none";
  };
  EXPECT_EQ(property("grep", "-i"), R"({"type":"boolean","description":"Ignore case"})");
  EXPECT_EQ(property("grep", "case"), "none");
  EXPECT_EQ(property("grep", "glob"),
            R"({"type":"string","description":"Only files that match, e.g. *.cc or src/**; )"
            R"(several between blanks or commas"})");
  EXPECT_NE(property("grep", "output_mode").find(R"("default":"files_with_matches")"),
            std::string::npos);
  EXPECT_NE(property("grep", "head_limit").find(R"("minimum":0)"), std::string::npos);
  EXPECT_NE(property("edit", "edits").find(R"("required":["old_string","new_string"])"),
            std::string::npos)
      << property("edit", "edits");
  EXPECT_EQ(property("edit", "edits").find("old_text"), std::string::npos);
  const std::string edit = face.description(*tools().find("edit").tool);
  EXPECT_NE(edit.find("old_string must occur exactly once"), std::string::npos) << edit;
  EXPECT_EQ(edit.find("old_text"), std::string::npos) << edit;
}

TEST_F(Dialects, ShowTheFirstOfSeveralWordsForAParameter) {
  const DialectFace face(tools(), find_dialect("botholomew"));
  const Json write = face.input_schema(*tools().find("kb_write").tool);
  EXPECT_EQ(to_text(*find(write, "required")), R"(["path","content"])");
  EXPECT_FALSE(find(*find(write, "properties"), "logical_path"));
  const Json read = face.input_schema(*tools().find("kb_read").tool);
  EXPECT_EQ(to_text(*find(read, "required")), R"(["logical_path"])");
  EXPECT_EQ(run({"membot", "write", "--help"}), 0);
  EXPECT_NE(out_.find("helve membot write PATH CONTENT"), std::string::npos) << out_;
  EXPECT_EQ(run({"call", "membot_write", R"({"logical_path":"a","content":"x"})"}), 0) << err_;
  EXPECT_NE(run({"membot", "write", "a", "y"}), 0);
  EXPECT_NE(err_.find("hint: look at it first: helve kb read shows it"), std::string::npos) << err_;
  EXPECT_NE(err_.find("pass --on-conflict overwrite"), std::string::npos) << err_;
}

TEST_F(Dialects, FitTheSchemasThatTheyShow) {
  for (const Pair& pair : kPairs) {
    const Registry::Found found = tools().find(pair.name);
    for (const Dialect& dialect : dialects()) {
      const DialectFace face(tools(), &dialect);
      if (face.name(*found.tool) != pair.name || pair.name == pair.tool) continue;
      const Json schema = face.input_schema(*found.tool);
      EXPECT_TRUE(schema::check_schema(schema)) << pair.name;
      JsonObject shown = parse_json(pair.theirs)->get_object();
      for (const Dialect::Parameter& parameter : found.dialect->parameters) {
        if (parameter.ours.empty()) shown.erase(parameter.theirs);  // taken, but not shown
      }
      const auto problems = schema::validate(schema, Json(shown));
      EXPECT_TRUE(problems.empty())
          << pair.name << ": " << problems[0].path << " " << problems[0].message;
    }
  }
}

TEST_F(Dialects, HaveFlagsOfTheirOwnOnTheCommandLine) {
  put("work/a.txt", "one\nTWO\nthree\n");
  EXPECT_EQ(run({"fs", "Grep", "two", "-i", "--glob", "*.txt"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt\n");
  EXPECT_EQ(run({"fs", "Grep", "TWO", "-A", "1", "--output-mode", "content"}), 0) << err_;
  EXPECT_EQ(out_, "a.txt:2:TWO\na.txt-3-three\n");
  EXPECT_EQ(run({"fs", "Grep", "--help"}), 0);
  for (const char* part :
       {"  -i ", "  -A N ", "--glob TEXT", "files_with_matches)", "(0 to 1000000; default 250)"})
    EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
  EXPECT_EQ(out_.find("default content"), std::string::npos) << out_;
  EXPECT_EQ(run({"fs", "Read", "--help"}), 0);
  EXPECT_NE(out_.find("Line to start at, counted from 1 (0 or more)"), std::string::npos) << out_;
}

TEST_F(Dialects, BlameTheWordsOfTheCaller) {
  EXPECT_EQ(run({"call", "Grep", R"({"pattern":"x","glob":5})"}), 2);
  EXPECT_NE(err_.find("glob: expected a string, got 5"), std::string::npos) << err_;
  EXPECT_EQ(run({"call", "MultiEdit", R"({"file_path":"a","edits":[{"old_string":1}]})"}), 2);
  EXPECT_NE(err_.find("edits[0].old_string: expected a string"), std::string::npos) << err_;
  EXPECT_NE(err_.find("edits[0].new_string: required"), std::string::npos) << err_;
  EXPECT_EQ(run({"call", "grep", R"({"pattern":"x","context":"y"})"}), 2);
  EXPECT_NE(err_.find("context: expected"), std::string::npos) << err_;
  EXPECT_EQ(err_.find("context_lines"), std::string::npos) << err_;
}

}  // namespace
}  // namespace helve::app

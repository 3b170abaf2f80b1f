#include "tool/dialect.h"

#include <gtest/gtest.h>

#include "tool/context.h"

#include "schema/schema.h"

#include <map>

namespace helve {
namespace {

TEST(Dialect, SpeaksOfTheCallersOwnNames) {
  const Dialect::Entry* read = nullptr;
  for (const Dialect::Entry& entry : find_dialect("claude")->entries) {
    if (entry.name == "Read") read = &entry;
  }
  ASSERT_TRUE(read);
  const Error ours = schema::to_error({{"path", "required, but missing", ""},
                                       {"filepath", "unknown parameter", "did you mean 'path'?"}});
  const Error theirs = in_dialect(*read, ours, {{"filepath", "a"}});
  EXPECT_EQ(theirs.message, "file_path: required, but missing; filepath: unknown parameter");
  EXPECT_EQ(theirs.hint, "filepath: did you mean 'file_path'?");
  const Identity who;
  EXPECT_EQ((Context{.who = who, .dialect = read}.as_caller_counts("offset", 20)), 21);
  EXPECT_EQ((Context{.who = who}.as_caller_counts("offset", 20)), 20);
}

const Dialect::Entry* find_entry(std::string_view dialect, std::string_view name) {
  const Dialect* found = find_dialect(dialect);
  if (!found) return nullptr;
  for (const Dialect::Entry& entry : found->entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// The canonical arguments as text, or "error: " and the message.
std::string canonical(std::string_view dialect, std::string_view name, std::string_view arguments) {
  const Dialect::Entry* entry = find_entry(dialect, name);
  if (!entry) return "no entry";
  Result<JsonObject> ours = to_canonical(*entry, parse_json(arguments)->get_object());
  return ours ? to_text(*ours) : "error: " + ours.error().message;
}

TEST(Dialect, KnowsSixByName) {
  for (std::string_view name : {"claude", "claw", "astra", "botholomew", "hyper", "codex"}) {
    ASSERT_NE(find_dialect(name), nullptr) << name;
    EXPECT_EQ(find_dialect(name)->name, name);
    EXPECT_FALSE(find_dialect(name)->from.empty());
  }
  EXPECT_EQ(dialects().size(), 6u);
  EXPECT_EQ(find_dialect("klingon"), nullptr);
}

TEST(Dialect, KnowsNamesWhetherOrNotTheirToolIsLoaded) {
  EXPECT_TRUE(is_dialect_name("Read"));
  EXPECT_TRUE(is_dialect_name("file_delete"));
  EXPECT_TRUE(is_dialect_name("membot_write"));
  EXPECT_TRUE(is_dialect_name("web_fetch"));
  EXPECT_FALSE(is_dialect_name("Raed"));
  EXPECT_FALSE(is_dialect_name(""));
}

struct Translation {
  std::string_view dialect, name, tool, theirs, ours;
};

class DialectTranslation : public testing::TestWithParam<Translation> {};

TEST_P(DialectTranslation, GivesCanonicalNamesAndValues) {
  const Translation& row = GetParam();
  ASSERT_NE(find_entry(row.dialect, row.name), nullptr);
  EXPECT_EQ(find_entry(row.dialect, row.name)->tool, row.tool);
  EXPECT_EQ(canonical(row.dialect, row.name, row.theirs), row.ours);
}

// The conventions for counting lines, each kept in its dialect: our read.offset is the number of
// lines to skip.
INSTANTIATE_TEST_SUITE_P(
    Offsets, DialectTranslation,
    testing::Values(
        Translation{"claude", "Read", "read", R"({"file_path":"a","offset":1})",
                    R"({"path":"a","offset":0})"},
        Translation{"claude", "Read", "read", R"({"file_path":"a","offset":101})",
                    R"({"path":"a","offset":100})"},
        Translation{"codex", "read_file", "read", R"({"file_path":"a","offset":1})",
                    R"({"path":"a","offset":0})"},
        Translation{"astra", "file_read", "read", R"({"path":"a","offset":0})",
                    R"({"path":"a","offset":0})"},
        Translation{"botholomew", "membot_read", "kb_read", R"({"logical_path":"a","offset":10})",
                    R"({"path":"a","offset":9})"},
        Translation{
            "botholomew", "membot_edit", "kb_edit",
            R"({"logical_path":"a","patches":[{"start_line":1,"end_line":0,"content":"x"}]})",
            R"({"path":"a","patches":[{"start_line":1,"end_line":0,"content":"x"}]})"},
        Translation{"claude", "memory_get", "memory_get", R"({"filePath":"MEMORY.md","from":1})",
                    R"({"path":"MEMORY.md","from":1})"},
        Translation{"hyper", "editor", "editor", R"({"command":"view","view_range":[1,-1]})",
                    R"({"command":"view","view_range":[1,-1]})"},
        Translation{"hyper", "editor", "editor", R"({"command":"insert","insert_line":0})",
                    R"({"command":"insert","insert_line":0})"}));

INSTANTIATE_TEST_SUITE_P(
    Flags, DialectTranslation,
    testing::Values(
        Translation{
            "claude", "Grep", "grep", R"({"-i":true,"output_mode":"count"})",
            R"({"case":"insensitive","output_mode":"count","max_results":250,"dotall":true})"},
        Translation{"claude", "Grep", "grep", R"({"-i":false,"output_mode":"count"})",
                    R"({"output_mode":"count","max_results":250,"dotall":true})"},
        Translation{"claude", "Grep", "grep", R"({"-i":"yes"})",
                    R"(error: -i: expected true or false, got "yes")"},
        Translation{"claude", "Grep", "grep", R"({"-i":[true]})",
                    "error: -i: expected true or false, got [true]"},
        Translation{"claude", "Grep", "grep", R"({"-i":true,"case":"smart"})",
                    "error: -i: given again as 'case' with another value"},
        Translation{"claude", "Grep", "grep",
                    R"({"-i":false,"case":"smart","output_mode":"count"})",
                    R"({"case":"smart","output_mode":"count","max_results":250,"dotall":true})"},
        Translation{"botholomew", "search_grep", "grep", R"({"ignore_case":true})",
                    R"({"case":"insensitive"})"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, DialectTranslation,
    testing::Values(
        Translation{"botholomew", "search_grep", "grep", R"({"glob":"*.ts"})",
                    R"({"include":["*.ts"]})"},
        Translation{"botholomew", "search_grep", "grep", R"({"glob":["*.ts","*.js"]})",
                    R"({"include":["*.ts","*.js"]})"},
        Translation{"botholomew", "search_grep", "grep", R"({"glob":null})", R"({"include":null})"},
        Translation{"botholomew", "search_grep", "grep", R"({"glob":"a","include":["a"]})",
                    R"({"include":["a"]})"},
        Translation{"claw", "grep", "grep", R"({"include":"*.go","exclude":"vendor"})",
                    R"({"include":["*.go"],"exclude":["vendor"]})"},
        Translation{"claude", "MultiEdit", "edit",
                    R"({"file_path":"a","edits":[{"old_string":"b","new_string":"c"},"d"]})",
                    R"({"path":"a","edits":[{"old_text":"b","new_text":"c"},"d"]})"},
        Translation{"claude", "MultiEdit", "edit",
                    R"({"edits":[{"old_string":"b","old_text":"c"}]})",
                    "error: old_string: given again as 'old_text' with another value"}));

INSTANTIATE_TEST_SUITE_P(
    Defaults, DialectTranslation,
    testing::Values(
        Translation{"claude", "Grep", "grep", "{}",
                    R"({"output_mode":"files_with_matches","max_results":250,"dotall":true})"},
        Translation{"claude", "Grep", "grep", R"({"output_mode":null})",
                    R"({"output_mode":"files_with_matches","max_results":250,"dotall":true})"},
        Translation{"claude", "Grep", "grep", R"({"output_mode":"content"})",
                    R"({"output_mode":"content","max_results":250,"dotall":true})"},
        Translation{"codex", "grep_files", "grep", R"({"limit":5})",
                    R"({"max_results":5,"output_mode":"files_with_matches"})"},
        Translation{"codex", "list_dir", "ls", "{}", R"({"depth":2,"limit":25})"},
        Translation{"codex", "list_dir", "ls", R"({"depth":1})", R"({"depth":1,"limit":25})"}));

INSTANTIATE_TEST_SUITE_P(
    Values, DialectTranslation,
    testing::Values(
        Translation{"claude", "Grep", "grep", R"({"head_limit":0,"output_mode":"count"})",
                    R"({"max_results":1000000,"output_mode":"count","dotall":true})"},
        Translation{"claude", "Grep", "grep", R"({"head_limit":7,"output_mode":"count"})",
                    R"({"max_results":7,"output_mode":"count","dotall":true})"},
        Translation{"claude", "Grep", "grep", R"({"-n":true,"offset":0,"output_mode":"count"})",
                    R"({"offset":0,"output_mode":"count","max_results":250,"dotall":true})"},
        Translation{
            "claude", "Grep", "grep", R"({"-n":false,"output_mode":"count"})",
            R"({"no_line_numbers":true,"output_mode":"count","max_results":250,"dotall":true})"},
        Translation{"claude", "Read", "read", R"({"file_path":"a","offset":0})",
                    R"({"path":"a","offset":0})"},
        Translation{"claude", "Grep", "grep", R"({"offset":null,"output_mode":"count"})",
                    R"({"offset":null,"output_mode":"count","max_results":250,"dotall":true})"},
        Translation{
            "claude", "Grep", "grep", R"({"path":"","glob":"","type":"py"})",
            R"({"type":"py","output_mode":"files_with_matches","max_results":250,"dotall":true})"},
        Translation{"codex", "list_dir", "ls", R"({"dir_path":"a","offset":3,"limit":2})",
                    R"({"path":"a","offset":2,"limit":2,"depth":2})"},
        Translation{"codex", "read_file", "read", R"({"file_path":"a","mode":"slice"})",
                    R"({"path":"a"})"},
        Translation{"codex", "read_file", "read", R"({"file_path":"a","mode":"indentation"})",
                    R"(error: mode: expected "slice", got "indentation")"}));

INSTANTIATE_TEST_SUITE_P(
    Names, DialectTranslation,
    testing::Values(
        Translation{"claude", "Write", "write", R"({"file_path":"a","content":"b"})",
                    R"({"path":"a","content":"b"})"},
        Translation{"claude", "LS", "ls", R"({"path":"a"})", R"({"path":"a"})"},
        Translation{"claude", "Edit", "edit",
                    R"({"file_path":"a","old_string":"b","new_string":"c"})",
                    R"({"path":"a","old_text":"b","new_text":"c"})"},
        Translation{"claude", "Bash", "exec", R"({"command":"ls","description":"Lists"})",
                    R"({"command":"ls","keep_directory":true,"shell":"bash","timeout_ms":120000})"},
        Translation{"claude", "memory_search", "memory_search", R"({"query":"q","maxResults":3})",
                    R"({"query":"q","max_results":3})"},
        Translation{"claude", "Agent", "agent",
                    R"({"prompt":"p","description":"d","subagent_type":"reviewer",)"
                    R"("run_in_background":true,"model":"opus"})",
                    R"({"prompt":"p","description":"d","agent":"reviewer","background":true})"},
        Translation{"claude", "Task", "agent",
                    R"({"prompt":"p","subagent_type":"general-purpose"})", R"({"prompt":"p"})"},
        Translation{"claude", "subagent_list", "subagents", "{}", "{}"},
        Translation{"claw", "process", "process", R"({"pid":"p1"})", R"({"process_id":"p1"})"},
        Translation{"claw", "session_status", "sessions_status", "{}", "{}"},
        Translation{"astra", "file_delete", "delete", R"({"path":"a"})", R"({"path":"a"})"},
        Translation{"astra", "shell_exec", "exec", R"({"command":"ls"})", R"({"command":"ls"})"},
        Translation{"botholomew", "membot_write", "kb_write", R"({"path":"a","content":"b"})",
                    R"({"path":"a","content":"b"})"},
        Translation{"botholomew", "membot_pipe", "kb_pipe",
                    R"({"tool_name":"ls","tool_input":{},"logical_path":"a"})",
                    R"({"tool_name":"ls","tool_input":{},"path":"a"})"},
        Translation{"botholomew", "membot_query", "kb_query",
                    R"({"logical_path":"a","output_logical_path":"b"})",
                    R"({"path":"a","output_path":"b"})"},
        Translation{"codex", "apply_patch", "apply_patch", R"({"input":"*** Begin Patch"})",
                    R"({"patch":"*** Begin Patch"})"},
        Translation{"codex", "list_dir", "ls", R"({"dir_path":"a","depth":1})",
                    R"({"path":"a","depth":1,"limit":25})"},
        Translation{"codex", "view_image", "read", R"({"path":"a.png"})", R"({"path":"a.png"})"},
        Translation{"claw", "ls", "ls", R"({"show_hidden":true})", R"({"hidden":true})"},
        Translation{"claw", "grep", "grep", R"({"context_lines":2})", R"({"context":2})"},
        Translation{"claude", "Grep", "grep", R"({"-A":1,"-B":2,"-C":3,"output_mode":"content"})",
                    R"({"after":1,"before":2,"context":3,"output_mode":"content",)"
                    R"("max_results":250,"dotall":true})"}));

// What is wrong with `path`, in the words of a caller that gave `given`.
std::string blamed(std::string_view dialect, std::string_view name, std::string_view path,
                   std::string_view given) {
  const Error ours = schema::to_error({{std::string(path), "wrong", "did you mean 'context'?"}});
  return describe(in_dialect(*find_entry(dialect, name), ours, parse_json(given)->get_object()));
}

TEST(Dialect, BlamesTheWordThatWasGiven) {
  const std::string ours = " (did you mean 'context'?)";
  EXPECT_EQ(blamed("claude", "Grep", "after", R"({"-A":"x"})"), "-A: wrong (did you mean '-C'?)");
  EXPECT_EQ(blamed("claude", "Grep", "after", R"({"after":"x","context":1})"),
            "after: wrong" + ours);
  EXPECT_EQ(blamed("claw", "grep", "context", R"({"context_lines":"x"})"),
            "context_lines: wrong (did you mean 'context_lines'?)");
  EXPECT_EQ(blamed("claw", "grep", "context", R"({"context":"x"})"), "context: wrong" + ours);
  EXPECT_EQ(blamed("claw", "grep", "context", "{}"), "context: wrong" + ours)
      << "the tool was called by our name";
}

TEST(Dialect, BlamesWhatIsInsideByTheCallersPath) {
  EXPECT_TRUE(blamed("botholomew", "search_grep", "include[0]", R"({"glob":5})")
                  .starts_with("glob: wrong"));
  EXPECT_TRUE(blamed("botholomew", "search_grep", "include[0]", R"({"glob":[5]})")
                  .starts_with("glob[0]: wrong"));
  EXPECT_TRUE(blamed("claude", "MultiEdit", "edits[1].old_text", R"({"edits":[]})")
                  .starts_with("edits[1].old_string: wrong"));
}

std::string globs_of(std::string_view glob) {
  const Result<JsonObject> ours = to_canonical(*find_entry("claude", "Grep"), {{"glob", glob}});
  return ours ? to_text(ours->at("include")) : "error: " + ours.error().message;
}

TEST(Dialect, TakesSeveralGlobsInOneText) {
  EXPECT_EQ(globs_of("*.ts"), R"(["*.ts"])");
  EXPECT_EQ(globs_of("*.ts,*.tsx"), R"(["*.ts","*.tsx"])");
  EXPECT_EQ(globs_of(" *.ts  *.tsx\t,"), R"(["*.ts","*.tsx"])");
  EXPECT_EQ(globs_of("*.{ts,tsx},*.js"), R"(["*.{ts,tsx}","*.js"])");
  EXPECT_EQ(globs_of("a}b,c"), R"(["a}b","c"])");
}

TEST(Dialect, BlamesOneOfSeveralByTheirOneName) {
  EXPECT_TRUE(
      blamed("claude", "Grep", "include[1]", R"({"glob":"a,["})").starts_with("glob: wrong"));
}

TEST(Dialect, ListsTheNamesThatTheCallerMayUse) {
  const Error ours =
      schema::to_error({{"-o", "unknown parameter", "known: path, include, context"}});
  EXPECT_EQ(in_dialect(*find_entry("claude", "Grep"), ours, {{"-o", true}}).hint,
            "known: path, glob, -C");
}

TEST(Dialect, PutsItsWordsIntoHints) {
  const Dialect::Entry& edit = *find_entry("claude", "Edit");
  EXPECT_EQ(in_their_words(edit, "give old_text"), "give old_string");
  EXPECT_EQ(in_their_words(edit, "`ls` lists what 'old_text' holds, the file's old_text"),
            "`LS` lists what 'old_text' holds, the file's old_string");
  EXPECT_EQ(in_their_words(edit, "`path` or path"), "`file_path` or path");
  EXPECT_EQ(in_their_words(edit, "`undo` takes it back"), "`undo` takes it back");
  EXPECT_EQ(
      in_their_words(*find_entry("botholomew", "membot_read"), "kb_list shows them, kb list not"),
      "membot_list shows them, kb list not");
  EXPECT_EQ(their_tool(edit, "write"), "Write");
  EXPECT_EQ(their_parameter(*find_entry("claw", "grep"), "context"), "context");
}

TEST(Dialect, RefusesAValueBelowItsFirstLineByTheirName) {
  const Error error =
      to_canonical(*find_entry("claude", "Read"), {{"file_path", "a"}, {"offset", -1}}).error();
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.message, "offset: must be at least 1, got -1");
  EXPECT_EQ(error.hint, "'offset' counts from 1");
  EXPECT_EQ(canonical("claude", "Read", R"({"offset":-9223372036854775808})"),
            "error: offset: must be at least 1, got -9223372036854775808");
}

TEST(Dialect, ShiftsEveryKindOfWholeNumberAndLeavesTheRestToDecoding) {
  EXPECT_EQ(canonical("claude", "Read", R"({"offset":9223372036854775807})"),
            R"({"offset":9223372036854775806})");
  EXPECT_EQ(canonical("claude", "Read", R"({"offset":18446744073709551615})"),
            R"({"offset":18446744073709551614})");
  EXPECT_EQ(canonical("claude", "Read", R"({"offset":10.0})"), R"({"offset":9.0})");
  EXPECT_EQ(canonical("claude", "Read", R"({"offset":"10"})"), R"({"offset":"10"})");
  EXPECT_EQ(canonical("claude", "Read", R"({"offset":[1]})"), R"({"offset":[1]})");
}

TEST(Dialect, TakesNullAsAbsent) {
  EXPECT_EQ(canonical("claude", "Read", R"({"file_path":"a","offset":null})"),
            R"({"path":"a","offset":null})");
  EXPECT_EQ(canonical("claude", "Read", R"({"file_path":"a","path":null})"), R"({"path":"a"})");
  EXPECT_EQ(canonical("claude", "Read", R"({"path":null,"file_path":"a"})"), R"({"path":"a"})");
}

TEST(Dialect, RefusesTwoValuesForOneParameter) {
  EXPECT_EQ(canonical("claude", "Read", R"({"file_path":"a","path":"b"})"),
            "error: file_path: given again as 'path' with another value");
  EXPECT_EQ(canonical("claude", "Read", R"({"path":"b","file_path":"a"})"),
            "error: path: given again as 'file_path' with another value");
}

TEST(Dialect, AcceptsTheSameValueTwice) {
  EXPECT_EQ(canonical("claude", "Read", R"({"file_path":"a","path":"a"})"), R"({"path":"a"})");
}

TEST(Dialect, PassesUnknownParametersOnForDecodingToReport) {
  EXPECT_EQ(canonical("claude", "Read", R"({"file_path":"a","bogus":1})"),
            R"({"path":"a","bogus":1})");
}

TEST(Dialect, GivesNoForeignNameTwoMeanings) {
  std::map<std::string_view, std::string_view> meaning;
  for (const Dialect& dialect : dialects()) {
    for (const Dialect::Entry& entry : dialect.entries) {
      auto [known, fresh] = meaning.try_emplace(entry.name, entry.tool);
      EXPECT_EQ(known->second, entry.tool) << entry.name;
      EXPECT_TRUE(fresh || entry.name == entry.tool) << entry.name << " stands in two dialects";
    }
  }
}

}  // namespace
}  // namespace helve

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
  const Error theirs = in_dialect(*read, ours);
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
    Names, DialectTranslation,
    testing::Values(
        Translation{"claude", "Write", "write", R"({"file_path":"a","content":"b"})",
                    R"({"path":"a","content":"b"})"},
        Translation{"claude", "LS", "ls", R"({"path":"a"})", R"({"path":"a"})"},
        Translation{"claude", "Edit", "edit",
                    R"({"file_path":"a","old_string":"b","new_string":"c"})",
                    R"({"path":"a","old_text":"b","new_text":"c"})"},
        Translation{"claude", "Bash", "bash", R"({"command":"ls","description":"Lists"})",
                    R"({"command":"ls"})"},
        Translation{"claude", "memory_search", "memory_search", R"({"query":"q","maxResults":3})",
                    R"({"query":"q","max_results":3})"},
        Translation{"claw", "process", "process", R"({"pid":"p1"})", R"({"process_id":"p1"})"},
        Translation{"claw", "session_status", "sessions_status", "{}", "{}"},
        Translation{"astra", "file_delete", "delete", R"({"path":"a"})", R"({"path":"a"})"},
        Translation{"astra", "shell_exec", "exec", R"({"command":"ls"})", R"({"command":"ls"})"},
        Translation{"botholomew", "membot_query", "kb_query",
                    R"({"logical_path":"a","output_logical_path":"b"})",
                    R"({"path":"a","output_path":"b"})"},
        Translation{"codex", "apply_patch", "apply_patch", R"({"input":"*** Begin Patch"})",
                    R"({"patch":"*** Begin Patch"})"},
        Translation{"codex", "list_dir", "ls", R"({"dir_path":"a"})", R"({"path":"a"})"}));

TEST(Dialect, RefusesAValueBelowItsFirstLineByTheirName) {
  const Error error =
      to_canonical(*find_entry("claude", "Read"), {{"file_path", "a"}, {"offset", 0}}).error();
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_EQ(error.message, "offset: must be at least 1, got 0");
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
            "error: path: given again as 'path' with another value");
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

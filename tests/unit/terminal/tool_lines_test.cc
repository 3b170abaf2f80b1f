#include "terminal/tool_lines.h"

#include <gtest/gtest.h>

#include "base/diff.h"
#include "base/result.h"
#include "base/text.h"
#include "terminal/diff_view.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

CallView call(std::string name, std::string_view arguments, std::vector<std::string> subject = {}) {
  return {.name = std::move(name),
          .arguments = parse_json(arguments).value(),
          .subject = std::move(subject),
          .state = CallState::ok};
}

TEST(ToolLines, TellWhatACallIsAbout) {
  CallView read = call("read", R"({"limit":20,"path":"src/main.cc"})", {"path"});
  EXPECT_EQ(tool_line(read, {}), "✓ read  src/main.cc");
  read.summary = "120 lines";
  EXPECT_EQ(tool_line(read, {}), "✓ read  src/main.cc  (120 lines)");
  read.elapsed = std::chrono::milliseconds(2300);
  EXPECT_EQ(tool_line(read, {}), "✓ read  src/main.cc  (120 lines, 2s)");
  read.summary = "(no output)";
  EXPECT_EQ(tool_line(read, {}), "✓ read  src/main.cc  (no output, 2s)");
  read.summary = "1\tone";
  EXPECT_EQ(tool_line(read, {}), "✓ read  src/main.cc  (1 one, 2s)") << "a tab is a blank";
  read.summary = "120 lines";
  read.state = CallState::running;
  EXPECT_EQ(tool_line(read, {}), "● read  src/main.cc  (120 lines, 2s)");
  read.state = CallState::failed;
  read.summary = "no file 'src/main.cc'\nmore";
  read.elapsed.reset();
  EXPECT_EQ(tool_line(read, {}), "✗ read  src/main.cc  no file 'src/main.cc' …");
  EXPECT_EQ(tool_line(read, {.colours = true}),
            "\x1b[0;31m✗\x1b[0m \x1b[0;1mread\x1b[0m  src/main.cc  "
            "\x1b[0;31mno file 'src/main.cc' …\x1b[0m");
}

TEST(ToolLines, TellArgumentsOfToolsThatDoNotSay) {
  EXPECT_EQ(tool_line(call("x", R"({"n":1,"query":"a b","other":"c","list":[1,2]})"), {}),
            "✓ x  n=1 a b other=c list=[1,2]");
  EXPECT_EQ(tool_line(call("x", "{}"), {}), "✓ x");
  EXPECT_EQ(tool_line(call("x", R"({"a":1})", {"missing"}), {}), "✓ x  a=1");
  EXPECT_EQ(tool_line(call("exec", R"({"command":"make\nmake test"})", {"command"}), {}),
            "✓ exec  make …");
}

TEST(ToolLines, FitTheTerminalWhateverIsInThem) {
  CallView wild = call(std::string(50, 'n'), R"({"a":"日本語日本語日本語日本語\u001b[2J\u202e"})");
  wild.summary = std::string(200, 's');
  wild.result = "\x1b[2J" + std::string(300, 'r');
  for (const size_t columns : {1u, 10u, 20u, 40u, 60u, 80u, 200u}) {
    const std::string line = tool_line(wild, {.columns = columns});
    EXPECT_LT(columns_of(line), std::max<size_t>(columns, 10));
    EXPECT_EQ(line.find('\x1b'), line.npos);
    const std::string details = tool_details(wild, {.columns = columns});
    for (const std::string_view row : split(details, '\n'))
      EXPECT_LT(columns_of(row), std::max<size_t>(columns, 10));
  }
}

TEST(ToolLines, ExpandWithinABound) {
  CallView view = call("write", R"({"path":"a.txt","text":"one\ntwo\n","x":null})", {"path"});
  view.result = "1\n2\n\t3\n4\n5\n";
  EXPECT_EQ(tool_details(view, {}, 5),
            "  text:\n    one\n    two\n  1\n  2\n"
            "  … 3 more lines, Ctrl-O shows all\n");
  EXPECT_EQ(tool_details(view, {}, kAllRows),
            "  text:\n    one\n    two\n  1\n  2\n      3\n  4\n  5\n");
}

std::string joined(const std::vector<std::string>& rows) { return join(rows, "\n"); }

TEST(DiffView, NumbersLines) {
  std::string old_text, new_text;
  for (int i = 1; i <= 30; ++i) {
    old_text += "line " + std::to_string(i) + "\n";
    if (i == 3) new_text += "-- three\n";
    if (i == 28) new_text += "++ added\n";
    if (i != 3) new_text += "line " + std::to_string(i) + "\n";
  }
  const std::string diff = unified_diff({"a/x.txt", "b/x.txt"}, old_text, new_text, 1);
  ASSERT_TRUE(looks_like_diff(diff));
  EXPECT_EQ(joined(diff_rows(diff, false)),
            "x.txt\n 2   line 2\n 3 - line 3\n 3 + -- three\n 4   line 4\n…\n"
            "27   line 27\n28 + ++ added\n29   line 28");
  EXPECT_NE(joined(diff_rows(diff, true)).find("\x1b[0;31m- line 3\x1b[0m"), std::string::npos);
  EXPECT_NE(joined(diff_rows(diff, true)).find("\x1b[0;32m+ -- three\x1b[0m"), std::string::npos);
}

TEST(DiffView, NamesRemovedFilesAndTakesDamage) {
  EXPECT_EQ(joined(diff_rows("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", false)),
            "gone\n1 - x");
  EXPECT_EQ(joined(diff_rows("@@ -1,9999999999999999999999 +1 @@\n+a\n@@ -x\n", false)), "");
  EXPECT_FALSE(looks_like_diff("--- a rule"));
  EXPECT_FALSE(looks_like_diff(""));
}

TEST(ToolLines, ShowADiffAsOne) {
  CallView view = call("edit", R"({"path":"x"})", {"path"});
  view.result = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n";
  EXPECT_EQ(tool_details(view, {}), "  x\n  1 - old\n  1 + new\n");
}

}  // namespace
}  // namespace helve::terminal

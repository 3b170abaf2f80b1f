#include "base/text.h"
#include "unit/tools/fixture.h"

namespace helve {
namespace {

using Read = ToolTest;
using namespace std::string_view_literals;

TEST_F(Read, NumbersTheLinesForPeopleAndKeepsThemRawForPrograms) {
  tree.file("notes.md", "one\r\ntwo\n\nlast");
  const Answer answer = call("read", R"({"path": "./notes.md"})");
  ASSERT_TRUE(answer.ok);
  EXPECT_EQ(answer.text, "     1\tone\n     2\ttwo\n     3\t\n     4\tlast\n");
  EXPECT_EQ(answer["content"], "one\r\ntwo\n\nlast");
  EXPECT_EQ(answer["path"], "notes.md");
  EXPECT_EQ(answer["start_line"], 1);
  EXPECT_EQ(answer["end_line"], 4);
  EXPECT_EQ(answer["total_lines"], 4);
  EXPECT_EQ(answer["size"], 14);
  EXPECT_TRUE(answer.lacks("next_offset"));
  EXPECT_TRUE(answer.lacks("notes"));
}

TEST_F(Read, TellsWhereThePageIsAndHowToGoOn) {
  tree.file("file", "1\n2\n3\n4\n5\n");
  EXPECT_EQ(call("read", R"({"path": "file", "offset": 1, "limit": 2})").text,
            "lines 2–3 of 5 · next offset=3\n     2\t2\n     3\t3\n");
  EXPECT_EQ(call("read", R"({"path": "file", "offset": 3})").text,
            "lines 4–5 of 5 · end of file\n     4\t4\n     5\t5\n");
}

TEST_F(Read, TakesLineNumbersInstead) {
  tree.file("file", "1\n2\n3\n4\n5\n");
  EXPECT_EQ(call("read", R"({"path": "file", "start_line": 2, "end_line": 3})")["content"],
            "2\n3\n");
  EXPECT_EQ(call("read", R"({"path": "file", "start_line": 5})")["content"], "5\n");
  EXPECT_EQ(call("read", R"({"path": "file", "end_line": 1})")["content"], "1\n");
  EXPECT_EQ(call("read", R"({"path": "file", "end_line": 9223372036854775807})")["end_line"], 5);
}

TEST_F(Read, RefusesContradictions) {
  tree.file("file");
  const Answer both = call("read", R"({"path": "file", "offset": 1, "end_line": 3})");
  EXPECT_EQ(kind_of(both), "invalid_argument invalid_argument");
  EXPECT_TRUE(has(both.error.message, "offset/limit and start_line/end_line"));
  EXPECT_EQ(kind_of(call("read", R"({"path": "file", "start_line": 3, "end_line": 2})")),
            "invalid_argument invalid_argument");
}

TEST_F(Read, TakesExtremesOfOffsetAndLimit) {
  tree.file("file", "1\n2\n");
  EXPECT_EQ(call("read", R"({"path": "file", "limit": 9223372036854775807})")["end_line"], 2);
  EXPECT_EQ(kind_of(call("read", R"({"path": "file", "offset": 9223372036854775807})")),
            "invalid_argument past_end");
  for (const char* bad :
       {R"("offset": -1)", R"("limit": 0)", R"("limit": "10")", R"("offset": 1.5)",
        R"("offset": 9223372036854775808)", R"("max_bytes": 524289)", R"("max_bytes": 0)"}) {
    EXPECT_EQ(kind_of(call("read", std::string(R"({"path": "file", )") + bad + "}")),
              "invalid_argument invalid_input")
        << bad;
  }
}

TEST_F(Read, SaysHowManyLinesThereAreWhenAskedForMore) {
  tree.file("file", "1\n2\n");
  const Answer answer = call("read", R"({"path": "file", "offset": 2})");
  EXPECT_EQ(kind_of(answer), "invalid_argument past_end");
  EXPECT_TRUE(has(answer.error.hint, "2 lines"));
}

TEST_F(Read, SaysThatAFileIsEmpty) {
  tree.file("empty", "");
  const Answer answer = call("read", R"({"path": "empty"})");
  EXPECT_EQ(answer.text, "empty is empty\n");
  EXPECT_EQ(answer["content"], "");
  EXPECT_EQ(answer["total_lines"], 0);
}

TEST_F(Read, SpellsOutBytesThatAreNoText) {
  tree.file("bytes", "a\xff\xfe\xff\n");
  const Answer answer = call("read", R"({"path": "bytes"})");
  EXPECT_EQ(answer["content"], "a\\xff\\xfe\\xff\n");
  EXPECT_TRUE(has(answer.text, "note: some bytes are not UTF-8"));
  EXPECT_TRUE(has(answer.text, "     1\ta\\xff\\xfe\\xff"));
  EXPECT_TRUE(answer.lacks("encoding"));
}

TEST_F(Read, DecodesOtherEncodingsAndNamesThem) {
  tree.file("latin", "caf\xe9\n");
  const Answer latin = call("read", R"({"path": "latin"})");
  EXPECT_EQ(latin["content"], "café\n");
  EXPECT_EQ(latin["encoding"], "windows-1252");
  EXPECT_TRUE(has(latin.text, "note: encoding windows-1252, as far as can be told"));
  EXPECT_TRUE(has(latin.text, "     1\tcafé\n"));
  tree.file("wide", std::string("\xff\xfe"
                                "o\0k\0\n\0",
                                8));
  const Answer wide = call("read", R"({"path": "wide"})");
  EXPECT_EQ(wide["content"], "ok\n");
  EXPECT_EQ(wide["encoding"], "UTF-16LE");
  EXPECT_EQ(wide["size"], 8);
  EXPECT_TRUE(has(wide.text, "note: encoding UTF-16LE with a byte order mark\n"));
}

TEST_F(Read, TakesTheEncodingThatIsNamed) {
  tree.file("polish", "za\xBF\xF3\xB3\xE6\n");
  EXPECT_EQ(call("read", R"({"path": "polish"})")["content"], "za\\xbf\\xf3\\xb3\\xe6\n");
  const Answer answer = call("read", R"({"path": "polish", "encoding": "cp1250"})");
  EXPECT_EQ(answer["content"], "zażółć\n");
  EXPECT_TRUE(has(answer.text, "note: encoding windows-1250\n"));
  EXPECT_EQ(kind_of(call("read", R"({"path": "polish", "encoding": "x"})")),
            "invalid_argument unknown_encoding");
}

TEST_F(Read, SpellsOutHalvesOfCharactersInWideText) {
  tree.file("wide", std::string("\xff\xfe"
                                "a\0\x00\xD8"
                                "\\\0\n\0",
                                10));
  const Answer answer = call("read", R"({"path": "wide"})");
  EXPECT_EQ(answer["content"], "a\\x00\\xd8\\\\\n");
  EXPECT_TRUE(has(answer.text, "some bytes are not UTF-16LE text"));
}

TEST_F(Read, DescribesBinaryFilesByTheirContent) {
  tree.file("text.txt", std::string("\x7f"
                                    "ELF\2\1\1\0\0\0\0\0",
                                    12));
  const Answer answer = call("read", R"({"path": "text.txt"})");
  EXPECT_EQ(answer["kind"], "binary");
  EXPECT_EQ(answer["type"], "ELF executable or library");
  EXPECT_EQ(answer["mime_type"], "application/x-elf");
  EXPECT_TRUE(has(answer.text, "text.txt: binary file, ELF executable or library, 12 bytes\n"));
  EXPECT_TRUE(answer.lacks("content"));
  tree.file("unknown", std::string("ab\0\1\2\3", 6));
  EXPECT_TRUE(has(call("read", R"({"path": "unknown"})").text, "unknown: binary file, 6 bytes\n"));
  // Compressed data may have no NUL.
  tree.file("small.gz", "\x1f\x8b\x08\x01\x90\x81\xff\xee\x12\x99");
  EXPECT_EQ(call("read", R"({"path": "small.gz"})")["type"], "gzip compressed data");
}

constexpr std::string_view kDot =  // a PNG of one pixel
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx"
    "\x9c"
    "c\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xae"
    "B`\x82"sv;

TEST_F(Read, ShowsImages) {
  tree.file("wrongly named.txt", kDot);
  const Answer answer = call("read", R"({"path": "wrongly named.txt"})");
  EXPECT_EQ(answer["kind"], "image");
  EXPECT_EQ(answer["mime_type"], "image/png");
  EXPECT_EQ(answer["width"], 1);
  EXPECT_EQ(answer["height"], 1);
  EXPECT_TRUE(has(answer.text, "wrongly named.txt: PNG image, 1×1, 67 bytes\n"));
  EXPECT_TRUE(has(answer.text, "[image image/png, 92 bytes of base64]"));
}

TEST_F(Read, RefusesImagesThatWouldBreakASession) {
  std::string gif("GIF89a\x28\x23\x02\0\0\0\0,\0\0\0\0\x03\0\x02\0\0\x02\x02\x84\x11\0;"sv);
  tree.file("wide.gif", gif);
  const Answer wide = call("read", R"({"path": "wide.gif"})");
  EXPECT_EQ(kind_of(wide), "too_large image_too_large");
  EXPECT_TRUE(has(wide.error.message, "9000×2 pixels"));
  gif[7] = '\0';
  tree.file("large.gif", gif.substr(0, gif.size() - 1) + std::string(4u << 20, 'x') + ";");
  EXPECT_TRUE(has(call("read", R"({"path": "large.gif"})").error.message, "as base64"));
  tree.file("cut.png", kDot.substr(0, 50));
  EXPECT_EQ(kind_of(call("read", R"({"path": "cut.png"})")), "unsupported damaged_image");
  std::string lying(kDot);
  lying[17] = '\x01';  // 65537 pixels, of which it has one
  tree.file("lying.png", lying);
  EXPECT_EQ(kind_of(call("read", R"({"path": "lying.png"})")), "unsupported damaged_image");
}

TEST_F(Read, ScalesImagesDownThatAreTooLarge) {
  std::string large(kDot.substr(0, kDot.size() - 12));
  large += std::string("\0\x40\0\0tEXt", 8) + std::string((4u << 20) + 4, 'x');
  large += kDot.substr(kDot.size() - 12);
  tree.file("large.png", large);
  const Answer answer = call("read", R"({"path": "large.png"})");
  EXPECT_TRUE(has(answer.text, "note: scaled down to 1×1 to be shown\n")) << kind_of(answer);
  EXPECT_TRUE(has(answer.text, "[image image/png, "));
}

TEST_F(Read, ShowsANotebookByCells) {
  tree.file("a.ipynb", R"({"nbformat": 4, "metadata": {"language_info": {"name": "python"}},
    "cells": [{"cell_type": "markdown", "source": ["# Title\n", "text"]},
              {"cell_type": "code", "execution_count": 3, "source": "1 / 0", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["before\n"]},
                {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero",
                 "traceback": ["\u001b[31mTraceback\u001b[0m"]}]}]})");
  const Answer answer = call("read", R"({"path": "a.ipynb"})");
  EXPECT_EQ(answer["kind"], "notebook");
  EXPECT_EQ(answer["total_cells"], 2);
  EXPECT_EQ(answer.text,
            "cells 1–2 of 2 · end of notebook\nnote: the language is python\n"
            "--- cell 1: markdown ---\n# Title\ntext\n--- cell 2: code [3] ---\n1 / 0\n"
            "output:\nbefore\nerror:\nZeroDivisionError: division by zero\nTraceback\n");
  const Answer second = call("read", R"({"path": "a.ipynb", "offset": 1, "limit": 1})");
  EXPECT_EQ(second["start_line"], 2);
  EXPECT_TRUE(has(call("read", R"({"path": "a.ipynb", "limit": 1})").text,
                  "cells 1–1 of 2 · next offset=1\n"));
  EXPECT_TRUE(has(call("read", R"({"path": "a.ipynb", "max_bytes": 60})").text, "next offset=1\n"));
  EXPECT_EQ(kind_of(call("read", R"({"path": "a.ipynb", "offset": 2})")),
            "invalid_argument past_end");
  EXPECT_EQ(call("read", R"({"path": "a.ipynb", "as": "text"})")["kind"], "text");
}

TEST_F(Read, ShowsADamagedNotebookAsText) {
  tree.file("a.ipynb", R"({"cells": [)");
  const Answer answer = call("read", R"({"path": "a.ipynb"})");
  EXPECT_EQ(answer["kind"], "text");
  EXPECT_TRUE(has(answer.text, "note: shown as text: the notebook is damaged"));
  EXPECT_TRUE(has(answer.text, "     1\t{\"cells\": [\n"));
}

TEST_F(Read, ReadsSeveralFilesAndLosesNoneToTheFailureOfAnother) {
  tree.file("a", "one\n");
  tree.file("b", "two\n");
  const Answer answer = call("read", R"({"paths": ["a", "missing", "b"]})");
  ASSERT_TRUE(answer.ok);
  EXPECT_EQ(answer["kind"], "files");
  EXPECT_TRUE(answer.text.starts_with("==> a <==\n     1\tone\n"));
  EXPECT_TRUE(has(answer.text, "\n==> missing <==\nerror: "));
  EXPECT_TRUE(has(answer.text, "\n==> b <==\n     1\ttwo\n"));
  const Json list = answer["files"].json;
  const JsonArray& files = list.as_array();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(string_at(*find(files[0], "answer"), "content"), "one\n");
  EXPECT_EQ(string_at(*find(files[1], "error"), "error_type"), "not_found");
}

TEST_F(Read, SharesThePageAmongFiles) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "a line\n";
  tree.file("long", lines);
  tree.file("short", "x\n");
  const Answer answer =
      call("read", R"({"path": "short", "paths": ["long", "long"], "max_bytes": 1000})");
  const Json list = answer["files"].json;
  const JsonArray& files = list.as_array();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(string_at(*find(files[1], "answer"), "content").size(), 497u);
  EXPECT_EQ(string_at(*find(files[2], "answer"), "content").size(), 497u);
  EXPECT_TRUE(has(answer.text, "next offset=71\n"));
}

TEST_F(Read, BoundsTheNumberOfFiles) {
  std::string paths;
  for (int i = 0; i < 51; ++i) paths += (i ? ",\"a\"" : "\"a\"");
  EXPECT_EQ(kind_of(call("read", R"({"paths": [)" + paths + "]}")), "too_large too_large");
  EXPECT_EQ(kind_of(call("read", "{}")), "invalid_argument invalid_input");
  EXPECT_EQ(kind_of(call("read", R"({"paths": []})")), "invalid_argument invalid_input");
}

TEST_F(Read, SpellsOutNulsBehindTheFirstPage) {
  tree.file("log", std::string(10'000, 'x') + "\n" + std::string(3, '\0') + "\n");
  EXPECT_EQ(call("read", R"({"path": "log", "offset": 1})")["content"], "\\x00\\x00\\x00\n");
}

TEST_F(Read, HidesTheByteOrderMarkFromTheLinesButNamesIt) {
  tree.file("bom", "\xEF\xBB\xBFone\n");
  const Answer answer = call("read", R"({"path": "bom"})");
  EXPECT_EQ(answer["content"], "\xEF\xBB\xBFone\n");
  EXPECT_TRUE(has(answer.text, "     1\tone\n"));
  EXPECT_TRUE(has(answer.text, "byte order mark"));
}

TEST_F(Read, CutsLongLinesBetweenCharactersAndSaysSo) {
  std::string line;
  for (int i = 0; i < 2100; ++i) line += "é";
  tree.file("wide", "short\n" + line + "\n");
  const Answer answer = call("read", R"({"path": "wide"})");
  EXPECT_EQ(answer["truncated_lines"], 1);
  EXPECT_EQ(answer["content"], "short\n" + line + "\n");
  EXPECT_TRUE(has(answer.text, "é… [100 more characters]\n"));
  EXPECT_TRUE(has(
      answer.text,
      "note: line 2 is shown only to character 2000; offset=1 with column=2001 shows the rest\n"));
  const Answer rest = call("read", R"({"path": "wide", "offset": 1, "column": 2001})");
  EXPECT_EQ(rest["content"], line.substr(4000) + "\n");
  EXPECT_EQ(rest["start_column"], 2001);
  EXPECT_TRUE(has(rest.text, "lines 2–2 of 2 · from character 2001 · end of file\n"));
}

TEST_F(Read, ShowsTheRestOfALongLineWhole) {
  tree.file("wide", std::string(30'000, 'x') + "\n");
  const Answer answer = call("read", R"({"path": "wide", "column": 2001})");
  EXPECT_TRUE(has(answer.text, "\t" + std::string(28'000, 'x') + "\n"));
  EXPECT_TRUE(answer.lacks("truncated_lines"));
}

TEST_F(Read, DoesNotCutALineThatJustFits) {
  std::string line;
  for (int i = 0; i < 2000; ++i) line += "é";
  tree.file("wide", line + "\n");
  EXPECT_TRUE(call("read", R"({"path": "wide"})").lacks("truncated_lines"));
}

TEST_F(Read, SaysThatALineIsLongerThanThePage) {
  tree.file("wide", std::string(300'000, 'x') + "\nnext\n");
  const Answer answer = call("read", R"({"path": "wide"})");
  EXPECT_EQ(answer["content"].json.as_string().size(), 50u * 1024);
  EXPECT_EQ(answer["truncated_lines"], 1);
  EXPECT_EQ(answer["next_offset"], 0);
  EXPECT_EQ(answer["next_column"], 50 * 1024 + 1);
  EXPECT_TRUE(has(answer.text, "lines 1–1 of 2 · line 1 goes on · next offset=1\n"));
  EXPECT_TRUE(has(answer.text, "offset=0 with column=2001 shows the rest\n"));
  EXPECT_TRUE(has(answer.text, "x… [more characters]\n"));
  EXPECT_TRUE(has(call("read", R"({"path": "wide", "column": 2001})").text,
                  "lines 1–1 of 2 · from character 2001 · next offset=0 column=53201\n"));
  EXPECT_EQ(call("read", R"({"path": "wide", "offset": 1})")["content"], "next\n");
  EXPECT_EQ(call("read", R"({"path": "wide", "max_bytes": 524288})")["end_line"], 2);
}

TEST_F(Read, GoesOnInALastLineThatIsLongerThanThePage) {
  tree.file("one", std::string(120'000, 'x'));
  const Answer answer = call("read", R"({"path": "one", "column": 1})");
  EXPECT_EQ(answer["next_offset"], 0);
  EXPECT_EQ(answer["next_column"], 50 * 1024 + 1);
  EXPECT_TRUE(has(answer.text, "from character 1 · next offset=0 column=51201\n"));
}

// What the text shows of a line that is escaped, and what the advised column shows, is all of it.
TEST_F(Read, AdvisesTheColumnOfTheFileWhereTheTextIsEscaped) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += std::to_string(10'000 + i) + "\xFE\\,";
  tree.file("bytes", line);
  const std::string text = call("read", R"({"path": "bytes"})").text;
  const size_t advice = text.find("column=") + 7;
  const std::string column = text.substr(advice, text.find(' ', advice) - advice);
  const size_t begin = text.find('\t') + 1;
  const std::string shown = text.substr(begin, text.find("…") - begin);
  const Answer rest = call("read", R"({"path": "bytes", "column": )" + column + "}");
  const std::string all = escape_bytes(line), tail(rest["content"].json.as_string());
  EXPECT_EQ(count_chars(shown), 2000u);
  EXPECT_TRUE(all.starts_with(shown));
  EXPECT_TRUE(all.ends_with(tail));
  EXPECT_GE(shown.size() + tail.size(), all.size());
  EXPECT_LT(shown.size() + tail.size(), all.size() + 4);  // of an escape that was shown in part
}

TEST_F(Read, SaysWhereALineGoesOnThatASmallPageShowsInPart) {
  tree.file("wide", std::string(5'000, 'x') + "\nnext\n");
  const std::string text = call("read", R"({"path": "wide", "max_bytes": 100})").text;
  EXPECT_TRUE(has(text, "lines 1–1 of 2 · next offset=0 column=101\n")) << text;
}

TEST_F(Read, CountsNoByteOrderMarkInAColumn) {
  tree.file("marked", "\xEF\xBB\xBF" + std::string(2000, 'a') + "b");
  EXPECT_TRUE(has(call("read", R"({"path": "marked"})").text, "a… [1 more characters]"));
  EXPECT_EQ(call("read", R"({"path": "marked", "column": 2001})")["content"], "b");
}

TEST_F(Read, ItsPageIsNeverOverItsOwnInlineLimit) {
  tree.file("newlines", std::string(600'000, '\n'));
  tree.file("bytes", std::string(600'000, '\xff'));
  for (const Tool& tool : builtin_tools()) {
    if (tool.spec.name != "read") continue;
    for (const char* path : {"newlines", "bytes"}) {
      const Answer answer =
          call("read", std::string(R"({"max_bytes": 524288, "path": ")") + path + "\"}");
      EXPECT_LE(answer.text.size(), tool.spec.limits.inline_chars);
    }
  }
}

TEST_F(Read, EndsWhenItIsCancelled) {
  tree.file("large", std::string(1'000'000, '\n'));
  std::stop_source source;
  source.request_stop();
  context.stop = source.get_token();
  EXPECT_EQ(kind_of(call("read", R"({"path": "large", "offset": 999999})")), "cancelled cancelled");
}

TEST_F(Read, ReportsProgressOnlyToWhoListens) {
  tree.file("large", std::string(1'000'000, '\n'));
  EXPECT_TRUE(call("read", R"({"path": "large", "offset": 999999})").ok);
}

TEST_F(Read, HasNoFilesWithoutAWorkspace) {
  context.files = nullptr;
  for (const char* tool : {"read", "ls", "write"}) {
    const Answer answer =
        call(tool, std::string_view(tool) == "write" ? R"({"path": "x", "content": ""})"
                                                     : R"({"path": "x"})");
    EXPECT_EQ(kind_of(answer), "denied no_files") << tool;
    EXPECT_TRUE(has(answer.error.message, "has no access to files"));
  }
}

TEST_F(Read, TellsABytesEscapeFromTheSameText) {
  tree.file("file", "\\xff\xff\n");
  const Answer answer = call("read", R"({"path": "file"})");
  ASSERT_TRUE(answer.ok);
  EXPECT_EQ(answer["content"], "\\\\xff\\xff\n");
  EXPECT_TRUE(has(answer.text, "shown as \\xNN, and \\ as \\\\")) << answer.text;
  tree.file("text", "\\xff\n");
  EXPECT_EQ(call("read", R"({"path": "text"})")["content"], "\\xff\n");
}

TEST_F(Read, ShowsTheNameOfAnEmptyFileHarmless) {
  tree.file("a\x1b[2J", "");
  const Answer answer = call("read", R"({"path": "a\u001b[2J"})");
  ASSERT_TRUE(answer.ok);
  EXPECT_EQ(answer.text, "\"a\\x1b[2J\" is empty\n");
}

}  // namespace
}  // namespace helve

#include "terminal/line_editor.h"

#include <gtest/gtest.h>

#include <random>

#include "screen.h"

namespace helve::terminal {
namespace {

using Kind = Edited::Kind;

constexpr std::string_view kUp = "\x1b[A", kDown = "\x1b[B", kLeft = "\x1b[D";

struct Fixture {
  explicit Fixture(EditorOptions options = {})
      : screen(options.columns),
        editor(std::move(options), [this](std::string_view bytes) { screen.write(bytes); }) {
    editor.show();
  }
  Edited type(std::string_view bytes) { return editor.feed(bytes); }

  Screen screen;
  LineEditor editor;
};

std::string pasted(std::string_view text) {
  return std::string("\x1b[200~").append(text).append("\x1b[201~");
}

TEST(LineEditor, SubmitsALineAndLeavesItOnTheScreen) {
  Fixture f;
  EXPECT_EQ(f.type("hello").kind, Kind::going_on);
  EXPECT_EQ(f.screen.text(), "> hello\n");
  const Edited edited = f.type("\r");
  EXPECT_EQ(edited.kind, Kind::submitted);
  EXPECT_EQ(edited.text, "hello");
  EXPECT_EQ(f.screen.text(), "> hello\n");
  EXPECT_EQ(f.screen.row(), 1u);
  EXPECT_EQ(f.screen.column(), 0u);
}

TEST(LineEditor, KeepsWhatIsTypedAhead) {
  Fixture f;
  EXPECT_EQ(f.type("one\rtwo\rthr").text, "one");
  f.editor.show();
  EXPECT_EQ(f.type("").text, "two");
  f.editor.show();
  EXPECT_EQ(f.type("").kind, Kind::going_on);
  EXPECT_EQ(f.screen.text(), "> one\n> two\n> thr\n");
}

TEST(LineEditor, BreaksRowsBeforeTheTerminalDoes) {
  Fixture f({.columns = 10});
  f.type("abcdefghij");
  EXPECT_EQ(f.screen.text(), "> abcdefg\n  hij\n");
  EXPECT_EQ(f.screen.row(), 1u);
  EXPECT_EQ(f.screen.column(), 5u);
  f.type("\x01X");
  EXPECT_EQ(f.screen.text(), "> Xabcdef\n  ghij\n");
  EXPECT_EQ(f.screen.row(), 0u);
  EXPECT_EQ(f.screen.column(), 3u);
  f.type("\x0b");
  EXPECT_EQ(f.screen.text(), "> X\n");
}

TEST(LineEditor, RewritesOnlyWhatChanged) {
  Fixture f;
  f.type("The quick brown fox jumps over the lazy dog");
  size_t before = f.screen.written();
  f.type("!");
  EXPECT_EQ(f.screen.written() - before, 1u);
  before = f.screen.written();
  f.type(kLeft);
  EXPECT_EQ(f.screen.written() - before, 1u);
  before = f.screen.written();
  f.type("\x1b");  // may become anything
  EXPECT_EQ(f.screen.written() - before, 0u);
}

TEST(LineEditor, MakesNewLines) {
  for (const std::string_view newline : {"\x1b\r", "\x1b[13;2u", "\n", "\\\r"}) {
    Fixture f;
    f.type("one");
    EXPECT_EQ(f.type(newline).kind, Kind::going_on);
    f.type("two");
    EXPECT_EQ(f.screen.text(), "> one\n  two\n");
    EXPECT_EQ(f.type("\r").text, "one\ntwo");
  }
}

TEST(LineEditor, WalksThroughHistoryAndBackToTheDraft) {
  Fixture f;
  f.editor.set_history({"first", "second\nline"});
  f.type("draft");
  f.type(kUp);
  EXPECT_EQ(f.editor.text(), "second\nline");
  f.type(kUp);  // to the line above
  EXPECT_EQ(f.editor.text(), "second\nline");
  f.type(kUp);
  EXPECT_EQ(f.editor.text(), "first");
  f.type(kUp);
  EXPECT_EQ(f.editor.text(), "first");
  EXPECT_EQ(f.screen.text(), "> first\n");
  f.type(kDown);
  f.type(kDown);
  EXPECT_EQ(f.editor.text(), "draft");
}

TEST(LineEditor, SearchesHistory) {
  Fixture f;
  f.editor.set_history({"make test", "ls", "make all", "pwd"});
  f.type("x\x12mak");
  EXPECT_EQ(f.screen.text(), "> make all\nsearch: mak\n");
  f.type("\x12");
  EXPECT_EQ(f.screen.text(), "> make test\nsearch: mak\n");
  f.type("\x12");
  EXPECT_EQ(f.screen.text(), "> make test\nnot found: mak\n");
  f.type("\x07");
  EXPECT_EQ(f.screen.text(), "> x\n");
  EXPECT_EQ(f.type("\x12ls\r").text, "ls");
}

TEST(LineEditor, ShowsAShortPasteAndNeverSubmitsIt) {
  Fixture f;
  EXPECT_EQ(f.type(pasted("a\rb\r")).kind, Kind::going_on);
  EXPECT_EQ(f.screen.text(), "> a\n  b\n");
  EXPECT_EQ(f.type("\r").text, "a\nb\n");
}

TEST(LineEditor, FoldsALongPasteUntilItIsSubmitted) {
  Fixture f;
  std::string text;
  for (int i = 0; i < 37; ++i) text += "line\n";
  f.type("see " + pasted(text) + pasted(text) + pasted(std::string(2000, 'x')));
  EXPECT_EQ(f.screen.text(),
            "> see [pasted 37 lines][pasted 37 lines, #2][pasted 2000 characters]\n");
  f.type("\x7f");  // the whole label
  EXPECT_EQ(f.screen.text(), "> see [pasted 37 lines][pasted 37 lines, #2]\n");
  EXPECT_EQ(f.type("\r").text, "see " + text + text);
}

Completions commands(std::string_view text, size_t cursor) {
  Completions found;
  for (const std::string_view each : {"/help", "/history", "/quit"}) {
    if (each.starts_with(text.substr(0, cursor)))
      found.candidates.push_back({std::string(each), "n"});
  }
  return found;
}

TEST(LineEditor, CompletesWhatIsCommonAndOffersTheRest) {
  Fixture f({.complete = commands});
  f.type("/h\t");
  EXPECT_EQ(f.screen.text(), "> /h\n  /help     n\n  /history  n\n");
  f.type("\t");
  EXPECT_EQ(f.screen.text(), "> /help\n› /help     n\n  /history  n\n");
  f.type("\t");
  EXPECT_EQ(f.editor.text(), "/history");
  f.type("\t\x1b[Z");
  EXPECT_EQ(f.editor.text(), "/history");
  EXPECT_EQ(f.type("\r").kind, Kind::going_on);  // chosen, not yet submitted
  EXPECT_EQ(f.screen.text(), "> /history\n");
  EXPECT_EQ(f.type("\r").text, "/history");
}

TEST(LineEditor, CompletesTheOnlyCandidateAtOnce) {
  Fixture f({.complete = commands});
  f.type("/q\t");
  EXPECT_EQ(f.screen.text(), "> /quit\n");
  f.type("zzz\t");
  EXPECT_EQ(f.screen.text(), "> /quitzzz\n");
}

TEST(LineEditor, ClearsInterruptsEndsAndExpands) {
  Fixture f;
  EXPECT_EQ(f.type("text\x03").kind, Kind::going_on);
  EXPECT_EQ(f.editor.text(), "");
  f.type("\x1f");
  EXPECT_EQ(f.editor.text(), "text");
  f.type("\x03");
  EXPECT_EQ(f.type("\x03").kind, Kind::interrupted);
  EXPECT_EQ(f.type("\x0f").kind, Kind::expand);
  EXPECT_EQ(f.type("\x1a").kind, Kind::suspend);
  EXPECT_EQ(f.type("\r").kind, Kind::going_on);
  EXPECT_EQ(f.type("ab\x01\x04").kind, Kind::going_on);
  EXPECT_EQ(f.editor.text(), "b");
  EXPECT_EQ(f.type("\x04\x04").kind, Kind::ended);
}

TEST(LineEditor, StandsBelowOutputThatGoesOn) {
  Fixture f;
  f.type("steer");
  f.editor.print("Hello");
  EXPECT_EQ(f.screen.text(), "Hello\n> steer\n");
  f.editor.print(" world\nNext");
  f.type("ing");
  f.editor.set_status({"working"});
  EXPECT_EQ(f.screen.text(), "Hello world\nNext\nworking\n> steering\n");
  f.editor.print(" row\n");
  EXPECT_EQ(f.screen.text(), "Hello world\nNext row\nworking\n> steering\n");
  f.type("\r");
  EXPECT_EQ(f.screen.text(), "Hello world\nNext row\n> steering\n");
  f.editor.show();
  EXPECT_EQ(f.screen.text(), "Hello world\nNext row\n> steering\nworking\n>\n");
  f.editor.hide();
  EXPECT_EQ(f.screen.text(), "Hello world\nNext row\n> steering\n");
  EXPECT_EQ(f.screen.row(), 3u);
}

TEST(LineEditor, ClearsTheScreenWhenAsked) {
  Fixture f;
  f.editor.print("old\nout");
  f.type("text\x0c");
  EXPECT_EQ(f.screen.text(), "> text\n");
  f.type("!");
  EXPECT_EQ(f.screen.text(), "> text!\n");
}

TEST(LineEditor, WritesEachChangeAtOnce) {
  int writes = 0;
  LineEditor editor({}, [&](std::string_view) { ++writes; });
  editor.show();
  EXPECT_EQ(writes, 1);
  editor.feed("several words");
  EXPECT_EQ(writes, 2);
  editor.print("output");
  EXPECT_EQ(writes, 3);
  editor.feed("");
  EXPECT_EQ(writes, 3);
}

TEST(LineEditor, ShowsOnlyTheRowsThatThereIsRoomFor) {
  Fixture f({.rows = 5});
  f.type("1\n2\n3\n4\n5\n6");
  EXPECT_EQ(f.screen.text(), "  3\n  4\n  5\n  6\n");
  f.type("\x1b<");
  EXPECT_EQ(f.screen.text(), "> 1\n  2\n  3\n  4\n");
}

TEST(LineEditor, ShowsAHintAndHidesControlCharacters) {
  Fixture f({.hint = "ask"});
  EXPECT_EQ(f.screen.text(), "> ask\n");
  f.type(pasted("a\x1b[2Jb"));
  EXPECT_EQ(f.screen.text(), "> a\\x1b[2Jb\n");
}

TEST(LineEditor, IsDrawnAnewWhenTheTerminalIsResized) {
  Fixture f({.columns = 40});
  f.editor.print("Output above\n");
  f.type("some text that fits in forty columns");
  for (const size_t columns : {20u, 12u, 60u}) {
    f.screen.resize(columns);
    f.editor.resize(columns, 24);
  }
  EXPECT_EQ(f.screen.text(), "Output above\n> some text that fits in forty columns\n");
  f.screen.resize(20);
  f.editor.resize(20, 24);
  EXPECT_EQ(f.screen.text(), "Output above\n> some text that fi\n  ts in forty colum\n  ns\n");
  f.type("\x15");
  EXPECT_EQ(f.screen.text(), "Output above\n>\n");
}

// Whatever is pressed, what is painted by changes is what would be painted at once.
TEST(LineEditor, PaintsTheSameByChangesAsAtOnce) {
  const std::string_view kKeys[] = {"a",
                                    "日",
                                    "👍🏽",
                                    " ",
                                    "\n",
                                    "\x7f",
                                    "\x1b[A",
                                    "\x1b[B",
                                    "\x1b[C",
                                    "\x1b[D",
                                    "\x01",
                                    "\x05",
                                    "\x0b",
                                    "\x17",
                                    "\x19",
                                    "\x14",
                                    "\x1f",
                                    "word ",
                                    "\x1b[3~",
                                    "\x1b"
                                    "b",
                                    "/h\t",
                                    "\t",
                                    "\x12"
                                    "a"};
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const EditorOptions options{.columns = 12, .rows = 8, .complete = commands};
    Fixture f(options);
    f.editor.set_history({"alpha", "be\nta"});
    for (int i = 0; i < 60; ++i) {
      f.type(kKeys[random() % std::size(kKeys)]);

      std::string before = f.screen.text();
      f.editor.hide();
      ASSERT_EQ(f.screen.text(), "");
      ASSERT_EQ(f.screen.row(), 0u);
      f.editor.show();
      ASSERT_EQ(f.screen.text(), before);
    }
  }
}

TEST(LineEditor, AsksAQuestionThatALetterAnswersWhileTheTextWaits) {
  Fixture f;
  f.type("draft y");
  f.editor.ask("Allow? y n", "yn");
  EXPECT_EQ(f.screen.text(), "? Allow? y n\n");
  EXPECT_EQ(f.type("xq\r\x01").kind, Kind::going_on);
  EXPECT_EQ(f.type(pasted("y")).kind, Kind::going_on);
  const Edited yes = f.type("y");
  EXPECT_EQ(yes.kind, Kind::chosen);
  EXPECT_EQ(yes.text, "y");
  EXPECT_EQ(f.type("\x03").kind, Kind::interrupted);
  f.type("\x1b");
  const Edited escaped = f.editor.nothing_more();
  EXPECT_EQ(escaped.kind, Kind::chosen);
  EXPECT_EQ(escaped.text, "");
  f.editor.ask("", "");
  EXPECT_EQ(f.screen.text(), "> draft y\n");
  EXPECT_EQ(f.type("\r").text, "draft y");
}

TEST(LineEditor, TakesWhatIsSubmittedOffTheScreenWhenAskedTo) {
  Fixture f({.leaves_submitted = false});
  f.editor.print("partial");
  f.type("steer");
  EXPECT_EQ(f.screen.text(), "partial\n> steer\n");
  EXPECT_EQ(f.type("\r").text, "steer");
  EXPECT_EQ(f.screen.text(), "partial\n");
  f.editor.print(" row\n");
  f.editor.show();
  EXPECT_EQ(f.screen.text(), "partial row\n>\n");
}

TEST(LineEditor, ShowsTheLastRowsOfAStatusThatIsTooLong) {
  Fixture f({.rows = 7});
  f.editor.set_status({"1", "2", "3", "4", "5"});
  EXPECT_EQ(f.screen.text(), "3\n4\n5\n>\n");
  f.editor.set_status({});
  EXPECT_EQ(f.screen.text(), ">\n");
}

}  // namespace
}  // namespace helve::terminal

#include "terminal/talk_view.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

using Kind = Happening::Kind;
using std::chrono::milliseconds;

struct Fixture {
  explicit Fixture(const TalkStyle& style = {})
      : view(style, [this](std::string_view text) { written += text; }) {
    view.set_session("s");
  }
  void show(Kind kind, std::string text = "", std::string name = "", std::string id = "1") {
    view.show({.kind = kind,
               .session = "s",
               .id = std::move(id),
               .name = std::move(name),
               .text = std::move(text)},
              at(0));
  }
  void end_call(Happening ended) {
    ended.kind = Kind::call_ended;
    ended.session = "s";
    view.show(ended, at(0));
  }
  static TalkView::Time at(int later) { return TalkView::Time(milliseconds(later)); }
  std::string status(int later = 0) { return join(view.status(at(later)), "\n"); }

  std::string written;
  TalkView view;
};

TEST(TalkView, ShowsAConversationInBlocks) {
  Fixture f;
  f.show(Kind::prompt, "Fix it\nplease", "user");
  f.show(Kind::thinking, "First I look.\nThen ");
  f.show(Kind::thinking, "I think.");
  f.show(Kind::text, "\n\nI look ");
  f.show(Kind::text, "at **it**.");
  f.show(Kind::answer);
  f.show(Kind::call_begun, R"({"path":"a.txt"})", "read");
  f.end_call({.id = "1", .name = "read", .text = "1\n2\n"});
  f.show(Kind::call_begun, R"({"path":"b.txt"})", "read", "2");
  f.end_call(
      {.id = "2", .name = "read", .text = "no file 'b.txt'\nhint: ls shows", .is_error = true});
  f.show(Kind::text, "Done.");
  f.view.end();
  EXPECT_EQ(f.written,
            "› Fix it\n  please\n\n∴ First I look. …\n\nI look at it.\n\n"
            "✓ read  a.txt  (2 lines)\n✗ read  b.txt  no file 'b.txt'\n  hint: ls shows\n\n"
            "Done.\n");
}

TEST(TalkView, ShowsThatACommandFailedAndWhatItSaid) {
  Fixture f;
  f.show(Kind::call_begun, R"({"command":"make"})", "exec");
  f.end_call(
      {.id = "1", .name = "exec", .text = "a\n\nb\nexit code 2\n1 file changed", .status = 2});
  f.show(Kind::call_begun, R"({"command":"make"})", "exec");
  f.end_call({.id = "1", .name = "exec", .text = "1\n2\n3\n4\n5\nexit code 1", .status = 1});
  f.show(Kind::call_begun, R"({"command":"false"})", "exec");
  f.end_call({.id = "1", .name = "exec", .text = "exit code 1", .status = 1});
  EXPECT_EQ(f.written,
            "✗ exec  make  exit code 2\n  a\n  \n  b\n  1 file changed\n"
            "✗ exec  make  exit code 1\n  1\n  2\n  3\n  4\n  … 1 more line, Ctrl-O shows all\n"
            "✗ exec  false  exit code 1\n");
}

TEST(TalkView, NamesNoKeyWhereThereIsNone) {
  Fixture f({.has_keys = false});
  f.show(Kind::call_begun, R"({"command":"make"})", "exec");
  f.end_call({.id = "1", .name = "exec", .text = "1\n2\n3\n4\n5\nexit code 1", .status = 1});
  std::string diff = "Edited a.txt: 1 replacement\n";
  for (int i = 1; i <= 22; ++i) diff += std::to_string(i + 10) + " + line\n";
  f.end_call({.id = "2", .name = "edit", .text = diff, .is_change = true});
  EXPECT_NE(f.written.find("\n  … 1 more line\n"), std::string::npos) << f.written;
  EXPECT_NE(f.written.find("\n  … 2 more lines\n"), std::string::npos) << f.written;
  EXPECT_EQ(f.written.find("Ctrl-O"), std::string::npos) << f.written;
}

TEST(TalkView, ShowsErrorsWholeWithTheirHint) {
  const auto shown = [](const TalkStyle& style, std::string text, std::string session = "s") {
    Fixture f(style);
    f.view.show({.kind = Kind::call_ended,
                 .session = std::move(session),
                 .id = "1",
                 .name = "undo",
                 .text = std::move(text),
                 .is_error = true},
                f.at(0));
    return f.written;
  };
  EXPECT_EQ(shown({}, "short"), "✗ undo  short\n");
  EXPECT_EQ(shown({}, "short\nhint: try"), "✗ undo  short\n  hint: try\n");
  const std::string text =
      "this session changed nothing that is not undone yet\nhint: changes shows";
  EXPECT_EQ(shown({.columns = 40}, text),
            "✗ undo\n  this session changed nothing that is\n  not undone yet\n  hint: changes "
            "shows\n");
  EXPECT_EQ(shown({.columns = 40}, text, "s_other"),
            "  ✗ undo\n    this session changed nothing that\n    is not undone yet\n    hint: "
            "changes shows\n");
  EXPECT_EQ(shown({}, "one\ntwo\nhint: three"), "✗ undo\n  one\n  two\n  hint: three\n");
  EXPECT_EQ(shown({}, "1\n2\n3\n4\n5\nhint: all"), "✗ undo\n  1\n  2\n  3\n  4 …\n  hint: all\n");
}

TEST(TalkView, ShowsWarningsWithAllTheirLines) {
  Fixture f;
  f.show(Kind::warning, "Something cannot be read:\n- a call\nWrite it again.");
  EXPECT_EQ(f.written, "! Something cannot be read:\n  - a call\n  Write it again.\n");
  f.written.clear();
  std::string many;
  for (int i = 0; i < 20; ++i) many += std::to_string(i) + "\n";
  f.show(Kind::warning, many);
  EXPECT_TRUE(f.written.ends_with("\n  11\n  … 8 more lines\n")) << f.written;
}

TEST(TalkView, ShowsErrorsInDetailAsProse) {
  Fixture f({.columns = 20});
  f.show(Kind::call_begun, "{}", "read");
  f.end_call({.id = "1",
              .name = "read",
              .text = "it cannot be read here\nhint: look elsewhere for it",
              .is_error = true});
  EXPECT_EQ(f.view.details(),
            "✗ read  it cannot …\n  it cannot be read\n  here\n  hint: look\n  elsewhere for it\n");
}

TEST(TalkView, ShowsThoughtsInFullWhenTheyAreWanted) {
  Fixture f;
  f.view.set_thinking(true);
  f.show(Kind::thinking, "One\ntw");
  f.show(Kind::thinking, "o three");
  f.show(Kind::text, "Said.");
  f.view.end();
  EXPECT_EQ(f.written, "∴ One\n  two three\n\nSaid.\n");
}

TEST(TalkView, ShowsTheDiffOfAChangeWithinABound) {
  Fixture f;
  std::string diff = "Edited a.txt: 1 replacement\n";
  for (int i = 1; i <= 30; ++i) diff += std::to_string(i + 10) + " + line\twith a tab\n";
  f.view.show({.kind = Kind::call_begun,
               .session = "s",
               .id = "1",
               .name = "edit",
               .text = R"({"path":"a.txt"})",
               .subject = {"path"}},
              {});
  f.end_call({.id = "1", .name = "edit", .text = diff, .is_change = true});
  const std::vector<std::string_view> rows = split(f.written, '\n');
  EXPECT_EQ(rows[0], "✓ edit  a.txt  (1 replacement)");
  EXPECT_EQ(rows[1], "  11 + line    with a tab");
  EXPECT_EQ(rows[21], "  … 10 more lines, Ctrl-O shows all");
  EXPECT_EQ(rows.size(), 23u);
  EXPECT_NE(f.view.details().find("40 + line"), std::string::npos);
}

TEST(TalkView, TellsWhatIsGoingOn) {
  Fixture f;
  EXPECT_EQ(f.status(), "");
  f.view.begin("Waiting", f.at(0));
  EXPECT_EQ(f.status(), "\n⠋ Waiting · 0s · Ctrl-C stops");
  f.show(Kind::text, "forty characters of text make ten tokens\n");
  EXPECT_EQ(f.status(200), "\n⠹ Writing · 0s · 10 tokens · Ctrl-C stops");
  f.view.show(
      {.kind = Kind::answer, .session = "s", .tokens = 1200, .context = 12'000, .window = 200'000},
      f.at(300));
  f.show(Kind::call_begun, R"({"command":"make"})", "exec");
  f.view.queue("p1", "and then\nmore");
  f.show(Kind::call_output, "one\ntwo\x1b[2J\n");
  EXPECT_EQ(f.status(2000),
            "\n● exec  make  (2s)\n  two\\x1b[2J\n"
            "⠋ Running exec · 2s · 1.2k tokens · 12k of 200k · Ctrl-C stops\n↳ queued: and then");
  f.show(Kind::prompt, "and then\nmore", "user", "p1");
  f.view.end();
  EXPECT_EQ(f.status(3000), "");
}

TEST(TalkView, KeepsTheCallsOfTheLastTurnThatHadSome) {
  Fixture f;
  f.view.begin("x", {});
  f.end_call({.id = "1", .name = "ls", .text = "a\nb\n"});
  f.view.end();
  f.view.begin("x", {});
  f.show(Kind::text, "No calls.");
  f.view.end();
  EXPECT_EQ(f.view.details(), "✓ ls  (2 lines)\n  a\n  b\n");
  f.view.begin("x", {});
  f.end_call({.id = "2", .name = "tree", .text = "c"});
  EXPECT_EQ(f.view.details(), "✓ tree  (c)\n  c\n");
}

TEST(TalkView, IndentsWhatSubagentsDoAndDoesNotRepeatWhatTheySay) {
  Fixture f;
  f.show(Kind::subagent_begun, "Look around\nwell");
  f.view.show({.kind = Kind::text, .session = "other", .text = "secret"}, {});
  f.view.show({.kind = Kind::call_ended, .session = "other", .name = "ls", .text = "one"}, {});
  f.show(Kind::subagent_ended, "1 call, 2s");
  EXPECT_EQ(f.written, "▸ sub-agent  Look around\n  ✓ ls  (one)\n✓ sub-agent  1 call, 2s\n");
}

TEST(TalkView, IsSafeAndFitsWhateverIsSaid) {
  const std::string wild = "\x1b[2J\x1b]0;x\x07 日本語 " + std::string(200, 'w') + "\u202e\r\n";
  for (const size_t columns : {20u, 40u, 80u}) {
    Fixture f({.columns = columns});
    f.view.begin("x", {});
    f.show(Kind::prompt, wild, "user");
    for (const Kind kind : {Kind::thinking, Kind::text, Kind::retry, Kind::warning, Kind::compacted,
                            Kind::question_answered, Kind::subagent_begun})
      f.show(kind, wild);
    f.show(Kind::call_begun, wild, wild);
    f.view.queue("q", wild);
    const std::string status = f.status();
    f.end_call({.id = "1", .name = wild, .text = wild, .is_change = true, .shows_result = true});
    f.view.error(wild, wild);
    f.view.echo(wild);
    f.view.end();
    for (const std::string& text : {f.written, status}) {
      EXPECT_EQ(text.find_first_of("\x1b\x07\r"), text.npos);
      for (const std::string_view row : split(text, '\n'))
        EXPECT_LT(columns_of(row), columns) << row;
    }
  }
}

TEST(TalkView, ShowsWholeWhatOneIsToldBesides) {
  Fixture f;
  f.show(Kind::warning,
         "query is left out: parameter 'value' takes any JSON, which Gemini's schemas cannot "
         "express; give it a type in the tool's schema");
  EXPECT_EQ(f.written,
            "! query is left out: parameter 'value' takes any JSON, which Gemini's schemas\n"
            "  cannot express; give it a type in the tool's schema\n");
}

TEST(TalkView, LeavesTheAnswerToOthersWhenAsked) {
  Fixture f({.shows_prompts = false, .shows_text = false});
  f.show(Kind::prompt, "hi", "user");
  f.show(Kind::text, "answer");
  f.show(Kind::warning, "careful");
  f.view.end();
  EXPECT_EQ(f.written, "\n! careful\n");
}

}  // namespace
}  // namespace helve::terminal

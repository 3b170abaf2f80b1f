#include "terminal/status_line.h"

#include <gtest/gtest.h>

#include "screen.h"

namespace helve::terminal {
namespace {

using std::chrono::milliseconds;

struct Fixture {
  explicit Fixture(const StatusOptions& options = {})
      : line(options, [this](std::string_view bytes) {
          screen.write(bytes);
          ++writes;
        }) {}
  void at(int milliseconds_later) { line.tick(StatusLine::Time(milliseconds(milliseconds_later))); }
  Screen screen;
  int writes = 0;
  StatusLine line;
};

TEST(StatusLine, TellsTimeAndTokensInPlace) {
  Fixture f;
  f.line.start("Thinking", {});
  f.at(0);
  EXPECT_EQ(f.screen.text(), "⠋ Thinking · 0s · Ctrl-C stops\n");
  f.line.set_tokens(1234);
  f.at(12'300);
  EXPECT_EQ(f.screen.text(), "⠸ Thinking · 12s · 1.2k tokens · Ctrl-C stops\n");
  f.at(65'000);
  EXPECT_EQ(f.screen.text(), "⠋ Thinking · 1m 05s · 1.2k tokens · Ctrl-C stops\n");
  f.line.stop();
  EXPECT_EQ(f.screen.text(), "");
}

TEST(StatusLine, IsDrawnTenTimesASecondAtMost) {
  Fixture f;
  f.line.start("x", {});
  for (int i = 0; i < 1000; ++i) f.at(i);
  EXPECT_EQ(f.writes, 10);
  f.line.erase();
  f.at(1000);  // at once after other output
  EXPECT_EQ(f.writes, 12);
}

TEST(StatusLine, IsNotThereOnADumbTerminalOrBeforeItStarts) {
  Fixture dumb({.is_dumb = true});
  dumb.line.start("x", {});
  dumb.at(0);
  dumb.line.stop();
  EXPECT_EQ(dumb.writes, 0);
  Fixture idle;
  idle.at(0);
  EXPECT_EQ(idle.writes, 0);
}

TEST(StatusLine, FitsAndIsSafe) {
  Fixture f({.columns = 20});
  f.line.start("\x1b[2Jsomething that is long", {});
  f.at(0);
  EXPECT_EQ(f.screen.text(), "⠋ \\x1b[2Jsomething…\n");
}

TEST(StatusLine, ShortensNumbers) {
  EXPECT_EQ(short_duration(milliseconds(850)), "850ms");
  EXPECT_EQ(short_duration(milliseconds(7'800'000)), "2h 10m");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1'250), "1.2k");
  EXPECT_EQ(short_count(200'000), "200k");
  EXPECT_EQ(short_count(999'999), "1.0M");
}

}  // namespace
}  // namespace helve::terminal

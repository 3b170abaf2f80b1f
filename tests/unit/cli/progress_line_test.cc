#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

TEST(ProgressLine, ShowsTheShareTheCountAndTheThing) {
  EXPECT_EQ(progress_text(5, 10, "docs/a.md", 80), "[██████████          ] 5/10 docs/a.md");
  EXPECT_EQ(progress_text(12, 10, "", 80), "[████████████████████] 12/10 ");
  EXPECT_EQ(progress_text(0, 0, "x", 80), "[                    ] 0/0 x");
}

TEST(ProgressLine, FitsItsWidthAndShowsNothingThatHarms) {
  EXPECT_EQ(progress_text(0, 1, "long name", 28), "[                    ] 0/1 l");
  EXPECT_EQ(progress_text(0, 1, "a\x1b[2J", 80), "[                    ] 0/1 a\\x1b[2J");
}

TEST(ProgressLine, WritesNothingWhereThereIsNoTerminal) {
  std::string written;
  Stream stream{.write = [&](std::string_view text) { written += text; }};
  {
    ProgressLine line(stream, 80);
    for (int i = 0; i < 1000; ++i) line.show(i, 1000, "x");
  }
  EXPECT_EQ(written, "");
}

}  // namespace
}  // namespace helve::cli

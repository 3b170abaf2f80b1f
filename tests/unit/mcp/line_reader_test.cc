#include "mcp/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace helve::mcp {
namespace {

using Got = LineReader::Got;

class LineReaderTest : public ::testing::Test {
 protected:
  LineReaderTest() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    in_ = sys::Fd(ends[0]);
    out_ = sys::Fd(ends[1]);
    // The largest that is always allowed, so that tests can write before they read.
    fcntl(out_.get(), F_SETPIPE_SZ, 1 << 20);
  }

  void write(std::string_view text) { ASSERT_TRUE(sys::write_all(out_.get(), text)); }
  void close() { out_ = sys::Fd(); }

  // All lines until the end of the stream; a line that is too long as "(too long)".
  std::vector<std::string> read_all(LineReader& reader) {
    std::vector<std::string> lines;
    for (;;) {
      std::string_view line;
      switch (reader.next(line)) {
        case Got::line:
          lines.emplace_back(line);
          break;
        case Got::too_long:
          lines.emplace_back("(too long)");
          break;
        case Got::no_memory:
          lines.emplace_back("(no memory)");
          break;
        case Got::nothing:
          if (!reader.fill()) return lines;
      }
    }
  }

  using Lines = std::vector<std::string>;
  sys::Fd in_, out_;
};

TEST_F(LineReaderTest, GivesSeveralLinesOfOneWrite) {
  LineReader reader(in_.get());
  write("one\ntwo\nthree\n");
  close();
  EXPECT_EQ(read_all(reader), (Lines{"one", "two", "three"}));
}

TEST_F(LineReaderTest, PutsTogetherALineOfManyWrites) {
  LineReader reader(in_.get());
  std::string_view line;
  for (char c : std::string_view("hello")) {
    write({&c, 1});
    EXPECT_TRUE(reader.fill());
    EXPECT_EQ(reader.next(line), Got::nothing);
  }
  write("\n");
  EXPECT_TRUE(reader.fill());
  EXPECT_EQ(reader.next(line), Got::line);
  EXPECT_EQ(line, "hello");
}

TEST_F(LineReaderTest, TakesCrLfAndSkipsBlankLines) {
  LineReader reader(in_.get());
  write("\n\r\none\r\n  \t\r\n\ntwo\n\n");
  close();
  EXPECT_EQ(read_all(reader), (Lines{"one", "two"}));
}

TEST_F(LineReaderTest, GivesALastLineWithoutNewline) {
  LineReader reader(in_.get());
  write("one\ntwo");
  close();
  EXPECT_EQ(read_all(reader), (Lines{"one", "two"}));
}

TEST_F(LineReaderTest, GrowsForALongLineAndGoesOn) {
  LineReader reader(in_.get());
  const std::string text(700'000, 'x');
  write(text + "\nafter\n");
  close();
  EXPECT_EQ(read_all(reader), (Lines{text, "after"}));
}

TEST_F(LineReaderTest, ReportsALineThatIsTooLongOnceAndFindsTheNext) {
  LineReader reader(in_.get(), 1000);
  write("one\n" + std::string(200'000, 'x') + "\ntwo\n");
  close();
  EXPECT_EQ(read_all(reader), (Lines{"one", "(too long)", "two"}));
}

TEST_F(LineReaderTest, ReportsALineThatIsTooLongBeforeItEnds) {
  LineReader reader(in_.get(), 1000);
  write(std::string(2000, 'x'));
  std::string_view line;
  EXPECT_TRUE(reader.fill());
  EXPECT_EQ(reader.next(line), Got::too_long);
  EXPECT_EQ(reader.next(line), Got::nothing);
}

TEST_F(LineReaderTest, TakesALineOfExactlyTheLimitWithAnyEnd) {
  LineReader reader(in_.get(), 10);
  write("0123456789\n0123456789\r\n01234567890\n");
  close();
  EXPECT_EQ(read_all(reader), (Lines{"0123456789", "0123456789", "(too long)"}));
}

TEST_F(LineReaderTest, TakesTheLimitWhenItsEndComesLater) {
  LineReader reader(in_.get(), 10);
  std::string_view line;
  write("0123456789\r");
  EXPECT_TRUE(reader.fill());
  EXPECT_EQ(reader.next(line), Got::nothing);
  write("\n");
  EXPECT_TRUE(reader.fill());
  EXPECT_EQ(reader.next(line), Got::line);
}

TEST_F(LineReaderTest, DropsAnUnfinishedLineThatIsTooLong) {
  LineReader reader(in_.get(), 10);
  write("one\n01234567890123456789");
  close();
  EXPECT_EQ(read_all(reader), (Lines{"one", "(too long)"}));
}

TEST_F(LineReaderTest, EndsOnADescriptorThatCannotBeRead) {
  LineReader reader(out_.get());
  EXPECT_FALSE(reader.fill());
}

}  // namespace
}  // namespace helve::mcp

#include "process/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"

namespace helve::process {
namespace {

std::string numbered(size_t bytes) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
  text.resize(bytes);
  return text;
}

class OutputTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(directory_), nullptr); }
  void TearDown() override { rmdir(directory_); }
  Output with(std::uint64_t capture) { return Output({capture, directory_}); }

  char directory_[32] = "/tmp/output_test_XXXXXX";
};

TEST_F(OutputTest, ShowsShortOutputWhole) {
  Output output = with(1 << 20);
  output.append("one\ntwo\n");
  EXPECT_EQ(output.shown(100).text, "one\ntwo\n");
  EXPECT_FALSE(output.shown(100).is_cut);
  EXPECT_EQ(output.size(), 8u);
  EXPECT_EQ(output.lost(), 0u);
}

TEST_F(OutputTest, ShowsTheBeginningAndTheEndOfLongOutput) {
  Output output = with(1 << 20);
  const std::string text = numbered(1000);
  output.append(text);
  const auto [shown, is_cut] = output.shown(100);
  EXPECT_TRUE(is_cut);
  EXPECT_TRUE(shown.starts_with(text.substr(0, 50))) << shown;
  EXPECT_TRUE(shown.ends_with(text.substr(950))) << shown;
  EXPECT_NE(shown.find("[… 900 bytes of output left out …]"), shown.npos) << shown;
}

// A line about what is left out would take more room than that does.
TEST_F(OutputTest, ShowsAllOfWhatIsALittleTooLong) {
  for (size_t more = 1; more < 200; ++more) {
    Output output = with(1 << 20);
    const std::string text = numbered(100 + more);
    output.append(text);
    const auto [shown, is_cut] = output.shown(100);
    EXPECT_EQ(is_cut, shown != text) << shown;
    EXPECT_EQ(is_cut, shown.size() < text.size()) << shown;
    if (more <= 30 || more >= 50) {
      EXPECT_EQ(is_cut, more >= 50) << shown;
    }
  }
}

TEST_F(OutputTest, CutsBetweenCharacters) {
  Output output = with(1 << 20);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "é";
  output.append(text);
  for (size_t chars = 1; chars < 20; ++chars)
    EXPECT_TRUE(is_utf8(output.shown(chars).text)) << chars;
}

TEST_F(OutputTest, CountsCharactersNotBytes) {
  Output output = with(16 << 20);
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "日";
  output.append(text);
  EXPECT_EQ(output.shown(100'000).text, text);
}

TEST_F(OutputTest, KeepsAllUpToTheLimit) {
  Output output = with(4 << 20);
  const std::string text = numbered(4 << 20);
  for (size_t at = 0; at < text.size(); at += 10'007) output.append(text.substr(at, 10'007));
  EXPECT_EQ(output.lost(), 0u);
  EXPECT_EQ(output.whole(), text);
  EXPECT_EQ(output.part(3'000'000, 100).bytes, text.substr(3'000'000, 100));
}

TEST_F(OutputTest, BeyondTheLimitKeepsBeginningAndEndAndTheTrueSize) {
  Output output = with(2 << 20);
  const std::string text = numbered(8 << 20);
  for (size_t at = 0; at < text.size(); at += 65'536) output.append(text.substr(at, 65'536));
  EXPECT_EQ(output.size(), text.size());
  EXPECT_EQ(output.lost(), text.size() - (2 << 20));
  const std::string whole = output.whole();
  EXPECT_TRUE(whole.starts_with(text.substr(0, 1 << 20)));
  EXPECT_TRUE(whole.ends_with(text.substr(text.size() - (512 << 10))));
  EXPECT_NE(whole.find("[… 6.0 MB of output left out …]"), whole.npos);
}

TEST_F(OutputTest, WithoutADirectoryKeepsOnlyBeginningAndEnd) {
  Output output({16 << 20, ""});
  const std::string text = numbered(2 << 20);
  output.append(text);
  EXPECT_GT(output.lost(), 0u);
  EXPECT_TRUE(output.shown(1000).text.ends_with(text.substr(text.size() - 500)));
}

TEST_F(OutputTest, ReadsADescriptorInAnySizes) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  Output output = with(16 << 20);
  const std::string text = numbered(3 << 20);
  size_t written = 0;
  EXPECT_EQ(output.read_from(ends[0]), Output::Read::nothing);
  while (output.size() < text.size()) {
    const ssize_t count =
        write(ends[1], text.data() + written, std::min<size_t>(text.size() - written, 50'000));
    if (count > 0) written += static_cast<size_t>(count);
    while (output.read_from(ends[0]) == Output::Read::some) {
    }
  }
  close(ends[1]);
  EXPECT_EQ(output.read_from(ends[0]), Output::Read::end);
  close(ends[0]);
  EXPECT_EQ(output.whole(), text);
}

TEST_F(OutputTest, GoesOnWhereAnAnswerEnded) {
  Output output = with(4 << 20);
  const std::string text = numbered(2 << 20);
  output.append(text);
  std::string all;
  while (true) {
    const Output::Part part = output.part(all.size(), 100'000);
    if (part.bytes.empty()) break;
    EXPECT_EQ(part.offset, all.size());
    all += part.bytes;
  }
  EXPECT_EQ(all, text);
}

}  // namespace
}  // namespace helve::process

#include "search/scan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "base/text.h"

namespace helve::search {
namespace {

// A file that exists only in memory.
sys::Fd file_of(std::string_view content) {
  sys::Fd file(::memfd_create("scan", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  return file;
}

// "2:text" for a match, "1-text" for context, "--" for a gap.
std::string printed(const FileMatches& matches) {
  std::string out;
  for (const FileMatches::Line& line : matches.lines) {
    if (line.follows_gap) out += "--\n";
    out += fmt::format("{}{}{}\n", line.number, line.is_match ? ':' : '-', matches.text_of(line));
  }
  return out;
}

FileMatches scanned(std::string_view pattern, std::string_view content, ScanOptions options = {},
                    RegexOptions regex = {}) {
  const auto matcher = Matcher::make(pattern, regex);
  EXPECT_TRUE(matcher.has_value());
  FileScanner scanner(**matcher, options);
  FileMatches out;
  EXPECT_FALSE(scanner.scan(file_of(content), out).has_value());
  return out;
}

TEST(FileScanner, NumbersTheLinesThatMatch) {
  EXPECT_EQ(printed(scanned("b", "a\nb\nc\nab\n")), "2:b\n--\n4:ab\n");
  EXPECT_EQ(printed(scanned("b", "b")), "1:b\n");
}

TEST(FileScanner, ShowsContextOnceAndSaysWhereLinesAreLeftOut) {
  const std::string text = "1\n2\nx\n4\n5\n6\n7\nx\nx\n10\n";
  EXPECT_EQ(printed(scanned("x", text, {.before = 1, .after = 1})),
            "2-2\n3:x\n4-4\n--\n7-7\n8:x\n9:x\n10-10\n");
  EXPECT_EQ(printed(scanned("x", text, {.before = 3, .after = 2})),
            "1-1\n2-2\n3:x\n4-4\n5-5\n6-6\n7-7\n8:x\n9:x\n10-10\n");
}

TEST(FileScanner, LargeFilesAreTheSameInPieces) {
  std::string text, expected;
  for (int i = 1; i <= 60'000; ++i) {
    const bool match = i % 9'973 == 0;
    text += fmt::format("{} {}\n", match ? "needle" : "plain line of some length", i);
    if (!match) continue;
    expected += fmt::format(
        "{}{}-plain line of some length {}\n{}:needle {}\n{}-plain line of some length {}\n",
        expected.empty() ? "" : "--\n", i - 1, i - 1, i, i, i + 1, i + 1);
  }
  ASSERT_GT(text.size(), 5 * kBuffer);
  EXPECT_EQ(printed(scanned("needle", text, {.before = 1, .after = 1})), expected);
  EXPECT_EQ(scanned("needle", text, {.wanted = Wanted::count}).matches, 6u);
  EXPECT_EQ(scanned("needle", text, {.wanted = Wanted::presence}).matches, 1u);
}

TEST(FileScanner, ALineLongerThanTheBufferIsOneLine) {
  const std::string text = fmt::format("a\n{:x<{}}needle\nb\n", "", 3 * kBuffer);
  const FileMatches matches = scanned("needle", text);
  ASSERT_EQ(matches.lines.size(), 1u);
  EXPECT_EQ(matches.lines[0].number, 2u);
}

TEST(FileScanner, OfALongLineThePartAroundTheMatchIsShown) {
  const std::string text = fmt::format("{:x<5000}needle{:y<5000}\n", "", "");
  const FileMatches matches = scanned("needle", text, {.longest_shown = 100});
  ASSERT_EQ(matches.lines.size(), 1u);
  EXPECT_EQ(matches.text_of(matches.lines[0]), fmt::format("{:x<20}needle{:y<74}", "", ""));
  EXPECT_EQ(matches.lines[0].left_out, 10'006u - 100u);
}

TEST(FileScanner, ANulByteMakesAFileBinary) {
  const std::string text("foo\nx\0foo\n", 10);
  EXPECT_EQ(scanned("foo", text).matches, 0u);
  EXPECT_EQ(scanned("foo", text).binary_at, 5u);
  const FileMatches named = scanned("foo", text, {.binary = Binary::report});
  EXPECT_EQ(named.matches, 1u);
  EXPECT_TRUE(named.lines.empty());
  EXPECT_EQ(named.binary_at, 5u);
  EXPECT_EQ(scanned("foo", text, {.wanted = Wanted::count, .binary = Binary::report}).matches, 2u);
}

TEST(FileScanner, AFileStaysBinaryAfterPartsWithoutAMatch) {
  std::string text;
  while (text.size() < kBuffer + kBuffer / 8) text += "some text\n";
  text += '\0';
  while (text.size() < 4 * kBuffer) text += "some text\n";
  text += "needle\n";
  EXPECT_EQ(scanned("needle", text).matches, 0u);
  EXPECT_TRUE(scanned("needle", text).binary_at.has_value());
  const FileMatches named = scanned("needle", text, {.binary = Binary::report});
  EXPECT_EQ(named.matches, 1u);
  EXPECT_TRUE(named.lines.empty());
  EXPECT_TRUE(named.binary_at.has_value());
}

// To read such a file to its end would take hours.
TEST(FileScanner, ABinaryFileIsNotReadBeyondItsFirstNulByte) {
  const sys::Fd file = file_of("text\n");
  ASSERT_EQ(::ftruncate(file.get(), off_t{1} << 42), 0);
  const auto matcher = Matcher::make("needle", {});
  FileScanner scanner(**matcher, {});
  FileMatches out;
  EXPECT_FALSE(scanner.scan(file, out).has_value());
  EXPECT_EQ(out.binary_at, 5u);
}

TEST(FileScanner, AnInterruptedFileSaysSo) {
  const auto now = std::chrono::steady_clock::now();
  std::string text = "needle\n";
  while (text.size() < 3 * kBuffer) text += "some text\n";
  const FileMatches part = scanned("needle|nowhere", text, {.deadline = now});
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.matches, 1u);
  EXPECT_FALSE(scanned("needle", "needle\n", {.deadline = now}).interrupted) << "it is complete";
  EXPECT_FALSE(scanned("needle", text).interrupted);
}

TEST(FileScanner, AByteOrderMarkIsNotPartOfTheText) {
  EXPECT_EQ(printed(scanned("^foo",
                            "\xef\xbb\xbf"
                            "foo\n")),
            "1:foo\n");
  EXPECT_EQ(printed(scanned("^foo", std::string("\xff\xfe"
                                                "f\0o\0o\0\n\0\xe9\0",
                                                12))),
            "1:foo\n");
  EXPECT_EQ(printed(scanned("é", std::string("\xfe\xff\0f\0\n\0\xe9", 8))), "2:é\n");
}

TEST(FileScanner, LargeUtf16FilesAreDecodedInPieces) {
  std::string text = "\xff\xfe";
  for (int i = 1; i <= 100'000; ++i) {
    for (const char c : fmt::format("{}é{}\n", i == 77'777 ? "needle" : "", i)) {
      if (c == '\xc3') continue;
      text += c == '\xa9' ? '\xe9' : c;
      text += '\0';
    }
  }
  EXPECT_EQ(printed(scanned("needleé", text)), "77777:needleé77777\n");
}

std::string wide(std::string_view ascii) {
  std::string out;
  for (const char c : ascii) (out += c) += '\0';
  return out;
}

TEST(FileScanner, WideTextNeedsNoMark) {
  EXPECT_EQ(printed(scanned("needle", wide("hello\na needle\n"))), "2:a needle\n");
  std::string big_endian = wide("hello\na needle\n");
  big_endian.insert(big_endian.begin(), '\0');
  big_endian.pop_back();
  EXPECT_EQ(printed(scanned("needle", big_endian)), "2:a needle\n");
  const std::string large = wide(fmt::format("{:a>300000}\nneedle\n", ""));
  EXPECT_EQ(printed(scanned("needle", large)), "2:needle\n");
}

TEST(FileScanner, WideTextThatIsAllWrongFitsIntoTheBuffer) {
  std::string text = "\xff\xfe";
  for (int i = 0; i < 500'000; ++i) text += std::string_view("\0\xd8", 2);
  text += wide("\nneedle\n");
  EXPECT_EQ(printed(scanned("needle", text)), "2:needle\n");
}

TEST(FileScanner, TakesTextForWhatItIsSaidToBe) {
  const ScanOptions western{.encoding = Encoding::windows_1252};
  EXPECT_EQ(printed(scanned("café", "x\ncaf\xe9 \x80\n", western)), "2:café €\n");
  EXPECT_EQ(printed(scanned("caf.$", "caf\xe9\n", western)), "1:café\n");
  EXPECT_EQ(printed(scanned("é", std::string("\xff\xfe\xe9\0\n\0", 6), western)), "1:é\n");
  EXPECT_EQ(printed(scanned("^é", "\xef\xbb\xbf\xc3\xa9\n", western)), "1:é\n");
  EXPECT_EQ(printed(scanned("при", "\xd0\xd2\xc9\xd7\n", {.encoding = Encoding::koi8_r})),
            "1:прив\n");
  // All of it grows threefold.
  std::string large;
  large.resize(500'000, '\x80');
  large += "\nneedle\n";
  EXPECT_EQ(printed(scanned("needle", large, western)), "2:needle\n");
}

TEST(FileScanner, MatchesAcrossLinesAreShownWhole) {
  const RegexOptions across{.newlines = Newlines::matched};
  const FileMatches matches = scanned(R"(a\nb)", "x\na\nb\ny\na\nb\n", {}, across);
  EXPECT_EQ(printed(matches), "2:a\n3:b\n--\n5:a\n6:b\n");
  EXPECT_EQ(matches.matches, 2u);
}

TEST(FileScanner, NoMoreLinesAreKeptThanAskedForButAllAreCounted) {
  const FileMatches matches = scanned("a", "a\na\na\na\n", {.most_kept = 2});
  EXPECT_EQ(printed(matches), "1:a\n2:a\n");
  EXPECT_EQ(matches.matches, 4u);
}

TEST(FileScanner, DoesNotWaitForALargeBufferPastTheDeadline) {
  std::mutex large;
  std::promise<void> locked;
  const std::jthread other([&](const std::stop_token& stop) {
    const std::lock_guard lock(large);
    locked.set_value();
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock waiting(mutex);
    changed.wait(waiting, stop, [] { return false; });
  });
  locked.get_future().wait();
  const std::string line(2 * kLargeBuffer, 'a');
  const FileMatches matches =
      scanned("b", line,
              {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20),
               .large = &large});
  EXPECT_TRUE(matches.interrupted);
}

}  // namespace
}  // namespace helve::search

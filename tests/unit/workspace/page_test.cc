#include "workspace/page.h"

#include <sys/resource.h>
#include <unistd.h>

#include "unit/workspace/fixture.h"

namespace helve::workspace {
namespace {

class Pages : public WorkspaceTest {
 protected:
  Result<Page> read(const PageRequest& request) const {
    const auto file = open()->open_file("file");
    if (!file) return file.error();
    return read_page(*file, request, "file", [](std::uint64_t) { return Result<void>(); });
  }
  Result<Page> read(std::string_view content, const PageRequest& request) const {
    tree.file("in/file", content);
    return read(request);
  }
  static std::string numbered(int lines) {
    std::string out;
    for (int i = 1; i <= lines; ++i) out += "line " + std::to_string(i) + "\n";
    return out;
  }
};

TEST_F(Pages, GiveASmallFileWhole) {
  const auto page = read("one\ntwo\n", {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content, "one\ntwo\n");
  EXPECT_EQ(page->first_line, 1u);
  EXPECT_EQ(page->last_line, 2u);
  EXPECT_EQ(page->total_lines, 2u);
  EXPECT_FALSE(page->more);
}

TEST_F(Pages, CountALastLineWithoutNewline) {
  EXPECT_EQ(read("one\ntwo", {})->total_lines, 2u);
  EXPECT_EQ(read("\n", {})->total_lines, 1u);
  EXPECT_EQ(read("\r\r", {})->total_lines, 1u);
}

TEST_F(Pages, GiveAnEmptyFileAsNoLines) {
  const auto page = read("", {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->first_line, 0u);
  EXPECT_EQ(page->total_lines, 0u);
}

// Every page size and every number of lines must give the file back, page after page.
TEST_F(Pages, TogetherAreTheFile) {
  std::string content;
  for (int i = 0; i < 40; ++i) content += std::string(static_cast<size_t>(i * 7 % 13), 'x') + "\n";
  content += "the end";
  tree.file("in/file", content);
  for (const size_t bytes : {14u, 20u, 100u, 1000u}) {
    for (const std::uint64_t lines : {1u, 2u, 7u, 1000u}) {
      std::string all;
      std::uint64_t skip = 0;
      for (bool more = true; more;) {
        const auto page = read({.skip = skip, .lines = lines, .bytes = bytes});
        ASSERT_TRUE(page);
        ASSERT_EQ(page->next_column, 0u);
        EXPECT_EQ(page->first_line, skip + 1);
        EXPECT_EQ(page->total_lines, 41u);
        EXPECT_LE(page->content.size(), bytes);
        all += page->content;
        skip = page->last_line;
        more = page->more;
      }
      EXPECT_EQ(all, content) << bytes << " " << lines;
    }
  }
}

TEST_F(Pages, EndAtALineEnd) {
  const auto page = read(numbered(1000), {.bytes = 100});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->content.ends_with("\n"));
  EXPECT_LE(page->content.size(), 100u);
  EXPECT_TRUE(page->more);
  EXPECT_EQ(page->total_lines, 1000u);
}

TEST_F(Pages, CutOnlyALineThatIsLongerThanThePageAndNeverACharacter) {
  std::string line = "a";
  for (int i = 0; i < 100; ++i) line += "\u20ac";
  for (size_t bytes = 1; bytes < 20; ++bytes) {
    const auto page = read(line + "\nnext\n", {.bytes = bytes});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->next_column, 1 + (bytes - 1) / 3);
    EXPECT_EQ(page->content, line.substr(0, 1 + (bytes - 1) / 3 * 3));
    EXPECT_EQ(page->last_line, 1u);
    EXPECT_TRUE(page->more);
    EXPECT_EQ(page->total_lines, 2u);
  }
}

TEST_F(Pages, SayWhereTheFileEnds) {
  const std::string small = "one\ntwo\nthree", large = numbered(100'000);
  for (const std::uint64_t skip : {std::uint64_t{3}, std::uint64_t{4}, ~std::uint64_t{0} >> 1}) {
    const auto page = read(small, {.skip = skip});
    ASSERT_FALSE(page);
    EXPECT_EQ(kind_of(page.error()), "invalid_argument past_end");
    EXPECT_TRUE(has(page.error().hint, "3 lines")) << page.error().hint;
  }
  for (const std::uint64_t skip : {std::uint64_t{100'000}, ~std::uint64_t{0} >> 1}) {
    const auto page = read(large, {.skip = skip});
    ASSERT_FALSE(page);
    EXPECT_EQ(kind_of(page.error()), "invalid_argument past_end");
    EXPECT_TRUE(has(page.error().hint, "100000 lines")) << page.error().hint;
  }
  EXPECT_EQ(read(large, {.skip = 99'999})->content, "line 100000\n");
  EXPECT_EQ(kind_of(read("", {.skip = 1}).error()), "invalid_argument past_end");
}

TEST_F(Pages, CountTheLastLineOfALargeFileWithoutNewline) {
  const auto page = read(numbered(100'000) + "end", {.skip = 100'000});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content, "end");
  EXPECT_EQ(page->total_lines, 100'001u);
  const auto beyond = read({.skip = 100'001});
  ASSERT_FALSE(beyond);
  EXPECT_TRUE(has(beyond.error().hint, "100001 lines")) << beyond.error().hint;
}

TEST_F(Pages, DeclareBinaryFiles) {
  const auto page = read(std::string("ELF\0\1\2", 6), {});
  ASSERT_FALSE(page);
  EXPECT_EQ(kind_of(page.error()), "unsupported binary_file");
  EXPECT_TRUE(has(page.error().message, "6 bytes"));
  EXPECT_EQ(kind_of(read(std::string(1, '\0') + numbered(100'000), {.skip = 50'000}).error()),
            "unsupported binary_file");
}

TEST_F(Pages, DecodeOtherEncodings) {
  for (const Encoding encoding : {Encoding::utf_16le, Encoding::utf_16be, Encoding::utf_32le,
                                  Encoding::windows_1252, Encoding::shift_jis}) {
    const bool mark = unit_size(encoding) > 1;
    const std::string text =
        encoding == Encoding::shift_jis ? "これは\nファイルです\n" : "Größe\nfür alle\n";
    const auto page = read(*encode_text(text, {encoding, mark}), {});
    ASSERT_TRUE(page) << describe(page.error());
    EXPECT_EQ(page->content, text);
    EXPECT_EQ(page->text.format, (TextFormat{encoding, mark}));
    EXPECT_EQ(page->text.certain, mark);
    EXPECT_TRUE(page->valid);
    EXPECT_EQ(page->total_lines, 2u);
  }
}

// As above, for every size of a character's unit, and with columns.
TEST_F(Pages, OfOtherEncodingsTogetherAreTheFile) {
  std::string content;
  for (int i = 0; i < 40; ++i) {
    content += "été ";
    for (int j = 0; j < i * 7 % 13; ++j) content += i % 3 ? "üx" : "yx";
    content += "\n";
  }
  content += "the end";
  for (const Encoding encoding :
       {Encoding::utf_16le, Encoding::utf_16be, Encoding::utf_32be, Encoding::windows_1252}) {
    // The first two characters have the byte of a newline in their codes.
    const std::string text = unit_size(encoding) > 1 ? "Ċਊ 😀\n" + content : content;
    tree.file("in/file", *encode_text(text, {encoding, unit_size(encoding) > 1}));
    for (const size_t bytes : {8u, 20u, 100u, 1000u}) {
      for (const std::uint64_t lines : {1u, 2u, 7u, 1000u}) {
        std::string all;
        PageRequest request{.lines = lines, .bytes = bytes};
        while (true) {
          const auto page = read(request);
          ASSERT_TRUE(page) << name_of(encoding) << describe(page.error());
          ASSERT_LE(page->content.size(), bytes);
          ASSERT_EQ(page->total_lines, static_cast<size_t>(std::ranges::count(text, '\n')) + 1);
          all += page->content;
          if (!page->more) break;
          request.skip = page->next_column > 0 ? page->last_line - 1 : page->last_line;
          request.column = page->next_column;
        }
        ASSERT_EQ(all, text) << name_of(encoding) << ' ' << bytes << ' ' << lines;
      }
    }
  }
}

TEST_F(Pages, ReadAFileInTheEncodingThatIsNamed) {
  const auto page = read("za\xBF\xF3\xB3\xE6\n", {.encoding = Encoding::windows_1250});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content, "zażółć\n");
  EXPECT_EQ(read("caf\xE9\n", {.encoding = Encoding::utf_8})->content, "caf\xE9\n");
  EXPECT_FALSE(read("caf\xE9\n", {.encoding = Encoding::utf_8})->valid);
  EXPECT_EQ(read(std::string("\xFF\xFEo\0k\0", 6), {.encoding = Encoding::utf_16le})->content,
            "ok");
}

TEST_F(Pages, KeepBytesThatCannotBeRecognised) {
  const auto page = read("x = '\xff\xff\xff\xff\xff\xff'\n", {});
  ASSERT_TRUE(page);
  EXPECT_FALSE(page->valid);
  EXPECT_EQ(page->content, "x = '\xff\xff\xff\xff\xff\xff'\n");
}

TEST_F(Pages, RecogniseAnEncodingThatShowsItselfOnlyInTheMiddle) {
  const auto page = read(numbered(20'000) + "caf\xe9\n", {.skip = 20'000});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content, "café\n");
}

TEST_F(Pages, SayHowLongALineOfAnotherEncodingIs) {
  const std::string bytes(
      "\xFF\xFE"
      "a\0b\0\n\0c\0",
      10);
  EXPECT_EQ(read(bytes, {.column = 1})->content, "b\nc");
  EXPECT_EQ(read(bytes, {.column = 2})->content, "\nc");
  for (const PageRequest& beyond :
       {PageRequest{.column = 3}, PageRequest{.skip = 1, .column = 1}}) {
    const auto page = read(bytes, beyond);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().type, "past_column");
    EXPECT_TRUE(has(page.error().message, beyond.skip ? "only 1 char" : "only 2 char"));
  }
  EXPECT_EQ(read(bytes, {.skip = 2}).error().type, "past_end");
  EXPECT_TRUE(has(read(bytes, {.skip = 2}).error().hint, "2 lines"));
  EXPECT_EQ(read("\xFF\xFE", {})->total_lines, 0u);
}

TEST_F(Pages, OfWideTextInTenGigabytesTakeLittleMemory) {
  tree.file("in/file", *encode_text(numbered(2000), {Encoding::utf_16le, true}));
  ASSERT_EQ(::truncate(tree.path("in/file").c_str(), 10'000'000'000), 0);
  rusage before, after;
  ::getrusage(RUSAGE_SELF, &before);
  const auto page = read({.skip = 10, .lines = 5});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->first_line, 11u);
  EXPECT_EQ(page->content, "line 11\nline 12\nline 13\nline 14\nline 15\n");
  EXPECT_TRUE(page->more);
  EXPECT_FALSE(page->total_lines);
  EXPECT_EQ(read({.skip = 2000})->next_column, 50u * 1024);
  int checks = 0;
  const auto file = open()->open_file("file");
  const auto stopped = read_page(*file, {.skip = 3000}, "file", [&](std::uint64_t) -> Result<void> {
    if (++checks > 1000) return Error{Code::cancelled, "enough"};
    return {};
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::cancelled);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024);  // KB
}

TEST_F(Pages, GoOnInALineThatWasCut) {
  std::string line = "a";
  for (int i = 0; i < 100; ++i) line += i % 3 == 0 ? "\u20ac" : "\U0001F600";
  line += "\xFF\x80z";
  tree.file("in/file", "first\n" + line + "\nnext\n");
  for (size_t bytes = 4; bytes < 40; ++bytes) {
    std::string all;
    std::uint64_t column = 0;
    do {
      const auto page = read({.skip = 1, .column = column, .lines = 1, .bytes = bytes});
      ASSERT_TRUE(page) << bytes << " " << column;
      EXPECT_EQ(page->first_line, 2u);
      EXPECT_EQ(page->last_line, 2u);
      EXPECT_EQ(page->total_lines, 3u);
      EXPECT_TRUE(page->more);
      all += page->content;
      column = page->next_column;
    } while (column > 0);
    EXPECT_EQ(all, line + "\n") << bytes;
  }
}

TEST_F(Pages, LoseNoByteOfALineThatIsNoUtf8) {
  const std::string lines[] = {"a" + std::string(500, '\x80') + "END", std::string(500, '\xAF'),
                               "\xE2\x82\xE2\x82\xAC\xE2" + std::string(200, '\xBF') + "\xF0\x9F"};
  for (const std::string& line : lines) {
    for (const std::string end : {"", "\n", "\nnext\n"}) {
      tree.file("in/file", line + end);
      for (const size_t bytes : {4u, 5u, 7u, 64u}) {
        std::string all;
        std::uint64_t column = 0;
        do {
          const auto page = read({.column = column, .lines = 1, .bytes = bytes});
          ASSERT_TRUE(page) << bytes << " " << column;
          EXPECT_EQ(page->more, page->next_column > 0 || end == "\nnext\n");
          all += page->content;
          column = page->next_column;
        } while (column > 0);
        EXPECT_EQ(all, line + (end.empty() ? "" : "\n")) << bytes;
      }
    }
  }
}

TEST_F(Pages, StartInsideALineOfASmallFile) {
  EXPECT_EQ(read("one\nz\u20acit\nthree\n", {.skip = 1, .column = 2})->content, "it\nthree\n");
  EXPECT_EQ(read("one\ntwo", {.skip = 1, .column = 2})->content, "o");
}

TEST_F(Pages, SayHowLongTheLineIsWhenTheColumnIsBehindIt) {
  for (const size_t bytes : {4u, 1000u}) {
    for (const std::uint64_t column : {5u, 4000u}) {
      const auto page = read("one\nfour\nx", {.skip = 1, .column = column, .bytes = bytes});
      ASSERT_FALSE(page);
      EXPECT_EQ(page.error().type, "past_column");
      EXPECT_TRUE(has(page.error().message, "has only 4 characters")) << page.error().message;
    }
    EXPECT_EQ(read("one\nfour\nx", {.skip = 2, .column = 1, .bytes = bytes}).error().type,
              "past_column");
    EXPECT_EQ(read("one\nfour\n", {.skip = 2, .column = 1, .bytes = bytes}).error().type,
              "past_end");
  }
}

TEST_F(Pages, ReadTenGigabytesInLittleMemory) {
  tree.file("in/file", numbered(2000));
  ASSERT_EQ(::truncate(tree.path("in/file").c_str(), 10'000'000'000), 0);
  rusage before, after;
  ::getrusage(RUSAGE_SELF, &before);
  const auto page = read({.skip = 10, .lines = 5});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->first_line, 11u);
  EXPECT_TRUE(page->more);
  EXPECT_FALSE(page->total_lines);
  // The one line without end.
  EXPECT_EQ(read({.skip = 2000})->next_column, 50u * 1024);
  // And a walk through a quarter of a gigabyte, ended from outside.
  const auto file = open()->open_file("file");
  int checks = 0;
  const auto stopped = read_page(*file, {.skip = 3000}, "file", [&](std::uint64_t) -> Result<void> {
    if (++checks > 1000) return Error{Code::cancelled, "enough"};
    return {};
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::cancelled);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024);  // KB
}

TEST_F(Pages, TakeAFileThatShrankMeanwhile) {
  tree.file("in/file", numbered(100'000));
  const auto file = open()->open_file("file");
  ASSERT_EQ(::truncate(tree.path("in/file").c_str(), 14), 0);
  const auto page = read_page(*file, {}, "file", [](std::uint64_t) { return Result<void>(); });
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content, "line 1\nline 2\n");
  EXPECT_EQ(page->total_lines, 2u);
}

TEST_F(Pages, GoOnInAFileThatClaimsToBeEmpty) {
  const auto files = Workspace::make({.roots = {{"/proc"}}});
  ASSERT_TRUE(files);
  const auto file = (*files)->open_file("filesystems");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->status.size, 0u);
  auto page_of = [&](const PageRequest& request) {
    return read_page(*file, request, "file", [](std::uint64_t) { return Result<void>(); });
  };
  const auto whole = page_of({});
  ASSERT_TRUE(whole);
  std::string joined;
  std::uint64_t skip = 0;
  while (true) {
    const auto page = page_of({.skip = skip, .bytes = 40});
    ASSERT_TRUE(page) << describe(page.error());
    EXPECT_EQ(page->total_lines, whole->total_lines);
    joined += page->content;
    skip = page->last_line;
    if (!page->more) break;
  }
  EXPECT_GT(skip, 2u);
  EXPECT_EQ(joined, whole->content);
}

}  // namespace
}  // namespace helve::workspace

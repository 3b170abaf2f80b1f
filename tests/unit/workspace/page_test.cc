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

TEST_F(Pages, NameOtherEncodings) {
  using namespace std::string_literals;
  EXPECT_TRUE(has(read("\xff\xfe"
                       "a\0"s,
                       {})
                      .error()
                      .message,
                  "UTF-16 (little endian)"));
  EXPECT_TRUE(has(read("\xfe\xff\0a"s, {}).error().message, "UTF-16 (big endian)"));
  EXPECT_TRUE(has(read("\xff\xfe\0\0a\0\0\0"s, {}).error().message, "UTF-32"));
}

// However small the page is, following next_column gives the whole line back.
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

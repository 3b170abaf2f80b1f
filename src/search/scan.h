// FileScanner: searches one file after the other with a Matcher, through one buffer that is used
// again and again. Memory is bounded by the longest line, not by the file.
//
// Files are read as ripgrep reads them: a byte order mark decides between UTF-8 and UTF-16 and is
// not part of the text; a NUL byte makes a file binary, unless it is wide text without a mark. What
// lies before one that comes late is text.
// Lines end at newlines and are counted only from match to match.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "search/matcher.h"
#include "search/walk.h"
#include "sys/file_at.h"

namespace helve::search {

constexpr size_t kBuffer = 256 * 1024;    // bytes; most files are read at once
constexpr size_t kTextStart = 64 * 1024;  // bytes; a NUL byte here, and it is no text at all
constexpr size_t kMaxLine = 64u << 20;    // bytes; a longer line is searched in parts
constexpr size_t kMaxMultilineFile = 256u << 20;  // bytes; where newlines are matched
constexpr size_t kLargeBuffer = 32u << 20;        // bytes; beyond it, one thread at a time

// The format of a text of two or four bytes a character, by its mark or by what it says; nothing
// for all others. They have NUL bytes, and are not searched as the bytes that they are.
std::optional<TextFormat> wide_format(std::string_view start, Extent extent);

// What is wanted of each file.
enum class Wanted : unsigned char { lines, count, presence };
// What to do with a file that has a NUL byte.
enum class Binary : unsigned char {
  skip,    // leave out what is not text
  report,  // say that it matches, but show no lines of it
};

struct ScanOptions {
  Wanted wanted = Wanted::lines;
  Binary binary = Binary::skip;
  size_t before = 0, after = 0;  // lines of context
  size_t longest_shown = 500;    // characters of a line; 0: whole lines
  size_t most_kept = SIZE_MAX;   // matching lines of a file whose text is kept; others are counted
  size_t most_bytes = SIZE_MAX;  // of memory for a file's lines: when it is used up, as above
  // Of files without a byte order mark; nothing: UTF-8, or the wide one that is recognised.
  std::optional<Encoding> encoding = {};
  // What ends a search within a file.
  std::stop_token stop = {};
  Interrupt::Deadline deadline = {};
  // Held while a file needs a large buffer, so that the threads of a search do so one by one.
  std::mutex* large = nullptr;
};

// What was found in one file.
struct FileMatches {
  struct Line {
    std::uint64_t number = 0;
    size_t begin = 0, size = 0;  // in `text`
    bool is_match = false;       // false: context
    bool follows_gap = false;    // lines are left out between the one before and this one
    std::uint64_t left_out = 0;  // bytes of the line that are not kept
    // Of the first line of matches that share lines: how many they are; otherwise 0.
    std::uint64_t matches = 0;
  };
  std::string text;
  std::vector<Line> lines;
  std::uint64_t matches = 0;  // lines that match; where newlines are matched, matches
  std::uint64_t kept = 0;     // of them, those whose lines are kept
  std::uint64_t skipped = 0;  // of them, the first ones, whose lines were not asked for
  std::optional<std::uint64_t> binary_at;  // where a NUL byte was found: what follows was not shown
  bool decoded = false;                    // the text is not the bytes of the file
  bool interrupted = false;                // by a stop request or the deadline: this is not all

  std::string_view text_of(const Line& line) const {
    return std::string_view(text).substr(line.begin, line.size);
  }
  size_t bytes() const { return text.size() + lines.size() * sizeof(Line); }
  void clear();
};

// For one thread.
class FileScanner {
 public:
  FileScanner(const Matcher& matcher, const ScanOptions& options);

  struct Wish {
    size_t skip = 0;  // matching lines that are only counted, before others are kept
    std::span<const Part> parts = {};  // only these are read; they must be plain text. None: all
  };
  // Replaces `out`. An error of the file system is that of this file; one of the pattern concerns
  // every file. A file that is interrupted has what was found until then.
  struct Failure {
    std::optional<std::errc> file;
    std::optional<Error> pattern;
  };
  std::optional<Failure> scan(const sys::Fd& file, FileMatches& out, const Wish& wish);
  std::optional<Failure> scan(const sys::Fd& file, FileMatches& out) {
    return scan(file, out, Wish());
  }
  // The same for a file that had this text when it was scanned before.
  std::optional<Failure> scan(std::string_view text, FileMatches& out, const Wish& wish);
  // What the file holds that was scanned last, if it is plain text and was read at once.
  std::optional<std::string_view> whole_text() const;

 private:
  // Reads on until the buffer is full or the file ends.
  sys::OrErrno<void> fill(const sys::Fd& file);
  sys::OrErrno<void> fill_decoded(const sys::Fd& file);
  void begin(FileMatches& out, size_t skip);
  void begin(const Part& part);
  std::optional<TextFormat> format_of_file();
  std::optional<Failure> recognise(const sys::Fd& file);
  // The part that was begun.
  std::optional<Failure> scan_part(const sys::Fd& file, FileMatches& out);
  bool reserve(size_t size);
  void release_large();
  // The next newline from `at` on; `end` when there is none before.
  size_t next_newline(size_t at, size_t end) const;
  // Where the line begins that `at` is in, but not before `from`.
  size_t line_begin(size_t from, size_t at) const;
  // The part of the buffer that ends with a line.
  size_t end_of_lines() const;
  // Looks for a NUL byte in what was read. Whether there is anything to search.
  bool accept_bytes(FileMatches& out);
  // Whether to go on with the file.
  Result<bool> search(size_t end, FileMatches& out);
  void keep(const MatchedLines& match, FileMatches& out);
  void pass_over(const MatchedLines& match, FileMatches& out);
  void keep_context_after(size_t end, FileMatches& out);
  void keep_line(size_t begin, size_t end, bool is_match, FileMatches& out);
  std::string_view shown_part(std::string_view line, bool is_match);
  size_t context_before(size_t at) const;
  // Lets go of what was searched, but for lines that may become context.
  void advance(size_t end);

  std::string_view view(size_t begin, size_t end) const { return {data_ + begin, end - begin}; }

  const Matcher& matcher_;
  ScanOptions options_;
  Matcher::Scratch scratch_;
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> buffer_;
  size_t capacity_ = 0;
  const char* data_ = nullptr;  // what is searched: the buffer, or a text
  std::unique_lock<std::mutex> large_;

  // Of the file at hand. Places are in the buffer.
  size_t skip_ = 0;
  size_t have_ = 0;
  std::uint64_t offset_ = 0;  // in the file, of what comes next
  std::uint64_t end_ = 0;     // where the part ends
  bool at_end_ = false;
  std::optional<Decoder> decoder_;
  size_t accepted_ = 0;               // what follows was not looked at for NUL bytes
  std::optional<std::uint64_t> nul_;  // the first NUL byte
  size_t from_ = 0;                   // not searched yet
  size_t shown_ = 0;                  // lines before it were kept or cannot be kept any more
  size_t counted_ = 0;                // where line `number_` begins
  std::uint64_t number_ = 1;
  size_t context_left_ = 0;  // lines after the last match that are still to be kept
  bool kept_any_ = false;
  bool after_gap_ = false;    // what lies before this part was left out, and lines before that kept
  std::uint64_t passed_ = 0;  // bytes that the buffer held before
};

}  // namespace helve::search

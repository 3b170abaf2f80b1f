#include "workspace/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace helve::workspace {
namespace {

constexpr size_t kBlock = 256 * 1024;

// In runs that fit a byte-sized counter, which the compiler turns into vector code: 15 times as
// fast as std::count.
std::uint64_t count_newlines(std::string_view text) {
  constexpr size_t kRun = 128;
  std::uint64_t count = 0;
  size_t at = 0;
  for (; at + kRun <= text.size(); at += kRun) {
    unsigned char in_run = 0;
    for (size_t i = 0; i < kRun; ++i) in_run += text[at + i] == '\n';
    count += in_run;
  }
  for (; at < text.size(); ++at) count += text[at] == '\n';
  return count;
}

// A last line without a newline counts.
std::uint64_t count_lines(std::string_view text) {
  return count_newlines(text) + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

// Where the line after `lines` newlines begins; nothing when there are fewer. `lines` becomes what
// is still to skip.
std::optional<size_t> skip_newlines(std::string_view text, std::uint64_t& lines) {
  size_t at = 0;
  for (; lines > 0; --lines) {
    const void* newline = std::memchr(text.data() + at, '\n', text.size() - at);
    if (!newline) return {};
    at = static_cast<size_t>(static_cast<const char*>(newline) - text.data()) + 1;
  }
  return at;
}

std::string_view foreign_encoding(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("\xFF\xFE\0\0"sv) || start.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (start.starts_with("\xFF\xFE"sv)) return "UTF-16 (little endian)";
  if (start.starts_with("\xFE\xFF"sv)) return "UTF-16 (big endian)";
  return {};
}

Result<void> check_text(std::string_view start, std::uint64_t size, std::string_view shown) {
  const std::string_view encoding = foreign_encoding(start);
  start = start.substr(0, kSniffedBytes);
  if (encoding.empty() && !std::memchr(start.data(), 0, start.size())) return {};
  if (!encoding.empty()) {
    return Error{Code::unsupported,
                 fmt::format("'{}' is {} text of {}, which is not read as text",
                             escape_for_display(shown), encoding, human_size(size)),
                 "convert it to UTF-8 first, for example with iconv", "binary_file"};
  }
  return Error{
      Code::unsupported,
      fmt::format("'{}' is a binary file of {}", escape_for_display(shown), human_size(size)),
      "only text is read; a command such as file or xxd can look into it", "binary_file"};
}

Error past_end(std::string_view shown, std::uint64_t skip, std::uint64_t total) {
  return {Code::invalid_argument,
          fmt::format("'{}' has no line after the first {}", escape_for_display(shown), skip),
          total == 0 ? "the file is empty"
                     : fmt::format("it has {} lines, so offset is at most {}", total, total - 1),
          "past_end"};
}

constexpr size_t kLongestChar = 4;

// Finds a character of a line in blocks of its text.
class ColumnFinder {
 public:
  explicit ColumnFinder(std::uint64_t column) : left_(column) {}

  // Goes on in the next block and returns how far it came; a character at the end of a block that
  // is not the last may be incomplete, so the next block begins there.
  size_t pass(std::string_view block, bool last) {
    size_t i = 0;
    while (i < block.size() && (last || block.size() - i >= kLongestChar)) {
      if (left_ == 0) found_ = true;  // which may be the newline: a page can end just before it
      if (found_ || block[i] == '\n') break;
      i += std::max<size_t>(char_length(block.substr(i)), 1);
      --left_;
      ++passed_;
    }
    return i;
  }
  bool found() const { return found_; }
  std::uint64_t passed() const { return passed_; }

 private:
  std::uint64_t left_;
  std::uint64_t passed_ = 0;
  bool found_ = false;
};

class Reader {
 public:
  Reader(const OpenFile& file, const PageRequest& request, std::string_view shown,
         const std::function<Result<void>(std::uint64_t)>& checkpoint)
      : file_(file), request_(request), shown_(shown), checkpoint_(checkpoint) {}

  Result<Page> small();
  Result<Page> large();

 private:
  Result<void> read(std::string& out, size_t bytes, std::uint64_t offset) const {
    sys::OrErrno<size_t> got = 0;
    out.resize_and_overwrite(bytes, [&](char* data, size_t size) {
      got = sys::read_at(file_.file, {data, size}, offset);
      return got ? *got : 0;
    });
    if (!got) return sys::to_error(got.error(), "read", shown_);
    return {};
  }
  // Of the mark that the file begins with, which no column counts.
  size_t mark_size(std::string_view start) const {
    return request_.skip == 0 && start.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  }
  Result<std::uint64_t> find_line() const;
  Result<std::uint64_t> find_column(std::uint64_t offset) const;
  Error past_column(std::uint64_t length) const;
  Result<void> count_rest(Page& page, std::uint64_t offset) const;
  bool take_lines(std::string& content) const;

  const OpenFile& file_;
  const PageRequest& request_;
  std::string_view shown_;
  const std::function<Result<void>(std::uint64_t)>& checkpoint_;
};

// Cuts the content after the lines that were asked for; true when it held more.
bool Reader::take_lines(std::string& content) const {
  std::uint64_t wanted = request_.lines;
  if (wanted >= content.size()) return false;  // it cannot have more lines than bytes
  const auto end = skip_newlines(content, wanted);
  if (!end || *end == content.size()) return false;
  content.resize(*end);
  return true;
}

// The whole file fits into a page, as far as its size tells: one read.
Result<Page> Reader::small() {
  Page page;
  // Files that claim to be empty may still give something, such as those of /proc.
  TRY(read(page.content, file_.status.size ? file_.status.size : request_.bytes, 0));
  if (file_.status.size == 0 && page.content.size() == request_.bytes) return large();
  TRY(check_text(page.content, page.content.size(), shown_));
  page.total_lines = count_lines(page.content);
  if (page.content.empty() && request_.skip == 0) return page;
  if (request_.skip >= *page.total_lines) return past_end(shown_, request_.skip, *page.total_lines);
  std::uint64_t skip = request_.skip;
  if (skip > 0) page.content.erase(0, *skip_newlines(page.content, skip));
  if (request_.column > 0) {
    ColumnFinder finder(request_.column);
    const size_t mark = mark_size(page.content);
    const size_t start = mark + finder.pass(std::string_view(page.content).substr(mark), true);
    if (!finder.found()) return past_column(finder.passed());
    page.content.erase(0, start);
  }
  const bool whole = !take_lines(page.content) && request_.skip == 0;
  page.first_line = request_.skip + 1;
  page.last_line = whole ? *page.total_lines : request_.skip + count_lines(page.content);
  page.more = page.last_line < *page.total_lines;
  return page;
}

Error Reader::past_column(std::uint64_t length) const {
  return {Code::invalid_argument,
          fmt::format("line {} of '{}' has only {} characters", request_.skip + 1,
                      escape_for_display(shown_), length),
          "column counts from 1 and must be within the line", "past_column"};
}

// The byte where the character begins that the page starts with.
Result<std::uint64_t> Reader::find_column(std::uint64_t offset) const {
  if (request_.column == 0) return offset;
  ColumnFinder finder(request_.column);
  std::string block;
  TRY(read(block, kByteOrderMark.size(), offset));
  if (block.empty()) return past_end(shown_, request_.skip, request_.skip);
  offset += mark_size(block);
  while (true) {
    TRY(checkpoint_(offset));
    TRY(read(block, kBlock, offset));
    const bool last = block.size() < kBlock;
    const size_t passed = finder.pass(block, last);
    if (finder.found()) return offset + passed;
    if (last || block[passed] == '\n') return past_column(finder.passed());
    offset += passed;
  }
}

// The byte where the first line of the page begins.
Result<std::uint64_t> Reader::find_line() const {
  std::uint64_t skip = request_.skip, offset = 0;
  std::string block;
  bool ends_in_newline = true;
  while (skip > 0) {
    TRY(checkpoint_(offset));
    TRY(read(block, kBlock, offset));
    if (block.empty()) {
      return past_end(shown_, request_.skip, request_.skip - skip + (ends_in_newline ? 0 : 1));
    }
    ends_in_newline = block.back() == '\n';
    const std::uint64_t newlines = count_newlines(block);
    if (newlines < skip) {
      skip -= newlines;
      offset += block.size();
    } else {
      offset += *skip_newlines(block, skip);
    }
  }
  return offset;
}

Result<void> Reader::count_rest(Page& page, std::uint64_t offset) const {
  std::uint64_t newlines = count_newlines(page.content);
  char last = page.content.empty() ? '\n' : page.content.back();
  std::string block;
  while (true) {
    TRY(checkpoint_(offset));
    TRY(read(block, kBlock, offset));
    if (block.empty()) break;
    if (offset + block.size() > kMaxCountedFile) {  // its size did not tell
      page.more = true;
      return {};
    }
    newlines += count_newlines(block);
    last = block.back();
    offset += block.size();
  }
  page.total_lines = request_.skip + newlines + (last == '\n' ? 0 : 1);
  page.more = page.next_column > 0 || page.last_line < *page.total_lines;
  return {};
}

Result<Page> Reader::large() {
  Page page;
  std::string start;
  TRY(read(start, kSniffedBytes, 0));
  TRY(check_text(start, std::max<std::uint64_t>(file_.status.size, start.size()), shown_));
  const std::uint64_t offset = TRY(find_column(TRY(find_line())));
  // With the longest character behind it, it shows whether the page ends between two characters.
  TRY(read(page.content, request_.bytes + kLongestChar, offset));
  if (page.content.empty()) return past_end(shown_, request_.skip, request_.skip);
  const bool too_long = page.content.size() > request_.bytes;
  page.more = take_lines(page.content);
  if (page.content.size() > request_.bytes) {
    const size_t newline = page.content.rfind('\n', request_.bytes - 1);
    const bool cut = newline == page.content.npos;
    page.content.resize(cut ? cut_utf8(page.content, request_.bytes).size() : newline + 1);
    if (cut) {
      const size_t mark = request_.column == 0 ? mark_size(page.content) : 0;
      page.next_column = request_.column + count_chars(page.content.substr(mark));
    }
  }
  page.more = page.more || too_long;
  page.first_line = request_.skip + 1;
  page.last_line = request_.skip + (page.next_column > 0 ? 1 : count_lines(page.content));
  if (file_.status.size <= kMaxCountedFile) {
    TRY(count_rest(page, offset + page.content.size()));
  }
  return page;
}

}  // namespace

Result<Page> read_page(const OpenFile& file, const PageRequest& request, std::string_view shown,
                       const std::function<Result<void>(std::uint64_t)>& checkpoint) {
  Reader reader(file, request, shown, checkpoint);
  return file.status.size <= request.bytes ? reader.small() : reader.large();
}

}  // namespace helve::workspace

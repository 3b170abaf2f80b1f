#include "workspace/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "workspace/decoded_page.h"
#include "workspace/newlines.h"

namespace helve::workspace {
namespace {

constexpr size_t kBlock = 256 * 1024;

Error binary_file(std::uint64_t size, std::string_view shown) {
  return {Code::unsupported,
          fmt::format("'{}' is a binary file of {}", escape_for_display(shown), human_size(size)),
          "only text is read; a command such as file or xxd can look into it", "binary_file"};
}

// Whether a file that starts like this is anything but plain text. Wide characters without a mark
// show themselves by their NULs.
bool is_unusual(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  start = start.substr(0, kSniffedBytes);
  return std::memchr(start.data(), 0, start.size());
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
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
    return read_block(file_, out, bytes, offset, shown_);
  }
  // Of the mark that the file begins with, which no column counts.
  size_t mark_size(std::string_view start) const {
    return request_.skip == 0 && start.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  }
  Result<std::uint64_t> find_line() const;
  Result<std::uint64_t> find_column(std::uint64_t offset) const;
  Result<std::optional<Detected>> foreign(std::string_view start) const;
  Result<Page> decoded(const Detected& text) const {
    return read_decoded_page(file_, request_, text, shown_, checkpoint_);
  }
  Result<Page> finished(Page page) const;
  Result<void> count_rest(Page& page, std::uint64_t offset) const;
  bool take_lines(std::string& content) const;

  const OpenFile& file_;
  const PageRequest& request_;
  std::string_view shown_;
  const std::function<Result<void>(std::uint64_t)>& checkpoint_;
};

// How a file is encoded that does not start like plain text; an error when it is no text at all.
Result<std::optional<Detected>> Reader::foreign(std::string_view start) const {
  if (request_.encoding || !is_unusual(start)) return std::optional<Detected>();
  std::string sample;
  TRY(read(sample, kDetectedBytes, 0));
  const auto found =
      detect_encoding(sample, sample.size() < kDetectedBytes ? Extent::whole : Extent::start);
  if (found && found->format.encoding != Encoding::utf_8) return found;
  if (start.substr(0, kSniffedBytes).find('\0') == start.npos) return std::optional<Detected>();
  return binary_file(std::max<std::uint64_t>(file_.status.size, start.size()), shown_);
}

// A page that is not valid UTF-8 is read again when the file's encoding can be told by its start,
// or, where that is plain ASCII, by the page.
Result<Page> Reader::finished(Page page) const {
  page.valid = page.content.find('\0') == page.content.npos && is_utf8(page.content);
  if (page.valid || request_.encoding) return page;
  std::string sample;
  TRY(read(sample, kDetectedBytes, 0));
  const bool whole = sample.size() < kDetectedBytes;
  const auto found = !whole && is_ascii(sample)
                         ? detect_encoding(page.content, Extent::start)
                         : detect_encoding(sample, whole ? Extent::whole : Extent::start);
  // Wide characters would have shown themselves at the start.
  if (found && found->format.encoding != Encoding::utf_8 && !found->format.mark)
    return decoded(*found);
  return page;
}

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
  if (const auto found = TRY(foreign(page.content))) return decoded(*found);
  page.total_lines = count_lines(page.content);
  if (page.content.empty() && request_.skip == 0) return page;
  if (request_.skip >= *page.total_lines) return past_end(shown_, request_.skip, *page.total_lines);
  std::uint64_t skip = request_.skip;
  if (skip > 0) page.content.erase(0, *skip_newlines(page.content, skip));
  if (request_.column > 0) {
    ColumnFinder finder(request_.column);
    const size_t mark = mark_size(page.content);
    const size_t start = mark + finder.pass(std::string_view(page.content).substr(mark), true);
    if (!finder.found()) return past_column(shown_, request_.skip + 1, finder.passed());
    page.content.erase(0, start);
  }
  const bool whole = !take_lines(page.content) && request_.skip == 0;
  page.first_line = request_.skip + 1;
  page.last_line = whole ? *page.total_lines : request_.skip + count_lines(page.content);
  page.more = page.last_line < *page.total_lines;
  return finished(std::move(page));
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
    if (last || block[passed] == '\n')
      return past_column(shown_, request_.skip + 1, finder.passed());
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
  if (const auto found = TRY(foreign(start))) return decoded(*found);
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
  return finished(std::move(page));
}

}  // namespace

Result<Page> read_page(const OpenFile& file, const PageRequest& request, std::string_view shown,
                       const std::function<Result<void>(std::uint64_t)>& checkpoint) {
  if (request.encoding && *request.encoding != Encoding::utf_8) {
    Detected text{{*request.encoding, true}};
    std::string start;
    TRY(read_block(file, start, kLongestChar, 0, shown));
    const std::string_view mark = mark_of(text.format);
    text.format.mark = !mark.empty() && start.starts_with(mark);
    return read_decoded_page(file, request, text, shown, checkpoint);
  }
  Reader reader(file, request, shown, checkpoint);
  return file.status.size <= request.bytes ? reader.small() : reader.large();
}

}  // namespace helve::workspace

#include "workspace/decoded_page.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "workspace/newlines.h"

namespace helve::workspace {
namespace {

constexpr size_t kBlock = 256 * 1024;  // whole units of every encoding

bool begins_char(char c) { return (c & 0xC0) != 0x80; }

// Decoded text is made of whole characters, among them those that stand for a byte that meant
// nothing.
std::uint64_t count_decoded(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count_if(text, begins_char));
}

class Reader {
 public:
  Reader(const OpenFile& file, const PageRequest& request, const Detected& text,
         std::string_view shown, const std::function<Result<void>(std::uint64_t)>& checkpoint)
      : file_(file), request_(request), text_(text), shown_(shown), checkpoint_(checkpoint) {}

  Result<Page> page();

 private:
  Encoding encoding() const { return text_.format.encoding; }
  Result<void> block(std::string& out, std::uint64_t offset) const {
    TRY(checkpoint_(offset));
    return read_block(file_, out, kBlock, offset, shown_);
  }
  Result<std::uint64_t> find_line() const;
  Result<bool> decode(Page& page, std::uint64_t offset) const;
  size_t skip_columns(std::string_view text, std::uint64_t& left) const;
  void cut(Page& page, bool& more) const;
  Result<std::optional<std::uint64_t>> count_from(std::uint64_t offset) const;

  const OpenFile& file_;
  const PageRequest& request_;
  const Detected& text_;
  std::string_view shown_;
  const std::function<Result<void>(std::uint64_t)>& checkpoint_;
};

// The lines from `offset` on; nothing when the file is too large to count them.
Result<std::optional<std::uint64_t>> Reader::count_from(std::uint64_t offset) const {
  const std::string_view newline = newline_of(encoding());
  std::uint64_t lines = 0;
  bool open = false;  // the last line has no newline
  std::string bytes;
  while (true) {
    TRY(block(bytes, offset));
    if (bytes.empty()) return lines + (open ? 1 : 0);
    if (offset + bytes.size() > kMaxCountedFile) return std::optional<std::uint64_t>();
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    std::uint64_t left = kAll;
    (void)skip_newlines(bytes, left, encoding());
    lines += kAll - left;
    open = !bytes.ends_with(newline);
    offset += bytes.size();
  }
}

// The byte where the first line of the page begins.
Result<std::uint64_t> Reader::find_line() const {
  const std::uint64_t start = mark_of(text_.format).size();
  std::uint64_t skip = request_.skip, offset = start;
  std::string bytes;
  bool open = false;
  while (skip > 0) {
    TRY(block(bytes, offset));
    if (bytes.empty())
      return past_end(shown_, request_.skip, request_.skip - skip + (open ? 1 : 0));
    // A block holds whole units, so the next one begins with one.
    const auto found = skip_newlines(bytes, skip, encoding());
    open = !bytes.ends_with(newline_of(encoding()));
    offset += found ? *found : bytes.size();
  }
  return offset;
}

// Passes the characters before the column, but not the end of the line.
size_t Reader::skip_columns(std::string_view text, std::uint64_t& left) const {
  size_t at = 0;
  while (left > 0 && at < text.size() && text[at] != '\n') {
    do ++at;
    while (at < text.size() && !begins_char(text[at]));
    --left;
  }
  return at;
}

// Decodes the page from where its first line begins; true when the file goes on behind it.
Result<bool> Reader::decode(Page& page, std::uint64_t offset) const {
  Decoder decoder = TRY(Decoder::open(encoding()));
  std::uint64_t column = request_.column;
  std::string bytes;
  while (true) {
    TRY(block(bytes, offset));
    const bool last = bytes.size() < kBlock;
    offset += decoder.decode(bytes, last, page.content);
    if (request_.column > 0) {
      if (column > 0) page.content.erase(0, skip_columns(page.content, column));
      const bool at_end = page.content.empty() ? last : column > 0;
      if (at_end) return past_column(shown_, request_.skip + 1, request_.column - column);
    }
    std::uint64_t wanted = request_.lines;
    if (wanted < page.content.size() && skip_newlines(page.content, wanted)) return !last;
    if (page.content.size() > request_.bytes || last) return !last;
  }
}

// Cuts the content to the lines and the size that were asked for.
void Reader::cut(Page& page, bool& more) const {
  std::uint64_t wanted = request_.lines;
  if (wanted < page.content.size()) {
    const auto end = skip_newlines(page.content, wanted);
    if (end && *end < page.content.size()) {
      page.content.resize(*end);
      more = true;
    }
  }
  if (page.content.size() <= request_.bytes) return;
  more = true;
  const size_t newline = page.content.rfind('\n', request_.bytes - 1);
  if (newline != page.content.npos) {
    page.content.resize(newline + 1);
    return;
  }
  size_t end = request_.bytes;
  while (end > 0 && !begins_char(page.content[end])) --end;
  page.content.resize(end);
  page.next_column = request_.column + count_decoded(page.content);
}

Result<Page> Reader::page() {
  Page page{.text = text_};
  const std::uint64_t offset = TRY(find_line());
  bool more = TRY(decode(page, offset));
  if (page.content.empty()) {
    if (request_.skip > 0) return past_end(shown_, request_.skip, request_.skip);
    page.total_lines = 0;
    return page;
  }
  cut(page, more);
  page.valid = page.content.find('\0') == page.content.npos && is_utf8(page.content);
  page.first_line = request_.skip + 1;
  page.last_line = request_.skip + count_lines(page.content);
  page.more = more;
  if (file_.status.size <= kMaxCountedFile) {
    if (const auto lines = TRY(count_from(offset))) page.total_lines = request_.skip + *lines;
  }
  return page;
}

}  // namespace

Result<void> read_block(const OpenFile& file, std::string& out, size_t bytes, std::uint64_t offset,
                        std::string_view shown) {
  sys::OrErrno<size_t> got = 0;
  // The library passes its capacity, which may be more.
  out.resize_and_overwrite(bytes, [&](char* data, size_t) {
    got = sys::read_at(file.file, {data, bytes}, offset);
    return got ? *got : 0;
  });
  if (!got) return sys::to_error(got.error(), "read", shown);
  return {};
}

Error past_end(std::string_view shown, std::uint64_t skip, std::uint64_t total) {
  return {Code::invalid_argument,
          fmt::format("'{}' has no line after the first {}", escape_for_display(shown), skip),
          total == 0 ? "the file is empty"
                     : fmt::format("it has {} {}", total, total == 1 ? "line" : "lines"),
          "past_end"};
}

Error past_column(std::string_view shown, std::uint64_t line, std::uint64_t length) {
  return {Code::invalid_argument,
          fmt::format("line {} of '{}' has only {} characters", line, escape_for_display(shown),
                      length),
          "column counts from 1 and must be within the line", "past_column"};
}

Result<Page> read_decoded_page(const OpenFile& file, const PageRequest& request,
                               const Detected& text, std::string_view shown,
                               const std::function<Result<void>(std::uint64_t)>& checkpoint) {
  return Reader(file, request, text, shown, checkpoint).page();
}

}  // namespace helve::workspace

// kb_read: a page of a document.
#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"
#include "tools/kb_document.h"
#include "tools/read_output.h"

namespace helve::tools {
namespace {

constexpr size_t kPageBytes = 50 * 1024;  // as shown: with the numbers of the lines
constexpr size_t kReadOfPage = kPageBytes + 64;
constexpr size_t kNumberBytes = 7;
constexpr size_t kEscapedByte = 4;  // \xNN

size_t shown_bytes(std::string_view line) {
  return kNumberBytes + (is_utf8(line) ? line.size() : escape_invalid_utf8(line).size());
}

struct KbReadInput {
  std::string path;
  std::int64_t offset = 0;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> version;

  static constexpr auto schema() {
    return object(
        "Read a document of the knowledge store as numbered lines, one page of 50 KB at a time; "
        "when more follows, the answer gives the next offset.",
        arg<&KbReadInput::path>("Logical path").min_length(1),
        opt<&KbReadInput::offset>("Lines to skip; 0 starts at the first").min(0),
        opt<&KbReadInput::limit>("Lines to show at most; default: as many as fit into the page")
            .min(1)
            .shorthand('n'),
        opt<&KbReadInput::version>("An older version; default: the latest").min(1));
  }
};

struct KbReadOutput {
  std::string path;
  std::int64_t version = 0;
  std::string mime_type;
  std::string content;
  std::int64_t start_line = 0;
  std::int64_t end_line = 0;
  std::int64_t total_lines = 0;
  std::optional<std::int64_t> next_offset;
  std::optional<bool> line_cut;
  std::optional<bool> escaped;

  static constexpr auto schema() {
    return object(
        "A page of a document.", arg<&KbReadOutput::path>("The document"),
        arg<&KbReadOutput::version>("That was read"),
        arg<&KbReadOutput::mime_type>("What its content is"),
        arg<&KbReadOutput::content>("The lines of the page with their endings"),
        arg<&KbReadOutput::start_line>("Number of the first line, from 1; 0 when there is none"),
        arg<&KbReadOutput::end_line>("Number of the last line shown"),
        arg<&KbReadOutput::total_lines>("Of the document"),
        opt<&KbReadOutput::next_offset>("The offset that continues; absent: nothing follows"),
        opt<&KbReadOutput::line_cut>("True when the last line is too long to be shown whole"),
        opt<&KbReadOutput::escaped>("True when bytes that are not UTF-8 are written as \\xNN"));
  }
  std::string text() const {
    ReadOutput page;
    page.path = path;
    page.content_ = content;
    page.start_line = start_line;
    page.end_line = end_line;
    page.total_lines = total_lines;
    page.next_offset = next_offset;
    if (line_cut) page.note(fmt::format("line {} is longer than a page and is cut", end_line));
    if (escaped) page.note("bytes that are not UTF-8 are shown as \\xNN");
    return page.text();
  }
};

// From the beginning of a line on what a page may show, and a little more: the line that does not
// fit is only begun.
Result<std::string> text_of_page(store::Documents& documents, const store::DocumentVersion& version,
                                 size_t lines_before, const Context& context) {
  std::string text;
  Result<void> checked;
  TRY(documents.read(version, [&](std::string_view piece) {
    checked = context.checkpoint();
    if (const size_t newlines = lines_before > 0 ? count_newlines(piece) : 0;
        newlines > 0 && newlines < lines_before) {
      lines_before -= newlines;
      return checked.has_value();
    }
    for (; lines_before > 0 && !piece.empty(); --lines_before) {
      const size_t newline = piece.find('\n');
      if (newline == piece.npos) return checked.has_value();
      piece.remove_prefix(newline + 1);
    }
    text += piece.substr(0, kReadOfPage - text.size());
    return checked && text.size() < kReadOfPage;
  }));
  TRY(std::move(checked));
  // A character that was cut is no byte that is not UTF-8.
  if (text.size() == kReadOfPage) text.resize(cut_utf8(text, kReadOfPage - 1).size());
  return text;
}

Result<KbReadOutput> kb_read(const KbReadInput& in, Context& context) {
  const std::unique_ptr<store::Documents> documents = TRY(need_documents(context));
  std::optional<std::uint64_t> number;
  if (in.version) number = static_cast<std::uint64_t>(*in.version);
  const store::DocumentVersion version =
      TRY(documents->find(TRY(store::document_path(in.path)), number));
  KbReadOutput out{.path = version.path,
                   .version = static_cast<std::int64_t>(version.number),
                   .mime_type = version.mime_type,
                   .content = {},
                   .total_lines = static_cast<std::int64_t>(version.lines),
                   .next_offset = {},
                   .line_cut = {},
                   .escaped = {}};
  if (in.offset > 0 && in.offset >= out.total_lines)
    return Error{
        Code::invalid_argument,
        fmt::format("'{}' has {} line{}: nothing follows {}={}", out.path, out.total_lines,
                    out.total_lines == 1 ? "" : "s", context.parameter("offset"),
                    context.as_caller_counts("offset", in.offset)),
        fmt::format("a smaller {}, or none for the beginning", context.parameter("offset")),
        "out_of_range"};
  const std::string text =
      TRY(text_of_page(*documents, version, static_cast<size_t>(in.offset), context));
  if (text.empty()) return out;
  const std::vector<std::string_view> lines = split_lines(text);
  const size_t end =
      std::min(static_cast<size_t>(in.limit.value_or(out.total_lines)), lines.size());
  size_t shown_lines = 0, bytes = 0, shown_of_page = 0;
  while (shown_lines < end) {
    const size_t shown_of_line = shown_bytes(lines[shown_lines]);
    if (shown_lines > 0 && shown_of_page + shown_of_line > kPageBytes) break;
    shown_of_page += shown_of_line;
    bytes += lines[shown_lines++].size();
  }
  std::string_view page(text.data(), bytes);
  if (shown_of_page > kPageBytes) {
    page = cut_utf8(page, is_utf8(page) ? kPageBytes : kPageBytes / kEscapedByte);
    out.line_cut = true;
  }
  Shown shown = shown_content(page);
  out.content = std::move(shown.text);
  out.escaped = shown.escaped;
  out.start_line = in.offset + 1;
  out.end_line = in.offset + static_cast<std::int64_t>(shown_lines);
  if (out.end_line < out.total_lines)
    out.next_offset = context.as_caller_counts("offset", out.end_line);
  return out;
}

}  // namespace

Tool tool_kb_read() {
  return make_tool({.name = "kb_read",
                    .group = "kb",
                    .title = "Read a document",
                    .effect = Effect::read,
                    .idempotent = true,
                    .examples = {{"A document", R"({"path": "notes/today.md"})"},
                                 {"Some lines of an older version",
                                  R"({"path": "notes/today.md", "offset": 10, "limit": 20,
                                  "version": 1})"}},
                    .limits = {.inline_chars = 60'000}},
                   kb_read);
}

}  // namespace helve::tools

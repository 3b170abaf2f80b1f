// read: a page of a text file, with line numbers for people and models and the raw text for
// programs.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "tool/make.h"
#include "tools/files.h"
#include "workspace/page.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kDefaultPage = 50 * 1024;  // bytes
constexpr std::int64_t kMaxPage = 512 * 1024;
constexpr size_t kMaxShownLine = 2000;  // characters
constexpr std::uint64_t kProgressStep =
    16u << 20;  // bytes between two reports of how far a search for a line is

struct ReadInput {
  std::string path;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> start_line;
  std::optional<std::int64_t> end_line;
  std::optional<std::int64_t> column;
  std::int64_t max_bytes = kDefaultPage;

  static constexpr auto schema() {
    return object(
        "Read a text file. Shows numbered lines, one page at a time (50 KB unless max_bytes says "
        "otherwise); when more follows, the first line of the answer gives the next offset. Lines "
        "over 2000 characters are cut; column shows the rest of one. Binary files are refused; ls "
        "lists directories.",
        arg<&ReadInput::path>("File, relative to the workspace or absolute inside it")
            .min_length(1),
        opt<&ReadInput::offset>("Lines to skip; 0 starts at the first line").min(0),
        opt<&ReadInput::limit>("Lines to show at most; default: as many as fit into the page")
            .min(1)
            .shorthand('n'),
        opt<&ReadInput::start_line>("First line, counted from 1; instead of offset and limit")
            .min(1),
        opt<&ReadInput::end_line>("Last line, inclusive; instead of offset and limit").min(1),
        opt<&ReadInput::column>(
            "Character of the first line to start at, from 1: the rest of a line that was cut. "
            "Lines are then shown whole, as far as they fit into the page")
            .min(1),
        opt<&ReadInput::max_bytes>("Size of the page in bytes").min(4).max(kMaxPage));
  }
};

struct ReadOutput {
  std::string path;
  std::string content;
  std::int64_t start_line = 0;
  std::int64_t end_line = 0;
  std::optional<std::int64_t> total_lines;
  std::optional<std::int64_t> start_column;
  std::optional<std::int64_t> next_offset;
  std::optional<std::int64_t> next_column;
  std::int64_t size = 0;
  std::optional<std::int64_t> truncated_lines;
  std::optional<std::vector<std::string>> notes;

  static constexpr auto schema() {
    return object(
        "A page of a text file.", arg<&ReadOutput::path>("The file, as the workspace names it"),
        arg<&ReadOutput::content>("The lines of the page with their line endings, without numbers"),
        arg<&ReadOutput::start_line>(
            "Number of the first line shown, from 1; 0 when the file is empty"),
        arg<&ReadOutput::end_line>("Number of the last line shown"),
        opt<&ReadOutput::total_lines>("Lines of the whole file; absent for files over 64 MB"),
        opt<&ReadOutput::start_column>("Where in the first line the content starts, if asked for"),
        opt<&ReadOutput::next_offset>("The offset that continues; absent when nothing follows"),
        opt<&ReadOutput::next_column>("The column that continues, when the page ends in a line"),
        arg<&ReadOutput::size>("Size of the whole file in bytes"),
        opt<&ReadOutput::truncated_lines>(
            "Lines that are not shown to their end, when there are any"),
        opt<&ReadOutput::notes>("What is not shown as it is in the file"));
  }

  std::string text() const;
  void note(std::string what) {
    if (!notes) notes.emplace();
    notes->push_back(std::move(what));
  }
};

// Calls `visit` with every line, without its newline.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size());
    visit(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

bool is_too_long(std::string_view line) {
  return line.size() > kMaxShownLine && count_chars(line) > kMaxShownLine;
}

// What is shown of a line that is too long.
enum class Long : unsigned char { head_and_count, head, whole };

void append_line(std::string& out, std::int64_t number, std::string_view line, Long if_long) {
  // "%6d\t", written from its end: this runs for every line of every page.
  char column[24];
  char* const end = column + sizeof column;
  char* at = end;
  *--at = '\t';
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  while (end - at < 7) *--at = ' ';
  out.append(at, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (if_long == Long::whole || !is_too_long(line)) {
    out += line;
  } else {
    const std::string_view head = first_chars(line, kMaxShownLine);
    (out += head) += "… [";
    if (if_long == Long::head_and_count)
      out += fmt::format("{} ", count_chars(line.substr(head.size())));
    out += "more characters]";
  }
  out += '\n';
}

std::string ReadOutput::text() const {
  std::string out;
  out.reserve(content.size() + static_cast<size_t>(end_line - start_line + 1) * 7 + 200);
  if (start_line > 1 || start_column || next_offset) {
    out += fmt::format("lines {}–{}", start_line, end_line);
    if (total_lines) out += fmt::format(" of {}", *total_lines);
    if (start_column) out += fmt::format(" · from character {}", *start_column);
    // Where this text shows less of the line than the content has, a note tells how to go on.
    const bool see_note = next_column && truncated_lines;
    if (see_note)
      out += fmt::format(" · line {} goes on", end_line);
    else if (next_offset)
      out += fmt::format(" · next offset={}", *next_offset);
    else
      out += " · end of file";
    if (next_column && !see_note) out += fmt::format(" column={}", *next_column);
    out += '\n';
  }
  if (notes) {
    for (const std::string& note : *notes) out += "note: " + note + "\n";
  }
  if (start_line == 0) return out + escape_for_display(path) + " is empty\n";
  std::string_view lines = content;
  if (start_line == 1 && lines.starts_with(kByteOrderMark))
    lines.remove_prefix(kByteOrderMark.size());
  std::int64_t number = start_line;
  Long if_long = next_column ? Long::head : Long::head_and_count;
  if (start_column) if_long = Long::whole;
  if (lines.empty()) append_line(out, number, lines, if_long);
  for_each_line(lines, [&](std::string_view line) { append_line(out, number++, line, if_long); });
  return out;
}

Result<workspace::PageRequest> to_request(const ReadInput& in) {
  const bool by_offset = in.offset || in.limit;
  if (by_offset && (in.start_line || in.end_line)) {
    return Error{Code::invalid_argument, "offset/limit and start_line/end_line were both given",
                 "use one pair: offset counts lines to skip, start_line counts from 1"};
  }
  workspace::PageRequest request{.column = static_cast<std::uint64_t>(in.column.value_or(1) - 1),
                                 .bytes = static_cast<size_t>(in.max_bytes)};
  if (by_offset) {
    request.skip = static_cast<std::uint64_t>(in.offset.value_or(0));
    if (in.limit) request.lines = static_cast<std::uint64_t>(*in.limit);
    return request;
  }
  const std::int64_t start = in.start_line.value_or(1);
  request.skip = static_cast<std::uint64_t>(start - 1);
  if (in.end_line) {
    if (*in.end_line < start) {
      return Error{Code::invalid_argument,
                   fmt::format("end_line {} is before start_line {}", *in.end_line, start),
                   "end_line is the last line shown, counted from 1"};
    }
    request.lines = static_cast<std::uint64_t>(*in.end_line - start) + 1;
  }
  return request;
}

// Whether the text must be escaped before every reader can take it.
bool needs_escape(std::string_view text) { return text.find('\0') != text.npos || !is_utf8(text); }

// How many characters of a line of the file the text shows.
size_t shown_chars(std::string_view line, bool escaped) {
  if (!escaped) return kMaxShownLine;
  size_t shown = 0;
  for (size_t width = 0; !line.empty(); ++shown) {
    const std::string_view character = first_chars(line, 1);
    width += count_chars(escape_bytes(character));
    if (width > kMaxShownLine) break;
    line.remove_prefix(character.size());
  }
  return shown;
}

// Says which lines of the file the text does not show to their end, and how to see the rest.
void note_long_lines(ReadOutput& out, std::string_view content, bool escaped,
                     const Context& context) {
  if (out.start_column || content.size() * (escaped ? 4 : 1) <= kMaxShownLine) return;
  std::int64_t count = 0, first = 0, number = out.start_line;
  size_t shown = 0;
  for_each_line(content, [&](std::string_view line) {
    const bool may_be_long = line.size() * (escaped ? 4 : 1) > kMaxShownLine;
    if (may_be_long && (escaped ? is_too_long(escape_bytes(line)) : is_too_long(line))) {
      if (count++ == 0) first = number, shown = shown_chars(line, escaped);
    }
    ++number;
  });
  if (count == 0) return;
  out.truncated_lines = count;
  out.note(fmt::format(
      "{} shown only to character {}; offset={} with column={} shows the rest{}",
      count == 1 ? fmt::format("line {} is", first) : fmt::format("{} lines are", count),
      kMaxShownLine, context.as_caller_counts("offset", first - 1), shown + 1,
      count == 1 ? "" : fmt::format(" of line {}", first)));
}

Result<ReadOutput> read(const ReadInput& in, Context& context) {
  const workspace::Workspace& files = *TRY(need_files(context, "read"));
  const workspace::PageRequest request = TRY(to_request(in));
  const workspace::OpenFile file = TRY(files.open_file(in.path));
  ReadOutput out{.path = files.display(in.path)};
  std::uint64_t next_told = kProgressStep;
  const auto checkpoint = [&](std::uint64_t offset) {
    if (offset >= next_told) {
      context.progress(static_cast<double>(offset), static_cast<double>(file.status.size), "bytes");
      next_told = offset + kProgressStep;
    }
    return context.checkpoint();
  };
  workspace::Page page = TRY(workspace::read_page(file, request, out.path, std::ref(checkpoint)));
  out.start_line = static_cast<std::int64_t>(page.first_line);
  out.end_line = static_cast<std::int64_t>(page.last_line);
  if (page.total_lines) out.total_lines = static_cast<std::int64_t>(*page.total_lines);
  out.start_column = in.column;
  if (page.next_column > 0) out.next_column = static_cast<std::int64_t>(page.next_column) + 1;
  if (page.more) {
    const std::int64_t seen = out.next_column ? out.end_line - 1 : out.end_line;
    out.next_offset = context.as_caller_counts("offset", seen);
  }
  out.size = static_cast<std::int64_t>(file.status.size);
  std::string_view lines = page.content;
  if (out.start_line == 1 && lines.starts_with(kByteOrderMark)) {
    out.note("the file begins with a UTF-8 byte order mark");
    lines.remove_prefix(kByteOrderMark.size());
  }
  const bool escaped = needs_escape(lines);
  if (escaped) out.note("some bytes are not UTF-8 text; they are shown as \\xNN, and \\ as \\\\");
  note_long_lines(out, lines, escaped, context);
  out.content = escaped ? escape_bytes(page.content) : std::move(page.content);
  return out;
}

}  // namespace

Tool tool_read() {
  return make_tool(
      {.name = "read",
       .group = "fs",
       .title = "Read a file",
       .effect = Effect::read,
       .idempotent = true,
       .examples = {{"The first page of a file", R"({"path": "README.md"})"},
                    {"Twenty lines after the first hundred",
                     R"({"path": "src/main.cc", "offset": 100, "limit": 20})"},
                    {"Lines 10 to 30",
                     R"({"path": "src/main.cc", "start_line": 10, "end_line": 30})"},
                    {"The rest of a first line that was cut",
                     R"({"path": "data.json", "column": 2001})"}},
       // A page is its own limit: at worst every byte is a newline and becomes a numbered line.
       .limits = {.inline_chars = 9 * kMaxPage}},
      read);
}

}  // namespace helve::tools

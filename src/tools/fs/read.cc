// read: a page of a text file, with line numbers for people and models and the raw text for
// programs; what other files hold, or what they are.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "media/file_type.h"
#include "tool/make.h"
#include "tools/files.h"
#include "tools/read_media.h"
#include "tools/read_output.h"
#include "workspace/page.h"

namespace helve::tools {
namespace {

constexpr std::int64_t kDefaultPage = 50 * 1024;  // bytes
constexpr std::int64_t kMaxPage = 512 * 1024;
constexpr size_t kMaxFiles = 50;  // of one call
constexpr std::uint64_t kProgressStep =
    16u << 20;  // bytes between two reports of how far a search for a line is

enum class ReadAs : unsigned char { auto_, text, images };

struct ReadInput {
  std::optional<std::string> path;
  std::optional<std::vector<std::string>> paths;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> start_line;
  std::optional<std::int64_t> end_line;
  std::optional<std::int64_t> column;
  std::int64_t max_bytes = kDefaultPage;
  std::optional<std::string> encoding;
  std::optional<std::string> pages;
  ReadAs as = ReadAs::auto_;

  static constexpr auto schema() {
    return object(
        "Read a file, or several with paths. Text is shown as numbered lines, one page at a time "
        "(50 KB unless max_bytes says otherwise); when more follows, the first line of the answer "
        "gives the next offset. Lines over 2000 characters are cut; column shows the rest of one. "
        "Encodings other than UTF-8 are recognised and named. Images are shown, PDFs by pages, "
        "notebooks as cells with their outputs, other binary files are described; `ls` lists "
        "directories.",
        opt<&ReadInput::path>("File, relative to the workspace or absolute inside it")
            .file()
            .positional()
            .min_length(1),
        opt<&ReadInput::paths>("Several files, at most 50; they share the page")
            .file()
            .positional(),
        opt<&ReadInput::offset>("Lines to skip (cells of a notebook); 0 starts at the first")
            .min(0),
        opt<&ReadInput::limit>(
            "Lines (cells) to show at most; default: as many as fit into the page")
            .min(1)
            .shorthand('n'),
        opt<&ReadInput::start_line>("First line, counted from 1; instead of offset and limit")
            .min(1),
        opt<&ReadInput::end_line>("Last line, inclusive; instead of offset and limit").min(1),
        opt<&ReadInput::column>(
            "Character of the first line to start at, from 1: the rest of a line that was cut. "
            "Lines are then shown whole, as far as they fit into the page")
            .min(1),
        opt<&ReadInput::max_bytes>("Size of the page in bytes").min(4).max(kMaxPage),
        opt<&ReadInput::encoding>(
            "Encoding of the text, such as windows-1252, when it is not recognised"),
        opt<&ReadInput::pages>("Pages of a PDF, such as 1-5,8; at most 20; default: the first 10"),
        opt<&ReadInput::as>(
            "text: a notebook as the JSON that it is, not as cells; images: pages of a PDF as "
            "pictures"));
  }
};

Result<workspace::PageRequest> to_request(const ReadInput& in) {
  const bool by_offset = in.offset || in.limit;
  if (by_offset && (in.start_line || in.end_line)) {
    return Error{Code::invalid_argument, "offset/limit and start_line/end_line were both given",
                 "use one pair: offset counts lines to skip, start_line counts from 1"};
  }
  workspace::PageRequest request{.column = static_cast<std::uint64_t>(in.column.value_or(1) - 1),
                                 .bytes = static_cast<size_t>(in.max_bytes)};
  if (in.encoding) request.encoding = TRY(find_encoding(*in.encoding));
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

// The characters of a page: those of UTF-8 and bytes that are none, or decoded ones.
struct Letters {
  bool escaped;  // they cannot all be shown as they are
  bool decoded;

  std::string_view first(std::string_view line) const {
    if (!decoded) return first_chars(line, 1);
    size_t length = 1;
    while (length < line.size() && (line[length] & 0xC0) == 0x80) ++length;
    return line.substr(0, length);
  }
  std::string show(std::string_view text) const {
    return decoded ? escape_undecoded(text) : escape_bytes(text);
  }
  // How many characters of a line of the file the text shows.
  size_t shown_of(std::string_view line) const {
    if (!escaped) return kMaxShownLine;
    size_t shown = 0;
    for (size_t width = 0; !line.empty(); ++shown) {
      const std::string_view character = first(line);
      width += count_chars(show(character));
      if (width > kMaxShownLine) break;
      line.remove_prefix(character.size());
    }
    return shown;
  }
};

// Says which lines of the file the text does not show to their end, and how to see the rest.
void note_long_lines(ReadOutput& out, std::string_view content, const Letters& letters,
                     const Context& context) {
  const size_t growth = letters.escaped ? 4 : 1;
  if (out.start_column || content.size() * growth <= kMaxShownLine) return;
  std::int64_t count = 0, first = 0, number = *out.start_line;
  size_t shown = 0;
  for_each_line(content, [&](std::string_view line) {
    const bool may_be_long = line.size() * growth > kMaxShownLine;
    if (may_be_long && (letters.escaped ? is_too_long(letters.show(line)) : is_too_long(line))) {
      if (count++ == 0) first = number, shown = letters.shown_of(line);
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

void note_encoding(ReadOutput& out, const Detected& text) {
  const std::string_view name = name_of(text.format.encoding);
  out.encoding = name;
  out.note(fmt::format("encoding {}{}", name,
                       text.format.mark ? " with a byte order mark"
                       : text.certain   ? ""
                                        : ", as far as can be told; encoding names another"));
}

void fill_page(ReadOutput& out, const ReadInput& in, workspace::Page page, const Context& context) {
  out.start_line = static_cast<std::int64_t>(page.first_line);
  out.end_line = static_cast<std::int64_t>(page.last_line);
  if (page.total_lines) out.total_lines = static_cast<std::int64_t>(*page.total_lines);
  out.start_column = in.column;
  if (page.next_column > 0) out.next_column = static_cast<std::int64_t>(page.next_column) + 1;
  if (page.more) {
    const std::int64_t seen = out.next_column ? *out.end_line - 1 : *out.end_line;
    out.next_offset = context.as_caller_counts("offset", seen);
  }
  const Letters letters{!page.valid, page.text.format.encoding != Encoding::utf_8};
  if (letters.decoded) note_encoding(out, page.text);
  std::string_view lines = page.content;
  if (out.start_line == 1 && !letters.decoded && lines.starts_with(kByteOrderMark)) {
    out.note("the file begins with a UTF-8 byte order mark");
    lines.remove_prefix(kByteOrderMark.size());
  }
  if (letters.escaped) {
    out.note(fmt::format("some bytes are not {} text; they are shown as \\xNN, and \\ as \\\\",
                         name_of(page.text.format.encoding)));
  }
  note_long_lines(out, lines, letters, context);
  out.content_ = letters.escaped ? letters.show(page.content) : std::move(page.content);
}

// Whether a page of bytes that nobody can read is the start of a file of a known type.
bool is_other_type(const workspace::Page& page) {
  if (page.first_line != 1) return false;
  if (page.content.starts_with(media::kPdfMark)) return true;
  return !page.valid && page.text.format.encoding == Encoding::utf_8 &&
         media::file_type(page.content).has_value();
}

// So that a change by somebody else is noticed before it is overwritten. `page`: null when the file
// was shown as something else than its text.
void note_seen(const workspace::OpenFile& file, const workspace::Page* page, Context& context) {
  const bool is_whole = page && page->content.size() == file.status.size &&
                        page->text.format.encoding == Encoding::utf_8;
  context.files->saw(context.who.session, file,
                     is_whole ? std::optional<std::string_view>(page->content) : std::nullopt);
}

// What was asked for and does not fit this kind of file.
void note_unused(ReadOutput& out, const ReadInput& in, const Context& context) {
  const bool by_lines = in.offset || in.limit || in.start_line || in.end_line;
  if (out.kind == ReadKind::pdf && by_lines)
    out.note(fmt::format("a PDF is shown by pages, not by {}", context.parameter("offset")));
  if (out.kind != ReadKind::pdf && (in.pages || in.as == ReadAs::images))
    out.note(fmt::format("this is no PDF: {} was not used", in.pages ? "pages" : "as"));
}

Result<ReadOutput> read_file(const ReadInput& in, const std::string& path,
                             workspace::PageRequest request, Context& context) {
  const workspace::Workspace& files = *context.files;
  const workspace::OpenFile file = TRY(files.open_file(path));
  ReadOutput out{.path = files.display(path), .size = static_cast<std::int64_t>(file.status.size)};
  // Who names an encoding has bytes in mind.
  Promise promise = request.encoding ? Promise::text : promise_of(path);
  if (promise == Promise::notebook && in.as == ReadAs::text) promise = Promise::text;
  const bool all = request.lines == workspace::PageRequest{}.lines;
  const MediaRequest form{.skip = request.skip,
                          .limit = all ? 0 : request.lines,
                          .bytes = request.bytes,
                          .pages = in.pages ? *in.pages : std::string_view(),
                          .as_pictures = in.as == ReadAs::images};
  if (promise == Promise::notebook) {
    const Result<void> read = read_notebook(file, form, context, out);
    if (read || read.error().type == "past_end") {
      TRY(read);
      note_seen(file, nullptr, context);
      return out;
    }
    out.note(fmt::format("shown as text: {}", read.error().message));
  } else if (promise == Promise::media) {
    const std::string start = TRY(start_of(file, *out.path));
    if (media::file_type(start)) {
      TRY(read_binary(file, start, form, context, out));
      note_unused(out, in, context);
      note_seen(file, nullptr, context);
      return out;
    }
  }
  std::uint64_t next_told = kProgressStep;
  const auto checkpoint = [&](std::uint64_t offset) {
    if (offset >= next_told) {
      context.progress(static_cast<double>(offset), static_cast<double>(file.status.size), "bytes");
      next_told = offset + kProgressStep;
    }
    return context.checkpoint();
  };
  Result<workspace::Page> page =
      workspace::read_page(file, request, *out.path, std::ref(checkpoint));
  if (!page && page.error().type != "binary_file") return std::move(page).error();
  if (!page || (!request.encoding && is_other_type(*page))) {
    TRY(read_binary(file, TRY(start_of(file, *out.path)), form, context, out));
    note_unused(out, in, context);
    note_seen(file, nullptr, context);
    return out;
  }
  note_seen(file, &*page, context);
  note_unused(out, in, context);
  fill_page(out, in, std::move(*page), context);
  return out;
}

// Each file has its share of the page, and what it leaves goes to those behind it.
ReadOutput read_files(const ReadInput& in, const std::vector<std::string>& paths,
                      workspace::PageRequest request, Context& context) {
  ReadOutput all{.kind = ReadKind::files};
  all.files.emplace();
  size_t left = request.bytes;
  std::string text;  // of the files since the last image
  for (size_t i = 0; i < paths.size(); ++i) {
    request.bytes = std::max<size_t>(left / (paths.size() - i), 4);
    ReadFile file{.path = paths[i]};
    text += fmt::format("{}==> {} <==\n", text.empty() ? "" : "\n",
                        escape_for_display(context.files->display(paths[i])));
    Result<ReadOutput> out = read_file(in, paths[i], request, context);
    if (out) {
      left -= std::min(left, out->content_ ? out->content_->size() : 0);
      file.answer = parse_json(schema::encode(*out)).value_or(Json());
      text += out->text();
      for (ImageContent& image : out->images) {
        if (!text.empty()) all.parts.emplace_back(TextContent{std::move(text)});
        text.clear();
        all.parts.emplace_back(std::move(image));
      }
    } else {
      all.is_partial = true;
      if (context.dialect) out.error().hint = in_their_words(*context.dialect, out.error().hint);
      file.error = to_json(out.error());
      text += "error: " + describe(out.error()) + "\n";
    }
    all.files->push_back(std::move(file));
  }
  if (!text.empty()) all.parts.emplace_back(TextContent{std::move(text)});
  return all;
}

Result<ReadOutput> read(const ReadInput& in, Context& context) {
  TRY(need_files(context, "read"));
  workspace::PageRequest request = TRY(to_request(in));
  if (in.path && !in.paths) return read_file(in, *in.path, request, context);
  std::vector<std::string> paths = in.paths.value_or(std::vector<std::string>());
  if (in.path) paths.insert(paths.begin(), *in.path);
  if (paths.empty()) {
    const std::string_view path = context.parameter("path");
    return Error{Code::invalid_argument, fmt::format("{}: required, but missing", path),
                 fmt::format("{} names one file, paths several", path), "invalid_input"};
  }
  if (paths.size() > kMaxFiles) {
    return Error{Code::too_large, fmt::format("{} files were asked for", paths.size()),
                 fmt::format("ask for at most {} at once", kMaxFiles)};
  }
  return read_files(in, paths, request, context);
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
                     R"({"path": "data.json", "column": 2001})"},
                    {"Two pages of a PDF", R"({"path": "paper.pdf", "pages": "3-4"})"},
                    {"Several files at once", R"({"paths": ["README.md", "src/main.cc"]})"}},
       // A page is its own limit: at worst every byte is a newline and becomes a numbered line.
       .limits = {.inline_chars = 9 * kMaxPage}},
      read);
}

}  // namespace helve::tools

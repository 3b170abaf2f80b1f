#include "tools/read_output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

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

void append_notes(std::string& out, const ReadOutput& output) {
  if (!output.notes) return;
  for (const std::string& note : *output.notes) out += "note: " + note + "\n";
}

std::string lines_of(const ReadOutput& output) {
  const std::int64_t start = output.start_line.value_or(0), end = output.end_line.value_or(0);
  std::string_view lines = output.content_ ? *output.content_ : std::string_view();
  std::string out;
  out.reserve(lines.size() + static_cast<size_t>(end - start + 1) * 7 + 200);
  if (start > 1 || output.start_column || output.next_offset) {
    out += fmt::format("lines {}–{}", start, end);
    if (output.total_lines) out += fmt::format(" of {}", *output.total_lines);
    if (output.start_column) out += fmt::format(" · from character {}", *output.start_column);
    // Where this text shows less of the line than the content has, a note tells how to go on.
    const bool see_note = output.next_column && output.truncated_lines;
    if (see_note) {
      out += fmt::format(" · line {} goes on", end);
      if (output.next_offset && output.total_lines.value_or(end + 1) > end)
        out += fmt::format(" · next offset={}", *output.next_offset + 1);
    } else {
      out += output.next_offset ? fmt::format(" · next offset={}", *output.next_offset)
                                : " · end of file";
    }
    if (output.next_column && !see_note) out += fmt::format(" column={}", *output.next_column);
    out += '\n';
  }
  append_notes(out, output);
  if (start == 0) return out + shown_name(*output.path) + " is empty\n";
  if (start == 1 && lines.starts_with(kByteOrderMark)) lines.remove_prefix(kByteOrderMark.size());
  std::int64_t number = start;
  Long if_long = output.next_column ? Long::head : Long::head_and_count;
  if (output.start_column) if_long = Long::whole;
  if (lines.empty()) append_line(out, number, lines, if_long);
  for_each_line(lines, [&](std::string_view line) { append_line(out, number++, line, if_long); });
  return out;
}

std::string cells_of(const ReadOutput& output) {
  std::string out;
  if (output.total_cells == 0) {
    out = shown_name(*output.path) + " is a notebook without cells\n";
  } else {
    out = fmt::format("cells {}–{} of {}", output.start_line.value_or(0),
                      output.end_line.value_or(0), output.total_cells.value_or(0));
    out += output.next_offset ? fmt::format(" · next offset={}\n", *output.next_offset)
                              : " · end of notebook\n";
  }
  append_notes(out, output);
  return out + output.content_.value_or("");
}

std::string pages_of(const ReadOutput& output) {
  if (output.total_pages == 0) return shown_name(*output.path) + " is a PDF without pages\n";
  std::string out =
      fmt::format("pages {} of {}", output.pages.value_or(""), output.total_pages.value_or(0));
  if (output.next_pages) out += fmt::format(" · next pages={}", *output.next_pages);
  out += '\n';
  append_notes(out, output);
  return out + output.content_.value_or("");
}

// A file that is described: "a.png: PNG image, 640×480, 12.3 KB".
std::string description_of(const ReadOutput& output) {
  std::string out = shown_name(*output.path) + ": ";
  if (output.kind == ReadKind::binary) out += output.type ? "binary file, " : "binary file";
  out += output.type.value_or("");
  if (output.width) out += fmt::format(", {}×{}", *output.width, output.height.value_or(0));
  out += fmt::format(", {}\n", human_size(static_cast<std::uint64_t>(output.size.value_or(0))));
  append_notes(out, output);
  return out;
}

}  // namespace

bool is_too_long(std::string_view line) {
  return line.size() > kMaxShownLine && count_chars(line) > kMaxShownLine;
}

std::string ReadOutput::text() const {
  switch (kind) {
    case ReadKind::text:
      return lines_of(*this);
    case ReadKind::notebook:
      return cells_of(*this);
    case ReadKind::pdf:
      return pages_of(*this);
    case ReadKind::image:
    case ReadKind::binary:
      return description_of(*this);
    case ReadKind::files:
      break;
  }
  return "";
}

std::vector<Content> ReadOutput::content() const {
  if (kind == ReadKind::files) return parts;
  std::vector<Content> blocks = text_content(text());
  for (const ImageContent& image : images) blocks.emplace_back(image);
  return blocks;
}

}  // namespace helve::tools

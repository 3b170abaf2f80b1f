#include "tools/grep_output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tools/shown_name.h"

namespace helve::tools {
namespace {

void append(std::string& out, const GrepOutput& answer, const GrepFile& file, bool& first) {
  const std::string path = shown_name(file.path, file.escaped.has_value());
  if (answer.mode == OutputMode::files_with_matches) out += path + "\n";
  if (answer.mode == OutputMode::count) out += fmt::format("{}:{}\n", path, file.matches);
  if (!file.lines) return;
  std::int64_t last = -1;
  for (const GrepLine& line : *file.lines) {
    if (answer.with_context && !first && line.line != last + 1) out += "--\n";
    first = false;
    last = line.line;
    const char mark = line.context ? '-' : ':';
    (out += path) += mark;
    if (answer.with_numbers) fmt::format_to(std::back_inserter(out), "{}{}", line.line, mark);
    std::string_view text = line.text;
    if (text.ends_with('\r')) text.remove_suffix(1);  // of the line's end
    out += escape_lines_for_display(text);
    out += '\n';
  }
}

}  // namespace

std::string GrepOutput::text() const {
  std::string out;
  bool first = true;
  for (const GrepFile& file : files) append(out, *this, file, first);
  if (files.empty())
    out +=
        fmt::format("no {}matches{}\n", matches == 0 ? "" : "more ", is_partial ? " so far" : "");
  if (notes) {
    for (const std::string& note : *notes) out += "note: " + note + "\n";
  }
  return out;
}

}  // namespace helve::tools

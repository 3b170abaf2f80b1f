#include "edit/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "edit/patch_reader.h"

namespace helve::edit {

namespace {

constexpr std::string_view kForms =
    "give '*** Begin Patch' … '*** End Patch' with '*** Add File: p', '*** Update File: p' or "
    "'*** Delete File: p', or a unified diff with --- and +++ lines";

bool is_marker(std::string_view line) {
  return trim(line).starts_with("*** ") || line.starts_with("--- ") || line.starts_with("@@") ||
         line.starts_with("diff ");
}

// Lines without their newlines; without carriage returns too, when the patch itself ends its lines
// so, and not only the text in it.
std::vector<std::string_view> patch_lines(std::string_view patch) {
  std::vector<std::string_view> lines = split(patch, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  const auto marker = std::find_if(lines.begin(), lines.end(), is_marker);
  if (marker != lines.end() && marker->ends_with('\r')) {
    for (std::string_view& line : lines)
      if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

// The word of "<<'EOF'" or "apply_patch <<EOF"; empty when the line is none.
std::string_view heredoc_word(std::string_view line) {
  line = trim(line);
  const size_t at = line.find("<<");
  if (at == line.npos || line.starts_with("+") || line.starts_with("-")) return {};
  std::string_view word = trim(line.substr(at + 2));
  if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"') &&
      word.back() == word.front())
    word = word.substr(1, word.size() - 2);
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return std::all_of(word.begin(), word.end(), plain) ? word : std::string_view();
}

bool is_empty(std::string_view line) { return line.empty() || line == "\r"; }

// Empty lines, a code fence and a here-document around the patch are no part of it.
struct Inner {
  size_t begin, end;
};
Inner unwrapped(const std::vector<std::string_view>& lines) {
  size_t begin = 0;
  size_t end = lines.size();
  const auto skip_empty = [&] {
    while (begin < end && is_empty(lines[begin])) ++begin;
  };
  // What closes a wrapper goes, with the empty lines after it; others may belong to the last hunk.
  const auto close = [&](std::string_view mark) {
    size_t last = end;
    while (last > begin && is_empty(lines[last - 1])) --last;
    if (last > begin && trim(lines[last - 1]) == mark) end = last - 1;
  };
  skip_empty();
  if (begin < end && trim(lines[begin]).starts_with("```")) {
    ++begin;
    close("```");
  }
  skip_empty();
  if (begin < end) {
    const std::string_view word = heredoc_word(lines[begin]);
    if (!word.empty()) {
      ++begin;
      close(word);
    }
  }
  skip_empty();
  // A sentence before the envelope is no part of it either.
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = lines.begin() + static_cast<std::ptrdiff_t>(end);
  const auto marker = std::find_if(
      first, last, [](std::string_view line) { return line.starts_with(kBeginPatch); });
  if (marker != last && !is_marker(*first)) begin = static_cast<size_t>(marker - lines.begin());
  return {begin, end};
}

bool parse_number(std::string_view& text, size_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return true;
}

bool parse_count(std::string_view& text, size_t& line, size_t& count) {
  if (!parse_number(text, line)) return false;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  return parse_number(text, count);
}

// "--- a/x" and "+++ b/x": the names may differ in the folder that git puts before them.
bool name_one_file(std::string_view old_line, std::string_view new_line) {
  const auto name_in = [](std::string_view line) {
    line.remove_prefix(4);
    return trim(line.substr(0, line.find('\t')));
  };
  const std::string_view old_name = name_in(old_line);
  const std::string_view new_name = name_in(new_line);
  const auto inner = [](std::string_view name) { return name.substr(name.find('/') + 1); };
  return old_name == new_name || old_name == "/dev/null" || new_name == "/dev/null" ||
         inner(old_name) == inner(new_name);
}

// True at the --- and +++ lines that begin the next file of a unified diff. In a hunk without
// counts they may also be a line that goes and one that comes: "-- c" and "++ d".
bool at_file_names(const PatchReader& reader) {
  if (!reader.line().starts_with("--- ") || !reader.peek().starts_with("+++ ")) return false;
  HunkRange range;
  return parse_range(reader.peek(2), range) ||
         (reader.peek(2).starts_with("@@") && name_one_file(reader.line(), reader.peek()));
}

}  // namespace

Error bad_patch(size_t line, std::string_view what, std::string_view hint) {
  return {Code::invalid_argument, fmt::format("line {} of the patch: {}", line, what),
          std::string(hint), "invalid_patch"};
}

bool parse_range(std::string_view header, HunkRange& range) {
  range = {};
  if (!header.starts_with("@@ -")) return false;
  header.remove_prefix(4);
  if (!parse_count(header, range.old_line, range.old_count)) return false;
  if (!header.starts_with(" +")) return false;
  header.remove_prefix(2);
  return parse_count(header, range.new_line, range.new_count) && header.starts_with(" @@");
}

bool parse_anchor(std::string_view header, std::string_view& anchor) {
  if (!header.starts_with("@@")) return false;
  header.remove_prefix(2);
  if (!header.empty() && !header.starts_with(' ') && !header.starts_with('\t')) return false;
  if (!header.empty()) header.remove_prefix(1);
  const std::string_view ended = header.substr(0, header.find_last_not_of(" \t\r") + 1);
  if (ended == "@@")
    header = {};
  else if (ended.ends_with(" @@"))
    header = ended.substr(0, ended.size() - 3);
  anchor = trim(header).empty() ? std::string_view() : header;
  return true;
}

void read_hunk_lines(PatchReader& reader, Hunk& hunk, Form form) {
  size_t kept = hunk.lines.size();
  for (; !reader.done(); reader.next()) {
    const std::string_view line = reader.line();
    if (form == Form::unified && at_file_names(reader)) break;
    if (is_empty(line)) {
      // Many writers drop the space of an empty context line.
      hunk.lines.push_back({HunkLine::Kind::common, line});
      continue;
    }
    if (line.starts_with("\\ ")) {
      if (kept > 0) hunk.lines[kept - 1].open_end = true;
      continue;
    }
    if (line[0] != ' ' && line[0] != '+' && line[0] != '-') break;
    hunk.lines.push_back({static_cast<HunkLine::Kind>(line[0]), line.substr(1)});
    kept = hunk.lines.size();
  }
  hunk.lines.resize(kept, HunkLine{HunkLine::Kind::common, {}});
}

Result<std::vector<FilePatch>> parse_patch(std::string_view patch, std::string_view path) {
  if (patch.starts_with(kByteOrderMark)) patch.remove_prefix(kByteOrderMark.size());
  std::vector<std::string_view> lines = patch_lines(patch);
  const Inner inner = unwrapped(lines);
  if (inner.begin == inner.end) {
    return Error{Code::invalid_argument, "the patch is empty", std::string(kForms),
                 "invalid_patch"};
  }
  // Indented, the end marker would pass for a line of context.
  size_t last = inner.end - 1;
  while (last > inner.begin && is_empty(lines[last])) --last;
  if (trim(lines[last]) == kEndPatch) lines[last] = kEndPatch;
  PatchReader reader(
      std::span<const std::string_view>(lines).subspan(inner.begin, inner.end - inner.begin),
      inner.begin + 1);
  const bool envelope =
      trim(reader.line()).starts_with("*** ") && !reader.peek().starts_with("--- ");
  std::vector<FilePatch> patches =
      TRY(envelope ? parse_envelope(reader) : parse_unified(reader, path));
  if (patches.empty()) {
    return Error{Code::invalid_argument, "the patch names no file to change", std::string(kForms),
                 "invalid_patch"};
  }
  if (patches.size() > kMaxPatchFiles) {
    return Error{Code::too_large, fmt::format("the patch changes {} files", patches.size()),
                 fmt::format("at most {} in one call", kMaxPatchFiles), "too_many_files"};
  }
  return patches;
}

}  // namespace helve::edit

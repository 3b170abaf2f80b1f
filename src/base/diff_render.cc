// What a difference looks like: as a patch, and as a short text to read.
#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/diff_window.h"
#include "base/text.h"

namespace helve {

namespace {

// Changes whose surroundings touch, as lines of the texts from 0 on.
struct Hunk {
  size_t old_begin, old_end, new_begin, new_end;
  std::vector<LineChange> changes;
};

std::vector<Hunk> group(const std::vector<LineChange>& changes, const DiffWindow& window,
                        size_t context) {
  const size_t old_end = window.skipped_lines + window.old_lines.size();
  std::vector<Hunk> hunks;
  for (const LineChange& change : changes) {
    const size_t before = std::min(context, change.old_line - window.skipped_lines);
    const size_t change_end = change.old_line + change.old_count;
    const size_t after = std::min(context, old_end - change_end);
    if (hunks.empty() || change.old_line - before > hunks.back().old_end)
      hunks.push_back({change.old_line - before, 0, change.new_line - before, 0, {}});
    hunks.back().old_end = change_end + after;
    hunks.back().new_end = change.new_line + change.new_count + after;
    hunks.back().changes.push_back(change);
  }
  return hunks;
}

enum class Sign : char { common = ' ', removed = '-', added = '+' };

// Calls `visit(sign, old line, new line)` for each line of a hunk, in the order it is shown.
template <class Visit>
void each_line(const Hunk& hunk, Visit visit) {
  size_t old_line = hunk.old_begin;
  size_t new_line = hunk.new_begin;
  const auto common_until = [&](size_t end) {
    for (; old_line < end; ++old_line, ++new_line) visit(Sign::common, old_line, new_line);
  };
  for (const LineChange& change : hunk.changes) {
    common_until(change.old_line);
    for (size_t i = 0; i < change.old_count; ++i) visit(Sign::removed, old_line++, new_line);
    for (size_t i = 0; i < change.new_count; ++i) visit(Sign::added, old_line, new_line++);
  }
  common_until(hunk.old_end);
}

std::string_view line_of(const DiffWindow& window, Sign sign, size_t old_line, size_t new_line) {
  return sign == Sign::added ? window.new_lines[new_line - window.skipped_lines]
                             : window.old_lines[old_line - window.skipped_lines];
}

void append_name(std::string& out, std::string_view prefix, std::string_view name,
                 std::string_view label) {
  const std::string written = patch_name(name);
  // Without the tab `patch` takes a name to end at its first space.
  const bool ends_early = !written.starts_with('"') && written.find(' ') != written.npos;
  out.append(prefix).append(written).append(ends_early || !label.empty() ? "\t" : "");
  out.append(label).append("\n");
}

// "12,3", or "12" for one line; a hunk without lines names the line before it.
std::string range(size_t begin, size_t end) {
  const size_t count = end - begin;
  if (count == 1) return fmt::format("{}", begin + 1);
  return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

}  // namespace

std::string patch_name(std::string_view name) {
  const auto odd = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
  };
  if (std::none_of(name.begin(), name.end(), odd)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (odd(c))
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string unified_diff(const UnifiedNames& names, std::string_view old_text,
                         std::string_view new_text, size_t context) {
  return std::move(bounded_patch(names, old_text, new_text, {}, context)->text);
}

Result<Patch> bounded_patch(const UnifiedNames& names, std::string_view old_text,
                            std::string_view new_text, const PatchBounds& bounds, size_t context) {
  const DiffWindow window = TRY(diff_window(old_text, new_text, context, bounds.lines));
  const std::optional<std::vector<LineChange>> changes = diff_lines(window, bounds.is_over);
  if (!changes) return Error{Code::cancelled, "the comparison was stopped"};
  Patch patch{.text = {}, .counts = count_changes(*changes)};
  std::string& out = patch.text;
  if (changes->empty()) return patch;
  append_name(out, "--- ", names.old_name, names.old_label);
  append_name(out, "+++ ", names.new_name, names.new_label);
  for (const Hunk& hunk : group(*changes, window, context)) {
    if (out.size() >= bounds.bytes) break;
    fmt::format_to(std::back_inserter(out), "@@ -{} +{} @@\n", range(hunk.old_begin, hunk.old_end),
                   range(hunk.new_begin, hunk.new_end));
    each_line(hunk, [&](Sign sign, size_t old_line, size_t new_line) {
      if (out.size() >= bounds.bytes) return;
      const std::string_view line = line_of(window, sign, old_line, new_line);
      out += static_cast<char>(sign);
      out += line.substr(0, bounds.bytes - out.size() + 1);
      if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
    });
  }
  return patch;
}

namespace {

// True when an ending tells one of the changed lines from another, so that it must be seen.
bool endings_differ(const std::vector<LineChange>& changes, const DiffWindow& window) {
  bool dos = false;
  bool other = false;
  for (const LineChange& change : changes) {
    const auto look = [&](const std::vector<std::string_view>& lines, size_t begin, size_t count) {
      for (size_t i = begin; i < begin + count; ++i)
        (lines[i - window.skipped_lines].ends_with("\r\n") ? dos : other) = true;
    };
    look(window.old_lines, change.old_line, change.old_count);
    look(window.new_lines, change.new_line, change.new_count);
  }
  return dos && other;
}

std::string shown(std::string_view line, bool show_return, size_t max_chars) {
  const bool ended = line.ends_with('\n');
  if (ended) line.remove_suffix(1);
  if (ended && !show_return && line.ends_with('\r')) line.remove_suffix(1);
  std::string text = escape_lines_for_display(preview(line, max_chars));
  if (!ended) text += "  (no newline at the end)";
  return text;
}

}  // namespace

std::string short_diff(std::string_view old_text, std::string_view new_text,
                       const ShortDiffOptions& options) {
  return summarize_diff(old_text, new_text, options).text;
}

DiffSummary summarize_diff(std::string_view old_text, std::string_view new_text,
                           const ShortDiffOptions& options) {
  // Nobody sees a mark that both have, and who copied the line would not find it again.
  if (old_text.starts_with(kByteOrderMark) && new_text.starts_with(kByteOrderMark)) {
    old_text.remove_prefix(kByteOrderMark.size());
    new_text.remove_prefix(kByteOrderMark.size());
  }
  const DiffWindow window = diff_window(old_text, new_text, options.context);
  const std::vector<LineChange> changes = diff_lines(window);
  const std::vector<Hunk> hunks = group(changes, window, options.context);
  if (hunks.empty()) return {};
  const bool show_return = endings_differ(changes, window);
  const size_t width =
      fmt::formatted_size("{}", std::max(hunks.back().old_end, hunks.back().new_end));
  std::string out;
  size_t lines = 0;
  size_t left_out = 0;
  for (const Hunk& hunk : hunks) {
    if (lines > 0 && lines < options.max_lines) out += fmt::format("{:>{}}\n", "…", width);
    each_line(hunk, [&](Sign sign, size_t old_line, size_t new_line) {
      if (lines >= options.max_lines) {
        ++left_out;
        return;
      }
      ++lines;
      const std::string_view line = line_of(window, sign, old_line, new_line);
      fmt::format_to(std::back_inserter(out), "{:>{}} {} {}\n",
                     (sign == Sign::removed ? old_line : new_line) + 1, width,
                     static_cast<char>(sign), shown(line, show_return, options.max_chars));
    });
  }
  if (left_out > 0)
    out += fmt::format("… {} more {}\n", left_out, left_out == 1 ? "line" : "lines");
  return {std::move(out), count_changes(changes)};
}

}  // namespace helve

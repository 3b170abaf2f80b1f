#include "edit/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "edit/endings.h"
#include "edit/lines.h"
#include "edit/place.h"

namespace helve::edit {

namespace {

Error overlapping(std::string_view path, size_t line) {
  return {
      Code::invalid_argument,
      fmt::format("two parts of the patch change line {} of {}", line, escape_for_display(path)),
      "join them into one", "overlap"};
}

constexpr size_t kFewParts =
    4;  // up to here looking through the lines costs less than hashing them

// Runs `edit` on the content as ordinary lines: without its mark, and with newlines in place of
// lone carriage returns.
template <class Edit>
Result<Patched> on_lines(std::string content, std::string_view path, size_t parts, Edit edit) {
  const size_t mark = content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const LoneReturns returns(std::string_view(content).substr(mark));
  returns.as_newlines(content);
  const std::string_view text = std::string_view(content).substr(mark);
  LineIndex file(text);
  if (parts > kFewParts) file.hash_lines();
  Patched patched;
  std::vector<Splice> splices = TRY(edit(file, patched));
  for (size_t i = 0; i < splices.size(); ++i) splices[i].rank = i;
  std::sort(splices.begin(), splices.end(), [](const Splice& a, const Splice& b) {
    return std::tie(a.begin, a.end, a.rank) < std::tie(b.begin, b.end, b.rank);
  });
  for (size_t i = 1; i < splices.size(); ++i)
    if (splices[i].begin < splices[i - 1].end) return overlapping(path, splices[i].begin + 1);
  for (const Splice& splice : splices) {
    patched.added += splice.lines.size();
    patched.removed += splice.end - splice.begin;
  }
  std::vector<ByteSplice> changes = byte_splices_of(file, splices);
  for (ByteSplice& part : changes) {
    patched.changed |= text.substr(part.begin, part.end - part.begin) != part.text;
    part.begin += mark;
    part.end += mark;
  }
  replace_parts(content, changes);
  returns.as_returns(content);
  patched.content = std::move(content);
  return patched;
}

// True when both sides end without a newline: then the patch does not mean to take away one that
// the file has.
bool keeps_open_end(const Hunk& hunk) {
  return std::any_of(hunk.lines.begin(), hunk.lines.end(), [](const HunkLine& line) {
    return line.open_end && line.kind != HunkLine::Kind::added;
  });
}

void add_splices(std::vector<Splice>& splices, const LineIndex& file, const Hunk& hunk,
                 const Placed& placed) {
  const bool file_ends_open = !file.text().ends_with('\n');
  const bool may_open_end = file_ends_open || !keeps_open_end(hunk);
  const bool names_returns =
      placed.stage == Stage::exact &&
      std::any_of(hunk.lines.begin(), hunk.lines.end(), [](const HunkLine& line) {
        return line.kind != HunkLine::Kind::added && line.text.ends_with('\r');
      });
  size_t line = placed.line;
  bool open = false;  // the last splice goes on
  for (const HunkLine& given : hunk.lines) {
    if (given.kind == HunkLine::Kind::common) {
      line += line < placed.line + placed.matched ? 1 : 0;
      open = false;
      continue;
    }
    if (!open) splices.push_back({line, line, {}});
    open = true;
    if (given.kind == HunkLine::Kind::removed)
      splices.back().end = ++line;
    else
      splices.back().lines.push_back(
          {placed.shift.apply(given.text), names_returns, given.open_end && may_open_end});
  }
}

}  // namespace

Result<Patched> apply_hunks(std::string content, std::span<const Hunk> hunks,
                            std::string_view path) {
  using Splices = Result<std::vector<Splice>>;
  return on_lines(std::move(content), path, hunks.size(),
                  [&](const LineIndex& file, Patched& patched) -> Splices {
                    const std::vector<Placed> placed = TRY(place_hunks(file, hunks, path));
                    std::vector<Splice> splices;
                    for (size_t i = 0; i < hunks.size(); ++i) {
                      add_splices(splices, file, hunks[i], placed[i]);
                      patched.stage = std::max(patched.stage, placed[i].stage);
                    }
                    return splices;
                  });
}

namespace {

Result<void> check_range(const LinePatch& patch, const LineIndex& file, std::string_view path) {
  const bool inserts = patch.end_line == 0;
  const size_t most = file.size() + (inserts ? 1 : 0);
  if (patch.start_line < 1 || patch.start_line > most || patch.end_line > most) {
    const std::string lines =
        inserts ? fmt::format("line {} is", patch.start_line)
                : fmt::format("lines {}–{} are", patch.start_line, patch.end_line);
    return Error{
        Code::invalid_argument,
        fmt::format("{} not in {}, which has {}", lines, escape_for_display(path), file.size()),
        "lines count from 1; end_line 0 inserts before start_line, which may be one past the "
        "last line",
        "out_of_range"};
  }
  if (!inserts && patch.end_line < patch.start_line) {
    return Error{
        Code::invalid_argument,
        fmt::format("end_line {} is before start_line {}", patch.end_line, patch.start_line),
        "end_line is the last line to replace, or 0 to insert", "out_of_range"};
  }
  if (inserts && patch.content.empty()) {
    return Error{Code::invalid_argument,
                 fmt::format("nothing to insert before line {}", patch.start_line),
                 "give content; a newline alone is an empty line", "no_change"};
  }
  return {};
}

Splice splice_of(const LinePatch& patch, bool open_end) {
  const size_t begin = patch.start_line - 1;
  Splice splice{begin, patch.end_line == 0 ? begin : patch.end_line, {}};
  for (std::string_view line : split(patch.content, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    splice.lines.push_back({std::string(line), false, open_end});
  }
  if (patch.content.empty() || patch.content.ends_with('\n')) splice.lines.pop_back();
  return splice;
}

}  // namespace

Result<Patched> apply_line_patches(std::string content, std::span<const LinePatch> patches,
                                   std::string_view path) {
  using Splices = Result<std::vector<Splice>>;
  return on_lines(std::move(content), path, 0, [&](const LineIndex& file, Patched&) -> Splices {
    const bool open_end = !file.text().empty() && !file.text().ends_with('\n');
    std::vector<Splice> splices;
    for (const LinePatch& patch : patches) {
      TRY(check_range(patch, file, path));
      splices.push_back(splice_of(patch, open_end && !patch.content.ends_with('\n')));
    }
    return splices;
  });
}

}  // namespace helve::edit

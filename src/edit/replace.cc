#include "edit/replace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diff.h"
#include "base/text.h"
#include "edit/endings.h"

namespace helve::edit {

namespace {

// What stands in the region of an inexact match afterwards: lines that the new text leaves as they
// were in the old one are taken from the file.
std::string inexact_replacement(std::string_view region, const Replacement& replacement,
                                const Match& match, std::string_view ending) {
  const std::vector<std::string_view> old_lines = split_lines(replacement.old_text);
  const std::vector<std::string_view> new_lines = split_lines(replacement.new_text);
  const std::vector<std::string_view> kept = split_lines(region);
  std::string out;
  const auto append_new = [&](size_t begin, size_t count) {
    for (size_t i = begin; i < begin + count; ++i) {
      const bool shifts = i > 0 || match.whole_start;
      const std::string line = shifts ? match.shift.apply(new_lines[i]) : std::string(new_lines[i]);
      append_with_ending(out, line, ending);
    }
  };
  if (kept.size() != old_lines.size()) {
    append_new(0, new_lines.size());
    return out;
  }
  size_t line = 0;
  for (const LineChange& change : diff_lines(replacement.old_text, replacement.new_text)) {
    while (line < change.old_line) out += kept[line++];
    append_new(change.new_line, change.new_count);
    line += change.old_count;
  }
  while (line < kept.size()) out += kept[line++];
  return out;
}

std::string replacement_for(std::string_view content, const Region& region,
                            const Replacement& replacement, const Match& match, Endings& endings) {
  const std::string_view matched = content.substr(region.begin, region.end - region.begin);
  const std::string_view ending = endings.near(region.begin);
  if (match.stage != Stage::exact) return inexact_replacement(matched, replacement, match, ending);
  // A text that names carriage returns itself and was found means them.
  if (replacement.old_text.find('\r') != replacement.old_text.npos)
    return std::string(replacement.new_text);
  std::string out;
  for (const std::string_view line : split_lines(replacement.new_text)) {
    if (ending_of(line) == "\n")
      append_with_ending(out, line, ending);
    else
      out += line;
  }
  return out;
}

Result<Replaced::Step> replace_one(std::string& content, const Replacement& replacement,
                                   const Names& names, const std::stop_token& stop) {
  if (replacement.old_text == replacement.new_text && !replacement.old_text.empty()) {
    return Error{Code::invalid_argument,
                 fmt::format("the new text is the same as {}", names.parameter),
                 "nothing would change; give the new text", "no_change"};
  }
  const Match match = TRY(find_text(content, replacement.old_text, replacement.count, names, stop));
  Replaced::Step step{match.regions.size(), line_number(content, match.regions[0].begin),
                      match.stage};
  Endings endings(content);
  if (match.regions.size() == 1) {
    const Region region = match.regions[0];
    const std::string text = replacement_for(content, region, replacement, match, endings);
    content.replace(region.begin, region.end - region.begin, text);
    return step;
  }
  std::string out;
  out.reserve(content.size() + match.regions.size() * replacement.new_text.size());
  size_t at = 0;
  for (const Region& region : match.regions) {
    out.append(content, at, region.begin - at);
    out += replacement_for(content, region, replacement, match, endings);
    at = region.end;
  }
  out.append(content, at);
  content = std::move(out);
  return step;
}

// Says which of several replacements failed.
Error of_edit(Error error, size_t index, size_t count) {
  if (count > 1) error.message = fmt::format("edit {} of {}: {}", index + 1, count, error.message);
  if (count > 1) error.hint += "; nothing was changed";
  return error;
}

}  // namespace

Result<Replaced> replace(std::string_view content, std::span<const Replacement> replacements,
                         const Names& names, const std::stop_token& stop) {
  const bool marked = content.starts_with(kByteOrderMark);
  if (marked) content.remove_prefix(kByteOrderMark.size());
  const LoneReturns returns(content);
  Replaced replaced{std::string(content), {}};
  returns.as_newlines(replaced.content);
  for (size_t i = 0; i < replacements.size(); ++i) {
    Replacement replacement = replacements[i];
    std::string old_text;
    std::string new_text;
    if (returns.active()) {
      replacement.old_text = old_text = returns.given_as_newlines(replacement.old_text);
      replacement.new_text = new_text = returns.given_as_newlines(replacement.new_text);
    }
    if (marked && replacement.old_text.starts_with(kByteOrderMark) &&
        replacement.new_text.starts_with(kByteOrderMark)) {
      replacement.old_text.remove_prefix(kByteOrderMark.size());
      replacement.new_text.remove_prefix(kByteOrderMark.size());
    }
    Result<Replaced::Step> step = replace_one(replaced.content, replacement, names, stop);
    if (!step) return of_edit(std::move(step).error(), i, replacements.size());
    // The text was found with other line endings than it has.
    if (returns.active() && replacements[i].old_text.contains('\n'))
      step->stage = std::max(step->stage, Stage::line_endings);
    replaced.steps.push_back(*step);
  }
  returns.as_returns(replaced.content);
  if (marked) replaced.content.insert(0, kByteOrderMark);
  return replaced;
}

}  // namespace helve::edit

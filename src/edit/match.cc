#include "edit/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/diff.h"
#include "edit/nearest.h"

namespace helve::edit {

namespace {

constexpr size_t kMostNamedLines = 10;       // of a text that occurs often
constexpr size_t kMostCandidates = 100'000;  // places of an inexact match that are looked at

constexpr size_t kNone = std::string_view::npos;

// memmem: unlike find it stays fast when the first character is a common one.
size_t find_from(std::string_view content, std::string_view text, size_t from) {
  if (from > content.size()) return kNone;
  const void* const found =
      memmem(content.data() + from, content.size() - from, text.data(), text.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - content.data()) : kNone;
}

std::vector<Region> find_exact(std::string_view content, std::string_view text, Count count) {
  std::vector<Region> regions;
  // Overlapping places are two places too, when only one is allowed.
  const size_t step = count == Count::all ? text.size() : 1;
  for (size_t at = find_from(content, text, 0); at != kNone;
       at = find_from(content, text, at + step))
    regions.push_back({at, at + text.size()});
  return regions;
}

// A text with each line folded. Lines stay lines, so a place in it is a line and a column.
std::string folded(std::string_view text, Stage stage) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t size = newline == kNone ? text.size() : newline + 1;
    append_folded(out, text.substr(0, size), stage);
    text.remove_prefix(size);
  }
  return out;
}

// Where the first `size` bytes of a folded line end in the line itself.
size_t unfolded_column(std::string_view line, size_t size, Stage stage) {
  if (stage < Stage::indentation) return size;
  const size_t indent = indent_of(line).size();
  if (stage == Stage::indentation) return indent + size;
  std::string plain;
  append_plain(plain, line);
  return plain_prefix(line, indent_of(plain).size() + size);
}

class InexactSearch {
 public:
  InexactSearch(std::string_view content, std::string_view text, Stage stage)
      : content_(content),
        stage_(stage),
        text_lines_(split_lines(text)),
        folded_text_(folded(text, stage)) {
    const std::string_view first = text_lines_.front();
    const std::string_view last = text_lines_.back();
    // What folding took from the ends of the text must not match in the middle of a line.
    from_start_ = stage >= Stage::indentation && !indent_of(first).empty();
    to_end_ = stage >= Stage::trailing_whitespace && !last.ends_with('\n') &&
              without_trailing_space(last).size() < last.size();
  }

  // Up to two matches: the second tells that the first is not the only one.
  std::vector<Match> run() {
    std::vector<Match> matches;
    if (std::all_of(folded_text_.begin(), folded_text_.end(), [](char c) { return c == '\n'; }))
      return matches;
    const std::string file = folded(content_, stage_);
    size_t candidates = 0;
    size_t line = 0;
    size_t line_at = 0;  // where that line begins in `content_`
    size_t counted = 0;
    for (size_t at = find_from(file, folded_text_, 0); at != kNone && candidates < kMostCandidates;
         at = find_from(file, folded_text_, at + 1), ++candidates) {
      for (; counted < at; ++counted) {
        if (file[counted] != '\n') continue;
        ++line;
        line_at = content_.find('\n', line_at) + 1;
      }
      if (auto match = check(file, at, line_at)) matches.push_back(std::move(*match));
      if (matches.size() > 1) break;
    }
    return matches;
  }

 private:
  std::optional<Match> check(std::string_view file, size_t at, size_t line_at) const {
    const size_t line_start = at == 0 ? 0 : file.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    const size_t column = at - line_start;
    const size_t end = at + folded_text_.size();
    const bool at_end = end == file.size() || file[end] == '\n';
    if (from_start_ && column > 0) return {};
    if (to_end_ && !at_end) return {};

    Match match{.stage = stage_, .regions = {}, .whole_start = column == 0};
    const std::string_view rest = content_.substr(line_at);
    const size_t begin =
        line_at + (column == 0 ? 0 : unfolded_column(first_line(rest), column, stage_));
    std::vector<IndentPair> indents;
    size_t here = line_at;  // the file's line that stands for a line of the text
    for (size_t i = 0; i + 1 < text_lines_.size(); ++i) {
      note_indent(indents, text_lines_[i], here, i > 0 || column == 0);
      here += first_line(content_.substr(here)).size();
    }
    note_indent(indents, text_lines_.back(), here, text_lines_.size() > 1 || column == 0);
    if (stage_ >= Stage::indentation) {
      auto shift = uniform_shift(indents);
      if (!shift) return {};
      match.shift = std::move(*shift);
    }
    match.regions.push_back({begin, end_of(file, end, here, at_end)});
    return match;
  }

  static std::string_view first_line(std::string_view text) {
    const size_t newline = text.find('\n');
    return text.substr(0, newline == kNone ? text.size() : newline + 1);
  }

  void note_indent(std::vector<IndentPair>& indents, std::string_view given, size_t line_at,
                   bool counts) const {
    if (!counts || without_trailing_space(given).empty()) return;
    indents.push_back({indent_of(given), indent_of(content_.substr(line_at))});
  }

  // Past the match in the file; `last` is where the last line of it begins there.
  size_t end_of(std::string_view file, size_t end, size_t last, bool at_end) const {
    const std::string_view line = first_line(content_.substr(last));
    if (text_lines_.back().ends_with('\n')) return last + line.size();
    if (at_end) return last + without_ending(line).size();
    const size_t newline = file.rfind('\n', end - 1);
    const size_t start = newline == kNone ? 0 : newline + 1;
    return last + unfolded_column(line, end - start, stage_);
  }

  std::string_view content_;
  Stage stage_;
  std::vector<std::string_view> text_lines_;
  std::string folded_text_;
  bool from_start_ = false;
  bool to_end_ = false;
};

Error not_unique(std::string_view content, const std::vector<Region>& regions, const Names& names) {
  std::string lines;
  for (size_t i = 0; i < regions.size() && i < kMostNamedLines; ++i) {
    fmt::format_to(std::back_inserter(lines), "{}{}", i == 0 ? "" : ", ",
                   line_number(content, regions[i].begin));
  }
  if (regions.size() > kMostNamedLines)
    lines += fmt::format(" and {} more", regions.size() - kMostNamedLines);
  return {Code::conflict,
          fmt::format("{} occurs {} times in {}: on lines {}", names.parameter, regions.size(),
                      names.file, lines),
          "add lines around it until it is the only one, or set replace_all to change each",
          "not_unique"};
}

Error inexact_not_unique(std::string_view content, const std::vector<Match>& matches,
                         const Names& names) {
  return {Code::conflict,
          fmt::format("{} is not in {}; {} it is there several times, first on lines {} and {}",
                      names.parameter, names.file, describe(matches[0].stage),
                      line_number(content, matches[0].regions[0].begin),
                      line_number(content, matches[1].regions[0].begin)),
          "copy the text exactly as the file has it, with lines around it until it is the only one",
          "not_unique"};
}

}  // namespace

size_t line_number(std::string_view content, size_t at) {
  return 1 + count_newlines(content.substr(0, at));
}

Result<Match> find_text(std::string_view content, std::string_view text, Count count,
                        const Names& names) {
  if (text.empty()) {
    return Error{Code::invalid_argument, fmt::format("{} is empty", names.parameter),
                 "name the text to replace; to add a file or replace all of it, use write",
                 "empty_text"};
  }
  std::vector<Region> regions = find_exact(content, text, count);
  if (regions.size() > 1 && count == Count::one) return not_unique(content, regions, names);
  if (!regions.empty()) return Match{.stage = Stage::exact, .regions = std::move(regions)};
  for (const Stage stage :
       {Stage::line_endings, Stage::trailing_whitespace, Stage::indentation, Stage::punctuation}) {
    std::vector<Match> matches = InexactSearch(content, text, stage).run();
    if (matches.size() > 1) return inexact_not_unique(content, matches, names);
    if (matches.size() == 1) return std::move(matches[0]);
  }
  return not_found(content, text, names);
}

}  // namespace helve::edit

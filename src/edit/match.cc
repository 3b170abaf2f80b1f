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

constexpr size_t kMostPlaces = 4'000'000;  // that are replaced at once
constexpr size_t kStopInterval = 1024;     // places between two looks at whether to stop

constexpr size_t kNone = std::string_view::npos;

Error stopped() { return {Code::cancelled, "the search was stopped", ""}; }

// memmem: unlike find it stays fast when the first character is a common one.
size_t find_from(std::string_view content, std::string_view text, size_t from) {
  if (from > content.size()) return kNone;
  const void* const found =
      memmem(content.data() + from, content.size() - from, text.data(), text.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - content.data()) : kNone;
}

Error too_many() {
  return {Code::too_large, fmt::format("there are more than {} places to replace", kMostPlaces),
          "give a longer text, or change the file by a program", "too_many_places"};
}

struct Places {
  std::vector<Region> regions;  // when one is wanted, no more of them than are named in an error
  size_t count = 0;
  size_t apart = 0;  // of them, those that could all be replaced: they do not overlap
};

Result<Places> find_exact(std::string_view content, std::string_view text, Count count,
                          const std::stop_token& stop) {
  Places places;
  // Overlapping places are two places too, when only one is allowed.
  const size_t step = count == Count::all ? text.size() : 1;
  // A newline takes the carriage return before it along, unless the text says which there are.
  const bool takes_return = text.starts_with('\n') && text.find('\r') == text.npos;
  size_t free = 0;  // the end of the last one that could be replaced
  for (size_t at = find_from(content, text, 0); at != kNone;
       at = find_from(content, text, at + step)) {
    if (places.count++ % kStopInterval == 0 && stop.stop_requested()) return stopped();
    if (at >= free) ++places.apart, free = at + text.size();
    if (count == Count::one && places.count > kMostNamedLines) continue;
    if (places.count > kMostPlaces) return too_many();
    const bool after_return = takes_return && at > 0 && content[at - 1] == '\r';
    places.regions.push_back({at - (after_return ? 1 : 0), at + text.size()});
  }
  return places;
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

// A line of the file and its folded form. Places in it are asked for from left to right, so that a
// line is gone through once, however many there are.
class FoldedLine {
 public:
  FoldedLine(std::string_view content, size_t start, Stage stage)
      : content_(content), start_(start), stage_(stage), at_(start) {
    if (stage == Stage::indentation) at_ += indent_of(content.substr(start)).size();
    if (stage == Stage::punctuation) skip_indent();
  }

  size_t start() const { return start_; }

  // Where the byte at a column of the folded line comes from; nothing when it is in the middle of
  // what one character became.
  std::optional<size_t> place_of(size_t column) {
    if (stage_ != Stage::punctuation) return at_ + column;
    while (column_ < column && at_ < content_.size()) {
      const PlainChar next = plain_char(content_.substr(at_));
      column_ += next.plain.size();
      at_ += next.length;
    }
    return column_ == column ? std::optional(at_) : std::nullopt;
  }

 private:
  void skip_indent() {
    while (at_ < content_.size()) {
      const PlainChar next = plain_char(content_.substr(at_));
      if (!std::all_of(next.plain.begin(), next.plain.end(), is_blank)) break;
      at_ += next.length;
    }
  }

  std::string_view content_;
  size_t start_;
  Stage stage_;
  size_t at_;  // the place of a column
  size_t column_ = 0;
};

class InexactSearch {
 public:
  InexactSearch(std::string_view content, std::string_view text, Stage stage)
      : content_(content),
        stage_(stage),
        text_lines_(split_lines(text)),
        folded_text_(folded(text, stage)),
        last_line_size_(folded_text_.size() - (folded_text_.rfind('\n') + 1)) {  // npos + 1 is 0
    const std::string_view first = text_lines_.front();
    const std::string_view last = text_lines_.back();
    // What folding took from the ends of the text must not match in the middle of a line.
    from_start_ = stage >= Stage::indentation && !indent_of(first).empty();
    to_end_ = stage >= Stage::trailing_whitespace && !last.ends_with('\n') &&
              without_trailing_space(last).size() < last.size();
  }

  // Up to two matches: the second tells that the first is not the only one.
  Result<std::vector<Match>> run(const std::stop_token& stop) {
    std::vector<Match> matches;
    if (std::all_of(folded_text_.begin(), folded_text_.end(), [](char c) { return c == '\n'; }))
      return matches;
    const std::string file = folded(content_, stage_);
    FoldedLine line(content_, 0, stage_);
    size_t line_start = 0;  // of that line in `file`
    size_t seen = 0;        // newlines are counted up to here
    size_t candidates = 0;
    for (size_t at = find_from(file, folded_text_, 0); at != kNone && candidates < kMostCandidates;
         at = find_from(file, folded_text_, at + 1), ++candidates) {
      if (candidates % kStopInterval == 0 && stop.stop_requested()) return stopped();
      for (; seen < at; ++seen) {
        if (file[seen] != '\n') continue;
        line_start = seen + 1;
        line = FoldedLine(content_, content_.find('\n', line.start()) + 1, stage_);
      }
      if (auto match = check(file, at, line, at - line_start)) matches.push_back(std::move(*match));
      if (matches.size() > 1) break;
    }
    return matches;
  }

 private:
  // `line` and `column`: where the candidate at `at` begins.
  std::optional<Match> check(std::string_view file, size_t at, FoldedLine& line,
                             size_t column) const {
    const size_t end = at + folded_text_.size();
    const bool at_end = end == file.size() || file[end] == '\n';
    if (from_start_ && column > 0) return {};
    if (to_end_ && !at_end) return {};
    const std::optional<size_t> begin = column == 0 ? line.start() : line.place_of(column);
    if (!begin) return {};

    Match match{.stage = stage_, .regions = {}, .whole_start = column == 0};
    std::vector<IndentPair> indents;
    size_t here = line.start();  // the file's line that stands for a line of the text
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
    const std::optional<size_t> past = text_lines_.size() == 1
                                           ? end_of(line, column, at_end)
                                           : end_of(FoldedLine(content_, here, stage_), 0, at_end);
    if (!past) return {};
    match.regions.push_back({*begin, *past});
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

  // Past the match in the file; its last line begins in `last` at `column`.
  std::optional<size_t> end_of(FoldedLine last, size_t column, bool at_end) const {
    const bool ended = text_lines_.back().ends_with('\n');
    if (!ended && !at_end) return last.place_of(column + last_line_size_);
    const std::string_view line = first_line(content_.substr(last.start()));
    return last.start() + (ended ? line.size() : without_ending(line).size());
  }

  std::string_view content_;
  Stage stage_;
  std::vector<std::string_view> text_lines_;
  std::string folded_text_;
  size_t last_line_size_;  // of the folded text
  bool from_start_ = false;
  bool to_end_ = false;
};

Error not_unique(std::string_view content, const Places& places, const Names& names) {
  std::string lines;
  for (const Region& region : places.regions) {
    fmt::format_to(std::back_inserter(lines), "{}{}", lines.empty() ? "" : ", ",
                   line_number(content, region.begin));
  }
  if (places.count > places.regions.size())
    lines += fmt::format(" and {} more", places.count - places.regions.size());
  return {Code::conflict,
          fmt::format("{} occurs {} times in {}{}: on lines {}", names.parameter, places.count,
                      names.file, places.apart < places.count ? ", overlapping" : "", lines),
          names.for_all.empty()
              ? "add lines around it until it is the only one"
              : fmt::format(
                    "add lines around it until it is the only one, or set {} to change {}",
                    names.for_all,
                    places.apart < places.count ? fmt::format("{} of them", places.apart) : "each"),
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
                        const Names& names, const std::stop_token& stop) {
  if (text.empty()) {
    return Error{Code::invalid_argument, fmt::format("{} is empty", names.parameter),
                 "name the text to replace; to add a file or replace all of it, use write",
                 "empty_text"};
  }
  Places exact = TRY(find_exact(content, text, count, stop));
  if (exact.count > 1 && count == Count::one) return not_unique(content, exact, names);
  if (exact.count > 0) return Match{.stage = Stage::exact, .regions = std::move(exact.regions)};
  for (const Stage stage :
       {Stage::line_endings, Stage::trailing_whitespace, Stage::indentation, Stage::punctuation}) {
    if (stop.stop_requested()) return stopped();
    std::vector<Match> matches = TRY(InexactSearch(content, text, stage).run(stop));
    if (matches.size() > 1) return inexact_not_unique(content, matches, names);
    if (matches.size() == 1) return std::move(matches[0]);
  }
  return not_found(content, text, names);
}

}  // namespace helve::edit

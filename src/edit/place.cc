#include "edit/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "edit/nearest.h"

namespace helve::edit {

namespace {

constexpr Stage kStages[] = {Stage::exact, Stage::line_endings, Stage::trailing_whitespace,
                             Stage::indentation, Stage::punctuation};
constexpr size_t kMostNamedLines = 10;  // of a hunk that fits many places
constexpr size_t kNoLine = static_cast<size_t>(-1);

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}
std::string_view trimmed(std::string_view line) {
  line = without_trailing_space(line);
  return line.substr(indent_of(line).size());
}

// A line that is compared with many others at one stage.
class Pattern {
 public:
  Pattern(std::string_view line, Stage stage) : stage_(stage), text_(line) {
    switch (stage) {
      case Stage::exact:
        break;
      case Stage::line_endings:
        text_ = without_return(line);
        break;
      case Stage::trailing_whitespace:
        text_ = without_trailing_space(line);
        break;
      case Stage::indentation:
        text_ = trimmed(line);
        break;
      case Stage::punctuation:
        append_folded(plain_, line, stage);
        break;
    }
  }

  bool matches(std::string_view line) const {
    switch (stage_) {
      case Stage::exact:
        return line == text_;
      case Stage::line_endings:
        return without_return(line) == text_;
      case Stage::trailing_whitespace:
        return without_trailing_space(line) == text_;
      case Stage::indentation:
        return trimmed(line) == text_;
      case Stage::punctuation: {
        std::string plain;
        append_folded(plain, line, stage_);
        return plain == plain_;
      }
    }
    return false;
  }

 private:
  Stage stage_;
  std::string_view text_;
  std::string plain_;
};

// What is looked for: the lines of a hunk that the file has before it is applied.
struct Wanted {
  std::vector<std::string_view> lines;
  size_t core_begin = 0;  // the part that changes, as lines of the above; context lies around it
  size_t core_end = 0;
};

Wanted wanted_of(const Hunk& hunk) {
  Wanted wanted;
  bool changed = false;
  for (const HunkLine& line : hunk.lines) {
    if (line.kind != HunkLine::Kind::common && !changed) wanted.core_begin = wanted.lines.size();
    if (line.kind != HunkLine::Kind::added) wanted.lines.push_back(line.text);
    if (line.kind != HunkLine::Kind::common) {
      changed = true;
      wanted.core_end = wanted.lines.size();
    }
  }
  return wanted;
}

struct Candidates {
  Stage stage = Stage::exact;
  std::vector<size_t> lines;  // in order
};

// How lines of the file are indented against those that were wanted; nothing when it is not the
// same for all of them.
std::optional<Shift> shift_at(const LineIndex& file, const std::vector<std::string_view>& wanted,
                              size_t line, Stage stage) {
  if (stage < Stage::indentation) return Shift{};
  std::vector<IndentPair> indents;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!without_trailing_space(wanted[i]).empty())
      indents.push_back({indent_of(wanted[i]), indent_of(file.line(line + i))});
  return uniform_shift(indents);
}

// All places at one stage. The longest line is looked for first: it is the rarest.
std::vector<size_t> find_lines(const LineIndex& file, const std::vector<std::string_view>& wanted,
                               Stage stage) {
  std::vector<size_t> found;
  if (wanted.size() > file.size()) return found;
  std::vector<Pattern> patterns;
  patterns.reserve(wanted.size());
  for (const std::string_view line : wanted) patterns.emplace_back(line, stage);
  const auto longest = std::max_element(wanted.begin(), wanted.end(),
                                        [](auto a, auto b) { return a.size() < b.size(); });
  const auto pivot = static_cast<size_t>(longest - wanted.begin());
  const size_t end = file.size() - wanted.size() + pivot + 1;  // of where the pivot can be
  const auto next = [&](size_t from) {
    if (stage == Stage::exact) return file.find(wanted[pivot], from);
    while (from < end && !patterns[pivot].matches(file.line(from))) ++from;
    return from;
  };
  for (size_t at = next(pivot); at < end; at = next(at + 1)) {
    const size_t line = at - pivot;
    size_t same = 0;
    while (same < wanted.size() && patterns[same].matches(file.line(line + same))) ++same;
    if (same == wanted.size() && shift_at(file, wanted, line, stage)) found.push_back(line);
  }
  return found;
}

Candidates find_in_stages(const LineIndex& file, const std::vector<std::string_view>& wanted) {
  for (const Stage stage : kStages) {
    std::vector<size_t> lines = find_lines(file, wanted, stage);
    if (!lines.empty()) return {stage, std::move(lines)};
  }
  return {};
}

// The lines that an anchor may mean: those that are it, else those that begin with it, else those
// that have it in them.
std::vector<size_t> find_anchor(const LineIndex& file, std::string_view anchor) {
  Candidates whole = find_in_stages(file, {anchor});
  if (!whole.lines.empty()) return std::move(whole.lines);
  const std::string_view text = trimmed(anchor);
  std::vector<size_t> starts;
  std::vector<size_t> inside;
  for (size_t line = 0; line < file.size(); ++line) {
    const std::string_view here = trimmed(file.line(line));
    if (here.starts_with(text)) starts.push_back(line);
    if (here.find(text) != here.npos) inside.push_back(line);
  }
  return starts.empty() ? inside : starts;
}

size_t first_from(const std::vector<size_t>& lines, size_t from) {
  const auto found = std::lower_bound(lines.begin(), lines.end(), from);
  return found == lines.end() ? kNoLine : *found;
}

std::string list_lines(const std::vector<size_t>& lines) {
  std::string out;
  for (size_t i = 0; i < lines.size() && i < kMostNamedLines; ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ", ", lines[i] + 1);
  if (lines.size() > kMostNamedLines)
    out += fmt::format(" and {} more", lines.size() - kMostNamedLines);
  return out;
}

class Placing {
 public:
  Placing(const LineIndex& file, std::span<const Hunk> hunks, std::string_view path)
      : file_(file), hunks_(hunks), path_(escape_for_display(path)) {}

  Result<std::vector<Placed>> run() {
    for (const Hunk& hunk : hunks_) {
      wanted_.push_back(wanted_of(hunk));
      candidates_.push_back(TRY(find(hunk, wanted_.back())));
    }
    TRY(place_forward());
    TRY(refuse_guesses());
    std::vector<Placed> placed;
    for (size_t i = 0; i < hunks_.size(); ++i) {
      const Stage stage = candidates_[i].stage;
      const std::vector<std::string_view>& lines = wanted_[i].lines;
      placed.push_back({chosen_[i], stage, lines.size(),
                        shift_at(file_, lines, chosen_[i], stage).value_or(Shift{})});
    }
    return placed;
  }

 private:
  Result<Candidates> find(const Hunk& hunk, Wanted& wanted) {
    if (wanted.lines.empty()) return find_insertion(hunk);
    Candidates found = find_in_stages(file_, wanted.lines);
    const HunkLine& last = hunk.lines.back();
    if (found.lines.empty() && wanted.lines.size() > 1 && last.kind == HunkLine::Kind::common &&
        trimmed(last.text).empty()) {
      // An empty line before the next header is more often a separator than context.
      wanted.lines.pop_back();
      found = find_in_stages(file_, wanted.lines);
    }
    if (found.lines.empty()) return not_there(hunk, wanted);
    if (hunk.at_end) return only_at_end(hunk, wanted, std::move(found));
    if (!hunk.anchors.empty()) return only_after_anchors(hunk, std::move(found));
    if (hunk.numbered) return nearest_to_number(hunk, std::move(found));
    return found;
  }

  // Nothing but new lines: after the anchor, by number, or at the end.
  Result<Candidates> find_insertion(const Hunk& hunk) {
    if (!hunk.anchors.empty()) {
      std::vector<size_t> lines = TRY(anchored(hunk));
      for (size_t& line : lines) ++line;
      return Candidates{Stage::exact, std::move(lines)};
    }
    if (!hunk.numbered || hunk.at_end) return Candidates{Stage::exact, {file_.size()}};
    if (hunk.old_line > file_.size()) {
      return Error{
          Code::conflict,
          fmt::format(
              "the hunk on line {} of the patch adds lines after line {} of {}, which has {}",
              hunk.patch_line, hunk.old_line, path_, file_.size()),
          "give lines of context, so that the place can be found", "hunk_not_found"};
    }
    return Candidates{Stage::exact, {hunk.old_line}};
  }

  // The lines that the last anchor may mean, each after the ones before it.
  Result<std::vector<size_t>> anchored(const Hunk& hunk) {
    std::vector<size_t> ends;
    for (size_t i = 0; i < hunk.anchors.size(); ++i) {
      const std::vector<size_t> here = find_anchor(file_, hunk.anchors[i]);
      std::vector<size_t> next;
      if (i == 0) {
        next = here;
      } else {
        for (const size_t end : ends) {
          const size_t line = first_from(here, end + 1);
          if (line != kNoLine && (next.empty() || next.back() != line)) next.push_back(line);
        }
      }
      if (next.empty()) {
        return Error{Code::not_found,
                     fmt::format("line {} of the patch: no line of {} is '{}'{}", hunk.patch_line,
                                 path_, escape_for_display(preview(trimmed(hunk.anchors[i]), 120)),
                                 i == 0 ? "" : " after the one named before it"),
                     fmt::format("read {} and name a line that it has after @@, or none", path_),
                     "anchor_not_found"};
      }
      ends = std::move(next);
    }
    return ends;
  }

  Result<Candidates> only_after_anchors(const Hunk& hunk, Candidates found) {
    std::vector<size_t> lines;
    for (const size_t anchor : TRY(anchored(hunk))) {
      const size_t line = first_from(found.lines, anchor);
      if (line != kNoLine && (lines.empty() || lines.back() != line)) lines.push_back(line);
    }
    // None after it: then the one before it, if there is just one.
    if (!lines.empty()) found.lines = std::move(lines);
    return found;
  }

  Result<Candidates> only_at_end(const Hunk& hunk, const Wanted& wanted, Candidates found) {
    const size_t last = found.lines.back();
    size_t end = last + wanted.lines.size();
    while (end < file_.size() && trimmed(file_.line(end)).empty()) ++end;
    if (end == file_.size()) return Candidates{found.stage, {last}};
    return Error{Code::conflict,
                 fmt::format("the hunk on line {} of the patch says it is at the end of {}, but "
                             "its lines end on line "
                             "{} of {}",
                             hunk.patch_line, path_, last + wanted.lines.size(), file_.size()),
                 "leave out '*** End of File', or give the lines up to the end", "not_at_end"};
  }

  // Numbers may be wrong, and are when earlier hunks were; they decide when one place is clearly
  // nearer than any other.
  Candidates nearest_to_number(const Hunk& hunk, Candidates found) {
    const auto wanted = static_cast<std::int64_t>(hunk.old_line) - 1 + drift_;
    const auto distance = [&](size_t line) {
      return std::abs(static_cast<std::int64_t>(line) - wanted);
    };
    std::vector<size_t> by_distance = found.lines;
    std::sort(by_distance.begin(), by_distance.end(),
              [&](size_t a, size_t b) { return distance(a) < distance(b); });
    const bool clear =
        by_distance.size() == 1 || distance(by_distance[0]) * 2 < distance(by_distance[1]);
    if (!clear) return found;
    found.lines = {by_distance[0]};
    drift_ += static_cast<std::int64_t>(by_distance[0]) - wanted;
    return found;
  }

  size_t core_begin(size_t hunk, size_t line) const { return line + wanted_[hunk].core_begin; }
  size_t core_end(size_t hunk, size_t line) const { return line + wanted_[hunk].core_end; }

  // Each at the first place after the one before it. A hunk that has none there may stand before,
  // when there is no doubt where.
  Result<void> place_forward() {
    size_t from = 0;
    for (size_t i = 0; i < hunks_.size(); ++i) {
      const std::vector<size_t>& lines = candidates_[i].lines;
      const auto next = std::find_if(lines.begin(), lines.end(),
                                     [&](size_t line) { return core_begin(i, line) >= from; });
      in_order_.push_back(next != lines.end());
      if (in_order_[i]) {
        chosen_.push_back(*next);
        from = core_end(i, *next);
      } else if (lines.size() == 1) {
        chosen_.push_back(lines[0]);
      } else {
        return ambiguous(i);
      }
    }
    return {};
  }

  // Placed from the end, each as late as it can be, the hunks must come out at the same places.
  Result<void> refuse_guesses() const {
    size_t until = kNoLine;
    for (size_t i = hunks_.size(); i-- > 0;) {
      if (!in_order_[i]) continue;
      const std::vector<size_t>& lines = candidates_[i].lines;
      const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                     [&](size_t line) { return core_end(i, line) <= until; });
      if (last == lines.rend() || *last != chosen_[i]) return ambiguous(i);
      until = core_begin(i, *last);
    }
    return {};
  }

  Error ambiguous(size_t hunk) const {
    return {Code::conflict,
            fmt::format("the hunk on line {} of the patch fits {} places in {}: from lines {}",
                        hunks_[hunk].patch_line, candidates_[hunk].lines.size(), path_,
                        list_lines(candidates_[hunk].lines)),
            "add lines of context, or name the function or class it is in after @@",
            "ambiguous_hunk"};
  }

  Error not_there(const Hunk& hunk, const Wanted& wanted) const {
    std::string text;
    for (const std::string_view line : wanted.lines) text.append(line).append("\n");
    Error error = not_found(file_.text(), text, {path_, "the hunk"});
    error.message = fmt::format("line {} of the patch: {}", hunk.patch_line, error.message);
    error.type = "hunk_not_found";
    error.code = Code::conflict;
    return error;
  }

  const LineIndex& file_;
  std::span<const Hunk> hunks_;
  std::string path_;
  std::vector<Wanted> wanted_;
  std::vector<Candidates> candidates_;
  std::vector<size_t> chosen_;
  std::vector<bool> in_order_;
  std::int64_t drift_ = 0;  // how far the lines lie behind their numbers
};

}  // namespace

Result<std::vector<Placed>> place_hunks(const LineIndex& file, std::span<const Hunk> hunks,
                                        std::string_view path) {
  return Placing(file, hunks, path).run();
}

}  // namespace helve::edit

#include "base/diff.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "base/diff_window.h"

namespace helve {

namespace {

// Steps after which the search for a shortest difference settles for a good one, so that the work
// is at most about this many comparisons for each line, and in all.
constexpr std::int64_t kMostCost = 512;
constexpr std::int64_t kLeastCost = 16;
constexpr std::int64_t kMostWork = 60'000'000;
constexpr size_t kLinesBetweenLooks = 1024;

using Ids = std::vector<std::uint32_t>;  // equal lines have equal numbers

// A rectangle of the edit graph: lines [old_begin, old_end) against [new_begin, new_end).
struct Box {
  std::int64_t old_begin, old_end, new_begin, new_end;
};
struct Point {
  std::int64_t old_line, new_line;
};

// Myers' algorithm in linear space: finds the middle of a shortest path from both corners of a box
// at once, and goes on with the two boxes beside it. Past `most_cost` steps it takes the point that
// is furthest from its corner instead.
class Myers {
 public:
  Myers(const Ids& old_ids, const Ids& new_ids)
      : old_(old_ids),
        new_(new_ids),
        old_changed_(old_ids.size()),
        new_changed_(new_ids.size()),
        origin_(static_cast<std::int64_t>(new_ids.size()) + 1) {
    const std::int64_t lines = ssize(old_) + ssize(new_);
    most_cost_ = std::clamp(kMostWork / (lines + 1), kLeastCost, kMostCost);
    forward_.resize(static_cast<size_t>(lines + 3));
    backward_.resize(static_cast<size_t>(lines + 3));
  }

  // Whether it was not over before it was done.
  bool run(const IsOver& is_over) {
    std::vector<Box> boxes = {{0, ssize(old_), 0, ssize(new_)}};
    while (!boxes.empty()) {
      if (is_over && is_over()) return false;
      Box box = boxes.back();
      boxes.pop_back();
      trim(box);
      if (box.old_begin == box.old_end || box.new_begin == box.new_end) {
        mark(box);
        continue;
      }
      const Point middle = split(box);
      boxes.push_back({box.old_begin, middle.old_line, box.new_begin, middle.new_line});
      boxes.push_back({middle.old_line, box.old_end, middle.new_line, box.new_end});
    }
    return true;
  }

  bool old_changed(size_t line) const { return old_changed_[line]; }
  bool new_changed(size_t line) const { return new_changed_[line]; }

 private:
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

  static std::int64_t ssize(const Ids& ids) { return static_cast<std::int64_t>(ids.size()); }
  bool same(std::int64_t old_line, std::int64_t new_line) const {
    return old_[static_cast<size_t>(old_line)] == new_[static_cast<size_t>(new_line)];
  }
  // How far a path has come on a diagonal (old line - new line), as an old line.
  std::int64_t& forward(std::int64_t diagonal) {
    return forward_[static_cast<size_t>(diagonal + origin_)];
  }
  std::int64_t& backward(std::int64_t diagonal) {
    return backward_[static_cast<size_t>(diagonal + origin_)];
  }

  void trim(Box& box) const {
    while (box.old_begin < box.old_end && box.new_begin < box.new_end &&
           same(box.old_begin, box.new_begin)) {
      ++box.old_begin;
      ++box.new_begin;
    }
    while (box.old_begin < box.old_end && box.new_begin < box.new_end &&
           same(box.old_end - 1, box.new_end - 1)) {
      --box.old_end;
      --box.new_end;
    }
  }

  void mark(const Box& box) {
    std::fill(old_changed_.begin() + box.old_begin, old_changed_.begin() + box.old_end, true);
    std::fill(new_changed_.begin() + box.new_begin, new_changed_.begin() + box.new_end, true);
  }

  // The diagonals that a search has reached; each step widens it by one on both sides, as far as
  // the box goes.
  struct Reach {
    std::int64_t low, high;
  };
  Reach widen(Reach reach, const Reach& limits, std::vector<std::int64_t>& furthest,
              std::int64_t unreached) const {
    if (reach.low > limits.low)
      furthest[static_cast<size_t>(--reach.low - 1 + origin_)] = unreached;
    else
      ++reach.low;
    if (reach.high < limits.high)
      furthest[static_cast<size_t>(++reach.high + 1 + origin_)] = unreached;
    else
      --reach.high;
    return reach;
  }

  Point split(const Box& box) {
    const Reach limits = {box.old_begin - box.new_end, box.old_end - box.new_begin};
    const std::int64_t start = box.old_begin - box.new_begin;
    const std::int64_t end = box.old_end - box.new_end;
    const bool odd = ((start - end) & 1) != 0;
    Reach ahead = {start, start};
    Reach back = {end, end};
    forward(start) = box.old_begin;
    backward(end) = box.old_end;
    for (std::int64_t cost = 1;; ++cost) {
      ahead = widen(ahead, limits, forward_, -1);
      for (std::int64_t d = ahead.high; d >= ahead.low; d -= 2) {
        const std::int64_t line = step_forward(box, d);
        if (odd && back.low <= d && d <= back.high && backward(d) <= line) return {line, line - d};
      }
      back = widen(back, limits, backward_, kNowhere);
      for (std::int64_t d = back.high; d >= back.low; d -= 2) {
        const std::int64_t line = step_backward(box, d);
        if (!odd && ahead.low <= d && d <= ahead.high && line <= forward(d))
          return {line, line - d};
      }
      if (cost >= most_cost_) return furthest(box, ahead, back);
    }
  }

  std::int64_t step_forward(const Box& box, std::int64_t d) {
    std::int64_t line = forward(d - 1) >= forward(d + 1) ? forward(d - 1) + 1 : forward(d + 1);
    while (line < box.old_end && line - d < box.new_end && same(line, line - d)) ++line;
    return forward(d) = line;
  }
  std::int64_t step_backward(const Box& box, std::int64_t d) {
    std::int64_t line = backward(d - 1) < backward(d + 1) ? backward(d - 1) : backward(d + 1) - 1;
    while (line > box.old_begin && line - d > box.new_begin && same(line - 1, line - d - 1)) --line;
    return backward(d) = line;
  }

  Point furthest(const Box& box, const Reach& ahead, const Reach& back) {
    Point from_start = {box.old_begin, box.new_begin};
    for (std::int64_t d = ahead.high; d >= ahead.low; d -= 2) {
      const std::int64_t line = std::min({forward(d), box.old_end, box.new_end + d});
      if (line + line - d > from_start.old_line + from_start.new_line)
        from_start = {line, line - d};
    }
    Point from_end = {box.old_end, box.new_end};
    for (std::int64_t d = back.high; d >= back.low; d -= 2) {
      const std::int64_t line = std::max({backward(d), box.old_begin, box.new_begin + d});
      if (line + line - d < from_end.old_line + from_end.new_line) from_end = {line, line - d};
    }
    const std::int64_t done =
        from_start.old_line + from_start.new_line - box.old_begin - box.new_begin;
    const std::int64_t left = box.old_end + box.new_end - from_end.old_line - from_end.new_line;
    return done >= left ? from_start : from_end;
  }

  const Ids& old_;
  const Ids& new_;
  std::vector<bool> old_changed_;
  std::vector<bool> new_changed_;
  std::int64_t origin_;  // index of diagonal 0
  std::int64_t most_cost_ = 0;
  std::vector<std::int64_t> forward_;
  std::vector<std::int64_t> backward_;
};

// The lines that both sides have at all; the others are changed whatever the search would find.
struct Candidates {
  Ids ids;
  std::vector<size_t> lines;  // where each stands in the window
};

struct Numbered {
  Ids old_ids, new_ids;
  std::uint32_t count = 0;
};

std::optional<Numbered> number_lines(const DiffWindow& window, const IsOver& is_over) {
  Numbered numbered;
  std::unordered_map<std::string_view, std::uint32_t> known;
  known.reserve(window.old_lines.size() + window.new_lines.size());
  const auto number = [&](const std::vector<std::string_view>& lines, Ids& ids) {
    ids.reserve(lines.size());
    for (const std::string_view line : lines) {
      if (is_over && ids.size() % kLinesBetweenLooks == 0 && is_over()) return false;
      const auto [entry, fresh] = known.emplace(line, numbered.count);
      if (fresh) ++numbered.count;
      ids.push_back(entry->second);
    }
    return true;
  };
  if (!number(window.old_lines, numbered.old_ids) || !number(window.new_lines, numbered.new_ids))
    return {};
  return numbered;
}

// The lines between those that both texts begin and end with.
struct Middle {
  size_t head = 0, tail = 0;

  Middle(const Ids& one, const Ids& other) {
    const size_t shorter = std::min(one.size(), other.size());
    while (head < shorter && one[head] == other[head]) ++head;
    while (tail < shorter - head && one.rbegin()[static_cast<std::ptrdiff_t>(tail)] ==
                                        other.rbegin()[static_cast<std::ptrdiff_t>(tail)])
      ++tail;
  }
};

Candidates only_shared(const Ids& ids, const Ids& others, std::uint32_t count,
                       const Middle& middle) {
  std::vector<bool> shared(count);
  for (size_t line = middle.head; line < others.size() - middle.tail; ++line)
    shared[others[line]] = true;
  Candidates candidates;
  for (size_t line = middle.head; line < ids.size() - middle.tail; ++line) {
    if (!shared[ids[line]]) continue;
    candidates.ids.push_back(ids[line]);
    candidates.lines.push_back(line);
  }
  return candidates;
}

std::vector<LineChange> collect(const std::vector<bool>& old_kept,
                                const std::vector<bool>& new_kept, size_t skipped) {
  std::vector<LineChange> changes;
  size_t old_line = 0;
  size_t new_line = 0;
  while (old_line < old_kept.size() || new_line < new_kept.size()) {
    const LineChange start = {old_line, 0, new_line, 0};
    while (old_line < old_kept.size() && !old_kept[old_line]) ++old_line;
    while (new_line < new_kept.size() && !new_kept[new_line]) ++new_line;
    if (old_line > start.old_line || new_line > start.new_line) {
      changes.push_back({start.old_line + skipped, old_line - start.old_line,
                         start.new_line + skipped, new_line - start.new_line});
    }
    // What is kept is common, so both sides advance together.
    while (old_line < old_kept.size() && new_line < new_kept.size() && old_kept[old_line] &&
           new_kept[new_line]) {
      ++old_line;
      ++new_line;
    }
  }
  return changes;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t size = newline == text.npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

size_t count_newlines(std::string_view text) {
  constexpr std::uint64_t kNewlines = 0x0a0a0a0a0a0a0a0a;
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  size_t count = 0;
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    word ^= kNewlines;  // a newline is now a zero byte, and the line below sets its highest bit
    const std::uint64_t highest = ~(((word & kLow) + kLow) | word | kLow);
    count += ((highest >> 7) * 0x0101010101010101) >> 56;  // the sum of all bytes
  }
  return count + static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

size_t count_lines(std::string_view text) {
  return count_newlines(text) + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::vector<LineChange> diff_lines(const DiffWindow& window) { return *diff_lines(window, {}); }

std::optional<std::vector<LineChange>> diff_lines(const DiffWindow& window, const IsOver& is_over) {
  const std::optional<Numbered> numbered = number_lines(window, is_over);
  if (!numbered) return {};
  const Numbered& lines = *numbered;
  // What both begin and end with stays: a line that only one of them has must not let a change
  // slide into what follows it, past the end of the window.
  const Middle middle(lines.old_ids, lines.new_ids);
  const Candidates old_side = only_shared(lines.old_ids, lines.new_ids, lines.count, middle);
  const Candidates new_side = only_shared(lines.new_ids, lines.old_ids, lines.count, middle);
  Myers myers(old_side.ids, new_side.ids);
  if (!myers.run(is_over)) return {};
  const auto ends_kept = [&](const Ids& ids) {
    std::vector<bool> kept(ids.size());
    std::fill_n(kept.begin(), middle.head, true);
    std::fill_n(kept.rbegin(), middle.tail, true);
    return kept;
  };
  std::vector<bool> old_kept = ends_kept(lines.old_ids);
  std::vector<bool> new_kept = ends_kept(lines.new_ids);
  for (size_t i = 0; i < old_side.lines.size(); ++i)
    old_kept[old_side.lines[i]] = !myers.old_changed(i);
  for (size_t i = 0; i < new_side.lines.size(); ++i)
    new_kept[new_side.lines[i]] = !myers.new_changed(i);
  return collect(old_kept, new_kept, window.skipped_lines);
}

std::vector<LineChange> diff_lines(std::string_view old_text, std::string_view new_text) {
  return diff_lines(diff_window(old_text, new_text, 0));
}

LineCounts count_changes(const std::vector<LineChange>& changes) {
  LineCounts counts;
  for (const LineChange& change : changes) {
    counts.added += change.new_count;
    counts.removed += change.old_count;
  }
  return counts;
}

}  // namespace helve

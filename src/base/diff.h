// The difference of two texts, line by line: what to show of a change, and what a program that
// applies patches takes. Lines keep their endings, so a changed ending is a changed line. Work is
// bounded: texts that are large and have little in common get a longer difference, not a later one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve {

// The lines of a text with their endings ("\n", which may follow "\r"); only the last may have
// none.
std::vector<std::string_view> split_lines(std::string_view text);
// Like the size of split_lines, without the list.
size_t count_lines(std::string_view text);
// Eight bytes at a time.
size_t count_newlines(std::string_view text);

// `old_count` lines from `old_line` on became `new_count` lines from `new_line` on. Lines count
// from 0. One of the counts may be 0, never both.
struct LineChange {
  size_t old_line = 0;
  size_t old_count = 0;
  size_t new_line = 0;
  size_t new_count = 0;

  bool operator==(const LineChange&) const = default;
};

// In order, with at least one common line between two changes.
std::vector<LineChange> diff_lines(std::string_view old_text, std::string_view new_text);

struct LineCounts {
  size_t added = 0;
  size_t removed = 0;
};
LineCounts count_changes(const std::vector<LineChange>& changes);

// A name as git writes it in a patch: in quotes when something in it would end the name or the
// line.
std::string patch_name(std::string_view name);

// A patch that `git apply` and `patch` take: both names as they are to be written ("a/x", "b/x",
// "/dev/null"; odd ones are quoted), hunks with their line numbers, the bytes of the lines as they
// are. Empty when the texts are the same.
struct UnifiedNames {
  std::string_view old_name;
  std::string_view new_name;
  std::string_view old_label = {}, new_label = {};  // what stands where patches have a time
};
std::string unified_diff(const UnifiedNames& names, std::string_view old_text,
                         std::string_view new_text, size_t context = 3);

// Whether the time for some work is over, asked now and then; null: never.
using IsOver = std::function<bool()>;
// A patch of texts of any size. An error `too_large` says that too many lines differ, and
// `cancelled` that it was over.
struct PatchBounds {
  size_t lines = SIZE_MAX;  // of both texts, from the first difference to the last
  size_t bytes = SIZE_MAX;  // of the patch, about; the rest is left out
  IsOver is_over = {};
};
struct Patch {
  std::string text;
  LineCounts counts;  // of all
};
Result<Patch> bounded_patch(const UnifiedNames& names, std::string_view old_text,
                            std::string_view new_text, const PatchBounds& bounds,
                            size_t context = 3);

// A change for people and models to read: each line with its number (in the new text; a removed
// line with its old one), a sign and what it holds, escaped for display; "…" between hunks.
struct ShortDiffOptions {
  size_t context = 2;      // lines around a change
  size_t max_lines = 60;   // the rest is counted: "… 12 more lines"
  size_t max_chars = 240;  // of a line
};
std::string short_diff(std::string_view old_text, std::string_view new_text,
                       const ShortDiffOptions& options = {});
// The same, with the counts.
struct DiffSummary {
  std::string text;
  LineCounts counts;
};
DiffSummary summarize_diff(std::string_view old_text, std::string_view new_text,
                           const ShortDiffOptions& options = {});

}  // namespace helve

// DiffWindow: the lines of two texts around what differs. Most changes of a large file are small,
// so only these lines are split and compared.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/diff.h"

namespace helve {

struct DiffWindow {
  std::vector<std::string_view> old_lines;
  std::vector<std::string_view> new_lines;
  size_t skipped_lines = 0;  // common lines before the window
};

// With at least `context` common lines on both sides, where there are so many; of more than
// `most_lines`, an error `too_large`.
Result<DiffWindow> diff_window(std::string_view old_text, std::string_view new_text, size_t context,
                               size_t most_lines);
DiffWindow diff_window(std::string_view old_text, std::string_view new_text, size_t context);
// As diff_lines of the texts; lines count from the start of the texts. Nothing when it was over
// before it was done.
std::optional<std::vector<LineChange>> diff_lines(const DiffWindow& window, const IsOver& is_over);
std::vector<LineChange> diff_lines(const DiffWindow& window);

}  // namespace helve

// A unified diff as people read it: each line with its number, what was added and removed in
// colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

bool looks_like_diff(std::string_view text);
// Whether a line is one of short_diff (base/diff.h): "12 - text".
bool is_numbered_change(std::string_view line);
// The lines of a text from the first such line on, in colour. They are safe to show already.
std::vector<std::string> short_diff_rows(std::string_view text, bool colours);
// Rows without newlines, safe to show. Names of files stand above their hunks, "…" between these.
std::vector<std::string> diff_rows(std::string_view diff, bool colours);

}  // namespace helve::terminal

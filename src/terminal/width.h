// Width: how many columns text takes on a terminal, and where one may stand in it. Knows no locale:
// a character is as wide as Unicode says, a cluster (letter and accents, flag, family) is one step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::terminal {

struct Glyph {
  size_t bytes = 0;
  size_t columns = 0;
};

// The cluster that `text` begins with. A byte that is not UTF-8 and a control character are one of
// their own; an SGR code or a link of ours is one of no columns. Not for empty text.
Glyph first_glyph(std::string_view text);
// Where the glyph before `at` begins, and where the one at `at` ends. Both stay within the line.
size_t glyph_before(std::string_view text, size_t at);
size_t glyph_after(std::string_view text, size_t at);

// Whether lines may be broken before and behind this character, as between ideographs.
bool is_wide(std::string_view character);
// Whether this character belongs to the glyph before it.
bool is_extending(std::string_view character);

size_t columns_of(std::string_view text);
// How many bytes of the text fit into so many columns.
size_t bytes_within(std::string_view text, size_t columns);
// The text, or as much of it as fits with "…" behind it. Marks that were on at the cut are ended.
std::string fitted(std::string_view text, size_t columns);
// The text with blanks up to so many columns.
std::string padded(std::string_view text, size_t columns);

// As escape_for_display and escape_lines_for_display, but clusters stay whole: what joins the parts
// of an emoji is no deception within it.
std::string shown(std::string_view text);
std::string shown_lines(std::string_view text);

}  // namespace helve::terminal

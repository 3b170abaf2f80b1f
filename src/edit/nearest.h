// What to say about a text that is not in a file: the lines that come nearest, with their
// whitespace made visible, and how they differ.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "edit/match.h"

namespace helve::edit {

struct Nearest {
  size_t line = 0;   // where it begins, from 0
  size_t count = 0;  // lines
};
// The lines that share the most with the text; none when they share too little. Reads the content
// once, whatever the text.
Nearest find_nearest(std::string_view content, std::string_view text);

// → for tabs, · for spaces at the start and the end, ¶ after the latter, ␍ for a carriage return.
std::string visible_whitespace(std::string_view line);

// How a line of the file differs from the one that was given, for people: "has a tab where old_text
// has 4 spaces". Empty when they are the same.
std::string difference(std::string_view actual, std::string_view given, std::string_view parameter);

Error not_found(std::string_view content, std::string_view text, const Names& names);

}  // namespace helve::edit

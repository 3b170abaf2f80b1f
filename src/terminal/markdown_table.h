// Tables of Markdown: columns as wide as they need to be, and narrower when the terminal is. No
// lines but the one below the head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/markdown_writer.h"

namespace helve::terminal {

// Each row is a line that begins with a bar. Rows without a head are shown as they are.
std::string render_table(const std::vector<std::string>& rows, std::string_view prefix,
                         const MarkdownStyle& style);

}  // namespace helve::terminal

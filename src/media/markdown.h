// Pieces of Markdown: what is needed to write it, and to know a document by it.
#pragma once

#include <string>
#include <string_view>

namespace helve::media {

// A fenced block of whole lines, with a fence that the code does not hold. A language that is no
// name is left out.
void append_code_block(std::string& out, std::string_view language, std::string_view code);

// What a Markdown document calls itself: `title` of its front matter, or else its first heading.
// Empty when it has neither.
std::string markdown_title(std::string_view text);

}  // namespace helve::media

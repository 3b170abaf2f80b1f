// What a line of Markdown is: enough of the language to cut a document where its author would.
// Lines come without their endings.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace helve::knowledge {

constexpr size_t kMaxFrontMatterLines = 200;  // longer, it is taken for text

bool is_blank(std::string_view line);
bool is_indented(std::string_view line);
bool is_list_item(std::string_view line);  // also a nested one

struct Heading {
  int level;  // 1 to 6
  std::string_view title;
};
// "## Title ##"
std::optional<Heading> atx_heading(std::string_view line);
// 1 for a line of = and 2 for one of -, which make a heading of the paragraph above; else 0.
int setext_level(std::string_view line);

struct Fence {
  char character;
  size_t length;
};
// The beginning of a block of code; in a list it may stand anywhere on its line.
std::optional<Fence> opened_fence(std::string_view line, bool in_list);
bool closes(const Fence& fence, std::string_view line);

// How many lines of the text its front matter takes, with both fences; 0: it has none.
size_t front_matter_lines(std::string_view text);

}  // namespace helve::knowledge

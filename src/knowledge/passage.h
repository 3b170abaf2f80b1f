// Passages: a document cut into the pieces that are searched and shown, each with the headings
// above it and its true lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve::knowledge {

// Bytes of a passage: what is aimed at, and what none exceeds. A line that is longer by itself
// becomes several passages, which all have its number.
constexpr size_t kPassageBytes = 1400;
constexpr size_t kMaxPassageBytes = 1800;

struct Passage {
  std::string heading;    // "Install > On Debian"; empty: none above it
  std::string text;       // whole lines, as they stand in the document, without the last ending
  size_t begin = 0;       // where the text begins in the document, in bytes
  size_t first_line = 1;  // of the document, counted from 1
  size_t last_line = 1;   // inclusive
};

// The same, of a document that somebody else holds.
struct PassageView {
  std::string_view heading, text;
  size_t first_line = 1;
  size_t last_line = 1;
};

enum class TextKind : unsigned char { markdown, plain, code };

// In the order of the document; blank lines between passages belong to none, nor does the front
// matter of Markdown. Takes time linear in the text, whatever it is.
std::vector<Passage> split_passages(std::string_view text, TextKind kind);

}  // namespace helve::knowledge

// InlineWriter: marked text of Markdown as words in lines: code and links so that they can be told
// apart without colours as well.
#pragma once

#include <string>

#include "terminal/markdown_inline.h"
#include "terminal/word_wrap.h"

namespace helve::terminal {

struct MarkdownStyle {
  bool colours = false;
  size_t width = 80;
  bool hyperlinks = false;  // the terminal understands OSC 8
};

class InlineWriter {
 public:
  // Borrows the lines that it writes to.
  InlineWriter(WordWrap& lines, const MarkdownStyle& style) : lines_(lines), style_(style) {}
  void put(const InlineText& part);
  // What comes next is no part of what came before.
  void end_span();

 private:
  WordWrap& lines_;
  MarkdownStyle style_;
  std::string link_;   // that the last part was in
  std::string label_;  // its text so far
};

}  // namespace helve::terminal

// MarkdownStream: Markdown that arrives in pieces, shown while it arrives. Not more than the
// current line is held back, and of most lines only the word or the mark whose end is not there
// yet; a table appears as a whole. No escape code of the text reaches the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/markdown_inline.h"
#include "terminal/markdown_writer.h"
#include "terminal/word_wrap.h"

namespace helve::terminal {

class MarkdownStream {
 public:
  MarkdownStream(const MarkdownStyle& style, Write write);
  MarkdownStream(const MarkdownStream&) = delete;

  // What is written does not depend on how the text is cut into pieces.
  void feed(std::string_view piece);
  // Ends whatever is begun; what follows is another text.
  void finish();
  // The terminal is wider or narrower now.
  void resize(size_t width);

 private:
  // How the line at hand goes on.
  enum class Line : unsigned char { unknown, text, whole };
  // A list item that later lines may belong to: where its mark stood, and where its text begins.
  struct Item {
    size_t mark = 0;
    size_t hanging = 0;
  };
  struct Start;

  void put(char c);
  void end_line();
  Start look_at_start(Rest rest) const;
  void begin(const Start& start);
  void begin_text(const Start& start);
  void put_text(Rest rest);
  void put_rule(const Start& start);
  void put_code_line(std::string_view line);
  void put_fence(const Start& start, std::string_view info);
  void put_blank();
  void put_table();
  void before_block();
  size_t hanging_at(size_t indent);
  std::string bars(size_t depth) const;
  void flush();

  MarkdownStyle style_;
  Write write_;
  std::string out_;  // of one feed
  WordWrap wrap_;
  InlineWriter inline_;
  std::string held_;    // of the current line
  bool waits_ = false;  // the text held back begins with a mark whose end did not come yet
  Line line_ = Line::unknown;
  char before_ = ' ';
  Look look_ = plain;  // of the line: a heading's
  std::vector<Item> items_;
  std::string fence_;  // what ends the code; empty: there is none
  size_t fence_indent_ = 0;
  size_t fence_quotes_ = 0;
  std::string code_prefix_;
  std::string code_language_;
  std::vector<std::string> table_;
  std::string table_prefix_;
  bool has_content_ = false;
  bool wants_blank_ = false;
};

}  // namespace helve::terminal

// MarkdownWriter: writes Markdown (CommonMark with GitHub's tables and strikethrough) from the
// parts of a document as they come. Text is escaped where it would be taken for Markdown. What
// holds no text leaves no trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/markdown_escape.h"

namespace helve::media {

class MarkdownWriter {
 public:
  // Takes no more text when about so many bytes are written.
  explicit MarkdownWriter(size_t most_bytes) : most_(most_bytes) {}

  // Blocks. What begins is ended, the innermost first.

  void block();  // what follows stands apart from what was before
  void begin_heading(size_t level);
  void begin_quote();
  void begin_bullets();
  void begin_numbers(std::int64_t first);
  void begin_item(std::optional<std::int64_t> number = {});  // from which the list goes on
  void begin_definition();                                   // of the block before it
  void end();                                                // of any of these
  void rule();

  // Code with its own lines and spaces. One within another is a part of it.
  void begin_code_block(std::string_view language);
  void end_code_block();
  bool is_in_code_block() const { return code_blocks_ > 0; }
  void set_language(std::string_view language);  // unless it has one, or code already

  // A table of inline text: blocks in its cells become line breaks. Not in one another.
  void begin_table();
  void begin_row();
  void begin_cell(size_t columns, size_t rows);  // that it spans
  void end_cell();
  void end_table();

  // Inline text. These may overlap, and go on in the next block.

  enum class Style : unsigned char { strong, emphasis, strike, superscript, link };
  void text(std::string_view text);         // any white space is one space
  void literal(std::string_view markdown);  // as it is, without a line end
  void line_break();                        // two of them begin a block
  void begin(Style style,
             std::string_view target = {});  // a link ends with its block at the latest
  void end(Style style);
  void begin_code();
  void end_code();

  bool is_full() const { return out_.size() + code_.size() + table_.rows.size() >= most_; }
  // Ends what is still open. After it the writer is of no more use.
  std::string finish();

 private:
  enum class Break : unsigned char { none, hard, line, blank };
  enum class Kind : unsigned char { heading, quote, bullets, numbers, item, definition };
  struct Container {
    Kind kind;
    std::string first;  // before its first line
    std::string rest;   // before the others
    bool has_content = false;
    std::int64_t number = 0;  // of a list: of its next item
  };
  struct Inline {
    Style style;
    std::string target;  // of a link
    bool is_open = false;
    bool is_used = false;           // was open
    std::string_view closing = {};  // what ends it when it is open, apart from a link's target
  };
  struct Table {
    std::string rows;
    size_t row_begin = 0;   // in `rows`
    size_t cell_begin = 0;  // in `rows`
    bool is_in_cell = false;
    bool has_content = false;  // the row
    size_t column = 0;         // of the next cell
    size_t spanned_columns = 1, spanned_rows = 1;
    size_t first_columns = 0;        // of the first row
    size_t most_columns = 0;         // of any row
    std::vector<size_t> from_above;  // by column: rows that a cell covers, from this one on
    Break outside = Break::none;     // what was owed when the cell began
  };

  static bool is_list(Kind kind) { return kind == Kind::bullets || kind == Kind::numbers; }
  void begin(Container container);
  void begin_list(Container list);
  void start_line();
  void before_content(std::string_view next);
  void write_lines(std::string_view lines);
  void write_word(std::string_view word, char next);
  void open_styles(std::string_view next);
  bool can_open(std::string_view next) const;
  CharClass class_before() const;
  void close_styles(size_t from);
  void suspend();
  void flush_code();
  void write_code(std::string_view code);
  void write_span(size_t columns, size_t rows);
  void end_row();
  const std::string& target() const { return table_.is_in_cell ? table_.rows : out_; }
  std::string& target() { return table_.is_in_cell ? table_.rows : out_; }

  const size_t most_;
  std::string out_;
  std::vector<Container> containers_;
  std::vector<Inline> styles_;
  size_t ignored_styles_ = 0;                   // begun when there were too many
  Break owed_ = Break::line;                    // before the next content
  bool space_ = false;                          // before the next text of this line
  size_t line_begin_ = 0;                       // where the text of this line begins in `out_`
  size_t closed_at_ = kNowhere;                 // where a style has just ended in target()
  CharClass closed_behind_ = CharClass::space;  // what the marks that end there stand behind
  Style closed_ = Style::link;                  // and which one
  size_t code_depth_ = 0;                       // of inline code
  size_t code_blocks_ = 0;                      // and of blocks
  std::string code_, language_;                 // of the one that is open
  size_t code_end_ = kNowhere;                  // where inline code has just ended in target()
  bool code_space_ = false;                     // before the next text of inline code
  size_t headings_ = 0;                         // that are open
  Table table_;

  static constexpr size_t kNowhere = std::string::npos;
};

}  // namespace helve::media

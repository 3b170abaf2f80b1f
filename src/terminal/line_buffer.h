// LineBuffer: the text that a person edits and the place in it where they are. Positions are bytes,
// always between two glyphs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

constexpr size_t kMostText = 1u << 20;  // bytes; what would go beyond is not inserted

class LineBuffer {
 public:
  const std::string& text() const { return text_; }
  size_t cursor() const { return cursor_; }
  bool is_empty() const { return text_.empty(); }

  // Invalid UTF-8 and NUL are left out; a tab is a tab.
  void insert(std::string_view text);
  // Another text; the cursor at its end. Can be undone.
  void replace(std::string text);
  // The bytes from `start` up to the cursor become `text`.
  void replace_before(size_t start, std::string_view text);
  // A new text: nothing before it can be undone.
  void clear();

  void move_to(size_t position);
  void move_left();
  void move_right();
  void move_word_left();
  void move_word_right();
  void move_to_line_start();
  void move_to_line_end();
  // By lines of the text; the column is kept through shorter lines. False: there is none.
  bool move_up();
  bool move_down();

  void erase_left();
  void erase_right();
  // These can be put back by yank(); several in a row are put back together.
  void kill_word_left();
  void kill_blank_word_left();
  void kill_word_right();
  void kill_to_line_start();
  void kill_to_line_end();
  void yank();

  // Exchanges the glyphs around the cursor.
  void transpose();
  void undo();

 private:
  enum class Step : unsigned char {
    none,
    typed,
    erased,
    killed_left,
    killed_right,
    vertical,
    other
  };
  struct State {
    std::string text;
    size_t cursor = 0;
  };

  void remember(Step step);
  void kill(size_t from, size_t to, Step step);
  bool move_lines(bool is_up);
  size_t line_start() const;
  size_t line_end() const;
  size_t word_left(const std::function<bool(std::string_view)>& is_part) const;
  size_t word_right() const;

  std::string text_;
  size_t cursor_ = 0;
  std::string killed_;
  std::vector<State> past_;
  Step last_ = Step::none;
  size_t wanted_column_ = 0;  // while moving up and down
};

}  // namespace helve::terminal

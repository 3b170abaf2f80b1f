// LineEditor: a prompt at which a person edits a text of one or more lines: history, search,
// completion, pastes. It is given the bytes that they type and writes what the terminal has to
// show; it waits for nothing, so it can stand below output that goes on. One thread at a time.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/input_frame.h"
#include "terminal/keys.h"
#include "terminal/line_buffer.h"
#include "terminal/painter.h"
#include "terminal/pastes.h"

namespace helve::terminal {

// What may stand for the text from `start` up to the cursor.
struct Completions {
  size_t start = 0;
  std::vector<Candidate> candidates = {};
};
using Complete = std::function<Completions(std::string_view text, size_t cursor)>;

struct EditorOptions {
  std::string prompt = "> ";  // may hold looks of ours
  std::string hint = {};
  bool colours = false;
  size_t columns = 80;
  size_t rows = 24;
  bool takes_empty = false;      // return on an empty line submits it
  bool leaves_submitted = true;  // false: whoever takes what was submitted shows it
  Complete complete = {};
};

struct Edited {
  enum class Kind : unsigned char {
    going_on,
    submitted,    // `text` has it, pastes in full; the editor is hidden
    interrupted,  // Ctrl-C with nothing to clear
    ended,        // Ctrl-D on an empty line; the editor is hidden
    expand,       // Ctrl-O
    chosen,       // `text` has the letter; empty: escape
    suspend,      // Ctrl-Z
  };
  Kind kind = Kind::going_on;
  std::string text = {};
};

class LineEditor {
 public:
  LineEditor(EditorOptions options, Write write);
  LineEditor(const LineEditor&) = delete;

  // Stops at the first thing that the caller has to know of; what was typed after that is kept and
  // comes with the next call, also with one without bytes.
  Edited feed(std::string_view bytes);
  // Nothing more came for a while. To be called when is_waiting().
  Edited nothing_more();
  bool is_waiting() const { return decoder_.is_waiting(); }

  void show();
  // The cursor is then where output goes on.
  void hide();
  // Output above the line that is being edited, which may end within a row; rows are narrower than
  // the terminal.
  void print(std::string_view output);
  // Rows between output and prompt.
  void set_status(std::vector<std::string> rows);
  // A question that one of these letters answers, or escape; the text waits meanwhile, out of
  // sight. Empty: no question.
  void ask(std::string question, std::string letters);
  void set_prompt(std::string prompt);
  void resize(size_t columns, size_t rows);
  // As if nothing had been shown: somebody else has used the screen.
  void redraw();

  const std::string& text() const { return buffer_.text(); }
  void set_text(std::string text);

  // Oldest first.
  void set_history(std::vector<std::string> entries);
  void remember(std::string_view entry);

 private:
  struct Search {
    std::string wanted = {};
    size_t at = 0;  // in the history; its size: nothing was looked for yet
    bool is_found = true;
    std::string before = {};
  };

  Edited run();
  Edited press(const KeyPress& key);
  Edited press_control(char letter);
  void press_alt(const KeyPress& key);
  void press_motion(const KeyPress& key);
  std::optional<Edited> press_in_search(const KeyPress& key);
  Edited press_in_question(const KeyPress& key);
  Edited enter();
  Edited interrupt();
  Edited end_of_input();
  void complete(bool backwards);
  void recall(bool older);
  void search_older(size_t below);
  void erase_left();
  void leave();
  void erase();
  void paint();
  void flush();

  EditorOptions options_;
  Write write_;
  std::string out_;  // of one call: written at once, so that nothing flickers
  Painter painter_;
  KeyDecoder decoder_;
  std::deque<KeyPress> keys_;
  LineBuffer buffer_;
  Pastes pastes_;
  std::vector<std::string> status_;
  std::string question_;
  std::string letters_;
  bool is_shown_ = false;
  size_t output_column_ = 0;
  bool below_partial_row_ = false;  // the output above ends within a row

  std::vector<std::string> history_;
  size_t history_at_ = 0;  // its size: the text that is being written
  std::string draft_;
  std::optional<Search> search_;
  std::optional<Menu> menu_;
  size_t menu_start_ = 0;
};

}  // namespace helve::terminal

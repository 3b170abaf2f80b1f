// Which key does what.
#include "terminal/line_editor.h"
#include "terminal/width.h"

namespace helve::terminal {

Edited LineEditor::press(const KeyPress& key) {
  if (!letters_.empty()) return press_in_question(key);
  if (search_) {
    if (auto edited = press_in_search(key)) return *edited;
  }
  if (key.key == Key::tab) {
    complete(key.shift);
    return {};
  }
  const bool had_choice = menu_ && menu_->chosen;
  const bool had_menu = menu_.has_value();
  menu_.reset();
  switch (key.key) {
    case Key::enter:
      if (had_choice) return {};
      if (key.alt || key.shift || key.ctrl) return buffer_.insert("\n"), Edited{};
      return enter();
    case Key::escape:
      return {};
    case Key::backspace:
      key.alt || key.ctrl ? buffer_.kill_word_left() : erase_left();
      return {};
    case Key::remove:
      key.alt || key.ctrl ? buffer_.kill_word_right() : buffer_.erase_right();
      return {};
    case Key::paste:
      buffer_.insert(pastes_.label_for(key.text));
      return {};
    case Key::character:
      if (key.ctrl && !key.alt)
        return had_menu && key.text == "g" ? Edited{} : press_control(key.text[0]);
      key.alt ? press_alt(key) : buffer_.insert(key.text);
      return {};
    default:
      press_motion(key);
      return {};
  }
}

// What is no answer is passed over: it was meant for something else.
Edited LineEditor::press_in_question(const KeyPress& key) {
  if (key.key == Key::escape) return {Edited::Kind::chosen};
  if (key.key != Key::character || key.alt) return {};
  if (!key.ctrl) {
    const bool is_answer = key.text.size() == 1 && letters_.find(key.text) != letters_.npos;
    return is_answer ? Edited{Edited::Kind::chosen, key.text} : Edited{};
  }
  if (key.text == "c") return {Edited::Kind::interrupted};
  return key.text == "l" || key.text == "o" || key.text == "z" ? press_control(key.text[0])
                                                               : Edited{};
}

Edited LineEditor::press_control(char letter) {
  switch (letter) {
    case 'a':
      buffer_.move_to_line_start();
      break;
    case 'b':
      buffer_.move_left();
      break;
    case 'c':
      return interrupt();
    case 'd':
      return end_of_input();
    case 'e':
      buffer_.move_to_line_end();
      break;
    case 'f':
      buffer_.move_right();
      break;
    case 'j':
      buffer_.insert("\n");
      break;
    case 'k':
      buffer_.kill_to_line_end();
      break;
    case 'l':
      redraw();
      break;
    case 'n':
      recall(false);
      break;
    case 'o':
      return {Edited::Kind::expand};
    case 'p':
      recall(true);
      break;
    case 'r':
      search_ = Search{.at = history_.size(), .before = buffer_.text()};
      break;
    case 't':
      buffer_.transpose();
      break;
    case 'u':
      buffer_.kill_to_line_start();
      break;
    case 'w':
      buffer_.kill_blank_word_left();
      break;
    case 'y':
      buffer_.yank();
      break;
    case 'z':
      return {Edited::Kind::suspend};
    case '_':
    case '/':
      buffer_.undo();
      break;
    default:
      break;
  }
  return {};
}

void LineEditor::press_alt(const KeyPress& key) {
  switch (key.text[0]) {
    case 'b':
      buffer_.move_word_left();
      break;
    case 'f':
      buffer_.move_word_right();
      break;
    case 'd':
      buffer_.kill_word_right();
      break;
    case '<':
      buffer_.move_to(0);
      break;
    case '>':
      buffer_.move_to(buffer_.text().size());
      break;
    default:
      break;
  }
}

void LineEditor::press_motion(const KeyPress& key) {
  const bool by_words = key.ctrl || key.alt;
  switch (key.key) {
    case Key::left:
      by_words ? buffer_.move_word_left() : buffer_.move_left();
      break;
    case Key::right:
      by_words ? buffer_.move_word_right() : buffer_.move_right();
      break;
    case Key::home:
      key.ctrl ? buffer_.move_to(0) : buffer_.move_to_line_start();
      break;
    case Key::end:
      key.ctrl ? buffer_.move_to(buffer_.text().size()) : buffer_.move_to_line_end();
      break;
    case Key::up:
      recall(true);
      break;
    case Key::down:
      recall(false);
      break;
    default:
      break;
  }
}

// While one searches, keys that change the text or move in it accept what was found first.
std::optional<Edited> LineEditor::press_in_search(const KeyPress& key) {
  const bool is_letter = key.key == Key::character && !key.ctrl && !key.alt;
  const auto is_control = [&](std::string_view letter) {
    return key.key == Key::character && key.ctrl && key.text == letter;
  };
  if (is_letter) {
    search_->wanted += key.text;
    search_older(std::min(search_->at + 1, history_.size()));
  } else if (key.key == Key::backspace) {
    search_->wanted.resize(glyph_before(search_->wanted, search_->wanted.size()));
    search_older(history_.size());
  } else if (is_control("r")) {
    search_older(search_->at);
  } else if (is_control("g") || is_control("c")) {
    buffer_.replace(search_->before);
    search_.reset();
  } else {
    search_.reset();
    if (key.key != Key::escape) return std::nullopt;
  }
  return Edited{};
}

}  // namespace helve::terminal

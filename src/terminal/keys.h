// Keys: what a person pressed, from the bytes that a terminal sends. Sequences may arrive in any
// pieces; those that mean nothing to us are swallowed whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

enum class Key : unsigned char {
  character,  // `text` has it; with ctrl, a lower-case letter or a sign
  paste,      // `text` has all of it, with "\n" between lines
  enter,
  tab,
  backspace,
  escape,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
  insert,
  remove,
};

struct KeyPress {
  Key key = Key::character;
  std::string text = {};
  bool ctrl = false;
  bool alt = false;
  bool shift = false;

  bool operator==(const KeyPress&) const = default;
};

// Switch the bracketing of pastes on and off.
constexpr std::string_view kPastesOn = "\x1b[?2004h";
constexpr std::string_view kPastesOff = "\x1b[?2004l";

constexpr size_t kMostPasted = 4u << 20;  // bytes; the rest is dropped

class KeyDecoder {
 public:
  std::vector<KeyPress> feed(std::string_view bytes);
  // Whether what came so far may go on: a lone escape is the key or the beginning of another.
  bool is_waiting() const { return !held_.empty() && !in_paste_; }
  // Nothing more came for a while.
  std::vector<KeyPress> nothing_more();

 private:
  bool take(std::vector<KeyPress>& keys, bool is_all);
  bool take_pasted(std::vector<KeyPress>& keys);

  std::string held_;
  std::string pasted_;
  bool in_paste_ = false;
};

}  // namespace helve::terminal

// Screen: where a command's words go, and how they may look there. Tests give strings; the program
// gives streams.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::cli {

// Marks for terminals; plain text when off.
class Style {
 public:
  explicit Style(bool on = false) : on_(on) {}
  bool is_on() const { return on_; }
  std::string bold(std::string_view text) const { return marked("1", text); }
  std::string dim(std::string_view text) const { return marked("2", text); }
  std::string red(std::string_view text) const { return marked("31", text); }
  std::string green(std::string_view text) const { return marked("32", text); }
  std::string yellow(std::string_view text) const { return marked("33", text); }
  std::string cyan(std::string_view text) const { return marked("36", text); }

 private:
  std::string marked(std::string_view code, std::string_view text) const;
  bool on_;
};

struct Stream {
  std::function<void(std::string_view)> write;
  std::function<void()> flush = [] {};                     // what was written is to be seen now
  std::function<bool()> has_reader = [] { return true; };  // false: it has gone, as a write showed
  bool is_terminal = false;
  Style style{};
};

constexpr size_t kDefaultWidth = 80;
constexpr size_t kMaxWidth = 100;  // longer lines are hard to read, however wide the terminal

struct Screen {
  Stream out;
  Stream err;
  size_t width = kDefaultWidth;
};

// Colour is for terminals, and not for those who said NO_COLOR or whose terminal is "dumb".
enum class Color { auto_, always, never };
struct TerminalFacts {
  bool is_terminal = false;
  bool no_color = false;  // NO_COLOR is set and not empty
  bool is_dumb = false;   // TERM is "dumb"
};
bool wants_color(Color color, const TerminalFacts& facts);

// The text in lines of at most `width` characters, each after `indent` spaces. Line breaks of the
// text stay, and so does the indentation of lines that start with spaces. Ends with a newline
// unless the text is empty.
std::string wrap(std::string_view text, size_t width, size_t indent);

// Every line after `indent` spaces, and not changed otherwise.
std::string indented(std::string_view text, size_t indent);

// Rows of a term and its explanation. A term that is too long for its column stands on a line of
// its own.
using Rows = std::vector<std::pair<std::string, std::string>>;
std::string two_columns(const Rows& rows, size_t width, const Style& style);

// The text up to its first full stop, without it: for lists.
std::string_view first_sentence(std::string_view text);

}  // namespace helve::cli

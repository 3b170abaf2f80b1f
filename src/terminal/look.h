// Look: how a piece of text looks on a terminal. Few looks, so that a screen stays calm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::terminal {

// Flags that can be joined; colours exclude each other.
enum Look : std::uint16_t {
  plain = 0,
  bold = 1 << 0,
  dim = 1 << 1,
  italic = 1 << 2,
  underlined = 1 << 3,
  struck = 1 << 4,
  reversed = 1 << 5,
  red = 1 << 6,
  green = 1 << 7,
  yellow = 1 << 8,
  cyan = 1 << 9,
};
constexpr Look operator|(Look a, Look b) {
  return static_cast<Look>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

constexpr std::string_view kPlainAgain = "\x1b[0m";

// The code that switches to exactly this look, whatever was on before.
std::string look_code(Look look);
// The text in that look and plain afterwards; only the text when colours are off.
std::string with_look(Look look, std::string_view text, bool colours);

}  // namespace helve::terminal

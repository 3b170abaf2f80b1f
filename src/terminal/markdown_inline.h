// Marks within a line of Markdown: emphasis, code, links. A mark counts once its end is there;
// until then the text behind it is held back, but not more than a bound.
#pragma once

#include <functional>
#include <string_view>

#include "terminal/look.h"

namespace helve::terminal {

constexpr Look kCodeLook = cyan;
constexpr Look kLinkLook = underlined;
constexpr size_t kMostHeld = 600;  // bytes behind a mark whose end does not come

struct InlineText {
  std::string_view text;
  Look look = plain;
  std::string_view link = {};  // where it leads
  bool is_code = false;
};
using PutInline = std::function<void(const InlineText&)>;

// Punctuation of ASCII: what a mark can be made of.
constexpr bool is_mark(char c) {
  return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') ||
         (c > 'z' && c < 0x7F);
}

enum class Rest : unsigned char { may_come, is_all_there };

// Puts what the text begins with, a character or a whole marked span, and says how many bytes it
// was; 0: that depends on what comes. `before` is the character before the text. Not for empty
// text.
size_t put_first_inline(std::string_view text, char before, Look look, Rest rest,
                        const PutInline& put);
// The whole of a text.
void put_inline(std::string_view text, Look look, const PutInline& put);

}  // namespace helve::terminal

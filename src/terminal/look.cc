#include "terminal/look.h"

namespace helve::terminal {

std::string look_code(Look look) {
  static constexpr std::string_view kCodes[] = {"1", "2",  "3",  "4",  "9",
                                                "7", "31", "32", "33", "36"};
  std::string out = "\x1b[0";
  for (unsigned i = 0; i < std::size(kCodes); ++i) {
    if ((look >> i & 1) != 0) out.append(";").append(kCodes[i]);
  }
  return out + "m";
}

std::string with_look(Look look, std::string_view text, bool colours) {
  if (!colours || look == plain || text.empty()) return std::string(text);
  return look_code(look).append(text).append(kPlainAgain);
}

}  // namespace helve::terminal

// decode_ansi_c: the text that bash makes of $'…'.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::shell {

// Nothing when the text depends on the locale.
std::optional<std::string> decode_ansi_c(std::string_view inside);

}  // namespace helve::shell

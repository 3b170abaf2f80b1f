// Commands as text that is safe to show and that a shell would read back.
#pragma once

#include <string>
#include <string_view>

#include "shell/script.h"

namespace helve::shell {

constexpr size_t kMaxShown = 200;  // characters of a command in a sentence

// With quotes only where they are needed; the first word of a command needs them more often.
std::string quoted_word(std::string_view word, bool first);

// One line of at most kMaxShown characters; words that vary as they are written.
std::string describe(const Command& command);
std::string describe(const Redirection& redirection);

}  // namespace helve::shell

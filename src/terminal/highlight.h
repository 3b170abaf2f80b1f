// Light colours for code: comments and strings, so that the eye finds its way. Knows few languages,
// and leaves the others alone.
#pragma once

#include <string>
#include <string_view>

namespace helve::terminal {

// A line of code that is safe to show already.
std::string highlighted(std::string_view line, std::string_view language);

}  // namespace helve::terminal

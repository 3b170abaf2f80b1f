// Snippets: the part of a long text around what was found in it.
#pragma once

#include <string>
#include <string_view>

namespace helve::tools {

// About `chars` characters with `place` in the middle, "…" where something is left out.
std::string snippet_around(std::string_view text, size_t place, size_t chars);

// Where the first of the words stands, whatever their case; 0: none of them does.
size_t first_word(std::string_view text, std::string_view words);

}  // namespace helve::tools

// Snippets: the part of a long text around what was found in it.
#pragma once

#include <string_view>

#include "knowledge/snippet.h"

namespace helve::tools {

using knowledge::snippet_around;

// Where the first of the words stands, whatever their case; 0: none of them does.
size_t first_word(std::string_view text, std::string_view words);

}  // namespace helve::tools

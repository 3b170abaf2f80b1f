// Function words of English: "the", "how", "does". They say little about what a text is about, even
// where a few notes do not have them, so that they look rare.
#pragma once

#include <string_view>

namespace helve::knowledge {

// Of a token: lower case, stemmed.
bool is_function_word(std::string_view token);

}  // namespace helve::knowledge

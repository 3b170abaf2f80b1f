// The part of a text that is shown.
#pragma once

#include <string>
#include <string_view>

namespace helve::knowledge {

constexpr size_t kSnippetChars = 500;

// The part of a passage where the words of the question stand closest: from the beginning of a line
// where they fit behind one, else with them in the middle. What is left out before or after is
// marked by "…". A passage that fits is shown as it is.
std::string snippet_of(std::string_view passage, std::string_view question);

// About `chars` characters with `place` in the middle, "…" where something is left out.
std::string snippet_around(std::string_view text, size_t place, size_t chars);

}  // namespace helve::knowledge

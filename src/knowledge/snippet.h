// The part of a passage that is shown.
#pragma once

#include <string>
#include <string_view>

namespace helve::knowledge {

constexpr size_t kSnippetChars = 500;

// Whole lines of the passage, those with most words of the question; what is left out before or
// after is marked by "…". A passage that fits is shown as it is.
std::string snippet_of(std::string_view passage, std::string_view question);

}  // namespace helve::knowledge

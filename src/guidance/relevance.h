// Relevance: whether a contextual prompt has to do with a message: both have a word of more than
// three letters.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace helve::guidance {

using Words = std::set<std::string, std::less<>>;

// The words with more letters than that, those of ASCII in small letters.
Words words_of(std::string_view text, size_t more_than = 3);

// How many of them the text has.
size_t shared_words(const Words& words, std::string_view text);

}  // namespace helve::guidance

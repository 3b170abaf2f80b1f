// Stems of English words by Porter's algorithm (1980): what "connected", "connecting" and
// "connections" have in common.
#pragma once

#include <string>

namespace helve::knowledge {

// Shortens the word, of a-z, in place. Words of other letters and very short ones stay.
void stem(std::string& word);

}  // namespace helve::knowledge

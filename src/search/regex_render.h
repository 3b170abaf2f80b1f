// A parsed pattern as its engines take it: for Hyperscan as bytes, matching at least every line
// that the pattern matches; for PCRE2 exactly.
#pragma once

#include <string>

#include "search/regex_syntax.h"

namespace helve::search {

// Without tables of Unicode, and without what Hyperscan lacks (look-around, references, boundaries
// inside), some of a pattern can only be narrowed down. What is found is then asked of PCRE2.
struct BytePattern {
  enum class Trust : unsigned char {
    everywhere,  // a line that matches it matches the pattern
    ascii,       // … when the line is ASCII; other lines are candidates
    nowhere,     // every line that matches it is a candidate
  };
  std::string expression;
  Trust trust = Trust::everywhere;
};

// Takes the flags MULTILINE and ALLOWEMPTY. Says whether a line matches, not where.
BytePattern to_hyperscan(const Regex& regex);

// Takes the flags MULTILINE and, unless in byte mode, UTF and MATCH_INVALID_UTF.
std::string to_pcre2(const Regex& regex);

}  // namespace helve::search

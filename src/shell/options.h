// Options that a program is known to take. A word that might be another option is never passed
// over: whoever reads them learns that something is not known.
#pragma once

#include <span>
#include <string_view>

#include "shell/script.h"

namespace helve::shell {

struct Options {
  std::string_view flags = {};     // letters without a value
  std::string_view valued = {};    // letters whose value is the rest of the word or the next word
  std::string_view optional = {};  // letters whose value can only be the rest of the word
  // Long names between blanks: NAME, NAME= with a value, NAME? with a value only after an =.
  std::string_view longs = {};
  bool numbers = false;  // also -5
  bool single = false;   // long names follow a single dash, as those of find do
};

enum class Read : unsigned char {
  operand,    // not an option
  option,     // a known one; its value is passed over as well
  separator,  // the word --
  unknown,    // an option that is not known, or a word that may be one
};

// Looks at words[at] and passes over an option or a separator.
Read read_option(std::span<const Word> words, size_t& at, const Options& options);

// Whether the word, as far as it is known, may give this option: a long one is cut short or has a
// value, a letter stands among others.
bool may_give(std::string_view word, std::string_view option);

// Whether the word may turn out to begin with a dash.
bool may_be_option(const Word& word);

}  // namespace helve::shell

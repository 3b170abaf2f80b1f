// Required: which text every match of a pattern holds, as an AND and OR of substrings. A file that
// does not satisfy it has no match, so an index or a quick search for one substring can leave most
// files alone. It is a bound from above: a file that satisfies it may still have no match.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/regex_syntax.h"

namespace helve::search {

// Bytes that occur in every match, in this order and without anything between them.
struct RequiredText {
  std::string text;          // in lower case when case is ignored
  bool ignore_case = false;  // of ASCII letters

  auto operator<=>(const RequiredText&) const = default;
};

struct Required {
  enum class Kind : unsigned char {
    anything,  // nothing is known: every file may match
    text,
    all_of,
    any_of,
  };
  Kind kind = Kind::anything;
  RequiredText text = {};            // text
  std::vector<Required> parts = {};  // all_of, any_of: at least two, none of them `anything`
};

// For patterns in which newlines are excluded the parts of an all_of occur in one line; otherwise
// in one file.
Required required_text(const Regex& regex);

// Whether `content` has what is required. Plain and slow; an index answers the same question.
bool satisfies(std::string_view content, const Required& required);

// Texts of which every match holds at least one, those that promise to be rarest; empty when
// nothing is known.
std::vector<RequiredText> rarest_choice(const Required& required);

// For messages and tests: (AND "foo" (OR "a" i"b")).
std::string describe(const Required& required);

}  // namespace helve::search

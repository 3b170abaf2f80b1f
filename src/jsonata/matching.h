// Matcher: goes from match to match of a text, whether the pattern is a regular expression or a
// function of the user that follows the same protocol.
#pragma once

#include "jsonata/evaluator.h"

namespace helve::jsonata {

class Matcher {
 public:
  // One match; groups are strings, or undefined where they took no part.
  struct Match {
    std::string_view text;
    size_t begin = 0;  // bytes of the text that is searched
    size_t end = 0;
    double index = 0;  // UTF-16 units before it
    Value object;      // what a function of the user returned; undefined for a regular expression
    std::vector<Value> groups;
  };

  // Borrows the pattern's function, which must be in use by the evaluation.
  Matcher(Evaluator& evaluator, Value pattern, std::string_view text, Frame* frame)
      : evaluator_(evaluator), pattern_(pattern), text_(text), subject_(text), frame_(frame) {}

  // False when there are no more.
  Fallible<bool> next();
  // Whether there is one: for a function of the user whatever it returns, if it is not nothing.
  Fallible<bool> is_any();
  const Match& match() const { return match_; }
  // As functions see it: {match, start, end, groups, next}.
  Outcome match_object();

 private:
  Fallible<bool> next_of_regex();
  Fallible<bool> next_of_function();
  Outcome ask(Value function, Value argument);

  Evaluator& evaluator_;
  Value pattern_;
  std::string_view text_;
  Regex::Subject subject_;
  Frame* frame_;
  Match match_;
  bool started_ = false;
  size_t units_at_ = 0;  // bytes of which units_ are counted
  size_t units_ = 0;
};

}  // namespace helve::jsonata

// Pattern: a regular expression of a schema, read as ECMA-262 does with its `u` flag, as far as
// PCRE2 can. Immutable once compiled; any number of threads may match with one Pattern.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace helve::schema {

class Pattern {
 public:
  static constexpr size_t kMaxLength = 4'000;            // bytes of an expression
  static constexpr std::uint64_t kMaxSteps = 2'000'000;  // of the matcher, for one text
  static constexpr std::uint32_t kMaxMemoryKiB = 16'384;

  enum class Match : unsigned char { yes, no, gave_up };

  // The message of a failure shows the expression and the place in it.
  static Result<Pattern> compile(std::string_view expression);

  // Looks for the expression anywhere in the text. Gives up, rather than go on for ever, when that
  // takes more than `steps` or the memory above. Takes the steps it needed off `steps`.
  Match match(std::string_view text, std::uint64_t& steps) const;
  // A text that takes too long to decide does not match.
  bool matches(std::string_view text) const {
    std::uint64_t steps = kMaxSteps;
    return match(text, steps) == Match::yes;
  }

 private:
  struct Free {
    void operator()(void* code) const;
  };
  explicit Pattern(void* code) : code_(code) {}
  std::unique_ptr<void, Free> code_;
};

}  // namespace helve::schema

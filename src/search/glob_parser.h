// GlobParser: reads a pattern into a Glob. Only glob.cc and the parser itself need it.
#pragma once

#include <string_view>

#include "search/glob.h"

namespace helve::search {

class GlobParser {
 public:
  GlobParser(std::string_view pattern, Syntax syntax, Glob& glob)
      : pattern_(pattern), syntax_(syntax), glob_(glob) {}
  Result<void> parse();

 private:
  bool at(size_t position, char c) const {
    return position < pattern_.size() && pattern_[position] == c;
  }
  void add(Glob::Op op) { glob_.tokens_.push_back({.op = op}); }
  void add_byte(char byte) { glob_.tokens_.push_back({.op = Glob::Op::byte, .byte = byte}); }
  void parse_stars();
  Result<void> parse_class();
  Result<char32_t> class_character();
  Result<bool> parse_named_class(Glob::Class& into);
  Error wrong(std::string_view what, std::string_view hint) const;

  std::string_view pattern_;
  Syntax syntax_;
  Glob& glob_;
  size_t next_ = 0;
};

}  // namespace helve::search

// Glob: one pattern of a name or a path, compiled once and tried on every file of a tree. Matching
// takes no more than (length of the pattern) x (length of the text) steps for each level of
// directories, whatever the pattern.
//
//   ?  [a-z] [!x] [^x]   one character, never a slash
//   *                    any characters but slashes
//   **/  /**/  /**       any number of directories; whatever lies below
//   \x                   x itself
//   {a,b}                either, also nested (expand_braces)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::search {

constexpr size_t kMaxGlob = 10 * 1024;     // bytes of a pattern
constexpr size_t kMaxAlternatives = 1024;  // that the braces of a pattern may stand for

// Where the rules of git and of what people type differ.
enum class Syntax : unsigned char {
  git,   // bytes; braces stand for themselves; a pattern that is wrong matches nothing
  tool,  // characters; braces are alternatives; a pattern that is wrong is an error
};

// The patterns without braces that a pattern with braces stands for.
Result<std::vector<std::string>> expand_braces(std::string_view pattern);

// Immutable, so any thread may use it.
class Glob {
 public:
  // Fails on an unclosed class, a reversed range and a backslash at the end. Braces are ordinary
  // characters here.
  static Result<Glob> compile(std::string_view pattern, Syntax syntax);

  bool matches(std::string_view text) const;

  // What every match begins and ends with; may overlap. Tables are keyed by them.
  const std::string& head() const { return head_; }
  const std::string& tail() const { return tail_; }
  // How many slashes a match has at most; without bound when directories may come between.
  size_t most_slashes() const { return most_slashes_; }
  bool is_literal() const { return shape_ == Shape::literal; }  // matches only head()

 private:
  friend class GlobParser;
  enum class Op : unsigned char { byte, any, one_of, star, directories, rest };
  struct Token {
    Op op;
    char byte = 0;
    std::uint32_t one_of = 0;
  };
  struct Range {
    char32_t first, last;
  };
  struct Class {
    bool negated = false;
    std::vector<Range> ranges = {};
  };
  // Most patterns need no more than a comparison of their ends.
  enum class Shape : unsigned char { literal, one_star, below, general };

  void find_shape();
  bool run(std::string_view text) const;
  size_t step(const Token& token, std::string_view text) const;
  size_t width(std::string_view text) const;

  std::vector<Token> tokens_;
  std::vector<Class> classes_;
  std::string head_, tail_;
  size_t most_slashes_ = 0;
  Shape shape_ = Shape::general;
  bool by_bytes_ = false;
};

}  // namespace helve::search

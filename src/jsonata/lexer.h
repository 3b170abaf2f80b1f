// Lexer: the tokens of an expression, one at a time. Whether a slash divides or begins a regular
// expression depends on what the parser expects.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "jsonata/problem.h"
#include "jsonata/regex.h"

namespace helve::jsonata {

enum class TokenType : unsigned char {
  end,
  operation,
  name,
  variable,
  string,
  number,
  literal,
  regex
};

struct Token {
  TokenType type = TokenType::end;
  std::string text;  // an operator, a name, the characters of a string, the word of a literal
  double number = 0;
  std::shared_ptr<const Regex> regex;
  size_t position = 0;  // where it ends

  bool is(std::string_view operation) const {
    return type == TokenType::operation && text == operation;
  }
};

enum class Expects : unsigned char { value, operation };

class Lexer {
 public:
  // Borrows the source.
  explicit Lexer(std::string_view source) : source_(source) {}
  Result<Token> next(Expects expects);

 private:
  char at(size_t place) const { return place < source_.size() ? source_[place] : '\0'; }
  Result<void> skip_space_and_comments();
  Token make(TokenType type, std::string text) const;
  Result<Token> read_string(char quote);
  Result<void> read_escape(std::string& out);
  Result<Token> read_number();
  Result<Token> read_quoted_name();
  Result<Token> read_regex();
  Token read_name();
  Error wrong(std::string_view code, size_t position) const;

  std::string_view source_;
  size_t position_ = 0;
};

}  // namespace helve::jsonata

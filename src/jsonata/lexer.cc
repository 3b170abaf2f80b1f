#include "jsonata/lexer.h"

#include <cmath>

#include "jsonata/number_text.h"
#include "jsonata/unicode.h"

namespace helve::jsonata {
namespace {

constexpr std::string_view kSpace = " \t\n\r\v";
constexpr std::string_view kOperators = ".[]{}(),@#;:?+-*/%|=<>^&!~";

bool is_one_of(char c, std::string_view set) { return c != '\0' && set.find(c) != set.npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Token Lexer::make(TokenType type, std::string text) const {
  return {type, std::move(text), 0, nullptr, position_};
}

Error Lexer::wrong(std::string_view code, size_t position) const {
  return to_error({.code = code, .position = position}, source_);
}

Result<void> Lexer::skip_space_and_comments() {
  for (;;) {
    while (position_ < source_.size() && is_one_of(source_[position_], kSpace)) ++position_;
    if (at(position_) != '/' || at(position_ + 1) != '*') return {};
    const size_t end = source_.find("*/", position_ + 2);
    if (end == source_.npos) return wrong("S0106", position_);
    position_ = end + 2;
  }
}

Result<Token> Lexer::next(Expects expects) {
  TRY(skip_space_and_comments());
  if (position_ >= source_.size()) return make(TokenType::end, "(end)");
  const char c = source_[position_];
  if (expects == Expects::value && c == '/') {
    ++position_;
    return read_regex();
  }
  for (const std::string_view pair : {"..", ":=", "!=", ">=", "<=", "**", "~>", "?:", "??"}) {
    if (source_.substr(position_).starts_with(pair)) {
      position_ += pair.size();
      return make(TokenType::operation, std::string(pair));
    }
  }
  if (is_one_of(c, kOperators)) {
    ++position_;
    return make(TokenType::operation, std::string(1, c));
  }
  if (c == '"' || c == '\'') {
    ++position_;
    return read_string(c);
  }
  if (is_digit(c)) return read_number();
  if (c == '`') return read_quoted_name();
  return read_name();
}

Result<Token> Lexer::read_string(char quote) {
  std::string text;
  while (position_ < source_.size()) {
    const char c = source_[position_];
    if (c == quote) {
      ++position_;
      return make(TokenType::string, std::move(text));
    }
    ++position_;
    if (c == '\\')
      TRY(read_escape(text));
    else
      text += c;
  }
  return wrong("S0101", position_);
}

Result<void> Lexer::read_escape(std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = at(position_);
  if (letter != '\0' && kLetters.find(letter) != kLetters.npos) {
    out += kMeanings[kLetters.find(letter)];
    ++position_;
    return {};
  }
  if (letter != 'u') {
    const size_t length =
        position_ < source_.size() ? length_of_char(source_.substr(position_)) : 0;
    return to_error({.code = "S0103",
                     .position = position_,
                     .token = std::string(source_.substr(position_, length))},
                    source_);
  }
  std::uint32_t unit = 0;
  for (size_t i = 1; i <= 4; ++i) {
    const int digit = hex_digit(at(position_ + i));
    if (digit < 0) return wrong("S0104", position_);
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  append_unit(out, unit);
  position_ += 5;
  return {};
}

Result<Token> Lexer::read_number() {
  const size_t start = position_;
  size_t end = start + 1;
  if (source_[start] != '0')
    while (is_digit(at(end))) ++end;
  if (at(end) == '.' && is_digit(at(end + 1))) {
    end += 2;
    while (is_digit(at(end))) ++end;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    const size_t digits = end + (at(end + 1) == '+' || at(end + 1) == '-' ? 2 : 1);
    if (is_digit(at(digits))) {
      end = digits;
      while (is_digit(at(end))) ++end;
    }
  }
  const std::string_view text = source_.substr(start, end - start);
  const double number = read_decimal(text);
  if (!std::isfinite(number))
    return to_error({.code = "S0102", .position = start, .token = std::string(text)}, source_);
  position_ = end;
  Token token = make(TokenType::number, number_text(number));
  token.number = number;
  return token;
}

Result<Token> Lexer::read_quoted_name() {
  const size_t start = position_ + 1;
  const size_t end = source_.find('`', start);
  if (end == source_.npos) return wrong("S0105", source_.size());
  position_ = end + 1;
  return make(TokenType::name, std::string(source_.substr(start, end - start)));
}

// The slash that ends it is not escaped and not within brackets.
Result<Token> Lexer::read_regex() {
  const size_t start = position_;
  int depth = 0;
  for (; position_ < source_.size(); ++position_) {
    const char c = source_[position_];
    if (c == '/' && depth == 0) {
      size_t backslashes = 0;
      while (position_ > backslashes && source_[position_ - backslashes - 1] == '\\') ++backslashes;
      if (backslashes % 2 == 0) break;
    }
    const bool escaped = position_ > 0 && source_[position_ - 1] == '\\';
    if (is_one_of(c, "([{") && !escaped) ++depth;
    if (is_one_of(c, ")]}") && !escaped) --depth;
  }
  if (position_ >= source_.size()) return wrong("S0302", position_);
  const std::string_view pattern = source_.substr(start, position_ - start);
  if (pattern.empty()) return wrong("S0301", position_);
  const size_t flags = ++position_;
  while (at(position_) == 'i' || at(position_) == 'm') ++position_;
  std::string why;
  auto regex = Regex::compile(pattern, source_.substr(flags, position_ - flags), why);
  if (!regex)
    return to_error({.code = "S0303", .position = position_, .value = std::move(why)}, source_);
  Token token = make(TokenType::regex, std::string(pattern));
  token.regex = std::move(regex);
  return token;
}

Token Lexer::read_name() {
  const size_t start = position_;
  while (position_ < source_.size() && !is_one_of(source_[position_], kSpace) &&
         !is_one_of(source_[position_], kOperators))
    ++position_;
  std::string name(source_.substr(start, position_ - start));
  if (name[0] == '$') return make(TokenType::variable, name.substr(1));
  if (name == "or" || name == "in" || name == "and") return make(TokenType::operation, name);
  if (name == "true" || name == "false" || name == "null") return make(TokenType::literal, name);
  return make(TokenType::name, std::move(name));
}

}  // namespace helve::jsonata

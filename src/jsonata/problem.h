// Problem: what is wrong with an expression or what went wrong in it, under JSONata's own codes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace helve::jsonata {

struct Problem {
  std::string_view code;           // S0101, T2001, D3030, …
  std::optional<size_t> position;  // bytes into the expression
  std::optional<std::string> token;
  std::string value;    // the value at fault, as JSON
  std::string other;    // a second one
  size_t index = 0;     // of the argument at fault, from 1
  std::string message;  // where the expression itself says it
};

// One sentence.
std::string message_of(const Problem& problem);
// Its type is JSONata's code; the details have code, position (in UTF-16 units, as JSONata counts),
// token and value.
Error to_error(const Problem& problem, std::string_view source);

}  // namespace helve::jsonata

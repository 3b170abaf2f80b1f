#include "jsonata/node.h"

namespace helve::jsonata {

std::string_view name_of(NodeType type) {
  switch (type) {
    case NodeType::end:
      return "(end)";
    case NodeType::name:
      return "name";
    case NodeType::variable:
      return "variable";
    case NodeType::string:
      return "string";
    case NodeType::number:
      return "number";
    case NodeType::literal:
      return "value";
    case NodeType::regex:
      return "regex";
    case NodeType::word:
    case NodeType::placeholder:
      return "operator";
    case NodeType::binary:
      return "binary";
    case NodeType::negation:
    case NodeType::array:
    case NodeType::object:
      return "unary";
    case NodeType::function:
      return "function";
    case NodeType::partial:
      return "partial";
    case NodeType::lambda:
      return "lambda";
    case NodeType::condition:
      return "condition";
    case NodeType::block:
      return "block";
    case NodeType::wildcard:
      return "wildcard";
    case NodeType::descendants:
      return "descendant";
    case NodeType::parent:
      return "parent";
    case NodeType::transform:
      return "transform";
    case NodeType::path:
      return "path";
    case NodeType::bind:
      return "bind";
    case NodeType::apply:
      return "apply";
    case NodeType::sort:
      return "sort";
  }
  return "";
}

std::string_view text_of(Operator operation) {
  constexpr std::string_view kTexts[] = {
      "",  ".", "[",  "{", "^",  ":=", "@",  "#", "~>", "+",  "-",   "*", "/",
      "%", "=", "!=", "<", "<=", ">",  ">=", "&", "..", "in", "and", "or"};
  return kTexts[static_cast<size_t>(operation)];
}

}  // namespace helve::jsonata

#include "jsonata/parser.h"

#include <algorithm>

#include "base/text.h"
#include "jsonata/builtin.h"
#include "jsonata/refiner.h"

namespace helve::jsonata {
namespace {

struct Infix {
  std::string_view text;
  int binding_power;
  Operator operation;
};
constexpr Infix kInfixes[] = {
    {".", 75, Operator::dot},         {"[", 80, Operator::predicate},
    {"{", 70, Operator::group},       {"(", 80, Operator::none},
    {"@", 80, Operator::focus},       {"#", 80, Operator::index},
    {"?", 20, Operator::none},        {"+", 50, Operator::add},
    {"-", 50, Operator::subtract},    {"*", 60, Operator::multiply},
    {"/", 60, Operator::divide},      {"%", 60, Operator::modulo},
    {"=", 40, Operator::equal},       {"<", 40, Operator::less},
    {">", 40, Operator::greater},     {"^", 40, Operator::order},
    {":=", 10, Operator::assign},     {"!=", 40, Operator::not_equal},
    {"<=", 40, Operator::less_equal}, {">=", 40, Operator::greater_equal},
    {"~>", 40, Operator::apply},      {"?:", 40, Operator::none},
    {"??", 40, Operator::none},       {"and", 30, Operator::and_},
    {"or", 25, Operator::or_},        {"in", 40, Operator::in},
    {"&", 50, Operator::concatenate},
};
constexpr int kNegationPower = 70;

const Infix* find_infix(const Token& token) {
  if (token.type != TokenType::operation) return nullptr;
  const auto* const infix = std::ranges::find(kInfixes, token.text, &Infix::text);
  return infix == std::end(kInfixes) ? nullptr : infix;
}

std::uint32_t place(const Token& token) { return static_cast<std::uint32_t>(token.position); }

std::uint32_t depth_below(const Node& node) {
  std::uint32_t depth = 0;
  const auto look = [&depth](const Node* child) {
    if (child) depth = std::max(depth, child->depth);
  };
  for (const Node* child : {node.left, node.right, node.other}) look(child);
  for (const Node* child : node.items) look(child);
  for (const Term& term : node.terms) look(term.expression);
  for (const Pair& pair : node.pairs) look(pair.key), look(pair.value);
  return depth;
}

// What errors call a node. These have no text once they are refined, so it is not kept in them.
std::string token_of(const Node& node) {
  switch (node.type) {
    case NodeType::block:
      return "(";
    case NodeType::condition:
      return "?";
    case NodeType::transform:
      return "|";
    default:
      return std::string(node.text);
  }
}

}  // namespace

Error Parser::wrong(std::string_view code, const Token& token) const {
  return to_error({.code = code, .position = token.position, .token = token.text}, tree_.source);
}

Result<Node*> Parser::grown(Node* node) const {
  node->depth = 1 + depth_below(*node);
  if (node->depth <= kMaxTreeDepth) return node;
  return to_error({.code = "D1011", .position = node->position}, tree_.source);
}

Result<void> Parser::advance(Expects expects) {
  token_ = TRY(lexer_.next(expects));
  if (token_.is("!") || token_.is("~")) return wrong("S0204", token_);
  return {};
}

Result<void> Parser::take(std::string_view operation, Expects expects) {
  if (!token_.is(operation))
    return to_error({.code = token_.type == TokenType::end ? "S0203" : "S0202",
                     .position = token_.position,
                     .token = token_.text,
                     .value = std::string(operation)},
                    tree_.source);
  return advance(expects);
}

Result<Node*> Parser::parse_all() {
  TRY(advance(Expects::value));
  Node* const root = TRY(expression(0));
  if (token_.type != TokenType::end) return wrong("S0201", token_);
  return root;
}

Result<Node*> Parser::expression(int binding_power) {
  if (++nesting_ > kMaxNesting)
    return to_error({.code = "D1011", .position = token_.position}, tree_.source);
  Token token = token_;
  TRY(advance(Expects::operation));
  Node* left = TRY(prefix(std::move(token)));
  for (;;) {
    const Infix* const infix_here = find_infix(token_);
    if (!infix_here || infix_here->binding_power <= binding_power) break;
    Token operation = token_;
    TRY(advance(Expects::value));
    left = TRY(grown(TRY(infix(std::move(operation), left))));
  }
  --nesting_;
  return left;
}

Result<Node*> Parser::prefix(Token token) {
  const auto leaf = [&](NodeType type) {
    Node* const node = tree_.add(type, place(token));
    node->text = tree_.keep(token.text);
    return node;
  };
  switch (token.type) {
    case TokenType::end:
      return leaf(NodeType::end);
    case TokenType::name:
      return leaf(NodeType::name);
    case TokenType::variable: {
      Node* const node = leaf(NodeType::variable);
      node->builtin = find_builtin(node->text);
      return node;
    }
    case TokenType::string: {
      Node* const node = leaf(NodeType::string);
      node->value = Value::string(node->text);
      return node;
    }
    case TokenType::number: {
      Node* const node = leaf(NodeType::number);
      node->value = Value::number(token.number);
      return node;
    }
    case TokenType::literal: {
      Node* const node = leaf(NodeType::literal);
      node->value = token.text == "null" ? Value::null() : Value::boolean(token.text == "true");
      return node;
    }
    case TokenType::regex: {
      Node* const node = leaf(NodeType::regex);
      node->regex = token.regex;
      return node;
    }
    case TokenType::operation:
      break;
  }
  const std::string& text = token.text;
  if (text == "and" || text == "or" || text == "in") return leaf(NodeType::word);
  if (text == "*") return leaf(NodeType::wildcard);
  if (text == "**") return leaf(NodeType::descendants);
  if (text == "%") return leaf(NodeType::parent);
  if (text == "(") return grown(TRY(block(token)));
  if (text == "[") return grown(TRY(array(token)));
  if (text == "|") return grown(TRY(transform(token)));
  if (text == "{") {
    Node* const node = tree_.add(NodeType::object, place(token));
    node->text = "{";
    node->pairs = TRY(pairs());
    return grown(node);
  }
  if (text == "-") {
    Node* const node = tree_.add(NodeType::negation, place(token));
    node->text = "-";
    node->left = TRY(expression(kNegationPower));
    return grown(node);
  }
  return wrong("S0211", token);
}

Result<Node*> Parser::infix(Token token, Node* left) {
  const Infix& infix = *find_infix(token);
  if (token.text == "(") return call(token, left);
  if (token.text == "?") return condition(token, left);
  if (token.text == "?:" || token.text == "??") return fallback(token, left);
  switch (infix.operation) {
    case Operator::predicate:
      return predicate(token, left);
    case Operator::order:
      return ordering(token, left);
    case Operator::focus:
    case Operator::index:
      return binding(token, left, infix.operation);
    case Operator::assign:
      if (left->type != NodeType::variable)
        return to_error({.code = "S0212", .position = left->position, .token = token_of(*left)},
                        tree_.source);
      break;
    default:
      break;
  }
  Node* const node = binary(infix.operation, token);
  node->left = left;
  if (infix.operation == Operator::group)
    node->pairs = TRY(pairs());
  else
    node->right = TRY(expression(infix.operation == Operator::assign ? infix.binding_power - 1
                                                                     : infix.binding_power));
  return node;
}

Node* Parser::binary(Operator operation, const Token& token) {
  Node* const node = tree_.add(NodeType::binary, place(token));
  node->operation = operation;
  node->text = text_of(operation);
  return node;
}

Result<Node*> Parser::block(const Token& token) {
  Node* const node = tree_.add(NodeType::block, place(token));
  while (!token_.is(")")) {
    node->items.push_back(TRY(expression(0)));
    if (!token_.is(";")) break;
    TRY(advance(Expects::value));
  }
  TRY(take(")", Expects::operation));
  return node;
}

Result<Node*> Parser::array(const Token& token) {
  Node* const node = tree_.add(NodeType::array, place(token));
  node->text = "[";
  while (!token_.is("]")) {
    Node* item = TRY(expression(0));
    if (token_.is("..")) {
      Node* const range = binary(Operator::range, token_);
      range->left = item;
      TRY(advance(Expects::value));
      range->right = TRY(expression(0));
      item = TRY(grown(range));
    }
    node->items.push_back(item);
    if (!token_.is(",")) break;
    TRY(advance(Expects::value));
    if (token_.is("]")) return wrong("S0211", token_);
  }
  TRY(take("]", Expects::operation));
  return node;
}

Result<std::vector<Pair>> Parser::pairs() {
  std::vector<Pair> pairs;
  if (!token_.is("}")) {
    for (;;) {
      Node* const key = TRY(expression(0));
      TRY(take(":"));
      Node* const value = TRY(expression(0));
      pairs.push_back({key, value});
      if (!token_.is(",")) break;
      TRY(advance(Expects::value));
    }
  }
  TRY(take("}", Expects::operation));
  return pairs;
}

Result<Node*> Parser::transform(const Token& token) {
  Node* const node = tree_.add(NodeType::transform, place(token));
  node->left = TRY(expression(0));
  TRY(take("|"));
  node->right = TRY(expression(0));
  if (token_.is(",")) {
    TRY(advance(Expects::value));
    node->other = TRY(expression(0));
  }
  TRY(take("|"));
  return node;
}

Result<Node*> Parser::call(const Token& token, Node* left) {
  Node* const node = tree_.add(NodeType::function, place(token));
  node->text = "(";
  node->left = left;
  if (!token_.is(")")) {
    for (;;) {
      if (token_.is("?")) {
        node->type = NodeType::partial;
        Node* const open = tree_.add(NodeType::placeholder, place(token_));
        open->text = "?";
        node->items.push_back(open);
        TRY(advance(Expects::value));
      } else {
        node->items.push_back(TRY(expression(0)));
      }
      if (!token_.is(",")) break;
      TRY(advance(Expects::value));
    }
  }
  TRY(take(")", Expects::operation));
  if (left->type == NodeType::name && (left->text == "function" || left->text == "λ"))
    return definition(node);
  return node;
}

Result<Node*> Parser::definition(Node* call) {
  for (size_t i = 0; i < call->items.size(); ++i) {
    const Node& parameter = *call->items[i];
    if (parameter.type != NodeType::variable)
      return to_error({.code = "S0208",
                       .position = parameter.position,
                       .token = token_of(parameter),
                       .value = std::to_string(i + 1)},
                      tree_.source);
  }
  call->type = NodeType::lambda;
  if (token_.is("<")) TRY(signature(call));
  TRY(take("{"));
  call->left = TRY(expression(0));
  TRY(take("}"));
  return call;
}

Result<void> Parser::signature(Node* lambda) {
  const size_t position = token_.position;
  std::string text = "<";
  for (int depth = 1; depth > 0 && !token_.is("{") && token_.type != TokenType::end;) {
    TRY(advance(Expects::value));
    if (token_.is(">")) --depth;
    if (token_.is("<")) ++depth;
    text += token_.text;
  }
  TRY(take(">"));
  const Signature& signature = tree_.signatures.emplace_back(text);
  lambda->signature = &signature;
  const Signature::Fault& fault = signature.fault();
  if (fault.code.empty()) return {};
  return to_error(
      {.code = fault.code, .position = position + fault.offset, .value = std::string(fault.value)},
      tree_.source);
}

Result<Node*> Parser::predicate(const Token& token, Node* left) {
  if (token_.is("]")) {
    // An empty predicate keeps an array of one as it is.
    Node* step = left;
    while (step->type == NodeType::binary && step->operation == Operator::predicate)
      step = step->left;
    step->keeps_array = true;
    TRY(advance(Expects::value));
    return left;
  }
  Node* const node = binary(Operator::predicate, token);
  node->left = left;
  node->right = TRY(expression(0));
  TRY(take("]", Expects::operation));
  return node;
}

Result<Node*> Parser::ordering(const Token& token, Node* left) {
  Node* const node = binary(Operator::order, token);
  node->left = left;
  TRY(take("("));
  for (;;) {
    Term term{nullptr, token_.is(">")};
    if (token_.is("<") || token_.is(">")) TRY(advance(Expects::value));
    term.expression = TRY(expression(0));
    node->terms.push_back(term);
    if (!token_.is(",")) break;
    TRY(advance(Expects::value));
  }
  TRY(take(")"));
  return node;
}

Result<Node*> Parser::binding(const Token& token, Node* left, Operator operation) {
  Node* const node = binary(operation, token);
  node->left = left;
  node->right = TRY(expression(find_infix(token)->binding_power));
  if (node->right->type != NodeType::variable)
    return to_error({.code = "S0214", .position = node->right->position, .token = token.text},
                    tree_.source);
  return node;
}

Result<Node*> Parser::condition(const Token& token, Node* left) {
  Node* const node = tree_.add(NodeType::condition, place(token));
  node->left = left;
  node->right = TRY(expression(0));
  if (token_.is(":")) {
    TRY(advance(Expects::value));
    node->other = TRY(expression(0));
  }
  return node;
}

// a ?: b is a ? a : b, and a ?? b is $exists(a) ? a : b.
Result<Node*> Parser::fallback(const Token& token, Node* left) {
  Node* const node = tree_.add(NodeType::condition, place(token));
  node->left = copy(left);
  if (tree_.nodes.size() > kMaxNodes)
    return to_error({.code = "D1011", .position = token.position}, tree_.source);
  if (token.text == "??") {
    Node* const exists = tree_.add(NodeType::variable);
    exists->text = "exists";
    exists->builtin = find_builtin("exists");
    Node* const call = tree_.add(NodeType::function);
    call->text = "(";
    call->items.push_back(node->left);
    call->left = exists;
    call->depth = node->left->depth + 1;
    node->left = call;
  }
  node->right = left;
  node->other = TRY(expression(0));
  return node;
}

Node* Parser::copy(const Node* node) {
  if (!node) return nullptr;
  Node* const twin = tree_.add(node->type, node->position);
  twin->operation = node->operation;
  twin->keeps_array = node->keeps_array;
  twin->builtin = node->builtin;
  twin->text = node->text;
  twin->value = node->value;
  twin->left = copy(node->left);
  twin->right = copy(node->right);
  twin->other = copy(node->other);
  for (const Node* item : node->items) twin->items.push_back(copy(item));
  for (const Pair& pair : node->pairs) twin->pairs.push_back({copy(pair.key), copy(pair.value)});
  for (const Term& term : node->terms)
    twin->terms.push_back({copy(term.expression), term.descending});
  twin->signature = node->signature;
  twin->regex = node->regex;
  twin->depth = node->depth;
  return twin;
}

Result<std::unique_ptr<Tree>> parse(std::string_view source) {
  if (source.size() > kMaxSource)
    return Error{Code::too_large, "the expression is longer than 1 MB"};
  if (!is_utf8(source)) return Error{Code::invalid_argument, "the expression is not UTF-8"};
  auto tree = std::make_unique<Tree>();
  tree->source = source;
  Node* const parsed = TRY(Parser(*tree).parse_all());
  tree->root = TRY(Refiner(*tree).refine(parsed));
  return tree;
}

}  // namespace helve::jsonata

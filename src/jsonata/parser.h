// Parser: from the text of an expression to a tree of nodes, by precedence of operators.
#pragma once

#include "base/result.h"
#include "jsonata/lexer.h"
#include "jsonata/node.h"

namespace helve::jsonata {

constexpr size_t kMaxSource = 1u << 20;         // bytes of an expression
constexpr std::uint32_t kMaxNesting = 500;      // of what is being parsed
constexpr std::uint32_t kMaxTreeDepth = 3'000;  // a long sum is deep without being nested
constexpr size_t kMaxNodes = 200'000;           // ?: and ?? copy what stands before them

// The expression, ready to be evaluated.
Result<std::unique_ptr<Tree>> parse(std::string_view source);

class Parser {
 public:
  explicit Parser(Tree& tree) : tree_(tree), lexer_(tree.source) {}
  // The tree as it is written; Refiner makes it what is evaluated.
  Result<Node*> parse_all();

 private:
  Result<Node*> expression(int binding_power);
  Result<Node*> prefix(Token token);
  Result<Node*> infix(Token token, Node* left);

  Result<Node*> block(const Token& token);
  Result<Node*> array(const Token& token);
  Result<std::vector<Pair>> pairs();
  Result<Node*> transform(const Token& token);
  Result<Node*> call(const Token& token, Node* left);
  Result<Node*> definition(Node* call);
  Result<void> signature(Node* lambda);
  Result<Node*> predicate(const Token& token, Node* left);
  Result<Node*> ordering(const Token& token, Node* left);
  Result<Node*> binding(const Token& token, Node* left, Operator operation);
  Result<Node*> condition(const Token& token, Node* left);
  Result<Node*> fallback(const Token& token, Node* left);

  Result<void> advance(Expects expects);
  // The current token must be that operator.
  Result<void> take(std::string_view operation, Expects expects = Expects::value);
  Node* binary(Operator operation, const Token& token);
  Node* copy(const Node* node);
  Result<Node*> grown(Node* node) const;
  Error wrong(std::string_view code, const Token& token) const;

  Tree& tree_;
  Lexer lexer_;
  Token token_;
  std::uint32_t nesting_ = 0;
};

}  // namespace helve::jsonata

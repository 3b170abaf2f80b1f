// Node: a part of an expression, as it was parsed and then refined for evaluation.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jsonata/regex.h"
#include "jsonata/signature.h"
#include "jsonata/value.h"

namespace helve::jsonata {

enum class NodeType : unsigned char {
  end,
  name,
  variable,
  string,
  number,
  literal,  // true, false, null
  regex,
  word,         // and, or, in where a value is expected
  placeholder,  // ? in a partial application
  binary,
  negation,
  array,
  object,
  function,
  partial,
  lambda,
  condition,
  block,
  wildcard,
  descendants,
  parent,
  transform,
  // What refining makes.
  path,
  bind,
  apply,
  sort,
};
// As errors call it.
std::string_view name_of(NodeType type);

enum class Operator : unsigned char {
  none,
  dot,
  predicate,
  group,
  order,
  assign,
  focus,
  index,
  apply,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  concatenate,
  range,
  in,
  and_,
  or_,
};
std::string_view text_of(Operator operation);

struct Node;

// Where the value of a % comes from: the step that is `level` steps back binds it to `label`.
struct Slot {
  std::string_view label;
  int level = 1;
};

struct Pair {
  Node* key;
  Node* value;
};
struct Term {
  Node* expression;
  bool descending = false;
};
struct Stage {
  Node* filter = nullptr;  // null: binds the position to `index`
  std::string_view index;
};
struct Group {
  std::vector<Pair> pairs;
  size_t position = 0;
};

struct Node {
  static constexpr std::uint32_t kNoPosition = ~std::uint32_t{0};

  NodeType type = NodeType::end;
  Operator operation = Operator::none;
  bool keeps_array = false;      // followed by []
  bool keeps_singleton = false;  // a path with such a step
  bool constructs = false;       // an array whose items are not flattened into the path
  bool has_tuples = false;
  bool is_thunk = false;      // a tail call
  bool is_name_path = false;  // nothing but names
  std::uint32_t position = kNoPosition;
  std::uint32_t number_in_tree = 0;
  int builtin = -1;          // of a variable that has the name of one
  std::string_view text;     // name, variable, text of a string
  Value value;               // of a literal, a number, a string
  Node* left = nullptr;      // left side, condition, pattern, procedure, body
  Node* right = nullptr;     // right side, then, update
  Node* other = nullptr;     // else, what is deleted
  std::vector<Node*> items;  // arguments, parameters, expressions, steps
  std::vector<Pair> pairs;
  std::vector<Term> terms;
  std::vector<Stage> predicates;  // of a value
  std::vector<Stage> stages;      // of a step
  std::unique_ptr<Group> group;
  std::string_view focus;  // @$name
  std::string_view index;  // #$name
  Slot* ancestor = nullptr;
  Slot* slot = nullptr;
  std::vector<Slot*> seeking;  // parents that are not found yet
  const Signature* signature = nullptr;
  std::shared_ptr<const Regex> regex;  // shared with its copies by ?: and ??
  std::uint32_t depth = 1;             // of the tree below it
};

// Owns the nodes of one expression and the texts that they refer to.
struct Tree {
  std::string source;
  std::deque<Node> nodes;
  std::deque<Slot> slots;
  std::deque<Signature> signatures;
  std::deque<std::string> texts;
  Node* root = nullptr;

  Node* add(NodeType type, std::uint32_t position = Node::kNoPosition) {
    Node& node = nodes.emplace_back();
    node.type = type;
    node.position = position;
    node.number_in_tree = static_cast<std::uint32_t>(nodes.size() - 1);
    return &node;
  }
  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

}  // namespace helve::jsonata

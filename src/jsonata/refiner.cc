#include "jsonata/refiner.h"

#include <algorithm>
#include <cmath>

#include "jsonata/number_text.h"
#include "jsonata/problem.h"

namespace helve::jsonata {
namespace {

std::optional<size_t> place(const Node& node) {
  if (node.position == Node::kNoPosition) return std::nullopt;
  return node.position;
}

// The step of a path that a predicate or a binding belongs to.
Node* last_step(Node* node) { return node->type == NodeType::path ? node->items.back() : node; }

bool is_plain_name(const Node* step) {
  return step->type == NodeType::name && step->stages.empty() && step->predicates.empty() &&
         !step->has_tuples && !step->keeps_array && !step->group && step->focus.empty() &&
         step->index.empty() && !step->ancestor;
}

}  // namespace

Error Refiner::wrong(std::string_view code, const Node& node, std::string_view token) const {
  Problem problem{.code = code, .position = place(node)};
  if (!token.empty()) problem.token = std::string(token);
  return to_error(problem, tree_.source);
}

Result<Node*> Refiner::refine(Node* root) {
  Node* const result = TRY(process(root));
  if (result->type == NodeType::parent || !result->seeking.empty())
    return wrong("S0217", *result, name_of(result->type));
  for (Node& node : tree_.nodes) {
    node.is_name_path = node.type == NodeType::path && !node.keeps_singleton && !node.has_tuples &&
                        !node.group && node.predicates.empty() &&
                        std::ranges::all_of(node.items, is_plain_name);
  }
  return result;
}

Result<Node*> Refiner::process(Node* node) {
  Node* const result = TRY(process_kind(node));
  if (node->keeps_array) result->keeps_array = true;
  return result;
}

Result<Node*> Refiner::process_kind(Node* node) {
  switch (node->type) {
    case NodeType::binary:
      return process_binary(node);
    case NodeType::negation:
      return process_negation(node);
    case NodeType::array:
    case NodeType::function:
    case NodeType::partial:
      for (Node*& item : node->items) {
        item = TRY(process(item));
        push_ancestry(node, item);
      }
      if (node->left) node->left = TRY(process(node->left));
      return node;
    case NodeType::object:
      TRY(process_pairs(node));
      return node;
    case NodeType::lambda:
      node->left = as_tail_call(TRY(process(node->left)));
      return node;
    case NodeType::condition:
      for (Node** part : {&node->left, &node->right, &node->other}) {
        if (!*part) continue;
        *part = TRY(process(*part));
        push_ancestry(node, *part);
      }
      return node;
    case NodeType::transform:
      for (Node** part : {&node->left, &node->right, &node->other})
        if (*part) *part = TRY(process(*part));
      return node;
    case NodeType::block:
      return process_block(node);
    case NodeType::word:
      node->type = NodeType::name;
      [[fallthrough]];
    case NodeType::name: {
      Node* const path = tree_.add(NodeType::path);
      path->items = {node};
      path->keeps_singleton = node->keeps_array;
      return path;
    }
    case NodeType::parent:
      node->position = Node::kNoPosition;
      node->slot = &tree_.slots.emplace_back(Slot{tree_.keep("!" + std::to_string(labels_++))});
      return node;
    case NodeType::end:
      return wrong("S0207", *node, node->text);
    default:
      return node;
  }
}

Result<Node*> Refiner::process_binary(Node* node) {
  switch (node->operation) {
    case Operator::dot:
      return process_dot(node);
    case Operator::predicate:
      return process_predicate(node);
    case Operator::group:
      return process_group(node);
    case Operator::order:
      return process_order(node);
    case Operator::focus:
      return process_focus(node);
    case Operator::index:
      return process_index(node);
    case Operator::assign:
      node->type = NodeType::bind;
      node->right = TRY(process(node->right));
      push_ancestry(node, node->right);
      return node;
    case Operator::apply:
      node->type = NodeType::apply;
      node->left = TRY(process(node->left));
      node->right = TRY(process(node->right));
      if (node->left->keeps_array || node->right->keeps_array) node->keeps_array = true;
      return node;
    default:
      node->left = TRY(process(node->left));
      node->right = TRY(process(node->right));
      push_ancestry(node, node->left);
      push_ancestry(node, node->right);
      return node;
  }
}

Result<Node*> Refiner::process_dot(Node* node) {
  Node* const first = TRY(process(node->left));
  Node* path = first;
  if (first->type != NodeType::path) {
    path = tree_.add(NodeType::path);
    path->items = {first};
  }
  if (first->type == NodeType::parent) path->seeking = {first->slot};
  Node* const rest = TRY(process(node->right));
  if (rest->type == NodeType::path) {
    path->items.insert(path->items.end(), rest->items.begin(), rest->items.end());
  } else {
    if (!rest->predicates.empty()) rest->stages = std::move(rest->predicates);
    rest->predicates.clear();
    path->items.push_back(rest);
  }
  for (Node* step : path->items) {
    if (step->type == NodeType::number || step->type == NodeType::literal) {
      Problem problem{.code = "S0213", .position = place(*step), .value = std::string(step->text)};
      return to_error(problem, tree_.source);
    }
    if (step->type == NodeType::string) step->type = NodeType::name;
    if (step->keeps_array) path->keeps_singleton = true;
  }
  // An array constructor at the beginning or the end is not flattened.
  for (Node* step : {path->items.front(), path->items.back()})
    if (step->type == NodeType::array) step->constructs = true;
  TRY(resolve_ancestry(path));
  return path;
}

Result<Node*> Refiner::process_predicate(Node* node) {
  Node* const result = TRY(process(node->left));
  Node* const step = last_step(result);
  auto& stages = result->type == NodeType::path ? step->stages : step->predicates;
  if (step->group) return wrong("S0209", *node);
  Node* const filter = TRY(process(node->right));
  if (!filter->seeking.empty()) {
    for (Slot* slot : filter->seeking) {
      if (slot->level == 1)
        TRY(seek_parent(step, slot));
      else
        --slot->level;
    }
    push_ancestry(step, filter);
  }
  stages.push_back({filter, {}});
  return result;
}

Result<Node*> Refiner::process_group(Node* node) {
  Node* const result = TRY(process(node->left));
  if (result->group) return wrong("S0210", *node);
  auto group = std::make_unique<Group>();
  group->position = node->position;
  for (const Pair& pair : node->pairs) {
    Node* const key = TRY(process(pair.key));
    Node* const value = TRY(process(pair.value));
    group->pairs.push_back({key, value});
  }
  result->group = std::move(group);
  return result;
}

Result<Node*> Refiner::process_order(Node* node) {
  Node* path = TRY(process(node->left));
  if (path->type != NodeType::path) {
    Node* const first = path;
    path = tree_.add(NodeType::path);
    path->items = {first};
  }
  Node* const sort = tree_.add(NodeType::sort, node->position);
  for (const Term& term : node->terms) {
    Node* const expression = TRY(process(term.expression));
    push_ancestry(sort, expression);
    sort->terms.push_back({expression, term.descending});
  }
  path->items.push_back(sort);
  TRY(resolve_ancestry(path));
  return path;
}

Result<Node*> Refiner::process_focus(Node* node) {
  Node* const result = TRY(process(node->left));
  Node* const step = last_step(result);
  if (!step->stages.empty() || !step->predicates.empty()) return wrong("S0215", *node);
  if (step->type == NodeType::sort) return wrong("S0216", *node);
  if (node->keeps_array) step->keeps_array = true;
  step->focus = node->right->text;
  step->has_tuples = true;
  return result;
}

Result<Node*> Refiner::process_index(Node* node) {
  Node* result = TRY(process(node->left));
  Node* const step = last_step(result);
  if (result->type != NodeType::path) {
    result = tree_.add(NodeType::path);
    result->items = {step};
    if (!step->predicates.empty()) step->stages = std::move(step->predicates);
    step->predicates.clear();
  }
  if (step->stages.empty())
    step->index = node->right->text;
  else
    step->stages.push_back({nullptr, node->right->text});
  step->has_tuples = true;
  return result;
}

Result<Node*> Refiner::process_negation(Node* node) {
  node->left = TRY(process(node->left));
  if (node->left->type == NodeType::number) {
    node->left->value.real = -node->left->value.real;
    node->left->text = tree_.keep(number_text(node->left->value.real));
    return node->left;
  }
  push_ancestry(node, node->left);
  return node;
}

Result<Node*> Refiner::process_block(Node* node) {
  for (Node*& item : node->items) {
    item = TRY(process(item));
    push_ancestry(node, item);
    if (item->constructs || (item->type == NodeType::path && item->items.front()->constructs))
      node->constructs = true;
  }
  return node;
}

Result<void> Refiner::process_pairs(Node* node) {
  for (Pair& pair : node->pairs) {
    pair.key = TRY(process(pair.key));
    push_ancestry(node, pair.key);
    pair.value = TRY(process(pair.value));
    push_ancestry(node, pair.value);
  }
  return {};
}

// A call at the end of a function's body is handed to the caller, so that it does not nest.
Node* Refiner::as_tail_call(Node* node) {
  switch (node->type) {
    case NodeType::function: {
      if (!node->predicates.empty()) return node;
      Node* const thunk = tree_.add(NodeType::lambda, node->position);
      thunk->is_thunk = true;
      thunk->left = node;
      return thunk;
    }
    case NodeType::condition:
      node->right = as_tail_call(node->right);
      if (node->other) node->other = as_tail_call(node->other);
      return node;
    case NodeType::block:
      if (!node->items.empty()) node->items.back() = as_tail_call(node->items.back());
      return node;
    default:
      return node;
  }
}

Result<Slot*> Refiner::seek_parent(Node* node, Slot* slot) {
  switch (node->type) {
    case NodeType::name:
    case NodeType::wildcard:
      if (--slot->level == 0) {
        if (node->ancestor) slot->label = node->ancestor->label;
        node->ancestor = slot;
        node->has_tuples = true;
      }
      return slot;
    case NodeType::parent:
      ++slot->level;
      return slot;
    case NodeType::block:
      if (node->items.empty()) return slot;
      node->has_tuples = true;
      return seek_parent(node->items.back(), slot);
    case NodeType::path: {
      node->has_tuples = true;
      size_t index = node->items.size() - 1;
      slot = TRY(seek_parent(node->items[index], slot));
      while (slot->level > 0 && index > 0) slot = TRY(seek_parent(node->items[--index], slot));
      return slot;
    }
    default:
      return wrong("S0217", *node, name_of(node->type));
  }
}

void Refiner::push_ancestry(Node* result, Node* value) {
  if (value->seeking.empty() && value->type != NodeType::parent) return;
  std::vector<Slot*> slots = value->seeking;
  if (value->type == NodeType::parent) slots.push_back(value->slot);
  result->seeking.insert(result->seeking.end(), slots.begin(), slots.end());
}

Result<void> Refiner::resolve_ancestry(Node* path) {
  const Node* const last = path->items.back();
  std::vector<Slot*> slots = last->seeking;
  if (last->type == NodeType::parent) slots.push_back(last->slot);
  for (Slot* slot : slots) {
    size_t index = path->items.size() - 1;  // of the step after the one to try
    while (slot->level > 0) {
      if (index == 0) {
        path->seeking.push_back(slot);
        break;
      }
      Node* step = path->items[--index];
      // Steps that bind the context do not move it.
      while (index > 0 && !step->focus.empty() && !path->items[index - 1]->focus.empty())
        step = path->items[--index];
      slot = TRY(seek_parent(step, slot));
    }
  }
  return {};
}

}  // namespace helve::jsonata
